# shellcheck shell=bash
# The host port of a cluster's gateway: 8420 or the next that nobody listens on and no other
# cluster has recorded. Kept for the life of the cluster.

# The mapping is the engine's, as that of the API server is, through which kubectl has just
# found the cluster ready: if one works, so does the other.
record_url() {
  echo "http://127.0.0.1:$(cat "$cluster_dir/port")" >"$cluster_dir/url"
}

claim_port() { choose_port >"$cluster_dir/port"; }

choose_port() {
  local port taken
  taken=" $(cat "$PODWRIGHT_CACHE"/clusters/*/port 2>/dev/null | tr '\n' ' ') "
  for port in {8420..8499}; do
    [[ $taken == *" $port "* ]] && continue
    if ! somebody_listens "$port"; then
      echo "$port"
      return
    fi
  done
  echo "no free port between 8420 and 8499 on 127.0.0.1" >&2
  return 1
}

# From the kernel's own table (0A is LISTEN): an engine holds the port of a mapping, yet
# refuses the connection while nothing answers behind it.
somebody_listens() {
  grep -qE "^ *[0-9]+: [0-9A-F]+:$(printf '%04X' "$1") [0-9A-F]+:0000 0A " /proc/net/tcp /proc/net/tcp6
}
