// Package x11 speaks as much of the X11 protocol as the launcher needs: the authority file, RandR on a
// single-screen server and a window manager of two rules. Numbers are those of the protocol documents
// ("X Window System Protocol", "The X Resize, Rotate and Reflect Extension").
package x11

import (
	"encoding/binary"
	"os"
)

const cookieProtocol = "MIT-MAGIC-COOKIE-1"

// WriteAuthority writes an Xauthority file that holds one cookie, valid for every display.
func WriteAuthority(path string, cookie []byte) error {
	const familyWild = 0xffff
	entry := binary.BigEndian.AppendUint16(nil, familyWild)
	for _, field := range [][]byte{nil /* address */, nil /* display */, []byte(cookieProtocol), cookie} {
		entry = binary.BigEndian.AppendUint16(entry, uint16(len(field)))
		entry = append(entry, field...)
	}
	return os.WriteFile(path, entry, 0o600)
}
