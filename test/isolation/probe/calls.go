package main

import (
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"unsafe"
)

// Numbers that are the same on every architecture since they were assigned.
const (
	sysIoUringSetup = 425
	sysOpenTree     = 428
	sysMoveMount    = 429
	sysFsopen       = 430
	sysPidfdOpen    = 434
	sysClone3       = 435
	sysPidfdGetfd   = 438
	sysMountSetattr = 442
)

func cString(text string) uintptr {
	bytes, _ := syscall.BytePtrFromString(text)
	return uintptr(unsafe.Pointer(bytes))
}

// calls tries system calls of the kernel that have led out of containers, or into other processes.
func calls() {
	runtime.LockOSThread()
	pid := uintptr(chromium())
	call("ptrace: attach to Chromium", syscall.SYS_PTRACE, syscall.PTRACE_ATTACH, pid)
	call("ptrace: seize Chromium", syscall.SYS_PTRACE, 0x4206, pid)
	call("ptrace: be traced", syscall.SYS_PTRACE, syscall.PTRACE_TRACEME)
	buffer := make([]byte, 8)
	local := [2]uintptr{uintptr(unsafe.Pointer(&buffer[0])), 8}
	remote := [2]uintptr{0x1000, 8}
	call("process_vm_readv of Chromium", sysProcessVMReadv, pid, uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1)
	call("process_vm_writev of Chromium", sysProcessVMWritev, pid, uintptr(unsafe.Pointer(&local)), 1, uintptr(unsafe.Pointer(&remote)), 1)
	call("kcmp", sysKcmp, uintptr(os.Getpid()), pid, 0, 0, 0)
	pidfd, _, _ := syscall.RawSyscall(sysPidfdOpen, pid, 0, 0)
	call("pidfd_getfd from Chromium", sysPidfdGetfd, pidfd, 0, 0)

	none := cString("none")
	tmpfs := cString("tmpfs")
	proc := cString("proc")
	tmp := cString("/tmp")
	call("mount tmpfs", syscall.SYS_MOUNT, none, tmp, tmpfs, 0, 0)
	call("mount proc", syscall.SYS_MOUNT, none, tmp, proc, 0, 0)
	call("mount: bind", syscall.SYS_MOUNT, cString("/etc"), tmp, 0, syscall.MS_BIND, 0)
	call("mount: remount the root", syscall.SYS_MOUNT, 0, cString("/"), 0, syscall.MS_REMOUNT, 0)
	call("umount", syscall.SYS_UMOUNT2, cString("/proc"), 2)
	call("pivot_root", syscall.SYS_PIVOT_ROOT, tmp, tmp)
	call("open_tree", sysOpenTree, ^uintptr(99), cString("/"), 1)
	call("move_mount", sysMoveMount, ^uintptr(99), cString("/tmp"), ^uintptr(99), cString("/etc"), 0)
	call("fsopen", sysFsopen, tmpfs, 0)
	call("mount_setattr", sysMountSetattr, ^uintptr(99), cString("/"), 0, 0, 0)

	for _, kind := range []string{"mnt", "net", "pid", "user", "ipc", "uts", "cgroup"} {
		fd, err := syscall.Open("/proc/1/ns/"+kind, syscall.O_RDONLY, 0)
		if err != nil {
			fd, _ = syscall.Open("/proc/self/ns/"+kind, syscall.O_RDONLY, 0)
		}
		call("setns "+kind, sysSetns, uintptr(fd), 0)
		_ = syscall.Close(fd)
	}
	for name, flag := range map[string]uintptr{
		"mount": syscall.CLONE_NEWNS, "cgroup": 0x02000000, "ipc": syscall.CLONE_NEWIPC, "uts": syscall.CLONE_NEWUTS, "time": 0x80,
	} {
		call("unshare "+name, syscall.SYS_UNSHARE, flag)
	}
	call("clone3", sysClone3, 0, 0)
	call("io_uring_setup", sysIoUringSetup, 8, uintptr(unsafe.Pointer(&make([]byte, 256)[0])))
	call("bpf", sysBpf, 0, uintptr(unsafe.Pointer(&make([]byte, 128)[0])), 128)
	call("perf_event_open", sysPerfEventOpen, uintptr(unsafe.Pointer(&make([]byte, 128)[0])), 0, ^uintptr(0), ^uintptr(0), 0)
	call("userfaultfd", sysUserfaultfd, 0)
	call("keyctl: session keyring", sysKeyctl, 0, ^uintptr(2), 0)
	call("add_key", sysAddKey, cString("user"), cString("x"), cString("x"), 1, ^uintptr(2))
	call("request_key", sysRequestKey, cString("user"), cString("x"), 0, ^uintptr(2))
	call("open_by_handle_at", sysOpenByHandleAt, 3, uintptr(unsafe.Pointer(&make([]byte, 32)[0])), 0)
	call("name_to_handle_at", sysNameToHandleAt, ^uintptr(99), cString("/"), uintptr(unsafe.Pointer(&make([]byte, 256)[0])), uintptr(unsafe.Pointer(&make([]byte, 8)[0])), 0)
	call("init_module", sysInitModule, 0, 0, cString(""))
	call("finit_module", sysFinitModule, 0, cString(""), 0)
	call("kexec_load", sysKexecLoad, 0, 0, 0, 0)
	call("reboot", syscall.SYS_REBOOT, 0, 0, 0)
	call("swapon", syscall.SYS_SWAPON, tmp, 0)
	call("syslog", syscall.SYS_SYSLOG, 2, uintptr(unsafe.Pointer(&buffer[0])), 8)
	call("settimeofday", syscall.SYS_SETTIMEOFDAY, uintptr(unsafe.Pointer(&make([]byte, 16)[0])), 0)
	call("clock_settime", sysClockSettime, 0, uintptr(unsafe.Pointer(&make([]byte, 16)[0])))
	call("sethostname", syscall.SYS_SETHOSTNAME, cString("x"), 1)
	call("acct", syscall.SYS_ACCT, tmp)
	call("quotactl", sysQuotactl, 0, 0, 0, 0)
	call("fanotify_init", sysFanotifyInit, 0, 0)
	call("lookup_dcookie", sysLookupDcookie, 0, 0, 0)
	call("personality: no randomisation", sysPersonality, 0x0040000)
	call("setuid root", syscall.SYS_SETUID, 0)
	call("setgid root", syscall.SYS_SETGID, 0)
	foreignTables()
}

// inUserNamespace runs the same attempts where the process has every capability over its own namespace.
func inUserNamespace() {
	command := exec.Command("/proc/self/exe", "inside")
	command.Stdout = os.Stdout
	command.Stderr = os.Stderr
	command.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWPID | syscall.CLONE_NEWNET,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
	}
	report("a user namespace of one's own", command.Run(), "")
}

// chromium returns the process id of the browser itself, or 1.
func chromium() int {
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if strings.HasPrefix(string(line), "/usr/lib/chromium/chromium") && !strings.Contains(string(line), "--type=") {
			return pid
		}
	}
	return 1
}
