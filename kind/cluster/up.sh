# shellcheck shell=bash
# Brings a cluster to Ready from whatever state it is in: absent, half made by an
# interrupted run, stopped by a reboot, or running.
. "$kind_dir/cluster/configuration.sh"
. "$kind_dir/cluster/port.sh"
. "$kind_dir/cluster/host-state.sh"
. "$kind_dir/cluster/ready.sh"
. "$kind_dir/cluster/down.sh"

cluster_up() {
  local nodes='' existing
  while (($#)); do
    case $1 in
    --nodes) nodes=${2:?--nodes takes a number}; shift 2 ;;
    *) usage ;;
    esac
  done
  [[ -z $nodes || $nodes =~ ^[1-9][0-9]?$ ]] || { echo "not a number of nodes: $nodes" >&2; return 2; }
  "$kind_dir/toolchain.sh" >/dev/null
  . "$kind_dir/env.sh"
  engine_locked note_host

  existing=$(cluster_nodes | wc -l)
  if ((existing > 0)) && [[ ! -e $cluster_dir/complete ]]; then
    parts_begin "cluster $CLUSTER" 1
    part "remove what an interrupted run left" remove_cluster
    existing=0
  fi
  if ((existing == 0)); then
    create_cluster "${nodes:-1}"
  else
    if [[ -n $nodes ]] && ((nodes != existing)); then
      echo "Cluster $CLUSTER has $existing node(s), not $nodes. Remove it first: kind/cluster.sh down $CLUSTER" >&2
      return 1
    fi
    revive_cluster
  fi
}

create_cluster() {
  local image
  image=$("$kind_dir/node-image.sh")
  rm -rf "$cluster_dir"
  mkdir -p "$cluster_dir"
  engine_locked claim_port
  engine_locked prepare_host >/dev/null
  cluster_configuration "$1" "$(cat "$cluster_dir/port")" >"$cluster_dir/config.yaml"
  parts_begin "cluster $CLUSTER" 2
  part "create $1 node(s)" kind_create "$image"
  part "wait until ready" wait_until_ready 180
  record_url
  touch "$cluster_dir/complete"
}

kind_create() {
  kind create cluster --config "$cluster_dir/config.yaml" --kubeconfig "$KUBECONFIG.new" ${1:+--image "$1"} 9>&-
  mv "$KUBECONFIG.new" "$KUBECONFIG"
  chmod 0600 "$KUBECONFIG"
  # Where the chart's installer puts the browser's profile; a mount needs it to exist.
  local node
  for node in $(cluster_nodes); do
    "$PODWRIGHT_ENGINE" exec "$node" mkdir -p /var/lib/kubelet/seccomp/podwright
  done
}

# The containers of a cluster that was complete: started if need be, then waited for.
revive_cluster() {
  local stopped
  stopped=$(comm -23 <(cluster_nodes) <(cluster_running))
  if [[ -z $stopped ]] && nodes_ready 2>/dev/null; then return; fi
  started_nodes=$stopped
  started_at=$(date --utc +%FT%TZ)
  parts_begin "cluster $CLUSTER" 2
  part "start the nodes" start_nodes
  part "wait until ready" wait_until_ready 180
  record_url
}

start_nodes() {
  local node
  for node in $started_nodes; do "$PODWRIGHT_ENGINE" start "$node" 9>&-; done
}
