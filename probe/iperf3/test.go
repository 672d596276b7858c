package iperf3

import (
	"context"
	"errors"
	"fmt"
	"net"
	"time"

	"whydrop/probe/stream"
)

// Test says what one test does. Only Address is needed.
type Test struct {
	Address string        // "host:port"; a link-local address carries its zone
	Streams int           // 0 is 1
	Reverse bool          // the far end sends
	Time    time.Duration // 0 without Bytes: until ctx ends, or as long as the far end allows
	Bytes   uint64        // all streams together; 0: not bounded
	Rate    float64       // bit/s per stream, as iperf3's -b; 0: unlimited
	Length  int           // bytes per write; 0: iperf3's 128 KiB, shorter where a rate is paced
	Window  int           // bytes, iperf3's -w; 0: the systems' own tuning
	MSS     int           // 0: the path's
	// Congestion is the sender's algorithm; "" leaves the system's.
	Congestion string
	// Token, if not "", is shown to a far end of ours, which then does not limit the test. It never crosses the
	// wire; a stock far end learns nothing of it.
	Token string
	// Dial, if not nil, is used instead of a dialer of our own.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)

	replaces string            // cookie of an earlier test of ours that is dead
	heard    func(queued bool) // told of each answer of the far end while a flow is opened; may be nil
	smooth   bool              // keep little unsent data in the kernel, for a watch that must not burst after a stall
}

// Errors by which a caller decides. What went wrong in particular is in the text.
var (
	// ErrBusy says that the far end runs another test.
	ErrBusy = errors.New("the far end is busy")
	// ErrRefused says that the far end does not want this test.
	ErrRefused = errors.New("the far end refuses the test")
	// ErrEnded says that the far end ended the test.
	ErrEnded = errors.New("the far end ended the test")
	// ErrNoAnswer says that the far end, or the path to it, does not answer.
	ErrNoAnswer = errors.New("no answer")
)

// tooLongError says that the far end finds the test too long.
type tooLongError struct{}

func (tooLongError) Error() string { return "the far end finds the test too long" }

func (t Test) withDefaults() Test {
	if t.Streams == 0 {
		t.Streams = 1
	}
	return t
}

// Check says what about the test cannot be, before anything is sent.
func (t Test) Check() error {
	host, _, err := net.SplitHostPort(t.Address)
	switch {
	case err != nil:
		return fmt.Errorf("iperf3: address %q: %w", t.Address, err)
	case t.Streams < 0 || t.Streams > maxStreams:
		return fmt.Errorf("iperf3: %d streams, want 1 to %d", t.Streams, maxStreams)
	case t.Time < 0 || t.Time > maxTime*time.Second:
		return fmt.Errorf("iperf3: a time of %v, want 0 to %d s", t.Time, maxTime)
	case t.Rate < 0 || t.Rate > maxRate:
		return fmt.Errorf("iperf3: a rate of %v bit/s, want 0 to %v", t.Rate, maxRate)
	case t.Length < 0 || t.Length > maxLength:
		return fmt.Errorf("iperf3: a length of %d bytes, want 0 to %d", t.Length, maxLength)
	case t.Window < 0 || t.Window > maxWindow:
		return fmt.Errorf("iperf3: a window of %d bytes, want 0 to %d", t.Window, maxWindow)
	case t.MSS < 0 || t.MSS > maxMSS:
		return fmt.Errorf("iperf3: a segment size of %d bytes, want 0 to %d", t.MSS, maxMSS)
	}
	if ip := net.ParseIP(host); ip != nil && ip.To4() == nil && ip.IsLinkLocalUnicast() {
		return fmt.Errorf("iperf3: address %q: a link-local address needs its interface: %s%%INTERFACE", t.Address, host)
	}
	return nil
}

// length returns how many bytes a sender writes at a time; what the far end is told for its own writes.
func (t Test) length() int {
	if t.Length > 0 {
		return t.Length
	}
	return stream.ChunkFor(t.Rate, stream.DefaultLength)
}

func (t Test) params() params {
	p := params{
		time: t.Time, bytes: t.Bytes, streams: t.Streams, reverse: t.Reverse, window: t.Window, mss: t.MSS,
		length: t.length(), rate: t.Rate, congestion: t.Congestion,
		ours: &greeting{Version: 1, Replaces: t.replaces},
	}
	if t.Token != "" {
		p.ours.Auth, p.ours.Nonce = true, newNonce()
	}
	return p
}

// socket is the set-up of the data connections.
func (t Test) socket() stream.Socket {
	s := stream.Socket{Buffer: t.Window, MSS: t.MSS}
	if !t.Reverse {
		s.Congestion = t.Congestion
		if t.smooth && t.Rate > 0 {
			// What waits unsent is sent at once when a stall ends; 50 ms' worth keep the path busy.
			s.Unsent = max(16<<10, int(t.Rate/8*0.05))
		}
	}
	return s
}
