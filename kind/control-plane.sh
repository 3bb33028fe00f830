#!/usr/bin/env bash
# Makes sure that etcd and the Kubernetes programs are built, of the versions that the node
# image of node-image/ has, and prints the folder of each group: etcd first, Kubernetes second.
# They run as plain processes where a test needs a control plane and no nodes. The first
# time is the Kubernetes build, 15 minutes or more; later it is a look into the cache.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

. "$kind_dir/lock.sh"
. "$kind_dir/progress.sh"
. "$kind_dir/toolchain/fingerprint.sh"
. "$kind_dir/toolchain/packages.sh"
. "$kind_dir/toolchain/go.sh"
. "$kind_dir/toolchain/programs.sh"
. "$kind_dir/node-image/build.sh"

control_plane_is_there() { [[ -d $(programs etcd) && -d $(programs kubernetes) ]]; }

build_control_plane() {
  local group
  "$kind_dir/toolchain.sh" >/dev/null
  parts_begin "control plane" 2
  for group in etcd kubernetes; do
    if [[ -d $(programs "$group") ]]; then skip; else part "$group" build_programs "$group"; fi
  done
}

if ! control_plane_is_there; then
  hold_lock "$PODWRIGHT_CACHE/node-image.lock"
  build_control_plane
fi
programs etcd
programs kubernetes
