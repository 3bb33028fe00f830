package main

import "syscall"

// sockets tries every family and kind of socket but what a browser needs: streams over Unix and the two IPs.
func sockets() {
	const (
		smc, vsock, alg, xdp, can, bluetooth, netlink, packet, tipc = 43, 40, 38, 44, 29, 31, 16, 17, 30
		ipprotoMPTCP, ipprotoSCTP, ipprotoICMP, ipprotoICMP6        = 262, 132, 1, 58
	)
	for _, one := range []struct {
		name                   string
		family, kind, protocol int
	}{
		{"socket: UDP over IPv4", syscall.AF_INET, syscall.SOCK_DGRAM, 0},
		{"socket: UDP over IPv6", syscall.AF_INET6, syscall.SOCK_DGRAM, 0},
		{"socket: UDP with flags", syscall.AF_INET, syscall.SOCK_DGRAM | syscall.SOCK_CLOEXEC | syscall.SOCK_NONBLOCK, 17},
		{"socket: ping over IPv4", syscall.AF_INET, syscall.SOCK_DGRAM, ipprotoICMP},
		{"socket: ping over IPv6", syscall.AF_INET6, syscall.SOCK_DGRAM, ipprotoICMP6},
		{"socket: raw IPv4", syscall.AF_INET, syscall.SOCK_RAW, ipprotoICMP},
		{"socket: raw IPv6", syscall.AF_INET6, syscall.SOCK_RAW, ipprotoICMP6},
		{"socket: SCTP", syscall.AF_INET, syscall.SOCK_STREAM, ipprotoSCTP},
		{"socket: SCTP in packets", syscall.AF_INET, syscall.SOCK_SEQPACKET, ipprotoSCTP},
		{"socket: multipath TCP", syscall.AF_INET, syscall.SOCK_STREAM, ipprotoMPTCP},
		{"socket: netlink route", netlink, syscall.SOCK_RAW, 0},
		{"socket: netlink audit", netlink, syscall.SOCK_RAW, 9},
		{"socket: packet", packet, syscall.SOCK_RAW, 0x300},
		{"socket: the host of a virtual machine", vsock, syscall.SOCK_STREAM, 0},
		{"socket: cryptography of the kernel", alg, syscall.SOCK_SEQPACKET, 0},
		{"socket: XDP", xdp, syscall.SOCK_RAW, 0},
		{"socket: CAN", can, syscall.SOCK_RAW, 1},
		{"socket: Bluetooth", bluetooth, syscall.SOCK_RAW, 1},
		{"socket: TIPC", tipc, syscall.SOCK_STREAM, 0},
		{"socket: SMC", smc, syscall.SOCK_STREAM, 0},
		{"socket: TCP over IPv4", syscall.AF_INET, syscall.SOCK_STREAM, 0},
		{"socket: TCP over IPv6", syscall.AF_INET6, syscall.SOCK_STREAM, 0},
		{"socket: Unix", syscall.AF_UNIX, syscall.SOCK_STREAM, 0},
	} {
		fd, err := syscall.Socket(one.family, one.kind, one.protocol)
		report(one.name, err, "")
		if err == nil {
			_ = syscall.Close(fd)
		}
	}
	pair, err := syscall.Socketpair(syscall.AF_INET, syscall.SOCK_DGRAM, 0)
	report("socketpair of another family", err, "")
	if err == nil {
		_ = syscall.Close(pair[0])
	}
}
