#!/usr/bin/env bash
# Makes sure that kwok is built, from the module in kwok/, and prints the folder that holds the program and stages.yaml:
# the stages of nodes and pods that kwok's own source calls fast, and none that ends a Job's pod.
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/../../../kind/env.sh"
. "$kind_dir/lock.sh"
. "$kind_dir/progress.sh"
. "$kind_dir/toolchain/fingerprint.sh"
. "$kind_dir/toolchain/packages.sh"
. "$kind_dir/toolchain/go.sh"

module=$(dirname "${BASH_SOURCE[0]}")/kwok
folder="$PODWRIGHT_CACHE/kwok-$(fingerprint "$module" "${BASH_SOURCE[0]}")"

build_kwok() {
  rm -rf "$folder.new"
  mkdir -p "$folder.new"
  local source stage
  cd "$module" || return
  source=$(go list -m -f '{{.Dir}}' sigs.k8s.io/kwok)/kustomize/stage
  for stage in node/fast/node-initialize node/heartbeat-with-lease/node-heartbeat-with-lease pod/fast/pod-ready pod/fast/pod-delete; do
    echo ---
    cat "$source/$stage.yaml"
  done >"$folder.new/stages.yaml"
  CGO_ENABLED=0 go_build "$folder.new/" -ldflags '-s -w' tool
  mv "$folder.new" "$folder"
}

if [[ ! -d $folder ]]; then
  hold_lock "$PODWRIGHT_CACHE/kwok.lock"
  "$kind_dir/toolchain.sh" >/dev/null
  parts_begin kwok 1
  if [[ -d $folder ]]; then skip; else part kwok build_kwok; fi
fi
echo "$folder"
