#!/usr/bin/env bash
# Runs a command with the toolchain in PATH and the npm packages in place; both are installed first when they are missing.
#
#   scripts/with-toolchain.sh node scripts/verify.ts
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. kind/env.sh

kind/toolchain.sh >/dev/null
# The container engine and its settings are known only now.
. kind/env.sh
scripts/npm-packages.sh
exec "$@"
