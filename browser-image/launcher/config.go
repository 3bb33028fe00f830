package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// Paths of the pod's contract (names.ts) and of the image.
const (
	runDir         = "/run/podwright"
	launcherSocket = runDir + "/launcher.sock"
	vncSocket      = runDir + "/vnc.sock"
	sessionDir     = "/session"
	homeDir        = "/tmp/home"
	terminationLog = "/dev/termination-log"

	chromiumPath = "/usr/lib/chromium/chromium"
	xvfbPath     = "/usr/bin/Xvfb"
	vncPath      = "/usr/bin/X0tigervnc"

	debuggingAddress = "127.0.0.1:9222"
	podDoorAddress   = "127.0.0.1:9000"
	supervisorUID    = 10002
)

// config is everything the environment may say, read once.
type config struct {
	// Largest screen, with which Xvfb is started, in pixels.
	width, height int
	// noSandbox is true only where the platform's pool asked for sandbox mode None.
	noSandbox  bool
	extraFlags []string
	timezone   string
}

// readConfig reports every problem at once.
func readConfig(getenv func(string) string) (config, error) {
	c := config{width: 1920, height: 1080, timezone: getenv("TZ")}
	var problems []error
	if text := getenv("PODWRIGHT_MAX_SCREEN"); text != "" {
		var err error
		if c.width, c.height, err = parseScreen(text); err != nil {
			problems = append(problems, fmt.Errorf("PODWRIGHT_MAX_SCREEN: %w", err))
		}
	}
	if text := getenv("PODWRIGHT_CHROMIUM_FLAGS"); text != "" {
		if err := json.Unmarshal([]byte(text), &c.extraFlags); err != nil {
			problems = append(problems, fmt.Errorf("PODWRIGHT_CHROMIUM_FLAGS: not a JSON array of strings: %w", err))
		}
	}
	switch mode := getenv("PODWRIGHT_SANDBOX_MODE"); mode {
	case "None":
		c.noSandbox = true
	case "", "Auto", "Seccomp", "UserNamespace", "RuntimeClass":
	default:
		problems = append(problems, fmt.Errorf("PODWRIGHT_SANDBOX_MODE: %q is no sandbox mode", mode))
	}
	return c, errors.Join(problems...)
}

// parseScreen reads `WIDTHxHEIGHT` within the bounds of a viewport (session.ts).
func parseScreen(text string) (width, height int, err error) {
	w, h, found := strings.Cut(text, "x")
	if found {
		width, err = strconv.Atoi(w)
		if err == nil {
			height, err = strconv.Atoi(h)
		}
	}
	if !found || err != nil {
		return 0, 0, fmt.Errorf("%q is not WIDTHxHEIGHT", text)
	}
	return width, height, checkScreen(width, height)
}

func checkScreen(width, height int) error {
	if width < 320 || width > 6144 || height < 320 || height > 3456 {
		return fmt.Errorf("%dx%d is outside 320x320 to 6144x3456", width, height)
	}
	return nil
}
