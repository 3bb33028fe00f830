package main

import (
	"os"

	"podwright.dev/launcher/reaper"
)

// startVNC shows the display as RFB on a Unix socket in the directory shared with the supervisor, and on nothing
// else. It asks for no password: who may connect is the socket's mode, and who may do what is the supervisor's.
func startVNC(r *reaper.Reaper, d *display) (*reaper.Process, error) {
	return r.Start(reaper.Command{
		Path: vncPath,
		Args: []string{
			"-display", d.name,
			"-rfbunixpath", vncSocket,
			"-rfbunixmode", "432", // 0660: the group is shared with the supervisor
			"-rfbport", "-1",
			"-SecurityTypes", "None",
			// Several viewers at once; the supervisor counts them.
			"-AlwaysShared", "-DisconnectClients=0",
			// The screen's size is the launcher's to set.
			"-AcceptSetDesktopSize=0",
			"-FrameRate", "30",
			"-Log", "*:stderr:0",
		},
		Env:   childEnvironment(d.environment()),
		Files: []*os.File{devNull, devNull, os.Stderr},
	})
}
