# shellcheck shell=bash
# What Podman as root changes on the machine for our clusters, and how it is put back.
#
# Containers, bridges and routes go with the clusters. Podman leaves the rest: its firewall
# chains, IPv4 forwarding, the mount on /run/netns, cgroup and other folders. So the state
# before the first cluster is written down, and after the last one whatever was not there
# before and is of no use to anybody else is removed. A Docker engine looks after itself.

host_before="$PODWRIGHT_CACHE/engine/host-before"

# engine_locked COMMAND ...: one at a time among all clusters of this cache
engine_locked() {
  (
    flock 9
    "$@" 9>&-
  ) 9>"$PODWRIGHT_CACHE/engine.lock"
}

# Before Podman runs for the first time: even asking it something leaves traces.
note_host() {
  manages_host || return 0
  if [[ ! -e $host_before ]]; then
    host_state >"$host_before.new"
    mv "$host_before.new" "$host_before"
  fi
}

# What kind expects of the machine, and the network of our clusters.
prepare_host() {
  manages_host || return 0
  # kind mounts it into the nodes; a kernel without modules has none.
  mkdir -p /lib/modules
  # Without IPv6, which kind would ask for and no node uses.
  podman network exists "$KIND_EXPERIMENTAL_PODMAN_NETWORK" ||
    podman network create --driver bridge "$KIND_EXPERIMENTAL_PODMAN_NETWORK"
}

# After a cluster is gone: if it was the last, puts the machine back.
release_host() {
  if [[ ${PODWRIGHT_ENGINE:-} == docker ]]; then
    # Refused while a container is in it.
    docker network rm "$KIND_EXPERIMENTAL_DOCKER_NETWORK" 2>/dev/null || true
  fi
  manages_host || return 0
  [[ -e $host_before ]] || return 0
  [[ -z $(podman ps --all --quiet) ]] || return 0
  podman volume prune --force
  podman network rm --force "$KIND_EXPERIMENTAL_PODMAN_NETWORK" || true
  rm -rf "$PODWRIGHT_RUN"
  rmdir "$(dirname "$PODWRIGHT_RUN")" 2>/dev/null || true
  another_podman_is_at_work || remove_traces_of_podman
  if was_not ip_forward=1 && ! others_forward; then echo 0 >/proc/sys/net/ipv4/ip_forward; fi
  if was_not /lib/modules; then rmdir /lib/modules 2>/dev/null || true; fi
  rm -f "$host_before"
}

manages_host() { [[ -n ${PODWRIGHT_RUN:-} ]]; }

was_not() { ! grep -qxF "$1" "$host_before"; }

host_state() {
  local folder
  echo "ip_forward=$(cat /proc/sys/net/ipv4/ip_forward)"
  # Podman and runc make these folders wherever their configuration points.
  for folder in /run/containers /run/runc /run/netns /lib/modules; do
    if [[ -d $folder ]]; then echo "$folder"; fi
  done
  if [[ -n $(libpod_cgroups) ]]; then echo libpod_cgroups; fi
  if command -v nft >/dev/null; then nft list tables 2>/dev/null; fi
}

libpod_cgroups() { find /sys/fs/cgroup -maxdepth 2 -type d -name libpod_parent; }

# The chain of a network is there as long as a container is in it.
another_podman_is_at_work() {
  local tables
  for tables in iptables ip6tables; do
    if command -v "$tables" >/dev/null && "$tables" -w -t nat -S 2>/dev/null | grep -qE '^-N NETAVARK-[0-9A-F]{10,}$'; then
      return
    fi
  done
  return 1
}

remove_traces_of_podman() {
  local folder
  remove_firewall_chains
  remove_new_tables
  for folder in /run/containers /run/runc; do
    if was_not "$folder"; then rm -rf "$folder"; fi
  done
  # Somebody else's namespaces may be in it by now.
  if was_not /run/netns && [[ -d /run/netns && -z $(ls -A /run/netns) ]]; then
    umount /run/netns 2>/dev/null || true
    rmdir /run/netns
  fi
  if was_not libpod_cgroups; then
    libpod_cgroups | while read -r folder; do find "$folder" -depth -type d -exec rmdir {} +; done || true
  fi
}

remove_firewall_chains() {
  local tables table chain rule
  for tables in iptables ip6tables; do
    command -v "$tables" >/dev/null || continue
    for table in nat filter; do
      "$tables" -w -t "$table" -S | sed -n 's/^-A \(.* -j NETAVARK.*\)$/-D \1/p' |
        while read -r rule; do xargs "$tables" -w -t "$table" <<<"$rule"; done
      # Emptied first, since some are called by others.
      for rule in -F -X; do
        for chain in $("$tables" -w -t "$table" -S | sed -n 's/^-N \(NETAVARK[A-Z0-9_-]*\)$/\1/p'); do
          "$tables" -w -t "$table" "$rule" "$chain"
        done
      done
    done
  done
}

# A table that was not there before and has no rule left held only Podman's.
remove_new_tables() {
  local table
  command -v nft >/dev/null || return 0
  nft list tables 2>/dev/null | while read -r table; do
    was_not "$table" || continue
    # Without comments and the frame of empty chains, nothing may be left.
    # shellcheck disable=SC2086 # `table ip nat` are three words
    if ! nft list $table 2>/dev/null | grep -vE '^(#.*|table .*|\s*chain .*|\s*type .* hook .*|\s*}|\s*)$' | grep -q .; then
      nft delete $table
    fi
  done
}

others_forward() {
  [[ -n $(ip -o link show type bridge) || -e /var/run/docker.sock ]]
}
