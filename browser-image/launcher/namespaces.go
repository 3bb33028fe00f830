package main

import (
	"os/exec"
	"syscall"
)

// noUserNamespaces is what the operator looks for in a termination message (operator/src/pools/confinement.ts).
const noUserNamespaces = "no unprivileged user namespaces"

// canMakeUserNamespace tells whether a process of this container may make one, as Chromium's sandbox must. AppArmor,
// a sysctl of the node or a missing seccomp profile may forbid it. Asked only when Chromium has ended.
func canMakeUserNamespace() bool {
	command := exec.Command("/bin/true")
	command.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	return command.Start() == nil && command.Wait() == nil
}
