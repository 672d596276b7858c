package snmp

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"time"

	"whydrop/devices/snmp/internal/message"
)

// errReported ends a request to which the agent answered with a Report that refuses the login. tap.report names it.
var errReported = errors.New("the agent reported an error")

// errWrites ends what must never be sent.
var errWrites = errors.New("devices are only read")

// tap lies between gosnmp and the connected UDP socket. It lets through only answers to the message that was sent
// last: with its request-id (v2c) or message-id (v3), and at the security level that was asked for. It recognises
// Reports that end a request, so that a refused login is told from a lost datagram and is not tried again by
// itself. Other source addresses are already kept out by the kernel.
type tap struct {
	net.Conn

	mu     sync.Mutex
	sent   []message.Header // messages since begin
	report string           // the object of the Report that refused the last request; "" if none
	heard  bool             // an answer came since begin
	strays int              // datagrams since begin that were no answer to it
	ended  bool             // the context is over: every deadline is in the past
	size   uint32           // msgMaxSize of the last v3 message that was accepted; 0: none yet
}

// begin forgets the last request. The returned function must be called when the request is over.
func (t *tap) begin(ctx context.Context) (end func()) {
	t.mu.Lock()
	t.sent, t.report, t.heard, t.strays, t.ended = nil, "", false, 0, false
	t.mu.Unlock()
	stop := context.AfterFunc(ctx, func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.ended = true
		t.Conn.SetDeadline(time.Unix(1, 0))
	})
	return func() { stop() }
}

// SetDeadline keeps a deadline that gosnmp sets from outliving the context.
func (t *tap) SetDeadline(d time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.ended {
		d = time.Unix(1, 0)
	}
	return t.Conn.SetDeadline(d)
}

// Write sends a message and notes which answers it may have.
func (t *tap) Write(b []byte) (int, error) {
	h, err := message.Parse(b)
	if err != nil {
		return 0, err
	}
	t.mu.Lock()
	refused := t.report != ""
	t.sent = append(t.sent, h)
	t.mu.Unlock()
	if refused {
		return 0, errReported
	}
	if h.PDU == message.TagSet {
		return 0, errWrites
	}
	return t.Conn.Write(b)
}

// Read returns the next answer.
func (t *tap) Read(b []byte) (int, error) {
	for {
		n, err := t.Conn.Read(b)
		if err != nil {
			return n, err
		}
		h, err := message.Parse(b[:n])
		if err != nil || !t.accepts(h) {
			t.mu.Lock()
			t.strays++
			t.mu.Unlock()
			continue
		}
		if t.refuses(h) {
			return 0, errReported
		}
		return n, nil
	}
}

// accepts says whether the message answers one that was sent.
func (t *tap) accepts(h message.Header) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.sent, func(q message.Header) bool {
		if q.Version != h.Version {
			return false
		}
		if h.Version == message.Version3 {
			return q.MsgID == h.MsgID
		}
		return q.RequestID == h.RequestID && h.PDU == message.TagResponse
	})
	if i < 0 {
		return false
	}
	const level = message.FlagAuth | message.FlagPriv
	if h.Version == message.Version3 && h.PDU == message.TagResponse && h.Flags&level != t.sent[i].Flags&level {
		return false // an answer below the level of the question proves nothing
	}
	t.heard = true
	if h.Version == message.Version3 {
		t.size = h.MaxSize
	}
	return true
}

// bears returns the longest message that the agent takes (RFC 3412, section 6.3); 0 if it did not say.
func (t *tap) bears() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return int(t.size)
}

// refuses says whether the message is a Report without authentication that ends the request. The Report that
// answers engine discovery does not.
func (t *tap) refuses(h message.Header) bool {
	if h.Version != message.Version3 || h.PDU != message.TagReport || h.Flags&message.FlagAuth != 0 {
		return false
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sent[len(t.sent)-1].EngineID == "" {
		return false
	}
	t.report = h.FirstOID
	return true
}

// outcome returns what was heard since begin.
func (t *tap) outcome() (report string, heard bool, strays int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.report, t.heard, t.strays
}
