package main

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"sync"
	"time"

	"podwright.dev/launcher/flags"
	"podwright.dev/launcher/reaper"
)

// chromium is the browser, started once.
type chromium struct {
	process *reaper.Process

	mu      sync.Mutex
	version string
}

// startChromium runs the browser itself, not Debian's wrapper script: that one adds flags of its own.
func startChromium(r *reaper.Reaper, d *display, c config) (*chromium, error) {
	args, err := flags.CommandLine(c.extraFlags, c.width, c.height)
	if err != nil {
		return nil, err
	}
	if c.noSandbox {
		args = append([]string{"--no-sandbox"}, args...)
	}
	environment := d.environment()
	if c.timezone != "" {
		environment = append(environment, "TZ="+c.timezone)
	}
	process, err := r.Start(reaper.Command{
		Path:  chromiumPath,
		Args:  args,
		Env:   childEnvironment(environment),
		Files: []*os.File{devNull, devNull, os.Stderr},
	})
	if err != nil {
		return nil, err
	}
	return &chromium{process: process}, nil
}

// askVersion returns what Chromium calls itself, empty until it answers.
func (c *chromium) askVersion(ctx context.Context) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.version != "" {
		return c.version
	}
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+debuggingAddress+"/json/version", nil)
	if err != nil {
		return ""
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	var answer struct{ Browser string }
	if json.NewDecoder(io.LimitReader(response.Body, 1<<16)).Decode(&answer) == nil {
		c.version = answer.Browser
	}
	return c.version
}
