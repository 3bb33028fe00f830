package main

import (
	"encoding/json"
	"os"
	"testing"
)

func read[T any](t *testing.T, path string) T {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var value T
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	return value
}

func TestEveryPolicyHasAReason(t *testing.T) {
	policies := read[map[string]any](t, "../policy/podwright.json")
	reasons := read[map[string]string](t, "../policy/reasons.json")
	for name := range policies {
		if reasons[name] == "" {
			t.Errorf("%s has none", name)
		}
	}
	for name := range reasons {
		if _, ok := policies[name]; !ok {
			t.Errorf("%s is no policy of ours", name)
		}
	}
}

func TestTheSeccompProfileOpensNoWayOut(t *testing.T) {
	type rule struct {
		Names  []string
		Action string
		Args   []struct{ Index, Value, ValueTwo uint64 }
	}
	profile := read[struct {
		DefaultAction string
		Syscalls      []rule
	}](t, "../seccomp/browser.json")
	if profile.DefaultAction != "SCMP_ACT_ERRNO" {
		t.Errorf("the default is %s", profile.DefaultAction)
	}
	allowed := map[string][]rule{}
	for _, r := range profile.Syscalls {
		if r.Action != "SCMP_ACT_ALLOW" {
			continue
		}
		for _, name := range r.Names {
			allowed[name] = append(allowed[name], r)
		}
	}
	for _, name := range []string{
		"setns", "mount", "umount2", "move_mount", "open_tree", "fsopen", "fsmount", "pivot_root", "mount_setattr",
		"io_uring_setup", "io_uring_enter", "io_uring_register", "bpf", "perf_event_open", "userfaultfd",
		"keyctl", "add_key", "request_key", "ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd",
		"kexec_load", "init_module", "finit_module", "open_by_handle_at", "clone3",
	} {
		if len(allowed[name]) > 0 {
			t.Errorf("%s is allowed", name)
		}
	}
	// What Chromium's sandbox needs, and only with conditions on the arguments.
	for _, name := range []string{"clone", "unshare", "socket"} {
		if len(allowed[name]) == 0 {
			t.Errorf("%s is not allowed at all", name)
		}
		for _, r := range allowed[name] {
			if len(r.Args) == 0 {
				t.Errorf("%s is allowed with any argument", name)
			}
		}
	}
}
