package procfs

import (
	"strings"
	"testing"
	"testing/fstest"
)

const (
	launcher = "Name:\tlauncher\nPid:\t1\nNSpid:\t1\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n"
	renderer = "Name:\tchromium\nPid:\t40\nNSpid:\t40\t3\t1\nCapEff:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t3\n"

	hostMap = "         0          0 4294967295\n"
	podMap  = "         0     131072      65536\n"

	rendererCmd = "/usr/lib/chromium/chromium --type=renderer --lang=en-US\x00"
	gpuCmd      = "/usr/lib/chromium/chromium --type=gpu-process\x00"
)

func container(self, uidMap, rendererStatus string) fstest.MapFS {
	proc := fstest.MapFS{}
	for name, text := range map[string]string{
		"self/status": self, "self/uid_map": uidMap, "cpuinfo": "",
		"1/cmdline": "/usr/bin/podwright-launcher\x00", "1/status": self,
		"30/cmdline": gpuCmd, "30/status": strings.Replace(renderer, "\t3\t1", "", 1),
	} {
		proc[name] = &fstest.MapFile{Data: []byte(text)}
	}
	if rendererStatus != "" {
		proc["40/cmdline"] = &fstest.MapFile{Data: []byte(rendererCmd)}
		proc["40/status"] = &fstest.MapFile{Data: []byte(rendererStatus)}
	}
	return proc
}

func TestWhatTheSandboxIsCalled(t *testing.T) {
	edit := func(text, old, new string) string { return strings.Replace(text, old, new, 1) }
	for name, c := range map[string]struct {
		proc fstest.MapFS
		want string
	}{
		"all of it in a user namespace":               {container(launcher, podMap, renderer), "UserNamespace"},
		"all of it without a user namespace":          {container(launcher, hostMap, renderer), "Seccomp"},
		"a container without a filter":                {container(edit(launcher, "Seccomp:\t2", "Seccomp:\t0"), podMap, renderer), "None"},
		"a container that may gain privileges":        {container(edit(launcher, "Privs:\t1", "Privs:\t0"), podMap, renderer), "None"},
		"a renderer in the container's own PIDs":      {container(launcher, podMap, edit(renderer, "40\t3\t1", "40")), "None"},
		"a renderer with the container's filter only": {container(launcher, podMap, edit(renderer, "filters:\t3", "filters:\t1")), "None"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Read(c.proc)
			if err != nil || got == nil {
				t.Fatalf("got %v, %v", got, err)
			}
			if got.Found != c.want {
				t.Errorf("found %s, want %s", got.Found, c.want)
			}
		})
	}
}

func TestNothingIsSaidBeforeARendererExists(t *testing.T) {
	got, err := Read(container(launcher, podMap, ""))
	if got != nil || err != nil {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestTheLeastConfinedRendererCounts(t *testing.T) {
	proc := container(launcher, podMap, renderer)
	proc["41/cmdline"] = &fstest.MapFile{Data: []byte(rendererCmd)}
	proc["41/status"] = &fstest.MapFile{Data: []byte(strings.Replace(renderer, "filters:\t3", "filters:\t1", 1))}
	got, err := Read(proc)
	if err != nil {
		t.Fatal(err)
	}
	if got.Found != "None" || got.RendererSeccompFilters != 1 || got.RendererPidLevels != 3 {
		t.Errorf("got %+v", got)
	}
}

func TestAReadingThatMakesNoSenseIsAnError(t *testing.T) {
	if _, err := ParseStatus(strings.NewReader("Seccomp:\tmaybe\n")); err == nil {
		t.Error("accepted")
	}
}

func TestUserNamespaceByItsMap(t *testing.T) {
	for name, c := range map[string]struct {
		uidMap string
		want   bool
	}{
		"the initial namespace":            {hostMap, false},
		"a pod's range":                    {podMap, true},
		"a map of several ranges":          {"0 1000 1\n1 100000 65536\n", true},
		"every id, but from another place": {"0 1 4294967294\n", true},
		"no map yet":                       {"", false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := InUserNamespace(c.uidMap); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
