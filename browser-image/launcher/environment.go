package main

import "os"

// childEnvironment is the whole environment of a child: nothing of the container's own is handed on.
func childEnvironment(more []string) []string {
	return append([]string{
		"PATH=/usr/bin:/bin",
		"HOME=" + homeDir,
		"LANG=C.UTF-8",
		"XDG_RUNTIME_DIR=" + homeDir,
		// There is no message bus; said like this Chromium does not look for one.
		"DBUS_SESSION_BUS_ADDRESS=disabled:",
		"DBUS_SYSTEM_BUS_ADDRESS=disabled:",
		"NO_AT_BRIDGE=1",
	}, more...)
}

// devNull stays open for the children's whole life.
var devNull = mustOpen(os.DevNull)

func mustOpen(path string) *os.File {
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		panic(err)
	}
	return file
}
