// Package flags makes Chromium's command line.
package flags

import (
	_ "embed"
	"encoding/json"
	"strconv"
	"strings"
)

//go:embed chromium-flags.json
var table []byte

type entry struct {
	Flag   string `json:"flag"`
	Reason string `json:"reason"`
}

// CommandLine returns Chromium's arguments: the pool's extra flags first and ours last, because the last of two
// equal flags counts. The screen is in pixels.
func CommandLine(extra []string, width, height int) ([]string, error) {
	entries, err := ours()
	if err != nil {
		return nil, err
	}
	fill := strings.NewReplacer("${WIDTH}", strconv.Itoa(width), "${HEIGHT}", strconv.Itoa(height))
	args := append([]string{}, extra...)
	for _, e := range entries {
		args = append(args, fill.Replace(e.Flag))
	}
	return append(args, "about:blank"), nil
}

func ours() ([]entry, error) {
	var entries []entry
	err := json.Unmarshal(table, &entries)
	return entries, err
}
