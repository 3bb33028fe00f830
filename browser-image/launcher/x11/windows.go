package x11

// A window manager of two rules, because without one Chromium's windows neither follow the screen nor get the
// keyboard: a normal window is the size of the screen; a window that belongs to another (a dialog) keeps its size
// and is centred. There is no frame, no icon and nothing to move or close.

const (
	opcodeChangeWindowAttributes = 2
	opcodeGetWindowAttributes    = 3
	opcodeMapWindow              = 8
	opcodeConfigureWindow        = 12
	opcodeQueryTree              = 15
	opcodeGetProperty            = 20
	opcodeSendEvent              = 25
	opcodeSetInputFocus          = 42

	eventUnmapNotify      = 18
	eventMapRequest       = 20
	eventConfigureNotify  = 22
	eventConfigureRequest = 23

	atomWindow               = 33
	atomWMTransientFor       = 68
	maskStructure            = 1 << 17
	maskSubstructure         = 1 << 19
	maskSubstructureRedirect = 1 << 20
)

// BecomeManager makes this connection the one that is asked where windows go. There can be only one.
func (c *Conn) BecomeManager() error {
	const valueEventMask = 1 << 11
	err := c.send(request(opcodeChangeWindowAttributes, 0, c.root, valueEventMask,
		maskStructure|maskSubstructure|maskSubstructureRedirect))
	if err != nil {
		return err
	}
	// Any answer shows that the server has taken it.
	_, _, err = c.screenSize()
	return err
}

// ManageWindows places windows until the connection ends, and returns why it ended.
func (c *Conn) ManageWindows() error {
	for {
		event, err := c.nextEvent()
		if err == nil {
			err = c.handle(event)
		}
		if err != nil {
			return err
		}
	}
}

func (c *Conn) handle(event []byte) error {
	switch event[0] & 0x7f {
	case eventMapRequest:
		window := le.Uint32(event[8:])
		if err := c.place(window); err != nil {
			return err
		}
		if err := c.send(request(opcodeMapWindow, 0, window)); err != nil {
			return err
		}
		return c.focus(window)
	case eventConfigureRequest:
		return c.configureAsAsked(event)
	case eventConfigureNotify:
		if le.Uint32(event[8:]) == c.root {
			return c.placeAll()
		}
	case eventUnmapNotify:
		return c.focusTopmost()
	}
	return nil
}

// configureAsAsked grants a dialog what it asks for, and places everything else.
func (c *Conn) configureAsAsked(event []byte) error {
	window := le.Uint32(event[8:])
	dialog, err := c.isDialog(window)
	if err != nil || !dialog {
		return c.place(window)
	}
	width, height := le.Uint16(event[20:]), le.Uint16(event[22:])
	return c.centre(window, width, height)
}

func (c *Conn) place(window uint32) error {
	dialog, err := c.isDialog(window)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	width, height, err := c.screenSize()
	if err != nil {
		return err
	}
	if !dialog {
		return c.configure(window, 0, 0, uint32(width), uint32(height))
	}
	w, h, err := c.size(window)
	if gone(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return c.centre(window, w, h)
}

func (c *Conn) placeAll() error {
	windows, err := c.mapped()
	for _, window := range windows {
		if err == nil {
			err = c.place(window)
		}
	}
	return err
}

// centre shows a dialog in the middle of the screen, cut to it.
func (c *Conn) centre(window uint32, width, height uint16) error {
	screenWidth, screenHeight, err := c.screenSize()
	if err != nil {
		return err
	}
	width, height = min(width, screenWidth), min(height, screenHeight)
	return c.configure(window, uint32(screenWidth-width)/2, uint32(screenHeight-height)/2, uint32(width), uint32(height))
}

// configure sets a window's place and tells it. The server tells it too, but only of a change; a window that asked
// for another size waits for an answer (ICCCM, section 4.1.5).
func (c *Conn) configure(window, x, y, width, height uint32) error {
	const valuesXYWidthHeight = 1 | 2 | 4 | 8
	if err := c.send(request(opcodeConfigureWindow, 0, window, valuesXYWidthHeight, x, y, width, height)); err != nil {
		return err
	}
	notify := request(opcodeSendEvent, 0, window, maskStructure,
		eventConfigureNotify, window, window, 0, // event, window, nothing above
		x|y<<16, width|height<<16, 0, 0) // no border, not overridden, unused
	return c.send(notify)
}

// focus gives a window the keyboard. If it goes, the keyboard follows the pointer.
func (c *Conn) focus(window uint32) error {
	const revertToPointerRoot, now = 1, 0
	return c.send(request(opcodeSetInputFocus, revertToPointerRoot, window, now))
}

func (c *Conn) focusTopmost() error {
	windows, err := c.mapped()
	if err != nil || len(windows) == 0 {
		return err
	}
	return c.focus(windows[len(windows)-1])
}

// mapped lists the visible windows under management, bottom first. Menus and tooltips manage themselves.
func (c *Conn) mapped() ([]uint32, error) {
	reply, err := c.call(request(opcodeQueryTree, 0, c.root))
	if err != nil {
		return nil, err
	}
	var windows []uint32
	for i := range int(le.Uint16(reply[16:])) {
		const viewable = 2
		window := le.Uint32(reply[32+4*i:])
		attributes, err := c.call(request(opcodeGetWindowAttributes, 0, window))
		if gone(err) {
			continue
		}
		if err != nil {
			return nil, err
		}
		overrideRedirect := attributes[27] != 0
		if attributes[26] == viewable && !overrideRedirect {
			windows = append(windows, window)
		}
	}
	return windows, nil
}

func (c *Conn) isDialog(window uint32) (bool, error) {
	reply, err := c.call(request(opcodeGetProperty, 0, window, atomWMTransientFor, atomWindow, 0, 1))
	if err != nil {
		return false, err
	}
	return le.Uint32(reply[8:]) == atomWindow, nil
}

// gone says that a request failed because its window was destroyed meanwhile.
func gone(err error) bool {
	_, isReply := err.(ErrorReply)
	return isReply
}
