package fast

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"os"
	"time"
)

// Outstanding is how many requests wait for their answers at a time. Devices queue few.
const Outstanding = 2

// Conn is what a Client needs of a connected UDP socket.
type Conn interface {
	Read([]byte) (int, error)
	Write([]byte) (int, error)
	SetReadDeadline(time.Time) error
	SetWriteDeadline(time.Time) error
}

var _ Conn = (*net.UDPConn)(nil)

// maxAnswer is the longest answer that is read whole. A request is made so that its answer fits an Ethernet frame;
// a longer one is not recognised and counts as none.
const maxAnswer = 8192

// Client asks one agent. It is used by one goroutine at a time.
type Client struct {
	// Single keeps to one request outstanding, for agents that lose the second.
	Single bool

	codec *codec
	id    uint32
	out   []byte
	in    []byte
	armed time.Time // the socket's deadline within a call of Ask; zero: none was set
}

// NewCommunity returns a client of version V1 or V2c.
func NewCommunity(version byte, community string) (*Client, error) {
	c, err := newCommunity(version, community)
	if err != nil {
		return nil, err
	}
	return newClient(c), nil
}

// NewUser returns a client of version 3. The engine must be known; Engine must be called before Ask.
func NewUser(u User) (*Client, error) {
	c, err := newUser(u)
	if err != nil {
		return nil, err
	}
	return newClient(c), nil
}

func newClient(c *codec) *Client {
	return &Client{codec: c, id: rand.Uint32(), in: make([]byte, maxAnswer)}
}

// Engine sets snmpEngineBoots and snmpEngineTime (s) of the agent as they are now. Version 3 only.
func (c *Client) Engine(boots, time uint32) {
	c.codec.security.boots, c.codec.security.time = boots, time
}

// Outcome of one request.
type Outcome byte

// Outcomes. Only OK comes with values.
const (
	Unanswered Outcome = iota // no answer came in time, or the call was ended
	OK                        // the values are there
	Odd                       // an answer came that is not understood here: gosnmp shall ask again
)

// Answer is what became of one request.
type Answer struct {
	Outcome  Outcome
	From, To time.Time // when it was sent and answered, on this host's clock
	Values             // reused by the next Ask into the same Answer
}

// nextID returns an identifier that has four octets in its shortest form (X.690, section 8.3.2).
func (c *Client) nextID() uint32 {
	c.id++
	return c.id&0x3fffffff | 0x40000000
}

// slot is a request under way.
type slot struct {
	request int // index; -1: free
	id      uint32
	until   time.Time
}

// Ask sends the requests in order, at most Outstanding at a time, and fills answers, which must be as many. Each
// request is sent once; one that has no answer after timeout is Unanswered, and then no further one is sent: a
// device that is silent shall not be pressed. Answers to anything else are ignored, as are those from other
// addresses (by the kernel). It returns when every request is decided or ctx ends. The error is that of the
// socket; what was answered before it stays valid.
func (c *Client) Ask(ctx context.Context, conn Conn, requests []*Request, answers []Answer, timeout time.Duration) error {
	for i := range answers {
		answers[i].Outcome = Unanswered
	}
	if err := conn.SetWriteDeadline(time.Time{}); err != nil { // another user of the socket may have left one
		return err
	}
	ended := context.AfterFunc(ctx, func() { conn.SetReadDeadline(time.Unix(1, 0)) })
	defer ended()
	var slots [Outstanding]slot
	for i := range slots {
		slots[i].request = -1
	}
	window := Outstanding
	if c.Single {
		window = 1
	}
	next := 0
	c.armed = time.Time{}
	for open := 0; ; {
		for i := range window {
			if slots[i].request >= 0 || next >= len(requests) {
				continue
			}
			slots[i] = slot{request: next, id: c.nextID()}
			c.out = c.codec.encode(c.out, requests[next], slots[i].id)
			answers[next].From = time.Now()
			if _, err := conn.Write(c.out); err != nil {
				return err
			}
			slots[i].until = answers[next].From.Add(timeout)
			next++
			open++
		}
		if open == 0 || ctx.Err() != nil {
			return nil
		}
		i, err := c.receive(ctx, conn, &slots, requests, answers)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			return nil
		case err != nil:
			return err
		}
		slots[i].request = -1
		open--
	}
}

// receive waits for the answer to one of the slots and returns which.
func (c *Client) receive(ctx context.Context, conn Conn, slots *[Outstanding]slot, requests []*Request, answers []Answer) (int, error) {
	var until time.Time
	for _, s := range slots {
		if s.request >= 0 && (until.IsZero() || s.until.Before(until)) {
			until = s.until
		}
	}
	if c.armed.IsZero() || until.Before(c.armed) {
		if err := c.arm(ctx, conn, until); err != nil {
			return 0, err
		}
	}
	for {
		n, err := conn.Read(c.in)
		if errors.Is(err, os.ErrDeadlineExceeded) && until.After(c.armed) {
			// The deadline was that of a request that is answered.
			if err = c.arm(ctx, conn, until); err == nil {
				continue
			}
		}
		if err != nil {
			return 0, err
		}
		to := time.Now()
		id, ok := c.codec.identify(c.in[:n])
		if !ok {
			continue
		}
		for i, s := range slots {
			if s.request < 0 || s.id != id {
				continue
			}
			a := &answers[s.request]
			a.To, a.Outcome = to, Odd
			if pdu, ok := c.codec.open(c.in[:n]); ok && requests[s.request].Decode(pdu, id, &a.Values) {
				a.Outcome = OK
			}
			return i, nil
		}
	}
}

// arm sets the socket's deadline, which is set but once for most polls. It fails if ctx is over: what ends the call then
// may have run before.
func (c *Client) arm(ctx context.Context, conn Conn, until time.Time) error {
	if err := conn.SetReadDeadline(until); err != nil {
		return err
	}
	c.armed = until
	if ctx.Err() != nil {
		return os.ErrDeadlineExceeded
	}
	return nil
}
