// Package reaper starts processes and collects every child that ends, as PID 1 must: Chromium's helpers are
// orphaned to it. One loop waits for all children, so nobody else in this program may wait for one.
package reaper

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// Process is a child this program started. Done is closed when it has ended and Status is valid.
type Process struct {
	Pid    int
	Done   chan struct{}
	status syscall.WaitStatus
}

// Running says whether the process has not been collected yet.
func (p *Process) Running() bool {
	select {
	case <-p.Done:
		return false
	default:
		return true
	}
}

// Status is how the process ended; call it after Done is closed.
func (p *Process) Status() syscall.WaitStatus { return p.status }

// Signal sends to the process and its group. A process that is gone is no error.
func (p *Process) Signal(sig syscall.Signal) {
	if p.Running() {
		_ = syscall.Kill(-p.Pid, sig)
	}
}

// Reaper collects ended children.
type Reaper struct {
	mu    sync.Mutex
	known map[int]*Process
}

// New starts the collecting loop, which lives as long as the program.
func New() *Reaper {
	r := &Reaper{known: map[int]*Process{}}
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, syscall.SIGCHLD)
	go func() {
		for range ended {
			r.collect()
		}
	}()
	return r
}

// Command is what Start runs. Files become the descriptors 0, 1, 2, 3 ... of the process.
type Command struct {
	Path  string
	Args  []string
	Env   []string
	Files []*os.File
}

// Start runs a command in a process group of its own.
func (r *Reaper) Start(c Command) (*Process, error) {
	fds := make([]uintptr, 0, len(c.Files))
	for _, f := range c.Files {
		fds = append(fds, f.Fd())
	}
	// The lock keeps the loop from collecting the child before it is known.
	r.mu.Lock()
	defer r.mu.Unlock()
	pid, err := syscall.ForkExec(c.Path, append([]string{c.Path}, c.Args...), &syscall.ProcAttr{
		Env:   c.Env,
		Files: fds,
		Sys:   &syscall.SysProcAttr{Setpgid: true},
	})
	if err != nil {
		return nil, &os.PathError{Op: "start", Path: c.Path, Err: err}
	}
	p := &Process{Pid: pid, Done: make(chan struct{})}
	r.known[pid] = p
	return p, nil
}

func (r *Reaper) collect() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WNOHANG, nil)
		if err == syscall.EINTR {
			continue
		}
		if err != nil || pid <= 0 {
			return
		}
		if p, ok := r.known[pid]; ok {
			delete(r.known, pid)
			p.status = status
			close(p.Done)
		}
	}
}
