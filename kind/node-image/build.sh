# shellcheck shell=bash
# Builds a kind node image where no registry can be reached. Every part is kept in the
# cache under the hash of what it is made from, so an interrupted build goes on where it
# stopped and a changed version rebuilds only its own part.

node_image_dir="$kind_dir/node-image"
node_image_cache="$PODWRIGHT_CACHE/node-image"

# Module folders whose programs go into the image, the long one first.
go_parts=(kubernetes containerd runc etcd coredns crictl kube-router cni-plugins local-path)

# shellcheck disable=SC1090
for step in base-system go-programs pause-program image-archive network-tools preloaded-images node-rootfs assemble; do
  . "$node_image_dir/$step.sh"
done

# Of what is in this folder, but for the two files that only say when to build.
built_image_key() {
  local input inputs=()
  for input in "$node_image_dir"/*; do
    case ${input##*/} in build.sh | public-image.sh) ;; *) inputs+=("$input") ;; esac
  done
  fingerprint "${inputs[@]}" "=$(debian_suite)"
}

built_image_name() { echo "localhost/podwright-node:$(built_image_key)"; }

build_node_image() {
  local archive group
  "$PODWRIGHT_ENGINE" image inspect "$(built_image_name)" >/dev/null 2>&1 && return
  archive="$node_image_cache/$(built_image_key).tar"

  if [[ -s $archive ]]; then
    parts_begin "node image" 1
  else
    parts_begin "node image" $((5 + ${#go_parts[@]}))
    part "build packages" ensure_packages mmdebstrap gcc libc6-dev libseccomp-dev pkg-config jq xz-utils
    if [[ -s $(base_system) ]]; then skip; else part "Debian base system" build_base_system; fi
    for group in "${go_parts[@]}"; do
      if [[ -d $(programs "$group") ]]; then skip; else part "$group" build_programs "$group"; fi
    done
    if [[ -x $(pause_program) ]]; then skip; else part "pause" build_pause_program; fi
    part "put together" assemble "$archive" "$(built_image_name)"
  fi
  part "hand to $PODWRIGHT_ENGINE" "$PODWRIGHT_ENGINE" load --input "$archive"
  forget_older_images "$archive"
}

# An image is large and quickly put together again from its parts. Those that a cluster
# still runs on stay: the engine refuses to remove them.
forget_older_images() {
  find "$node_image_cache" -maxdepth 1 -name '*.tar' ! -path "$1" -delete
  find "$node_image_cache" -maxdepth 1 \( -name 'work.*' -o -name '*.new*' \) -mmin +60 -exec rm -rf {} +
  "$PODWRIGHT_ENGINE" images --format '{{.Repository}}:{{.Tag}}' |
    grep '^localhost/podwright-node:' | grep -vxF "$(built_image_name)" |
    xargs --no-run-if-empty -n1 "$PODWRIGHT_ENGINE" rmi >/dev/null 2>&1 || true
}
