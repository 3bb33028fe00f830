# shellcheck shell=bash disable=SC2154 # image_dir and images_cache are set by build.sh
# The Debian that every image starts from, under one name in the engine's store: $base_image.
base_image=localhost/podwright-base:current

# Changes when the base has to be made again.
base_stamp() {
  fingerprint "$image_dir/build/base.sh" "=${PODWRIGHT_BASE_IMAGE:-}" "=$(cat "$images_cache/refreshed" 2>/dev/null)"
}

base_is_there() {
  [[ $(cat "$images_cache/base.stamp" 2>/dev/null) == "$(base_stamp)" ]] && base_id >/dev/null 2>&1
}

base_id() { "$PODWRIGHT_ENGINE" image inspect --format '{{.Id}}' "$base_image"; }

base_make() {
  local public=docker.io/library/debian:bookworm-slim
  if [[ -n ${PODWRIGHT_BASE_IMAGE:-} ]]; then
    "$PODWRIGHT_ENGINE" tag "$PODWRIGHT_BASE_IMAGE" "$base_image"
  elif timeout 120 "$PODWRIGHT_ENGINE" pull --quiet "$public"; then
    "$PODWRIGHT_ENGINE" tag "$public" "$base_image"
  else
    echo "No registry answers; making the base from Debian packages."
    base_from_packages
  fi
  base_stamp >"$images_cache/base.stamp"
}

# What debian:bookworm-slim is too: apt and what it needs, no documentation, no translations.
base_from_packages() {
  local tar
  tar="$images_cache/base-$(base_stamp).tar"
  local mirror=${PODWRIGHT_DEBIAN_MIRROR:-http://deb.debian.org/debian}
  local security=${PODWRIGHT_DEBIAN_SECURITY_MIRROR:-http://deb.debian.org/debian-security}
  ensure_packages mmdebstrap
  if [[ ! -e $tar ]]; then
    # usr-is-merged and the hook: the way without Perl to the layout that bookworm demands.
    mmdebstrap --variant=apt --components=main \
      --include=usr-is-merged --hook-dir=/usr/share/mmdebstrap/hooks/merged-usr \
      --aptopt='APT::Install-Recommends "false"' \
      --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
      --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/info/*' \
      --dpkgopt='path-exclude=/usr/share/locale/*' \
      bookworm "$tar.new.tar" \
      "deb $mirror bookworm main" "deb $mirror bookworm-updates main" "deb $security bookworm-security main"
    mv "$tar.new.tar" "$tar"
    find "$images_cache" -maxdepth 1 -name 'base-*.tar' ! -path "$tar" -delete
  fi
  "$PODWRIGHT_ENGINE" import \
    --change 'ENV PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' --change 'CMD ["bash"]' \
    "$tar" "$base_image"
}
