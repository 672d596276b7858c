package iperf3

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// Deadlines of the control connection.
const (
	cookieWait = 5 * time.Second  // from the connection to its cookie
	stateWait  = 10 * time.Second // for each answer of the peer
	idleWait   = 30 * time.Second // of a test without data
)

// control writes to a control connection, each message whole and in time.
type control struct {
	conn net.Conn
	ctx  context.Context // when it ends, reads do too
}

// past is a deadline that ends a call at once.
var past = time.Unix(1, 0)

func (c control) write(b []byte) error {
	_ = c.conn.SetWriteDeadline(time.Now().Add(stateWait))
	_, err := c.conn.Write(b)
	return err
}

// send sends a state and, if text is not nil, the text after it.
func (c control) send(s state, text any) error {
	b := []byte{byte(s)}
	if text != nil {
		f, err := frame(text)
		if err != nil {
			return err
		}
		b = append(b, f...)
	}
	if err := c.write(b); err != nil {
		return fmt.Errorf("send %v: %w", s, err)
	}
	return nil
}

// sendText sends a text without a state before it.
func (c control) sendText(what string, text any) error {
	b, err := frame(text)
	if err != nil {
		return err
	}
	if err := c.write(b); err != nil {
		return fmt.Errorf("send %s: %w", what, err)
	}
	return nil
}

// refuse tells a stock client why there is no test.
func (c control) refuse(n code) error {
	b := []byte{0xfe} // SERVER_ERROR, -2
	b = binary.BigEndian.AppendUint32(b, uint32(n))
	return c.write(binary.BigEndian.AppendUint32(b, 0))
}

// within sets the deadline for what is read next.
func (c control) within(d time.Duration) {
	_ = c.conn.SetReadDeadline(time.Now().Add(d))
	if c.ctx.Err() != nil {
		_ = c.conn.SetReadDeadline(past)
	}
}

// forEver lifts the deadline for what is read next.
func (c control) forEver() {
	_ = c.conn.SetReadDeadline(time.Time{})
	if c.ctx.Err() != nil {
		_ = c.conn.SetReadDeadline(past)
	}
}

// readState reads one state.
func readState(r io.Reader) (state, error) {
	var b [1]byte
	if _, err := io.ReadFull(r, b[:]); err != nil {
		return 0, err
	}
	return state(int8(b[0])), nil
}

// expect reads the state that must come next.
func (c control) expect(want state) error {
	c.within(stateWait)
	got, err := readState(c.conn)
	if err != nil {
		return fmt.Errorf("wait for %v: %w", want, err)
	}
	if got != want {
		return fmt.Errorf("%w: %v came where %v belongs", errProtocol, got, want)
	}
	return nil
}

// text reads a text that must come next.
func (c control) text(what string, limit uint32) ([]byte, error) {
	c.within(stateWait)
	b, err := readText(c.conn, limit)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	return b, nil
}

// errProtocol says that the peer does not keep to the protocol.
var errProtocol = errors.New("not iperf3's protocol")
