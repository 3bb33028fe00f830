# shellcheck shell=bash disable=SC2154 # images_cache and images_out are set by build.sh
# From a build context to an archive in the cache, and the list of archives that are current.

declare -A image_names=([browser]=podwright-browser [services]=podwright [redis]=podwright-redis)
declare -A image_variables=([browser]=PODWRIGHT_BROWSER_IMAGE [services]=PODWRIGHT_IMAGE [redis]=PODWRIGHT_REDIS_IMAGE)

# The tag: everything the image is made from, with the base and the day its packages were last renewed.
image_tag() {
  fingerprint "$images_cache/context/$1" "=$(base_id)" "=$(cat "$images_cache/refreshed" 2>/dev/null)" | cut -c1-12
}

image_name() { echo "${image_names[$1]}:$(image_tag "$1")"; }

archive_file() { echo "$images_cache/${image_names[$1]}-$(image_tag "$1").tar"; }

archive_is_there() { [[ -s $(archive_file "$1") ]]; }

archive_make() {
  local context="$images_cache/context/$1" name file
  file=$(archive_file "$1")
  # Docker's own spelling of a name without a registry; containerd completes "podwright:TAG" to the same.
  name=docker.io/library/$(image_name "$1")
  archive_build "$name" "$context"
  rm -f "$images_cache/${image_names[$1]}"-*.tar.new
  if [[ $PODWRIGHT_ENGINE == docker ]]; then
    docker save --output "$file.new" "$name"
  else
    podman save --quiet --format docker-archive --output "$file.new" "$name"
  fi
  mv "$file.new" "$file"
  archive_forget_older "$1"
}

archive_build() {
  local name=$1 context=$2
  local arguments=(--build-arg "BASE_IMAGE=$base_image" --tag "$name" --file "$context/Containerfile")
  if [[ $PODWRIGHT_ENGINE == docker ]]; then
    DOCKER_BUILDKIT=1 docker build "${arguments[@]}" "$context"
  else
    # chroot: building needs no container runtime, cgroup or network of its own. Podman keeps what
    # is downloaded (the cache mounts of the Containerfiles) below TMPDIR.
    mkdir -p "$images_cache/tmp"
    TMPDIR="$images_cache/tmp" podman build --isolation chroot --layers --pull=never "${arguments[@]}" "$context"
  fi
}

# The last few stay, so that going back, or another checkout, costs nothing; what is older goes, in cache and engine.
archive_forget_older() {
  local name=${image_names[$1]} file tag
  find "$images_cache" -maxdepth 1 -regex ".*/$name-[0-9a-f]*\.tar" -printf '%T@ %p\n' |
    sort -rn | tail -n +5 | cut -d' ' -f2- | while IFS= read -r file; do rm -f "$file"; done
  "$PODWRIGHT_ENGINE" images --format '{{.Tag}}' "docker.io/library/$name" | { grep -xE '[0-9a-f]{12}' || true; } | while IFS= read -r tag; do
    [[ -e $images_cache/$name-$tag.tar ]] || "$PODWRIGHT_ENGINE" rmi "docker.io/library/$name:$tag" >/dev/null 2>&1 || true
  done
}

# Remembers what is current for one image.
archive_record() {
  local file id
  file=$(archive_file "$1")
  id=$(tar -xOf "$file" manifest.json | sed -n 's/.*"Config":"\(blobs\/sha256\/\)\{0,1\}\([0-9a-f]\{64\}\).*/\2/p')
  printf '%s\t%s\tsha256:%s\n' "$(image_name "$1")" "$file" "$id" >"$images_out/$1.current"
}

# Writes current.env and current.list from what is recorded for all images.
archive_publish() {
  local image name
  rm -f "$images_out/current.env.new" "$images_out/current.list.new"
  for image in services browser redis; do
    [[ -r $images_out/$image.current ]] || continue
    name=$(cut -f1 "$images_out/$image.current")
    echo "${image_variables[$image]}=$name" >>"$images_out/current.env.new"
    cat "$images_out/$image.current" >>"$images_out/current.list.new"
  done
  mv "$images_out/current.env.new" "$images_out/current.env"
  mv "$images_out/current.list.new" "$images_out/current.list"
  cat "$images_out/current.env"
}
