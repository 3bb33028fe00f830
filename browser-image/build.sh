#!/usr/bin/env bash
# Builds the images that run in the cluster, with Docker or Podman, and leaves them as archives in the cache.
#
#   browser-image/build.sh                        all that are out of date
#   browser-image/build.sh browser services redis those that are named
#   browser-image/build.sh --refresh              with today's Debian packages
#
# An image's tag is a short hash of what it is made from, so a changed image has a new name and an unchanged one is
# not built again. It writes, in .artifacts/images of this checkout, since another one may build other images meanwhile:
#
#   current.env   PODWRIGHT_IMAGE, PODWRIGHT_BROWSER_IMAGE, PODWRIGHT_REDIS_IMAGE as NAME:TAG
#   current.list  lines of "NAME:TAG <tab> archive <tab> image id"
#
# The base is debian:bookworm-slim where a registry answers, else a Debian made here with mmdebstrap;
# PODWRIGHT_BASE_IMAGE=NAME takes another one that the engine holds. It may be interrupted and run again.
set -euo pipefail

image_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root_dir=$(dirname "$image_dir")
. "$root_dir/kind/env.sh"
: "${PODWRIGHT_ENGINE:?no container engine yet, run kind/toolchain.sh first}"
images_cache="$PODWRIGHT_CACHE/images"
images_out="$root_dir/.artifacts/images"

# One build at a time; the next caller waits for it and finds everything done.
mkdir -p "$images_cache" "$images_out"
if [[ ${PODWRIGHT_IMAGES_LOCKED:-} != 1 ]]; then
  export PODWRIGHT_IMAGES_LOCKED=1
  exec flock -o "$images_cache/lock" "$0" "$@"
fi

. "$root_dir/kind/progress.sh"
. "$root_dir/kind/toolchain/fingerprint.sh"
. "$root_dir/kind/toolchain/packages.sh"
. "$image_dir/build/base.sh"
. "$image_dir/build/contexts.sh"
. "$image_dir/build/archive.sh"

if [[ ${1:-} == --refresh ]]; then
  date +%F >"$images_cache/refreshed"
  shift
fi
wanted=("$@")
((${#wanted[@]})) || wanted=(browser services redis)
for name in "${wanted[@]}"; do
  [[ $name =~ ^(browser|services|redis)$ ]] || { echo "no such image: $name (browser, services, redis)" >&2; exit 2; }
done

parts_begin "images" $((2 * ${#wanted[@]} + 1))
if base_is_there; then skip; else part "Debian base" base_make; fi
for name in "${wanted[@]}"; do
  # The context is small and laid out anew each time; its content is what the tag is made from.
  part "context of $name" "context_$name" "$images_cache/context/$name"
  if archive_is_there "$name"; then skip; else part "$(image_name "$name")" archive_make "$name"; fi
  archive_record "$name"
done
archive_publish
