# shellcheck shell=bash
# A few lines for people; fails unless the cluster is whole.
. "$kind_dir/cluster/ready.sh"

cluster_status() {
  local nodes running
  if [[ ! -d $cluster_dir || -z ${PODWRIGHT_ENGINE:-} ]]; then
    echo "cluster $CLUSTER: none"
    return 1
  fi
  nodes=$(cluster_nodes | wc -l)
  running=$(cluster_running | wc -l)
  echo "cluster $CLUSTER: $nodes node(s) by $PODWRIGHT_ENGINE, $running running$([[ -e $cluster_dir/complete ]] || echo ', half made')"
  [[ -e $cluster_dir/complete ]] || return 1
  echo "kubeconfig: $KUBECONFIG"
  echo "gateway: $(cat "$cluster_dir/url")"
  if ((running < nodes)); then
    echo "stopped: $(comm -23 <(cluster_nodes) <(cluster_running) | tr '\n' ' ')"
    return 1
  fi
  kubectl get nodes --request-timeout 5s && nodes_ready
}
