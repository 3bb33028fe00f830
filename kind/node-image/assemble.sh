# shellcheck shell=bash
# From the parts to one archive of the image, in the format of `docker save`.

# assemble ARCHIVE NAME
assemble() {
  local archive=$1 name=$2 work
  work=$(mktemp -d "$node_image_cache/work.XXXX")
  # shellcheck disable=SC2064 # the name is gone when the trap runs
  trap "rm -rf ${work@Q}" EXIT
  make_rootfs "$work/rootfs"
  make_network_tools "$work/rootfs" "$work/tools"
  make_preloaded_images "$work/tools" "$work/images"
  preload_images "$work/rootfs" "$work/images"
  tar -C "$work/rootfs" --numeric-owner -cf "$work/rootfs.tar" .
  rm -rf "$work/rootfs" "$work/images" "$work/tools"
  # `container` tells systemd where it is; that signal tells it to stop.
  image_archive "$archive.new" "$name" '{
    "Entrypoint": ["/usr/local/bin/entrypoint", "/sbin/init"],
    "Env": ["container=docker"],
    "StopSignal": "SIGRTMIN+3"
  }' "$work/rootfs.tar"
  mv "$archive.new" "$archive"
}
