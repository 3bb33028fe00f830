// The launcher is PID 1 of the browser container. It starts Xvfb, the VNC server and Chromium, collects every
// process that ends, and tells the supervisor what it sees. When one of the three ends, so does the container.
package main

import (
	"errors"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"syscall"

	"podwright.dev/launcher/reaper"
)

func main() {
	// Every pod has a launcher, and it works a few milliseconds a second: small rather than fast.
	runtime.GOMAXPROCS(1)
	debug.SetGCPercent(20)
	slog.SetDefault(slog.New(slog.NewJSONHandler(os.Stderr, nil)))
	config, err := readConfig(os.Getenv)
	if err != nil {
		exit(exitConfig, ending{Exit: "config", Code: exitConfig, Error: err.Error()})
	}
	if err := prepare(); err != nil {
		exit(exitConfig, ending{Exit: "config", Code: exitConfig, Error: err.Error()})
	}
	terminated := make(chan os.Signal, 1)
	signal.Notify(terminated, syscall.SIGTERM, syscall.SIGINT)

	processes := reaper.New()
	display, err := startDisplay(processes, config.width, config.height)
	if err != nil {
		exit(exitDisplay, ending{Exit: "display", Code: exitDisplay, Error: err.Error()})
	}
	if err := errors.Join(display.addSymbols(), display.manageWindows()); err != nil {
		exit(exitDisplay, ending{Exit: "display", Code: exitDisplay, Error: err.Error()})
	}
	chromium, err := startChromium(processes, display, config)
	if err != nil {
		exit(exitChromium, ending{Exit: "chromium", Code: exitChromium, Error: err.Error()})
	}
	vnc, err := startVNC(processes, display)
	if err != nil {
		exit(exitVNC, ending{Exit: "vnc", Code: exitVNC, Error: err.Error()})
	}

	asked := make(chan struct{})
	door := &door{chromium: chromium, display: display, vnc: vnc, stop: sync.OnceFunc(func() { close(asked) })}
	go func() {
		err := door.serve()
		exit(exitConfig, ending{Exit: "door", Code: exitConfig, Error: err.Error()})
	}()

	select {
	case <-terminated:
		supervisorIsDone(asked)
	case <-asked:
	case <-display.process.Done:
		exit(exitDisplay, endOf("display", display.process))
	case <-vnc.Done:
		exit(exitVNC, endOf("vnc", vnc))
	case <-chromium.process.Done:
		// Chromium ends with its display; then that is the cause.
		if !display.process.Running() {
			exit(exitDisplay, endOf("display", display.process))
		}
		end := endOf("chromium", chromium.process)
		if !config.noSandbox && !canMakeUserNamespace() {
			end.Error = noUserNamespaces
		}
		exit(exitChromium, end)
	}
	stopGently(chromium.process)
	exit(0, ending{Exit: "stopped"})
}

// prepare makes what the read-only image cannot hold. Files of the session belong to the group that the supervisor
// shares, hence the mask.
func prepare() error {
	syscall.Umask(0o007)
	if err := os.MkdirAll(homeDir, 0o700); err != nil {
		return err
	}
	for _, name := range []string{"downloads", "uploads"} {
		if err := shareDir(filepath.Join(sessionDir, name)); err != nil {
			return err
		}
	}
	return nil
}

// shareDir makes a directory that both containers can write. The supervisor makes it too; where it came first with a
// mask that shuts the group out, the still empty directory is made again.
func shareDir(path string) error {
	const writable = 2
	if err := os.MkdirAll(path, 0o770); err != nil {
		return err
	}
	if syscall.Access(path, writable) == nil {
		return nil
	}
	if err := os.Remove(path); err != nil {
		return err
	}
	return os.Mkdir(path, 0o770)
}
