# shellcheck shell=bash
# A small root folder with a shell and the network tools that kube-proxy, kube-router and
# the storage helper call: picked from the node's own root with the libraries they need.
network_tools=(
  /bin/sh /bin/cat /bin/chmod /bin/cp /bin/mkdir /bin/mv /bin/rm /bin/sleep /bin/sync
  /usr/sbin/xtables-nft-multi /usr/sbin/nft /usr/sbin/ipset /usr/sbin/conntrack /usr/bin/ip
)

# make_network_tools ROOTFS FOLDER
make_network_tools() {
  local rootfs=$1 folder=$2 tool path
  mkdir -p "$folder"/{tmp,run,etc,usr/bin,usr/sbin,usr/lib,usr/lib64}
  # Debian's merged layout: /bin is /usr/bin, so a path works by either name.
  for path in bin sbin lib lib64; do ln -s "usr/$path" "$folder/$path"; done
  for tool in "${network_tools[@]}"; do
    copy_from_root "$rootfs" "$folder" "$tool"
    chroot "$rootfs" ldd "$tool" | grep -oE '/[^ ]+' | while read -r path; do
      copy_from_root "$rootfs" "$folder" "$path"
    done
  done
  # Matches and targets of iptables are plugins.
  (cd "$rootfs" && cp -a --parents usr/lib/*/xtables "$folder")
  for tool in iptables ip6tables; do
    for path in "$tool" "$tool-save" "$tool-restore"; do
      ln -s xtables-nft-multi "$folder/usr/sbin/$path"
    done
  done
}

# Copies a file to the same place, following links, so that no link has to come along.
copy_from_root() {
  local rootfs=$1 folder=$2 path=$3
  mkdir -p "$folder$(dirname "$path")"
  [[ -e $folder$path ]] || cp -L "$rootfs$path" "$folder$path"
}
