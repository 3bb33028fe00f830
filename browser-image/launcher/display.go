package main

import (
	"bufio"
	"crypto/rand"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"podwright.dev/launcher/reaper"
	"podwright.dev/launcher/x11"
)

const (
	authorityFile  = "/tmp/.podwright-authority"
	xSocketDir     = "/tmp/.X11-unix"
	displayTimeout = 20 * time.Second
)

// display is the X server. It listens on no TCP and no abstract socket, only on a socket in this container's /tmp,
// and only to those who have the cookie.
type display struct {
	process *reaper.Process
	name    string
	cookie  []byte

	mu            sync.Mutex
	width, height int
}

// startDisplay starts Xvfb with a screen of the given size and returns when it takes connections.
func startDisplay(r *reaper.Reaper, width, height int) (*display, error) {
	cookie := make([]byte, 16)
	rand.Read(cookie)
	if err := x11.WriteAuthority(authorityFile, cookie); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(xSocketDir, 0o700); err != nil {
		return nil, err
	}
	ready, readyWriter, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	defer ready.Close()
	const readyDescriptor = "3"
	process, err := r.Start(reaper.Command{
		Path: xvfbPath,
		Args: []string{
			"-displayfd", readyDescriptor,
			"-screen", "0", fmt.Sprintf("%dx%dx24", width, height),
			"-auth", authorityFile,
			"-nolisten", "tcp", "-nolisten", "local",
			"-noreset",
			// Without GLX the server takes 10 MiB instead of 65; WebGL is drawn by Chromium itself.
			"-extension", "GLX",
		},
		Env:   childEnvironment(nil),
		Files: []*os.File{devNull, devNull, os.Stderr, readyWriter},
	})
	readyWriter.Close()
	if err != nil {
		return nil, err
	}
	// The server closes the pipe when it fails to start, which ends the read too.
	ready.SetReadDeadline(time.Now().Add(displayTimeout))
	answer, err := bufio.NewReader(ready).ReadString('\n')
	if err != nil {
		return nil, fmt.Errorf("Xvfb did not start: %w", err)
	}
	name := ":" + strings.TrimSpace(answer)
	return &display{process: process, name: name, cookie: cookie, width: width, height: height}, nil
}

// environment is what an X client needs.
func (d *display) environment() []string {
	return []string{"DISPLAY=" + d.name, "XAUTHORITY=" + authorityFile}
}

func (d *display) dial() (*x11.Conn, error) {
	return x11.Dial(filepath.Join(xSocketDir, "X"+strings.TrimPrefix(d.name, ":")), d.cookie)
}

// addSymbols lets people type more than the server's own keyboard has.
func (d *display) addSymbols() error {
	conn, err := d.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	left, err := conn.AddSymbols()
	if err == nil && left > 0 {
		slog.Warn("keyboard is full", "symbols left out", left)
	}
	return err
}

// manageWindows takes over the windows that come, and goes on until the display ends.
func (d *display) manageWindows() error {
	conn, err := d.dial()
	if err != nil {
		return err
	}
	if err := conn.BecomeManager(); err != nil {
		return err
	}
	go func() {
		defer conn.Close()
		slog.Info("window manager ended", "reason", conn.ManageWindows().Error())
	}()
	return nil
}

// resize sets the screen's size; x11.ErrTooLarge above the size it started with.
func (d *display) resize(width, height int) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	conn, err := d.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	if err := conn.SetScreen(uint16(width), uint16(height)); err != nil {
		return err
	}
	d.width, d.height = width, height
	return nil
}

func (d *display) size() (width, height int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.width, d.height
}
