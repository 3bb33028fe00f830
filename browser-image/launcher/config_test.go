package main

import (
	"slices"
	"strings"
	"testing"
)

func TestConfig(t *testing.T) {
	for name, c := range map[string]struct {
		env  map[string]string
		want config
		// problems are parts of the error's text; none means no error.
		problems []string
	}{
		"an empty environment is the default": {want: config{width: 1920, height: 1080}},
		"everything set": {
			env:  map[string]string{"PODWRIGHT_MAX_SCREEN": "800x600", "PODWRIGHT_CHROMIUM_FLAGS": `["--mute-audio"]`, "PODWRIGHT_SANDBOX_MODE": "None", "TZ": "Europe/Berlin"},
			want: config{width: 800, height: 600, extraFlags: []string{"--mute-audio"}, noSandbox: true, timezone: "Europe/Berlin"},
		},
		"all problems are reported together": {
			env:      map[string]string{"PODWRIGHT_MAX_SCREEN": "800", "PODWRIGHT_CHROMIUM_FLAGS": `--mute-audio`, "PODWRIGHT_SANDBOX_MODE": "none"},
			problems: []string{"MAX_SCREEN", "CHROMIUM_FLAGS", "SANDBOX_MODE"},
		},
		"a screen beyond the bounds": {
			env:      map[string]string{"PODWRIGHT_MAX_SCREEN": "9000x600"},
			problems: []string{"outside"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readConfig(func(name string) string { return c.env[name] })
			if (err != nil) != (len(c.problems) > 0) {
				t.Fatalf("error %v", err)
			}
			for _, problem := range c.problems {
				if !strings.Contains(err.Error(), problem) {
					t.Errorf("%v does not tell of %s", err, problem)
				}
			}
			same := got.width == c.want.width && got.height == c.want.height && got.noSandbox == c.want.noSandbox &&
				got.timezone == c.want.timezone && slices.Equal(got.extraFlags, c.want.extraFlags)
			if err == nil && !same {
				t.Errorf("got %+v", got)
			}
		})
	}
}
