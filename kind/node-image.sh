#!/usr/bin/env bash
# Makes sure that the container engine has a node image for kind and prints its name, or
# nothing where kind should take its default.
#
#   1. PODWRIGHT_NODE_IMAGE, if set, is used as it is.
#   2. With a registry in reach, kind's own public image for its version is pulled.
#   3. Without one, the image is built from Go modules and Debian packages (the first time
#      that takes the Kubernetes build, 15 minutes or more) and kept as
#      $PODWRIGHT_CACHE/node-image/<hash of its inputs>.tar.
#
# PODWRIGHT_NODE_IMAGE_FROM=registry or build skips the attempt of the other.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/env.sh"
"$kind_dir/toolchain.sh" >/dev/null
. "$kind_dir/env.sh"

. "$kind_dir/lock.sh"
. "$kind_dir/progress.sh"
. "$kind_dir/toolchain/fingerprint.sh"
. "$kind_dir/toolchain/packages.sh"
. "$kind_dir/toolchain/go.sh"
. "$kind_dir/toolchain/programs.sh"
. "$kind_dir/node-image/public-image.sh"
. "$kind_dir/node-image/build.sh"

node_image() {
  local choice="$PODWRIGHT_CACHE/node-image/from"
  if [[ -n ${PODWRIGHT_NODE_IMAGE:-} ]]; then
    echo "$PODWRIGHT_NODE_IMAGE"
    return
  fi
  mkdir -p "$PODWRIGHT_CACHE/node-image"
  case "${PODWRIGHT_NODE_IMAGE_FROM:-$(cat "$choice" 2>/dev/null)}" in
  registry)
    pull_public_image || {
      echo "Cannot pull $(public_image_name). PODWRIGHT_NODE_IMAGE_FROM=build makes a node image without a registry." >&2
      return 1
    }
    ;;
  build) ;;
  *)
    if pull_public_image; then
      echo registry >"$choice"
    else
      echo "No registry with kind's node image in reach: building one." >&2
      echo build >"$choice"
    fi
    ;;
  esac
  if [[ ${PODWRIGHT_NODE_IMAGE_FROM:-$(cat "$choice" 2>/dev/null)} == build ]]; then
    build_node_image >&2
    built_image_name
  else
    public_image_name
  fi
}

hold_lock "$PODWRIGHT_CACHE/node-image.lock"
node_image
