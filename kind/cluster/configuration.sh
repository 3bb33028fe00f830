# shellcheck shell=bash
# The kind configuration of a cluster, on standard output.

gateway_node_port=30080

# cluster_configuration NODES HOST_PORT
cluster_configuration() {
  local nodes=$1 port=$2 i
  cat <<YAML
kind: Cluster
apiVersion: kind.x-k8s.io/v1alpha4
name: $CLUSTER
networking:
  kubeProxyMode: nftables
nodes:
  - role: control-plane
    extraPortMappings:
      - {containerPort: $gateway_node_port, hostPort: $port, listenAddress: 127.0.0.1, protocol: TCP}
YAML
  for ((i = 1; i < nodes; i++)); do echo "  - role: worker"; done
  cat <<YAML
kubeadmConfigPatches:
  - |
    kind: KubeletConfiguration
    # Machines with cgroup v1 beside v2 are still about.
    failCgroupV1: false
    # A node's range has 254 addresses; browsers are many and small machines are few.
    maxPods: 200
    serializeImagePulls: false
YAML
  if ! may_lower_oom_score; then
    cat <<'YAML'
containerdConfigPatches:
  - |
    # Without CAP_SYS_RESOURCE every sandbox that asks for a lower score fails to start.
    [plugins."io.containerd.grpc.v1.cri"]
      restrict_oom_score_adj = true
YAML
  fi
}

# Whether this machine's root has CAP_SYS_RESOURCE (number 24) to give.
may_lower_oom_score() {
  local bounding
  [[ $PODWRIGHT_ENGINE == podman ]] || return 0 # a Docker engine has its own rights
  bounding=$(sed -n 's/^CapBnd:\t//p' /proc/self/status)
  (((16#$bounding >> 24) & 1))
}
