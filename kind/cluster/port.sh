# shellcheck shell=bash
# The host port of a cluster's gateway: 8420 or the next that nobody listens on and no other
# cluster has recorded. Kept for the life of the cluster.

choose_port() {
  local port taken
  taken=" $(cat "$PODWRIGHT_CACHE"/clusters/*/port 2>/dev/null | tr '\n' ' ') "
  for port in {8420..8499}; do
    [[ $taken == *" $port "* ]] && continue
    # Connecting succeeds only where something listens.
    if ! (: <"/dev/tcp/127.0.0.1/$port") 2>/dev/null; then
      echo "$port"
      return
    fi
  done
  echo "no free port between 8420 and 8499 on 127.0.0.1" >&2
  return 1
}
