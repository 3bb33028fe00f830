# shellcheck shell=bash
# Removes a cluster, and with the last one everything that the engine set up for them.

cluster_down() {
  # Its folder is made first and goes last. Without it there is nothing to ask the engine,
  # which may have been put away with the last cluster.
  if [[ -d $cluster_dir && -n ${PODWRIGHT_ENGINE:-} ]]; then
    command -v kind >/dev/null || { echo "kind is gone from the cache; run kind/toolchain.sh first" >&2; return 1; }
    parts_begin "cluster $CLUSTER" 1
    part "remove" remove_cluster
  fi
  engine_locked release_host >/dev/null
}

remove_cluster() {
  # First, so that an interruption in the middle leaves a cluster that counts as half made.
  rm -f "$cluster_dir/complete"
  # Noted, for a removal that goes on where an interrupted one stopped.
  "$PODWRIGHT_ENGINE" ps --all --quiet --no-trunc --filter "label=io.x-k8s.kind.cluster=$CLUSTER" >>"$cluster_dir/removed"
  # Its nodes need no orderly shutdown, which systemd would take ten seconds for.
  cluster_running | xargs --no-run-if-empty "$PODWRIGHT_ENGINE" kill >/dev/null || true
  kind delete cluster --name "$CLUSTER" --kubeconfig "$KUBECONFIG"
  remove_cgroups "$(cat "$cluster_dir/removed")"
  rm -rf "$cluster_dir"
}

# Podman gives up on a container's cgroups when their last processes are still dying.
# Waits for those up to five seconds.
remove_cgroups() {
  local id folder tries
  for id in $1; do
    for tries in {1..50}; do
      folder=$(find /sys/fs/cgroup -maxdepth 3 -type d -name "libpod-$id" 2>/dev/null)
      [[ -n $folder ]] || break
      xargs -I{} find {} -depth -type d -exec rmdir {} \; <<<"$folder" 2>/dev/null || sleep 0.1
    done
  done
}
