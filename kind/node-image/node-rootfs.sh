# shellcheck shell=bash
# The root folder of a node: the base system, kind's own node files, and the programs.
# What is enabled, masked and removed follows the Dockerfile beside those files.

# kind's node files come from the module cache at build time; none is kept in this tree.
kind_node_files() {
  local source
  source=$(cd "$kind_dir/toolchain/kind" && go mod download sigs.k8s.io/kind && go list -m -f '{{.Dir}}' sigs.k8s.io/kind)
  echo "$source/images/base/files"
}

make_rootfs() {
  local rootfs=$1
  mkdir -p "$rootfs"
  tar -C "$rootfs" -xf "$(base_system)"
  copy_kind_files "$rootfs"
  install_programs "$rootfs"
  settle_services "$rootfs"
  mkdir -p "$rootfs/etc/kubernetes/manifests" "$rootfs/kind/manifests" "$rootfs/var/lib/kubelet/seccomp/podwright"
  pinned kubernetes k8s.io/kubernetes | tr -d '\n' >"$rootfs/kind/version"
  # kind applies these two manifests by itself, as it does with its own.
  sed "s|@IMAGE@|$(network_image)|" "$node_image_dir/pod-network.yaml" >"$rootfs/kind/manifests/default-cni.yaml"
  sed "s|@IMAGE@|$(storage_image)|" "$node_image_dir/storage.yaml" >"$rootfs/kind/manifests/default-storage.yaml"
}

copy_kind_files() {
  local rootfs=$1
  cp -r --no-preserve=mode,ownership "$(kind_node_files)/." "$rootfs"
  chmod 0755 "$rootfs"/usr/local/bin/* "$rootfs"/kind/bin/*
}

install_programs() {
  local rootfs=$1 program
  for program in kubeadm kubectl kubelet; do
    install "$(programs kubernetes)/$program" "$rootfs/usr/bin/"
  done
  install "$(programs containerd)"/* "$(programs crictl)/crictl" "$rootfs/usr/local/bin/"
  install "$(programs runc)/runc" "$rootfs/usr/local/sbin/"
  mkdir -p "$rootfs/opt/cni/bin"
  install "$(programs cni-plugins)"/* "$rootfs/opt/cni/bin/"
  # The specification that every container starts from: containerd's default with kind's
  # hook for the machine's identity, and without limits that root may not be able to raise.
  "$(programs containerd)/ctr" oci spec |
    jq '.hooks.createContainer += [{path: "/kind/bin/mount-product-files.sh"}] | del(.process.rlimits)' \
      >"$rootfs/etc/containerd/cri-base.json"
}

settle_services() {
  local rootfs=$1 units=lib/systemd/system
  rm -f "$rootfs/$units/sysinit.target.wants/systemd-tmpfiles-setup.service" \
    "$rootfs/$units"/multi-user.target.wants/* \
    "$rootfs"/etc/systemd/system/*.wants/* \
    "$rootfs/$units"/local-fs.target.wants/* \
    "$rootfs/$units"/sockets.target.wants/*udev* \
    "$rootfs/$units"/sockets.target.wants/*initctl* \
    "$rootfs/$units"/basic.target.wants/*
  echo "ReadKMsg=no" >>"$rootfs/etc/systemd/journald.conf"
  chroot "$rootfs" systemctl enable kubelet.service containerd.service undo-mount-hacks.service
  chroot "$rootfs" systemctl mask systemd-binfmt.service
}
