# shellcheck shell=bash
# The pause program that holds a pod's namespaces: Kubernetes' own C source, taken from the
# module cache at build time.
pause_program() {
  echo "$node_image_cache/parts/pause-$(fingerprint "$node_image_dir/pause-program.sh" "$node_image_dir/kubernetes/go.mod")/pause"
}

build_pause_program() {
  local source target
  target=$(pause_program)
  source=$(cd "$node_image_dir/kubernetes" && go list -m -f '{{.Dir}}' k8s.io/kubernetes)
  mkdir -p "$(dirname "$target")"
  gcc -Os -Wall -static -s -DVERSION=podwright -o "$target.new" "$source/build/pause/linux/pause.c"
  mv "$target.new" "$target"
}
