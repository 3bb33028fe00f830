# shellcheck shell=bash
# The container engine that runs the nodes, decided once and recorded in
# $PODWRIGHT_CACHE/engine/env, which kind/env.sh reads:
#
#   docker   if a Docker engine answers
#   podman   otherwise; root gets Podman from Debian and a configuration of ours (below),
#            other users keep their own rootless one
#
# PODWRIGHT_ENGINE=docker or podman before the first run forces one.

engine_is_there() {
  # Never changed under a cluster that lives by it.
  if compgen -G "$PODWRIGHT_CACHE/clusters/*/config.yaml" >/dev/null && [[ -r $PODWRIGHT_CACHE/engine/env ]]; then return; fi
  [[ -r $PODWRIGHT_CACHE/engine/env && $(cat "$PODWRIGHT_CACHE/stamps/engine" 2>/dev/null) == "$(engine_stamp)" ]] &&
    command -v "$(. "$PODWRIGHT_CACHE/engine/env" && echo "$PODWRIGHT_ENGINE")" >/dev/null
}

engine_stamp() {
  fingerprint "$kind_dir/toolchain/engine.sh" "=$PODWRIGHT_CACHE"
}

# Tells the engines of two caches on one machine apart.
engine_id() { fingerprint "=$PODWRIGHT_CACHE" | cut -c1-6; }

engine_install() {
  local engine=${PODWRIGHT_ENGINE:-}
  if [[ -z $engine ]]; then
    if timeout 20 docker info >/dev/null 2>&1; then engine=docker; else engine=podman; fi
  fi
  rm -rf "$PODWRIGHT_CACHE/engine.new"
  mkdir -p "$PODWRIGHT_CACHE/engine.new"
  engine_environment "$engine" >"$PODWRIGHT_CACHE/engine.new/env"
  if [[ $engine == podman ]]; then
    if ((EUID == 0)); then
      ensure_packages podman conmon runc netavark aardvark-dns iptables iproute2
      engine_containers_conf >"$PODWRIGHT_CACHE/engine.new/containers.conf"
      engine_storage_conf >"$PODWRIGHT_CACHE/engine.new/storage.conf"
    elif ! command -v podman >/dev/null; then
      echo "No container engine: start Docker, install Podman, or run this as root." >&2
      return 1
    fi
  fi
  # Podman's record of containers insists on the paths it was made with. There is none to
  # lose: no cluster is up when this runs. Images are recorded elsewhere.
  rm -f "$PODWRIGHT_CACHE/podman/storage/libpod/bolt_state.db"
  rm -rf "$PODWRIGHT_CACHE/engine"
  mv "$PODWRIGHT_CACHE/engine.new" "$PODWRIGHT_CACHE/engine"
  engine_stamp >"$PODWRIGHT_CACHE/stamps/engine"
}

engine_environment() {
  echo "export PODWRIGHT_ENGINE=$1"
  echo "export KIND_EXPERIMENTAL_PROVIDER=$1"
  # A network of our own: removing it with the last cluster harms no other user of kind.
  echo "export KIND_EXPERIMENTAL_${1^^}_NETWORK=podwright-$(engine_id)"
  if [[ $1 == podman ]] && ((EUID == 0)); then
    echo "export PODWRIGHT_RUN=/run/podwright/$(engine_id)"
    printf 'export CONTAINERS_CONF=%q\n' "$PODWRIGHT_CACHE/engine/containers.conf"
    printf 'export CONTAINERS_STORAGE_CONF=%q\n' "$PODWRIGHT_CACHE/engine/storage.conf"
  fi
}

# Podman reads this file instead of the machine's, so the machine's stays as it is.
engine_containers_conf() {
  cat <<CONF
[containers]
# Root may be denied CAP_SYS_RESOURCE (in a container or sandbox), and then cannot raise
# these; Podman itself lowers nproc to this number.
default_ulimits = ["nofile=20000:20000", "nproc=32768:32768"]
# A node is a container too: a dozen browsers need more than Podman's default of 2048 threads, and without them
# pods fail to start in ways that name everything but this.
pids_limit = 0
log_driver = "k8s-file"

[engine]
cgroup_manager = "$(if [[ -d /run/systemd/system ]]; then echo systemd; else echo cgroupfs; fi)"
# crun refuses machines with cgroup v1 and v2 side by side.
runtime = "runc"
events_logger = "file"
# Shared-memory locks would be shared with the machine's own Podman.
lock_type = "file"
tmp_dir = "/run/podwright/$(engine_id)/libpod"

[network]
network_backend = "netavark"
network_config_dir = "$PODWRIGHT_CACHE/podman/networks"
CONF
}

engine_storage_conf() {
  cat <<CONF
[storage]
driver = "overlay"
graphroot = "$PODWRIGHT_CACHE/podman/storage"
runroot = "/run/podwright/$(engine_id)/storage"
CONF
}
