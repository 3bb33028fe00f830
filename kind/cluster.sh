#!/usr/bin/env bash
# A local Kubernetes by name.
#
#   kind/cluster.sh up NAME [--nodes N]       ready when it returns; cheap if it is already
#   kind/cluster.sh down NAME                 nothing of it is left but the cache
#   kind/cluster.sh status NAME               a few lines; fails unless every node is Ready
#   kind/cluster.sh load NAME IMAGE.tar ...   image archives into every node, once
#   kind/cluster.sh kubeconfig NAME           the path of its kubeconfig
#   kind/cluster.sh url NAME                  where NodePort 30080 answers on this machine
#
# The NAME `current` stands for the cluster of the current kubeconfig context: it is looked
# at and used, never created, changed or removed.
set -euo pipefail

usage() {
  sed -n '2,/^set/{/^set/d; s/^# \{0,1\}//; p}' "${BASH_SOURCE[0]}" >&2
  exit 2
}

(($# >= 2)) || usage
verb=$1
CLUSTER=$2
[[ $CLUSTER =~ ^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$ ]] || { echo "not a cluster name: $CLUSTER" >&2; exit 2; }
. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

. "$kind_dir/lock.sh"
. "$kind_dir/progress.sh"
. "$kind_dir/cluster/nodes.sh"
shift 2

if [[ $CLUSTER == current ]]; then
  . "$kind_dir/cluster/current.sh"
  case $verb in
  up | status) current_status ;;
  down) echo "The current cluster is not ours to remove." >&2 ;;
  load) current_load "$@" ;;
  kubeconfig) echo "${KUBECONFIG:-$HOME/.kube/config}" ;;
  *) usage ;;
  esac
  exit
fi

case $verb in
up | down | load) hold_lock "$PODWRIGHT_CACHE/clusters/$CLUSTER.lock" ;;
esac

case $verb in
up) . "$kind_dir/cluster/up.sh" && cluster_up "$@" ;;
down) . "$kind_dir/cluster/host-state.sh" && . "$kind_dir/cluster/down.sh" && cluster_down ;;
status) . "$kind_dir/cluster/status.sh" && cluster_status ;;
load) . "$kind_dir/cluster/load.sh" && cluster_load "$@" ;;
kubeconfig) echo "$KUBECONFIG" ;;
url) cluster_must_exist && cat "$cluster_dir/url" ;;
*) usage ;;
esac
