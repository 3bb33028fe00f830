package x11

import (
	"errors"
	"fmt"
)

const (
	opcodeChangeKeyboardMapping = 100
	opcodeGetKeyboardMapping    = 101
)

// The server's keyboard is an American one, and the VNC server can type only what that keyboard has in its present
// state: no ä, and no colon either from a telephone that sends one without Shift. So the keys of no use get the
// letters of other European keyboards, with the capital under Shift, and what the American one has under Shift only.
var (
	plainAndShifted = pairs("àÀáÁâÂãÃäÄåÅæÆçÇèÈéÉêÊëËìÌíÍîÎïÏðÐñÑòÒóÓôÔõÕöÖøØùÙúÚûÛüÜýÝþÞßß")
	sameWithShift   = []rune("!\"#$%&()*+:<>?@^_{|}~ABCDEFGHIJKLMNOPQRSTUVWXYZ€£§°¿¡«»´¨·²³µ")
)

// AddSymbols gives the free keys of the keyboard their symbols, and says for how many symbols there was no key.
func (c *Conn) AddSymbols() (left int, err error) {
	free, err := c.freeKeys()
	if err != nil {
		return 0, fmt.Errorf("keyboard mapping: %w", err)
	}
	wanted := append([][2]rune{}, plainAndShifted...)
	for _, symbol := range sameWithShift {
		wanted = append(wanted, [2]rune{symbol, symbol})
	}
	for i, key := range free {
		if i == len(wanted) {
			break
		}
		const keys, symbolsPerKey = 1, 2
		change := request(opcodeChangeKeyboardMapping, keys,
			uint32(key)|symbolsPerKey<<8, keysym(wanted[i][0]), keysym(wanted[i][1]))
		if err := c.send(change); err != nil {
			return 0, err
		}
	}
	// Any answer shows that the server has taken them all.
	_, _, err = c.screenSize()
	return max(0, len(wanted)-len(free)), err
}

// freeKeys lists the keys that have no symbol, or only those of multimedia keys: no viewer sends them.
func (c *Conn) freeKeys() ([]byte, error) {
	first, count := c.firstKey, c.lastKey-c.firstKey+1
	reply, err := c.call(request(opcodeGetKeyboardMapping, 0, uint32(first)|uint32(count)<<8))
	if err != nil {
		return nil, err
	}
	perKey := int(reply[1])
	if len(reply) < 32+4*perKey*int(count) {
		return nil, errors.New("short answer")
	}
	var free []byte
	for i := range int(count) {
		symbols := reply[32+4*perKey*i : 32+4*perKey*(i+1)]
		if unused(symbols) {
			free = append(free, first+byte(i))
		}
	}
	return free, nil
}

func pairs(text string) [][2]rune {
	runes := []rune(text)
	var out [][2]rune
	for i := 0; i+1 < len(runes); i += 2 {
		out = append(out, [2]rune{runes[i], runes[i+1]})
	}
	return out
}

// keysym is a rune's own number below U+0100, and 0x01000000 above it beyond.
func keysym(r rune) uint32 {
	const euroSign, unicode = 0x20ac, 0x01000000
	switch {
	case r == '€':
		return euroSign // has a keysym of its own
	case r < 0x100:
		return uint32(r)
	default:
		return unicode + uint32(r)
	}
}

func unused(symbols []byte) bool {
	const noSymbol, multimedia = 0, 0x1008
	for i := 0; i < len(symbols); i += 4 {
		if symbol := le.Uint32(symbols[i:]); symbol != noSymbol && symbol>>16 != multimedia {
			return false
		}
	}
	return true
}
