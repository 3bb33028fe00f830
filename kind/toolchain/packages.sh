# shellcheck shell=bash
# Debian packages. Installs only what is missing, and says what to do where it cannot.
ensure_packages() {
  local package missing=()
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
  done
  ((${#missing[@]})) || return 0
  if ((EUID != 0)) || ! command -v apt-get >/dev/null; then
    echo "These packages are needed (Debian's names): ${missing[*]}. Install them, then run this again." >&2
    return 1
  fi
  apt-get update -q
  DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends "${missing[@]}"
}
