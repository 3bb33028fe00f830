package flags

import (
	"slices"
	"strings"
	"testing"
)

func TestOurFlagsComeAfterThePools(t *testing.T) {
	args, err := CommandLine([]string{"--proxy-server=http://evil.example"}, 800, 600)
	if err != nil {
		t.Fatal(err)
	}
	if args[0] != "--proxy-server=http://evil.example" {
		t.Errorf("first is %s", args[0])
	}
	if !slices.Contains(args[1:], "--proxy-server=http://127.0.0.1:3128") {
		t.Error("our proxy does not come last")
	}
	if !slices.Contains(args, "--window-size=800,600") {
		t.Error("the screen's size is missing")
	}
	if args[len(args)-1] != "about:blank" {
		t.Errorf("opens %s", args[len(args)-1])
	}
}

func TestEveryFlagIsNamedOnceAndHasAReason(t *testing.T) {
	entries, err := ours()
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, e := range entries {
		name, _, _ := strings.Cut(e.Flag, "=")
		if !strings.HasPrefix(name, "--") || e.Reason == "" || seen[name] {
			t.Errorf("%q: twice, without a reason, or no flag", e.Flag)
		}
		seen[name] = true
	}
}

func TestTheSandboxIsNeverSwitchedOff(t *testing.T) {
	args, _ := CommandLine(nil, 1, 1)
	for _, arg := range args {
		if strings.Contains(arg, "no-sandbox") || strings.Contains(arg, "disable-setuid-sandbox") || strings.HasSuffix(arg, "no-zygote") {
			t.Errorf("%s", arg)
		}
	}
}
