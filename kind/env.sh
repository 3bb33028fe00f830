# shellcheck shell=bash
# The environment every Podwright script runs in. Source it:
#
#   CLUSTER=podwright-test; . kind/env.sh
#
# It only sets variables; kind/toolchain.sh is what puts the programs there.
#
#   PODWRIGHT_CACHE  everything that is downloaded, built or recorded outside the tree
#   CLUSTER          the cluster's name, `podwright` unless set; `current` leaves KUBECONFIG alone
#   KUBECONFIG       the kubeconfig of that cluster
#   kind_dir         this folder
#   PATH             node 24, npm, go, kind, helm, kubectl first

kind_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
export PODWRIGHT_CACHE="${PODWRIGHT_CACHE:-$HOME/.cache/podwright}"
export CLUSTER="${CLUSTER:-podwright}"

case ":$PATH:" in
*":$PODWRIGHT_CACHE/bin:"*) ;;
*) export PATH="$PODWRIGHT_CACHE/bin:$PATH" ;;
esac

if [[ $CLUSTER != current ]]; then
  export KUBECONFIG="$PODWRIGHT_CACHE/clusters/$CLUSTER/kubeconfig"
fi

# Which container engine runs the nodes is decided once, by kind/toolchain/engine.sh.
if [[ -r $PODWRIGHT_CACHE/engine/env ]]; then
  # shellcheck source=/dev/null
  . "$PODWRIGHT_CACHE/engine/env"
fi
