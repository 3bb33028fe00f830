package procfs

import (
	"errors"
	"io/fs"
	"strconv"
	"syscall"
)

// Sandbox is what was found in the running container: SandboxFacts of the pod's contract without Chromium's own word.
type Sandbox struct {
	Found                  string `json:"found"`
	RendererPidLevels      int    `json:"rendererPidLevels"`
	RendererSeccompFilters int    `json:"rendererSeccompFilters"`
	ContainerSeccomp       int    `json:"containerSeccomp"`
	UserNamespace          bool   `json:"userNamespace"`
	NoNewPrivileges        bool   `json:"noNewPrivileges"`
	Capabilities           string `json:"capabilities"`
}

// Read looks at a /proc. It returns nil while there is no renderer to judge.
func Read(proc fs.FS) (*Sandbox, error) {
	own, err := readStatus(proc, "self")
	if err != nil {
		return nil, err
	}
	uidMap, err := fs.ReadFile(proc, "self/uid_map")
	if err != nil {
		return nil, err
	}
	renderer, err := weakestRenderer(proc)
	if err != nil || renderer == nil {
		return nil, err
	}
	s := &Sandbox{
		RendererPidLevels:      renderer.PidLevels,
		RendererSeccompFilters: renderer.SeccompFilters,
		ContainerSeccomp:       own.Seccomp,
		UserNamespace:          InUserNamespace(string(uidMap)),
		NoNewPrivileges:        own.NoNewPrivs,
		Capabilities:           own.CapEff,
	}
	s.Found = found(own, *renderer, s.UserNamespace)
	return s, nil
}

// found names the confinement. Anything less than the container's filter, Chromium's PID namespace and Chromium's
// own filter on top of the container's is `None`: half a sandbox is not reported as one.
func found(own, renderer Status, userNamespace bool) string {
	chromiumSandbox := renderer.PidLevels > own.PidLevels && renderer.SeccompFilters > own.SeccompFilters
	switch {
	case own.Seccomp != 2 || !own.NoNewPrivs || !chromiumSandbox:
		return "None"
	case userNamespace:
		return "UserNamespace"
	default:
		return "Seccomp"
	}
}

// weakestRenderer returns the least of each measure over all renderers, nil when there is none.
func weakestRenderer(proc fs.FS) (*Status, error) {
	entries, err := fs.ReadDir(proc, ".")
	if err != nil {
		return nil, err
	}
	var weakest *Status
	for _, entry := range entries {
		if _, err := strconv.Atoi(entry.Name()); err != nil {
			continue
		}
		cmdline, err := fs.ReadFile(proc, entry.Name()+"/cmdline")
		if err != nil || !IsRenderer(string(cmdline)) {
			continue // it ended in between, or is none
		}
		status, err := readStatus(proc, entry.Name())
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if weakest == nil {
			weakest = &status
			continue
		}
		weakest.PidLevels = min(weakest.PidLevels, status.PidLevels)
		weakest.SeccompFilters = min(weakest.SeccompFilters, status.SeccompFilters)
	}
	return weakest, nil
}

func readStatus(proc fs.FS, process string) (Status, error) {
	file, err := proc.Open(process + "/status")
	if err != nil {
		return Status{}, err
	}
	defer file.Close()
	return ParseStatus(file)
}
