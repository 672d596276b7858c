package iperf3

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
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

	UDP bool // datagrams instead of a stream of bytes; Length 0 is what fits the path, Rate 0 unlimited
	// Bidirectional makes both ends send at once: Streams streams each way.
	Bidirectional bool
	Omit          time.Duration // at the beginning, beside Time: carried, but in no total
	Burst         int           // blocks that a paced sender sends at once; 0: what the engine takes
	TOS           int           // the whole byte of IPv4's type of service or IPv6's traffic class; 0: the system's
	Family        int           // 4 or 6; 0: what the name gives
	// LocalAddress is what all connections are bound to; the zero Addr lets the system choose. A link-local one
	// carries its zone.
	LocalAddress netip.Addr
	LocalPort    uint16 // of the first data stream, one more for each further one; 0: the system chooses
	Device       string // network interface that all connections are bound to, where the system can; "": none
	DontFragment bool   // UDP over IPv4: routers may not fragment
	// Counters64 numbers datagrams with 64 bits instead of 32; both ends must know it (iperf3 since 3.1).
	Counters64     bool
	ServerOutput   bool          // the far end is asked for what it printed
	ConnectTimeout time.Duration // for each connection to open, and each UDP stream to be answered; 0: 10 s
	Nagle          bool          // small segments wait for an acknowledgement; the engine's default is not to
	NoDelay        bool          // the far end is asked not to let small segments wait either
	ZeroCopy       bool          // the far end is asked to send without copying, as iperf3 -Z
	Title          string        // told to the far end
	// Verify makes the receiver compare every byte of TCP with what was sent, which is slow. Only a far end of ours
	// can.
	Verify bool
	// File, if not "", is what a sender of this end sends, each stream from its beginning: its end is the end of the
	// test. A receiver of this end writes to it what arrives; if it holds something, only where Overwrite says so.
	File      string
	Overwrite bool
	// Dial, if not nil, is used instead of a dialer of our own, for "tcp" and for "udp".
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
	case t.Rate < 0 || t.Rate > HighestRate:
		return fmt.Errorf("iperf3: a rate of %v bit/s, want 0 to %v", t.Rate, HighestRate)
	case t.Length < 0 || t.Length > maxLength:
		return fmt.Errorf("iperf3: a length of %d bytes, want 0 to %d", t.Length, maxLength)
	case t.Window < 0 || t.Window > maxWindow:
		return fmt.Errorf("iperf3: a window of %d bytes, want 0 to %d", t.Window, maxWindow)
	case t.MSS < 0 || t.MSS > maxMSS:
		return fmt.Errorf("iperf3: a segment size of %d bytes, want 0 to %d", t.MSS, maxMSS)
	case t.Omit < 0 || t.Omit > maxOmit*time.Second:
		return fmt.Errorf("iperf3: %v to omit, want 0 to %d s", t.Omit, maxOmit)
	case t.Burst < 0 || t.Burst > maxBurst:
		return fmt.Errorf("iperf3: a burst of %d blocks, want 0 to %d", t.Burst, maxBurst)
	case t.TOS < 0 || t.TOS > 255:
		return fmt.Errorf("iperf3: a type of service of %d, want 0 to 255", t.TOS)
	case t.Reverse && t.Bidirectional:
		return errors.New("iperf3: reverse and both directions at once exclude each other")
	case t.UDP && t.Length > maxDatagram:
		return fmt.Errorf("iperf3: datagrams of %d bytes, want %d to %d", t.Length, t.headerSize(), maxDatagram)
	case t.UDP && t.Length > 0 && t.Length < t.headerSize():
		return fmt.Errorf("iperf3: datagrams of %d bytes, want %d to %d", t.Length, t.headerSize(), maxDatagram)
	case t.UDP && (t.MSS > 0 || t.Congestion != ""):
		return errors.New("iperf3: segment size and congestion control are TCP's, not UDP's")
	}
	if err := t.CheckFile(); err != nil {
		return err
	}
	if err := needsZone(host); err != nil {
		return fmt.Errorf("iperf3: address %q: %w", t.Address, err)
	}
	if t.LocalAddress.IsValid() {
		if err := needsZone(t.LocalAddress.String()); err != nil {
			return fmt.Errorf("iperf3: local address %q: %w", t.LocalAddress, err)
		}
	}
	return nil
}

// needsZone says what is wrong with a link-local address that does not say on which link.
func needsZone(host string) error {
	ip, err := netip.ParseAddr(host)
	if err != nil || !ip.IsLinkLocalUnicast() || ip.Is4() || ip.Zone() != "" {
		return nil
	}
	links := ""
	if ifs, err := net.Interfaces(); err == nil {
		var names []string
		for _, i := range ifs {
			if i.Flags&net.FlagUp != 0 && i.Flags&net.FlagLoopback == 0 {
				names = append(names, i.Name)
			}
		}
		if len(names) > 0 {
			links = " (here: " + strings.Join(names, ", ") + ")"
		}
	}
	return fmt.Errorf("a link-local address needs its interface: %s%%INTERFACE%s", host, links)
}

// sends says whether this end sends on the i-th stream, counted from 0: the client's streams come first.
func (t Test) sends(i int) bool { return !t.Reverse && (!t.Bidirectional || i < t.Streams) }

// conns returns how many data streams there are, both directions together.
func (t Test) conns() int {
	if t.Bidirectional {
		return 2 * t.Streams
	}
	return t.Streams
}

func (t Test) headerSize() int {
	if t.Counters64 {
		return 16
	}
	return 12
}

// length returns how many bytes a sender writes at a time; what the far end is told for its own writes.
func (t Test) length() int {
	if t.Length > 0 {
		return t.Length
	}
	if t.UDP {
		return defaultDatagram
	}
	return stream.ChunkFor(t.Rate, stream.DefaultLength)
}

func (t Test) params() params {
	p := params{
		time: t.Time, bytes: t.Bytes, streams: t.Streams, reverse: t.Reverse, window: t.Window, mss: t.MSS,
		length: t.length(), rate: t.Rate, congestion: t.Congestion, omit: t.Omit, udp: t.UDP, bidirectional: t.Bidirectional,
		burst: t.Burst, tos: t.TOS, dontFragment: t.DontFragment, counters64: t.Counters64, serverOutput: t.ServerOutput,
		nodelay: t.NoDelay, zeroCopy: t.ZeroCopy, title: t.Title,
		ours: &greeting{Version: 1, Replaces: t.replaces, Verify: t.Verify},
	}
	if t.Token != "" {
		p.ours.Auth, p.ours.Nonce = true, newNonce()
	}
	return p
}

// socket is the set-up of the data connections that this end sends on, or does not.
func (t Test) socket(sends bool) stream.Socket {
	s := stream.Socket{Buffer: t.Window, MSS: t.MSS, Nagle: t.Nagle}
	if sends {
		s.Congestion = t.Congestion
		if t.smooth && t.Rate > 0 {
			// What waits unsent is sent at once when a stall ends; 50 ms' worth keep the path busy.
			s.Unsent = max(16<<10, int(t.Rate/8*0.05))
		}
	}
	return s
}
