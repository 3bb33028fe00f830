#!/usr/bin/env bash
# Installs the npm packages of package-lock.json, once per lock file.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. kind/env.sh

# Where packages stand: what they were installed from is kept beside them.
installed=node_modules/.podwright-lock
[[ -e $installed ]] && cmp --silent package-lock.json "$installed" && exit

exec {lock}>"$PODWRIGHT_CACHE/npm.lock"
flock "$lock"
[[ -e $installed ]] && cmp --silent package-lock.json "$installed" && exit
log="$PODWRIGHT_CACHE/log/npm.log"
mkdir -p "$(dirname "$log")"
# `install` follows the lock file too, and leaves alone what is right already.
if ! npm install --no-audit --no-fund >"$log" 2>&1; then
  tail -n 25 "$log" >&2
  echo "The npm packages could not be installed; the whole log is $log" >&2
  exit 1
fi
cp package-lock.json "$installed"
