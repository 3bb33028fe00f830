package reaper

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func start(t *testing.T, r *Reaper, script string) *Process {
	t.Helper()
	p, err := r.Start(Command{Path: "/bin/sh", Args: []string{"-c", script}, Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func wait(t *testing.T, p *Process) syscall.WaitStatus {
	t.Helper()
	select {
	case <-p.Done:
		return p.Status()
	case <-time.After(10 * time.Second):
		t.Fatal("not collected")
		return 0
	}
}

func TestTellsHowAProcessEnded(t *testing.T) {
	r := New()
	if status := wait(t, start(t, r, "exit 7")); status.ExitStatus() != 7 {
		t.Errorf("exit status %d", status.ExitStatus())
	}
	if status := wait(t, start(t, r, "kill -SEGV $$")); status.Signal() != syscall.SIGSEGV {
		t.Errorf("signal %v", status.Signal())
	}
}

func TestASignalReachesTheWholeGroup(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pid")
	p := start(t, New(), "sleep 60 & echo $! >"+file+".new; mv "+file+".new "+file+"; wait")
	var child int
	for deadline := time.Now().Add(10 * time.Second); child == 0 && time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		text, _ := os.ReadFile(file)
		child, _ = strconv.Atoi(strings.TrimSpace(string(text)))
	}
	p.Signal(syscall.SIGKILL)
	wait(t, p)
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		state, err := os.ReadFile("/proc/" + strconv.Itoa(child) + "/stat")
		if err != nil || strings.Contains(string(state), ") Z ") {
			return // gone, or a zombie left to a PID 1 that is not ours
		}
	}
	t.Error("the child lives on")
}

func TestACommandThatDoesNotExistIsAnErrorThatNamesIt(t *testing.T) {
	_, err := New().Start(Command{Path: "/no/such/program"})
	if err == nil || !strings.Contains(err.Error(), "/no/such/program") {
		t.Errorf("got %v", err)
	}
}
