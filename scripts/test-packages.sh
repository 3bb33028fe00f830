#!/usr/bin/env bash
# Installs the Debian packages that only the tests need: a browser that looks at the viewer, a Redis of their own,
# Python for its SDK, and a checker for shell scripts.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
. kind/env.sh
. kind/progress.sh
. kind/toolchain/packages.sh

packages=(chromium openssl redis-server shellcheck python3 python3-venv fonts-dejavu-core)
if dpkg --status "${packages[@]}" >/dev/null 2>&1; then exit; fi
parts_begin tests 1
part "packages of the tests" ensure_packages "${packages[@]}"
