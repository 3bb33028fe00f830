# shellcheck shell=bash
# When a cluster counts as ready: every container is a Ready node, and cluster DNS,
# kube-proxy and the pod network are up.

# Nodes that this run started again, and when. Until their kubelets report, the API server
# repeats what it knew before they stopped.
started_nodes=''
started_at=''

wait_until_ready() {
  local deadline=$((SECONDS + $1))
  until nodes_ready && system_ready; do
    if ((SECONDS > deadline)); then
      kubectl get nodes,pods --all-namespaces --output wide || true
      return 1
    fi
    sleep 1
  done
}

nodes_ready() {
  local ready
  ready=$(kubectl get nodes --request-timeout 5s \
    --output 'jsonpath={range .items[*]}{.status.conditions[?(@.type=="Ready")].status}{"\n"}{end}' | grep -c '^True$')
  [[ $ready == "$(cluster_nodes | wc -l)" ]]
}

system_ready() {
  kubectl get deployments,daemonsets,pods --namespace kube-system --request-timeout 5s --output json |
    jq --exit-status --arg nodes "$started_nodes" --arg since "$started_at" '
      ($nodes | split("\n")) as $started
      | [.items[] | select(.kind == "Deployment") | .status | (.availableReplicas // 0) == .replicas]
      + [.items[] | select(.kind == "DaemonSet") | .status | .numberReady == .desiredNumberScheduled]
      + [.items[] | select(.kind == "Pod") | .spec.nodeName as $node | .status.containerStatuses[]?
          | .ready and (([$node] - $started) != [] or .state.running.startedAt >= $since)]
      | length > 0 and all'
}
