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
containerdConfigPatches:
  - |
    # Root without CAP_SYS_RESOURCE cannot lower a score, and every sandbox would fail to
    # start. Where it can, containerd has the lowest one itself and this changes nothing.
    [plugins."io.containerd.grpc.v1.cri"]
      restrict_oom_score_adj = true
YAML
}
