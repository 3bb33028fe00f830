package x11

import (
	"errors"
	"fmt"
	"strings"
)

// Opcodes of the core protocol and minor opcodes of RandR.
const (
	opcodeGetGeometry    = 14
	opcodeGrabServer     = 36
	opcodeUngrabServer   = 37
	opcodeQueryExtension = 98

	randrQueryVersion       = 0
	randrGetScreenSizeRange = 6
	randrSetScreenSize      = 7
	randrCreateMode         = 16
	randrDestroyMode        = 17
	randrAddOutputMode      = 18
	randrDeleteOutputMode   = 19
	randrSetCrtcConfig      = 21
	// The current resources, without asking the hardware again.
	randrGetScreenResources = 25
)

const (
	// 96 dots per inch.
	millimetresPer100Pixels = 26
	modePrefix              = "podwright-"
)

// ErrTooLarge says that a screen size is above the one the server started with: Xvfb shrinks, but never grows.
var ErrTooLarge = errors.New("larger than the screen the server started with")

type resources struct {
	crtc, output uint32
	// named maps the names of modes to their ids.
	named map[string]uint32
}

// SetScreen sets the size of the screen, in pixels, by RandR.
func (c *Conn) SetScreen(width, height uint16) error {
	major, err := c.randr()
	if err != nil {
		return err
	}
	limits, err := c.call(request(major, randrGetScreenSizeRange, c.root))
	if err != nil {
		return fmt.Errorf("screen size range: %w", err)
	}
	if width > le.Uint16(limits[12:]) || height > le.Uint16(limits[14:]) {
		return ErrTooLarge
	}
	if w, h, err := c.screenSize(); err != nil || (w == width && h == height) {
		return err
	}
	found, err := c.resources(major)
	if err != nil {
		return fmt.Errorf("screen resources: %w", err)
	}
	mode, err := c.mode(major, found, width, height)
	if err != nil {
		return fmt.Errorf("mode %dx%d: %w", width, height, err)
	}
	return c.switchTo(major, found, mode, width, height)
}

// switchTo takes the screen off its mode, sizes it and puts the new mode on. The server is grabbed meanwhile, so
// that VNC server and browser see one change.
func (c *Conn) switchTo(major byte, r resources, mode uint32, width, height uint16) error {
	if err := c.send(request(opcodeGrabServer, 0)); err != nil {
		return err
	}
	defer c.send(request(opcodeUngrabServer, 0))
	if err := c.setCrtc(major, r, 0); err != nil {
		return fmt.Errorf("screen off: %w", err)
	}
	size := request(major, randrSetScreenSize, c.root, uint32(width)|uint32(height)<<16,
		millimetres(width), millimetres(height))
	if err := c.send(size); err != nil {
		return err
	}
	if err := c.setCrtc(major, r, mode); err != nil {
		return fmt.Errorf("screen on: %w", err)
	}
	return c.dropModes(major, r, mode)
}

// dropModes removes the modes made for earlier sizes: a viewer that is dragged to fit asks for hundreds.
func (c *Conn) dropModes(major byte, r resources, keep uint32) error {
	for name, id := range r.named {
		if !strings.HasPrefix(name, modePrefix) || id == keep {
			continue
		}
		if err := c.send(request(major, randrDeleteOutputMode, r.output, id)); err != nil {
			return err
		}
		if err := c.send(request(major, randrDestroyMode, id)); err != nil {
			return err
		}
	}
	return nil
}

func (c *Conn) setCrtc(major byte, r resources, mode uint32) error {
	const rotate0 = 1
	values := []uint32{r.crtc, 0, 0, 0 /* x, y */, mode, rotate0}
	if mode != 0 {
		values = append(values, r.output)
	}
	reply, err := c.call(request(major, randrSetCrtcConfig, values...))
	if err != nil {
		return err
	}
	if reply[1] != 0 {
		return fmt.Errorf("refused with status %d", reply[1])
	}
	return nil
}

// mode finds or makes a mode of the given size.
func (c *Conn) mode(major byte, r resources, width, height uint16) (uint32, error) {
	name := fmt.Sprintf("%s%dx%d", modePrefix, width, height)
	if id, ok := r.named[name]; ok {
		return id, nil
	}
	w, h := uint32(width), uint32(height)
	body := request(major, randrCreateMode, c.root,
		0, w|h<<16, w*h*60, // id (the server's choice), size, dot clock of 60 Hz
		w|w<<16, w, // horizontal sync start and end, total, skew
		h|h<<16, h|uint32(len(name))<<16, // vertical sync start and end, total; length of the name
		0)
	reply, err := c.call(append(body, name...))
	if err != nil {
		return 0, err
	}
	id := le.Uint32(reply[8:])
	return id, c.send(request(major, randrAddOutputMode, r.output, id))
}

func (c *Conn) resources(major byte) (resources, error) {
	reply, err := c.call(request(major, randrGetScreenResources, c.root))
	if err != nil {
		return resources{}, err
	}
	crtcs, outputs := int(le.Uint16(reply[16:])), int(le.Uint16(reply[18:]))
	modes := int(le.Uint16(reply[20:]))
	if crtcs == 0 || outputs == 0 {
		return resources{}, errors.New("the server has no screen to set")
	}
	firstOutput := 32 + 4*crtcs
	firstMode := firstOutput + 4*outputs
	r := resources{
		crtc:   le.Uint32(reply[32:]),
		output: le.Uint32(reply[firstOutput:]),
		named:  map[string]uint32{},
	}
	name := firstMode + 32*modes
	for i := range modes {
		mode := reply[firstMode+32*i:]
		length := int(le.Uint16(mode[26:]))
		r.named[string(reply[name:name+length])] = le.Uint32(mode)
		name += length
	}
	return r, nil
}

// randr returns the major opcode of the extension.
func (c *Conn) randr() (byte, error) {
	const name = "RANDR"
	reply, err := c.call(append(request(opcodeQueryExtension, 0, uint32(len(name))), name...))
	if err != nil {
		return 0, err
	}
	if reply[8] == 0 {
		return 0, errors.New("the server has no RandR")
	}
	_, err = c.call(request(reply[9], randrQueryVersion, 1, 5))
	return reply[9], err
}

func (c *Conn) screenSize() (width, height uint16, err error) {
	return c.size(c.root)
}

func (c *Conn) size(window uint32) (width, height uint16, err error) {
	reply, err := c.call(request(opcodeGetGeometry, 0, window))
	if err != nil {
		return 0, 0, err
	}
	return le.Uint16(reply[16:]), le.Uint16(reply[18:]), nil
}

func millimetres(pixels uint16) uint32 {
	return max(1, uint32(pixels)*millimetresPer100Pixels/100)
}
