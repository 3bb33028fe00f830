#!/usr/bin/env bash
# `make up`. The first two steps need nothing but a shell; the rest is scripts/installation/up.ts.
# It may be interrupted anywhere and run again: every step finds out what is done already.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. kind/env.sh

started=$SECONDS
trap 'echo; echo "Interrupted. Run make up again: it goes on from here." >&2; exit 130' INT TERM
say() { printf '[%s/8] %s\n' "$1" "$2"; }

say 1 "toolchain: Node, Go, kind, kubectl, helm, a container engine (in $PODWRIGHT_CACHE)"
kind/toolchain.sh >/dev/null
. kind/env.sh
say 2 "npm packages"
scripts/npm-packages.sh
trap - INT TERM
exec node scripts/installation/up.ts --elapsed $((SECONDS - started))
