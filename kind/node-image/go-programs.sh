# shellcheck shell=bash
# The Go programs, one module of ours for each group so that their dependencies do not
# fight. A group's folder holds the pinned go.mod; its `tool` lines are what is built.

# programs GROUP: the folder that holds, or will hold, the group's programs
programs() {
  echo "$node_image_cache/parts/$1-$(fingerprint "$node_image_dir/$1" "$node_image_dir/go-programs.sh")"
}

build_programs() {
  local group=$1 target what=tool
  local cgo=0 tags='' ldflags='-s -w'
  case $group in
  kubernetes) ldflags=$(kubernetes_ldflags) ;;
  containerd)
    tags=no_btrfs,no_devmapper,no_zfs
    ldflags+=" -X github.com/containerd/containerd/v2/version.Version=$(pinned "$group" github.com/containerd/containerd/v2)"
    ;;
  runc)
    cgo=1 tags=seccomp # libseccomp is a C library
    ldflags+=" -X main.version=$(pinned "$group" github.com/opencontainers/runc)"
    ;;
  etcd) what=. ;; # a main of ours, see there
  esac
  target=$(programs "$group")
  rm -rf "$target.new"
  mkdir -p "$target.new"
  cd "$node_image_dir/$group" || return
  CGO_ENABLED=$cgo go_build "$target.new/" -tags "$tags" -ldflags "$ldflags" "$what"
  mv "$target.new" "$target"
}

pinned() { module_version "$node_image_dir/$1" "$2"; }
