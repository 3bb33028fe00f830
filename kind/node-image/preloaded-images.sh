# shellcheck shell=bash
# The container images that a node needs before it can pull any: the control plane under
# the names that kubeadm asks for, the pod network, the storage provisioner and pause.

# make_preloaded_images TOOLS_FOLDER IMAGES_FOLDER
make_preloaded_images() {
  local tools=$1 images=$2 wanted name
  mkdir -p "$images"
  image_layer "$tools" "$images/tools.layer"
  wanted=$("$(programs kubernetes)/kubeadm" config images list --kubernetes-version "$(pinned kubernetes k8s.io/kubernetes)")
  for name in $wanted; do
    case $name in
    */kube-proxy:*) program_image "$images" "$name" "$(programs kubernetes)/kube-proxy" '{}' "$images/tools.layer" ;;
    */kube-*) program_image "$images" "$name" "$(programs kubernetes)/$(image_program "$name")" '{}' ;;
    */coredns:*) program_image "$images" "$name" "$(programs coredns)/coredns" '{"Entrypoint": ["coredns"]}' ;;
    */etcd:*) program_image "$images" "$name" "$(programs etcd)/etcd" '{}' ;;
    */pause:*) ;; # kind's containerd configuration says which pause it wants
    *) echo "kubeadm wants an image that is not made here: $name" >&2; return 1 ;;
    esac
  done
  program_image "$images" "$(sandbox_image)" "$(pause_program)" '{"Entrypoint": ["pause"]}'
  program_image "$images" "$(network_image)" "$(programs kube-router)/kube-router" '{}' "$images/tools.layer"
  program_image "$images" "$(storage_image)" "$(programs local-path)/local-path-provisioner" '{}' "$images/tools.layer"
}

network_image() { echo "localhost/podwright-kube-router:$(pinned kube-router github.com/cloudnativelabs/kube-router/v2)"; }
storage_image() { echo "localhost/podwright-local-path:$(pinned local-path github.com/rancher/local-path-provisioner)"; }
sandbox_image() { sed -n 's/^ *sandbox_image = "\(.*\)"$/\1/p' "$(kind_node_files)/etc/containerd/config.toml"; }
image_program() { local base=${1##*/}; echo "${base%%:*}"; }

# program_image IMAGES_FOLDER NAME PROGRAM CONFIG [LOWER_LAYER]
program_image() {
  local images=$1 name=$2 program=$3 config=$4 lower=${5:-}
  local file root
  file="$images/$(image_program "$name")"
  root="$file.root"
  mkdir -p "$root/usr/local/bin"
  cp "$program" "$root/usr/local/bin/"
  image_layer "$root" "$file.layer"
  image_archive "$file.tar" "$name" "$config" ${lower:+"$lower"} "$file.layer"
  rm -rf "$root" "$file.layer"
}

# preload_images ROOTFS IMAGES_FOLDER
# Puts the images into the content store that the node's containerd will find. A containerd
# of the same version does it here, with nothing but its content store in use.
preload_images() {
  local rootfs=$1 images=$2 work status=0
  work=$(mktemp -d)
  cat >"$work/config.toml" <<CONF
version = 3
root = "$rootfs/var/lib/containerd"
state = "$work/state"
disabled_plugins = ["io.containerd.cri.v1.images", "io.containerd.cri.v1.runtime", "io.containerd.grpc.v1.cri",
  "io.containerd.internal.v1.opt", "io.containerd.nri.v1.nri", "io.containerd.podsandbox.controller.v1.podsandbox"]
[grpc]
  address = "$work/containerd.sock"
[ttrpc]
  address = "$work/containerd.sock.ttrpc"
CONF
  "$(programs containerd)/containerd" --config "$work/config.toml" 9>&- &
  local server=$!
  import_all "$work/containerd.sock" "$images" || status=$?
  kill "$server"
  wait "$server" || true
  rm -rf "$work"
  # Everything else is made anew by the node's own containerd.
  find "$rootfs/var/lib/containerd" -mindepth 1 -maxdepth 1 \
    ! -name '*.content' ! -name '*.metadata.v1.bolt' -exec rm -rf {} +
  return "$status"
}

import_all() {
  local socket=$1 images=$2 archive
  local ctr=("$(programs containerd)/ctr" --address "$socket" --namespace k8s.io)
  timeout 30 sh -c "until [ -S '$socket' ]; do sleep 0.1; done"
  for archive in "$images"/*.tar; do
    "${ctr[@]}" images import --all-platforms --no-unpack \
      --label io.cri-containerd.pinned=pinned "$archive" || return
  done
  "${ctr[@]}" images list
}
