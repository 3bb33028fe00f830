package main

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"podwright.dev/launcher/procfs"
	"podwright.dev/launcher/reaper"
	"podwright.dev/launcher/x11"
)

// door answers the supervisor on the launcher's socket. The contract is api/src/pod-launcher.ts.
type door struct {
	chromium *chromium
	display  *display
	vnc      *reaper.Process
	// stop is called once when the supervisor asks for the end.
	stop func()
}

type facts struct {
	Chromium chromiumFacts   `json:"chromium"`
	Display  displayFacts    `json:"display"`
	VNC      vncFacts        `json:"vnc"`
	Sandbox  *procfs.Sandbox `json:"sandbox"`
}
type chromiumFacts struct {
	Pid     int    `json:"pid"`
	Running bool   `json:"running"`
	Version string `json:"version"`
}
type displayFacts struct {
	Running bool `json:"running"`
	Width   int  `json:"width"`
	Height  int  `json:"height"`
}
type vncFacts struct {
	Running bool `json:"running"`
}

// serve listens on the socket until the program ends.
func (d *door) serve() error {
	if err := os.Remove(launcherSocket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	listener, err := net.Listen("unix", launcherSocket)
	if err != nil {
		return err
	}
	if err := os.Chmod(launcherSocket, 0o660); err != nil {
		return err
	}
	server := &http.Server{
		Handler:           d.routes(),
		ReadHeaderTimeout: 5 * time.Second,
		ReadTimeout:       10 * time.Second,
		MaxHeaderBytes:    1 << 14,
		ConnContext:       withPeer,
	}
	return server.Serve(listener)
}

func (d *door) routes() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /facts", d.facts)
	mux.HandleFunc("POST /screen", d.screen)
	mux.HandleFunc("POST /probe", d.probe)
	mux.HandleFunc("POST /stop", func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
		d.stop()
	})
	return onlySupervisor(http.MaxBytesHandler(mux, 1<<14))
}

func (d *door) facts(w http.ResponseWriter, r *http.Request) {
	sandbox, err := procfs.Read(os.DirFS("/proc"))
	if err != nil {
		slog.Error("sandbox facts", "error", err.Error())
		fail(w, http.StatusInternalServerError, err)
		return
	}
	width, height := d.display.size()
	running := d.chromium.process.Running()
	answer := facts{
		Chromium: chromiumFacts{Pid: d.chromium.process.Pid, Running: running},
		Display:  displayFacts{Running: d.display.process.Running(), Width: width, Height: height},
		VNC:      vncFacts{Running: d.vnc.Running()},
		Sandbox:  sandbox,
	}
	if running {
		answer.Chromium.Version = d.chromium.askVersion(r.Context())
	}
	reply(w, answer)
}

func (d *door) screen(w http.ResponseWriter, r *http.Request) {
	var wish struct{ Width, Height int }
	err := json.NewDecoder(r.Body).Decode(&wish)
	if err == nil {
		err = checkScreen(wish.Width, wish.Height)
	}
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	switch err := d.display.resize(wish.Width, wish.Height); {
	case errors.Is(err, x11.ErrTooLarge):
		fail(w, http.StatusUnprocessableEntity, err)
	case err != nil:
		slog.Error("screen", "width", wish.Width, "height", wish.Height, "error", err.Error())
		fail(w, http.StatusInternalServerError, err)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

func (d *door) probe(w http.ResponseWriter, r *http.Request) {
	var wish struct{ Targets []string }
	err := json.NewDecoder(r.Body).Decode(&wish)
	if err == nil && len(wish.Targets) > maxTargets {
		err = errors.New("too many targets")
	}
	if err != nil {
		fail(w, http.StatusBadRequest, err)
		return
	}
	reply(w, map[string][]string{"reached": reachable(r.Context(), wish.Targets)})
}

type peerKey struct{}

// withPeer remembers the UID at the other end, as the kernel knows it.
func withPeer(ctx context.Context, conn net.Conn) context.Context {
	raw, err := conn.(*net.UnixConn).SyscallConn()
	if err != nil {
		return ctx
	}
	var peer *syscall.Ucred
	raw.Control(func(fd uintptr) {
		peer, err = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err != nil {
		return ctx
	}
	return context.WithValue(ctx, peerKey{}, peer.Uid)
}

// onlySupervisor refuses everybody else: the browser's own processes can open the socket too.
func onlySupervisor(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if uid, known := r.Context().Value(peerKey{}).(uint32); !known || uid != supervisorUID {
			fail(w, http.StatusForbidden, errors.New("only the supervisor may ask"))
			return
		}
		next.ServeHTTP(w, r)
	})
}

func reply(w http.ResponseWriter, answer any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(answer)
}

func fail(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	json.NewEncoder(w).Encode(map[string]string{"error": err.Error()})
}
