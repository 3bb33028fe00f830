# shellcheck shell=bash
# The cluster of the current kubeconfig context: somebody else's, used as it is.

current_status() {
  local context
  context=$(kubectl config current-context) || { echo "CLUSTER=current needs a current kubeconfig context" >&2; return 1; }
  echo "current context: $context"
  kubectl get nodes --request-timeout 10s
}

# Only a kind cluster takes archives; any other pulls from the registry it can reach.
current_load() {
  local context
  context=$(kubectl config current-context)
  if [[ $context == kind-* ]]; then
    kind load image-archive "$@" --name "${context#kind-}"
  else
    echo "The cluster of context $context takes no image archives: push the images to a registry it can reach" >&2
    echo "and name them in the chart's values." >&2
    return 1
  fi
}
