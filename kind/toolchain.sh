#!/usr/bin/env bash
# Puts every program that Podwright needs into $PODWRIGHT_CACHE/bin: node 24 with npm, go,
# kind, helm, kubectl; and picks the container engine. Cheap when all is there already.
#
#   kind/toolchain.sh          install what is missing, print the shell exports
#   kind/toolchain.sh node     only Node 24 and npm
set -euo pipefail

. "$(dirname "${BASH_SOURCE[0]}")/env.sh"

. "$kind_dir/lock.sh"
. "$kind_dir/progress.sh"
. "$kind_dir/toolchain/fingerprint.sh"
. "$kind_dir/toolchain/packages.sh"
. "$kind_dir/toolchain/node.sh"
. "$kind_dir/toolchain/go.sh"
. "$kind_dir/toolchain/programs.sh"
. "$kind_dir/toolchain/engine.sh"

mkdir -p "$PODWRIGHT_CACHE/bin" "$PODWRIGHT_CACHE/stamps"
hold_lock "$PODWRIGHT_CACHE/toolchain.lock"

if [[ ${1:-} == node ]]; then
  parts_begin toolchain 1
  if node_is_there; then skip; else part "node $NODE_VERSION" node_install; fi
  exit
fi

parts_begin toolchain 7
if command -v jq >/dev/null; then skip; else part "small tools" ensure_packages jq ca-certificates; fi
if node_is_there; then skip; else part "node $NODE_VERSION" node_install; fi
if go_is_there; then skip; else part "go" go_install; fi
if program_is_there kind; then skip; else part "kind" program_install kind; fi
if program_is_there kubectl; then skip; else part "kubectl" program_install kubectl; fi
if program_is_there helm; then skip; else part "helm" program_install helm; fi
if engine_is_there; then skip; else part "container engine" engine_install; fi

printf 'export PODWRIGHT_CACHE=%q\n' "$PODWRIGHT_CACHE"
# shellcheck disable=SC2016 # the reader's shell expands PATH
printf 'export PATH=%q:"$PATH"\n' "$PODWRIGHT_CACHE/bin"
