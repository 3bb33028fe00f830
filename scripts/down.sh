#!/usr/bin/env bash
# `make down`. A cluster of ours goes as a whole; from somebody else's, what make up put there is taken out.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. kind/env.sh

if [[ $CLUSTER == current ]]; then
  scripts/with-toolchain.sh node scripts/installation/down.ts
else
  kind/cluster.sh down "$CLUSTER"
fi
echo "down: nothing of cluster $CLUSTER is left but the cache in $PODWRIGHT_CACHE"
