package main

import (
	"encoding/json"
	"log/slog"
	"net"
	"os"
	"syscall"
	"time"

	"podwright.dev/launcher/reaper"
)

// Exit codes of the contract (pod-launcher.ts), and one for an environment that cannot be read.
const (
	exitConfig   = 64
	exitChromium = 70
	exitDisplay  = 71
	exitVNC      = 72
)

const (
	// chromiumGrace is how long Chromium may take to end by itself.
	chromiumGrace = 5 * time.Second
	// stopGrace is how long after SIGTERM the supervisor may work in the browser (save its profile) before it must
	// have called /stop. The pod's own grace period is longer and ends it anyway.
	stopGrace = 75 * time.Second
)

type ending struct {
	Exit   string `json:"exit"`
	Code   int    `json:"code"`
	Signal string `json:"signal,omitempty"`
	Error  string `json:"error,omitempty"`
}

// exit ends the container, and leaves the reason where kubelet picks it up.
func exit(code int, e ending) {
	line, _ := json.Marshal(e)
	_ = os.WriteFile(terminationLog, append(line, '\n'), 0o600)
	slog.Info("end", "exit", e.Exit, "code", e.Code, "signal", e.Signal, "error", e.Error)
	os.Exit(code)
}

// endOf describes how a process ended.
func endOf(name string, p *reaper.Process) ending {
	status := p.Status()
	if status.Signaled() {
		return ending{Exit: name, Code: 128 + int(status.Signal()), Signal: signalName(status.Signal())}
	}
	return ending{Exit: name, Code: status.ExitStatus()}
}

func signalName(s syscall.Signal) string {
	switch s {
	case syscall.SIGKILL:
		return "SIGKILL"
	case syscall.SIGSEGV:
		return "SIGSEGV"
	case syscall.SIGTRAP:
		return "SIGTRAP"
	case syscall.SIGABRT:
		return "SIGABRT"
	case syscall.SIGILL:
		return "SIGILL"
	case syscall.SIGBUS:
		return "SIGBUS"
	case syscall.SIGTERM:
		return "SIGTERM"
	case syscall.SIGSYS:
		return "SIGSYS"
	default:
		return s.String()
	}
}

// stopGently ends Chromium, so that it writes what it has, and then returns.
func stopGently(p *reaper.Process) {
	p.Signal(syscall.SIGTERM)
	select {
	case <-p.Done:
	case <-time.After(chromiumGrace):
		p.Signal(syscall.SIGKILL)
	}
}

// supervisorIsDone waits, after SIGTERM, until the supervisor asked for the end (asked is closed), is gone, or has
// had its time. Both containers get the signal at once, and the supervisor still needs the browser.
func supervisorIsDone(asked <-chan struct{}) {
	deadline := time.After(stopGrace)
	for {
		select {
		case <-asked:
			return
		case <-deadline:
			return
		case <-time.After(200 * time.Millisecond):
			conn, err := net.DialTimeout("tcp", podDoorAddress, time.Second)
			if err != nil {
				return
			}
			conn.Close()
		}
	}
}
