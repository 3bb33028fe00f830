package x11

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

var le = binary.LittleEndian

// Conn is a connection to an X server, used by one goroutine at a time.
type Conn struct {
	conn net.Conn
	in   *bufio.Reader
	// root is the root window of the only screen.
	root uint32
	// firstKey and lastKey are the bounds of the keyboard's key codes.
	firstKey, lastKey byte
	events            [][]byte
	// sequence is the number of the last request sent, as the server counts them.
	sequence uint16
}

// ErrorReply is an error the server sent for a request.
type ErrorReply struct{ Code, Major, Minor byte }

func (e ErrorReply) Error() string {
	return fmt.Sprintf("X error %d for request %d.%d", e.Code, e.Major, e.Minor)
}

// Dial connects to the server's Unix socket and authenticates with the cookie.
func Dial(socket string, cookie []byte) (*Conn, error) {
	conn, err := net.DialTimeout("unix", socket, 5*time.Second)
	if err != nil {
		return nil, err
	}
	c := &Conn{conn: conn, in: bufio.NewReader(conn)}
	if err := c.setUp(cookie); err != nil {
		conn.Close()
		return nil, fmt.Errorf("X connection: %w", err)
	}
	return c, nil
}

// Close ends the connection.
func (c *Conn) Close() error { return c.conn.Close() }

func (c *Conn) setUp(cookie []byte) error {
	hello := []byte{'l', 0, 11, 0, 0, 0}
	hello = le.AppendUint16(hello, uint16(len(cookieProtocol)))
	hello = le.AppendUint16(hello, uint16(len(cookie)))
	hello = append(hello, 0, 0)
	hello = append(hello, padded([]byte(cookieProtocol))...)
	hello = append(hello, padded(cookie)...)
	if _, err := c.conn.Write(hello); err != nil {
		return err
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(c.in, head); err != nil {
		return err
	}
	body := make([]byte, 4*int(le.Uint16(head[6:])))
	if _, err := io.ReadFull(c.in, body); err != nil {
		return err
	}
	if head[0] != 1 {
		return errors.New("refused by the server")
	}
	if len(body) < 32 {
		return errors.New("short answer")
	}
	vendor, formats := int(le.Uint16(body[16:])), int(body[21])
	screen := 32 + pad4(vendor) + 8*formats
	if len(body) < screen+24 {
		return errors.New("short answer")
	}
	c.root = le.Uint32(body[screen:])
	c.firstKey, c.lastKey = body[26], body[27]
	return nil
}

// send writes a request whose length field it fills in.
func (c *Conn) send(request []byte) error {
	request = padded(request)
	le.PutUint16(request[2:], uint16(len(request)/4))
	c.sequence++
	_, err := c.conn.Write(request)
	return err
}

// call sends a request and waits for its reply; events that come first are kept for nextEvent.
// Errors of earlier requests without a reply are passed over: their windows are gone.
func (c *Conn) call(request []byte) ([]byte, error) {
	if err := c.send(request); err != nil {
		return nil, err
	}
	for {
		message, err := c.read()
		if err != nil {
			return nil, err
		}
		answers := le.Uint16(message[2:]) == c.sequence
		switch {
		case message[0] == 0 && answers:
			return nil, ErrorReply{Code: message[1], Major: message[10], Minor: message[8]}
		case message[0] == 1 && answers:
			return message, nil
		case message[0] > 1:
			c.events = append(c.events, message)
		}
	}
}

// nextEvent returns the next event, waiting for it.
func (c *Conn) nextEvent() ([]byte, error) {
	for len(c.events) == 0 {
		message, err := c.read()
		if err != nil {
			return nil, err
		}
		if message[0] > 1 {
			c.events = append(c.events, message)
		}
	}
	event := c.events[0]
	c.events = c.events[1:]
	return event, nil
}

// read returns one error, reply or event.
func (c *Conn) read() ([]byte, error) {
	const replyKind, genericEvent = 1, 35
	message := make([]byte, 32)
	if _, err := io.ReadFull(c.in, message); err != nil {
		return nil, err
	}
	if kind := message[0] & 0x7f; kind == replyKind || kind == genericEvent {
		rest := make([]byte, 4*int(le.Uint32(message[4:])))
		if _, err := io.ReadFull(c.in, rest); err != nil {
			return nil, err
		}
		message = append(message, rest...)
	}
	return message, nil
}

// request begins a request: opcode, the byte beside it, room for the length, then 32-bit values.
func request(opcode, data byte, values ...uint32) []byte {
	r := []byte{opcode, data, 0, 0}
	for _, v := range values {
		r = le.AppendUint32(r, v)
	}
	return r
}

func pad4(n int) int { return (n + 3) &^ 3 }

func padded(b []byte) []byte { return append(b, make([]byte, pad4(len(b))-len(b))...) }
