# shellcheck shell=bash
# Removes a cluster, and with the last one everything that the engine set up for them.

cluster_down() {
  [[ -n ${PODWRIGHT_ENGINE:-} ]] || return 0 # never brought up
  command -v kind >/dev/null || { echo "kind is gone from the cache; run kind/toolchain.sh first" >&2; return 1; }
  if [[ -e $cluster_dir || -n $(cluster_nodes) ]]; then
    parts_begin "cluster $CLUSTER" 1
    part "remove" remove_cluster
  fi
  rm -f "$PODWRIGHT_CACHE/clusters/$CLUSTER.lock"
}

remove_cluster() {
  # First, so that an interruption in the middle leaves a cluster that counts as half made.
  rm -f "$cluster_dir/complete"
  kind delete cluster --name "$CLUSTER" --kubeconfig "$KUBECONFIG"
  rm -rf "$cluster_dir"
}
