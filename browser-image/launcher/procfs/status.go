// Package procfs reads from /proc what the kernel says of the processes of this container.
package procfs

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Status holds the fields of /proc/PID/status that tell how a process is confined.
type Status struct {
	// PidLevels is the number of PID namespaces from the reader's down to the process's own (entries of NSpid).
	PidLevels int
	// Seccomp is 0 (off), 1 (strict) or 2 (filter).
	Seccomp int
	// SeccompFilters counts the filters installed; 0 on kernels that do not say.
	SeccompFilters int
	NoNewPrivs     bool
	// CapEff is the effective capability set in hexadecimal, as the kernel prints it.
	CapEff string
}

// ParseStatus reads the text of a /proc/PID/status. Lines it does not know are passed over; a known line that
// cannot be read is an error, because a wrong reading would be reported as a fact about the sandbox.
func ParseStatus(text io.Reader) (Status, error) {
	var s Status
	lines := bufio.NewScanner(text)
	for lines.Scan() {
		name, value, found := strings.Cut(lines.Text(), ":")
		if !found {
			continue
		}
		value = strings.TrimSpace(value)
		var err error
		switch name {
		case "NSpid":
			s.PidLevels = len(strings.Fields(value))
		case "Seccomp":
			s.Seccomp, err = strconv.Atoi(value)
		case "Seccomp_filters":
			s.SeccompFilters, err = strconv.Atoi(value)
		case "NoNewPrivs":
			s.NoNewPrivs, err = strconv.ParseBool(value)
		case "CapEff":
			_, err = strconv.ParseUint(value, 16, 64)
			s.CapEff = value
		}
		if err != nil {
			return Status{}, fmt.Errorf("status line %q: %w", lines.Text(), err)
		}
	}
	return s, lines.Err()
}

// InUserNamespace reads the text of /proc/self/uid_map: the initial user namespace maps every id to itself,
// any other map is that of a namespace.
func InUserNamespace(uidMap string) bool {
	fields := strings.Fields(uidMap)
	initial := len(fields) == 3 && fields[0] == "0" && fields[1] == "0" && fields[2] == "4294967295"
	return len(fields) > 0 && !initial
}

// IsRenderer says whether the text of a /proc/PID/cmdline is that of a Chromium renderer that shows pages.
// Extension processes are renderers too, and confined the same way.
func IsRenderer(cmdline string) bool {
	// Chromium rewrites a child's command line, and then the arguments are separated by spaces.
	for _, arg := range strings.FieldsFunc(cmdline, func(r rune) bool { return r == 0 || r == ' ' }) {
		if arg == "--type=renderer" {
			return true
		}
	}
	return false
}
