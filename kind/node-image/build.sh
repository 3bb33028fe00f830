# shellcheck shell=bash
# Builds a kind node image where no registry can be reached. Every part is kept in the
# cache under the hash of what it is made from, so an interrupted build goes on where it
# stopped and a changed version rebuilds only its own part.

node_image_dir="$kind_dir/node-image"
node_image_cache="$PODWRIGHT_CACHE/node-image"

# Module folders whose programs go into the image, the long one first.
go_parts=(kubernetes containerd runc etcd coredns crictl kube-router cni-plugins local-path)

# shellcheck disable=SC1090
for step in base-system go-programs pause-program image-archive network-tools preloaded-images node-rootfs; do
  . "$node_image_dir/$step.sh"
done

built_image_key() { fingerprint "$node_image_dir" "=$(debian_suite)"; }
built_image_name() { echo "localhost/podwright-node:$(built_image_key)"; }

build_node_image() {
  local archive name group
  archive="$node_image_cache/$(built_image_key).tar"
  name=$(built_image_name)
  "$PODWRIGHT_ENGINE" image inspect "$name" >/dev/null 2>&1 && return

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
    part "put together" assemble "$archive"
  fi
  part "hand to $PODWRIGHT_ENGINE" import_image "$archive" "$name"
}

assemble() {
  local archive=$1 work
  work=$(mktemp -d "$node_image_cache/work.XXXX")
  # shellcheck disable=SC2064 # the name is gone when the trap runs
  trap "rm -rf ${work@Q}" EXIT
  make_rootfs "$work/rootfs"
  make_network_tools "$work/rootfs" "$work/tools"
  make_preloaded_images "$work/tools" "$work/images"
  preload_images "$work/rootfs" "$work/images"
  tar -C "$work/rootfs" --numeric-owner -cf "$archive.new" .
  mv "$archive.new" "$archive"
}

import_image() {
  "$PODWRIGHT_ENGINE" import \
    --change 'ENTRYPOINT ["/usr/local/bin/entrypoint", "/sbin/init"]' \
    --change 'ENV container=docker' \
    --change 'STOPSIGNAL SIGRTMIN+3' \
    "$1" "$2"
}
