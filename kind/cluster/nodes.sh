# shellcheck shell=bash
# What the container engine knows of a cluster: kind labels each node's container.

# Records of this cluster: kubeconfig, port, url, config.yaml, and `complete`, which is
# written last, so that its absence beside containers means an interrupted creation.
cluster_dir="$PODWRIGHT_CACHE/clusters/$CLUSTER"

cluster_must_exist() {
  [[ -e $cluster_dir/complete ]] && return
  echo "There is no cluster $CLUSTER. Bring it up first: kind/cluster.sh up $CLUSTER" >&2
  return 1
}

# cluster_nodes [FILTER ...]: names of the containers, e.g. with status=running
cluster_nodes() {
  local filter filters=(--filter "label=io.x-k8s.kind.cluster=$CLUSTER")
  for filter in "$@"; do filters+=(--filter "$filter"); done
  "$PODWRIGHT_ENGINE" ps --all "${filters[@]}" --format '{{.Names}}' | sort
}

cluster_running() { cluster_nodes status=running; }

node_address() {
  "$PODWRIGHT_ENGINE" inspect --format '{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}' "$1"
}
