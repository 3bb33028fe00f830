package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
)

var errFound = errors.New("found nothing")

// found reports `ok` when something was there that should not be.
func found(name string, what []string) {
	if len(what) == 0 {
		report(name, errFound, "")
		return
	}
	report(name, nil, strings.Join(what[:min(len(what), 10)], " "))
}

// files tries to write where nothing should be writable, and to read what is not the browser's.
func files() {
	for _, dir := range []string{
		"/", "/etc", "/usr", "/usr/bin", "/usr/lib/chromium", "/etc/chromium/policies/managed", "/etc/opt", "/var", "/var/lib",
		"/opt", "/home", "/root", "/run", "/boot", "/mnt", "/srv", "/dev", "/sys", "/sys/fs/cgroup", "/proc", "/proc/sys", "/session",
		"/run/podwright", "/session/downloads", "/session/uploads", "/tmp", "/dev/shm",
	} {
		path := filepath.Join(dir, ".podwright-probe")
		err := os.WriteFile(path, []byte("x"), 0o600)
		report("write: a file in "+dir, err, "")
		if err == nil {
			_ = os.Remove(path)
		}
	}
	for _, path := range []string{
		"/proc/sysrq-trigger", "/proc/sys/kernel/core_pattern", "/proc/sys/kernel/hostname", "/proc/sys/vm/drop_caches",
		"/proc/sys/net/ipv4/ip_forward", "/proc/1/oom_score_adj", "/proc/kcore", "/proc/keys", "/proc/timer_list", "/dev/mem",
		"/dev/kmsg", "/dev/fuse", "/dev/net/tun", "/dev/kvm", "/etc/shadow", "/etc/passwd", "/etc/resolv.conf", "/etc/hosts",
	} {
		file, err := os.OpenFile(path, os.O_WRONLY, 0)
		report("write: "+path, err, "")
		if err == nil {
			file.Close()
		}
	}
	for _, path := range []string{
		"/var/run/secrets/kubernetes.io/serviceaccount/token", "/var/run/secrets", "/var/lib/kubelet", "/var/run/docker.sock",
		"/run/containerd/containerd.sock", "/host", "/etc/kubernetes", "/etc/podwright", "/etc/shadow", "/dev/mem", "/dev/kmsg",
		"/app/supervisor.mjs", "/proc/1/root/host",
	} {
		_, err := os.Stat(path)
		if err == nil {
			var file *os.File
			if file, err = os.Open(path); err == nil {
				file.Close()
			}
		}
		report("read: "+path, err, "")
	}
	for _, path := range []string{"/proc/kcore", "/proc/keys", "/proc/timer_list", "/proc/latency_stats", "/sys/firmware"} {
		data, err := os.ReadFile(path)
		if entries, listing := os.ReadDir(path); listing == nil {
			err = nil
			data = []byte(strings.Repeat("x", len(entries)))
		}
		if err == nil && len(data) == 0 {
			err = errFound
		}
		report("read: masked "+path, err, "")
	}
	err := syscall.Mknod("/tmp/.podwright-null", syscall.S_IFBLK|0o600, 8<<8)
	report("mknod: a disk", err, "")
	found("programs that change the user", setuidPrograms())
	found("variables of the environment that are secret", secretVariables())
	found("devices beside the usual", oddDevices())
	err = os.Remove("/run/podwright/launcher.sock.none")
	report("remove: what is not there", err, "")
}

func setuidPrograms() (names []string) {
	_ = filepath.WalkDir("/usr", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil
		}
		if info, err := entry.Info(); err == nil && info.Mode()&(os.ModeSetuid|os.ModeSetgid) != 0 && info.Mode().IsRegular() {
			names = append(names, path)
		}
		return nil
	})
	return names
}

func secretVariables() (names []string) {
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.Contains(name, "TOKEN") || strings.Contains(name, "SECRET") || strings.Contains(name, "PASSWORD") {
			names = append(names, name)
		}
	}
	return names
}

func oddDevices() (names []string) {
	usual := map[string]bool{"null": true, "zero": true, "full": true, "random": true, "urandom": true, "tty": true, "ptmx": true, "console": true}
	entries, _ := os.ReadDir("/dev")
	for _, entry := range entries {
		if entry.Type()&fs.ModeDevice != 0 && !usual[entry.Name()] {
			names = append(names, entry.Name())
		}
	}
	return names
}

// processes looks for anything that is not of this container, and tries to signal it.
func processes() {
	var strangers []string
	entries, _ := os.ReadDir("/proc")
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		line, _ := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if strings.Contains(string(line), "supervisor.mjs") || strings.Contains(string(line), "kubelet") || strings.Contains(string(line), "containerd") {
			strangers = append(strangers, entry.Name())
			report("signal: "+entry.Name(), syscall.Kill(pid, 0), "")
		}
	}
	found("processes of others", strangers)
	own, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(own), "\n") {
		if strings.HasPrefix(line, "CapEff:") || strings.HasPrefix(line, "CapBnd:") || strings.HasPrefix(line, "NoNewPrivs:") || strings.HasPrefix(line, "Seccomp:") {
			name, value, _ := strings.Cut(line, ":")
			report("status: "+name, nil, strings.TrimSpace(value))
		}
	}
}
