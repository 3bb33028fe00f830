# shellcheck shell=bash
# The Debian system below everything else, as a tar: what kind's own base image installs,
# less its storage clients, plus what kube-router calls.
base_packages=(
  systemd systemd-sysv dbus                               # kind runs systemd as PID 1
  conntrack iptables nftables ipset iproute2 ethtool      # kube-proxy, kube-router, kubelet
  ebtables socat util-linux mount kmod libseccomp2 pigz   # kubelet, containerd, runc
  bash ca-certificates curl jq procps hostname            # kind's own scripts, and people
)

# The machine's own release, since runc links against its libraries.
debian_suite() { (. /etc/os-release && echo "${VERSION_CODENAME:?not a Debian}"); }

base_system() {
  echo "$node_image_cache/parts/base-$(fingerprint "$node_image_dir/base-system.sh" "=$(debian_suite)").tar"
}

build_base_system() {
  local tar packages
  tar=$(base_system)
  packages=$(IFS=,; echo "${base_packages[*]}")
  mkdir -p "$(dirname "$tar")"
  mmdebstrap --variant=minbase --include="$packages" \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    "$(debian_suite)" "$tar.new.tar"
  mv "$tar.new.tar" "$tar"
}
