package iperf2

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"time"
)

// Mode says which way data flows.
type Mode int

// The modes of a test.
const (
	Forward  Mode = iota // the client sends
	Reverse              // -R: the server sends on the client's connection
	Tradeoff             // -r: the client sends, then the server, by a connection of its own
	Dual                 // -d: both at once, the server by a connection of its own
)

// Defaults of a test, iperf 2's.
const (
	DefaultTime      = 10 * time.Second
	DefaultUDPRate   = 1 << 20 // bit/s
	DefaultUDPLength = 1470    // bytes, over IPv4
	defaultUDP6      = 1450    // over IPv6
	maxUDPLength     = 65507   // IPv4: 65535 - 20 - 8
	minUDPLength     = 60      // the report of 2.0 has room
	maxLength        = 16 << 20
	maxStreams       = 128
)

// Test says what a client measures. Only Host is needed.
type Test struct {
	Host       string // name or address, with a zone where it has one
	Port       uint16 // 0: DefaultPort
	UDP        bool
	V6         bool          // use IPv6 (-V); otherwise what the host's name prefers
	Mode       Mode          //
	Streams    int           // at once; 0: 1
	Time       time.Duration // 0: DefaultTime, unless Bytes is given
	Bytes      uint64        // of each stream, instead of Time
	Rate       float64       // bit/s of each stream; 0: unlimited, for UDP DefaultUDPRate
	PacketRate float64       // datagrams a second of each stream, instead of Rate; UDP alone
	Unlimited  bool          // UDP as fast as this host can (-b 0)
	Length     int           // bytes of a write or datagram; 0: 128 KiB, or 1470 (IPv6: 1450) for UDP
	Window     int           // bytes asked for the socket buffers; 0: the system's
	MSS        int           // bytes; 0: the path's
	NoDelay    bool          // TCP_NODELAY; without it small writes wait for acknowledgements
	TTL        int           // hop limit of what is sent; 0: the system's
	Congestion string        // TCP's algorithm; "": the system's
	BackPort   uint16        // where a server that sends back connects to; 0: Port, or a free one if that is in use
	Interval   time.Duration // between figures; 0: only at the end
}

// Check says what is wrong with the test; nil: nothing.
func (t Test) Check() error {
	switch {
	case t.Host == "":
		return errors.New("no host")
	case t.Streams < 0 || t.Streams > maxStreams:
		return fmt.Errorf("%d streams: want 1 to %d", t.Streams, maxStreams)
	case t.Time < 0 || t.Time > math.MaxInt32*10*time.Millisecond:
		return fmt.Errorf("time %v: want more than 0, less than 248 days", t.Time)
	case t.Time > 0 && t.Bytes > 0:
		return errors.New("a time and a number of bytes exclude each other")
	case t.Rate < 0 || t.PacketRate < 0 || math.IsNaN(t.Rate) || math.IsInf(t.Rate, 0):
		return fmt.Errorf("rate %v bit/s: want 0 or more", t.Rate)
	case t.PacketRate > 0 && !t.UDP:
		return errors.New("a rate in packets is for UDP")
	case t.UDP && t.Length != 0 && (t.Length < minUDPLength || t.Length > maxUDPLength):
		return fmt.Errorf("datagrams of %d bytes: want %d to %d", t.Length, minUDPLength, maxUDPLength)
	case t.Length < 0 || t.Length > maxLength:
		return fmt.Errorf("writes of %d bytes: want 1 to %d", t.Length, maxLength)
	case t.Window < 0 || t.Window > math.MaxInt32 || t.MSS < 0 || t.MSS > math.MaxUint16:
		return errors.New("window or segment size out of range")
	case t.TTL < 0 || t.TTL > 255:
		return fmt.Errorf("hop limit %d: want 1 to 255", t.TTL)
	case t.UDP && (t.MSS > 0 || t.Congestion != "" || t.NoDelay):
		return errors.New("segment size, congestion control and no delay are for TCP")
	case strings.ContainsAny(t.Congestion, " \x00"):
		return fmt.Errorf("congestion control %q: no such name", t.Congestion)
	case t.Interval < 0 || t.Interval > 0 && t.Interval < 10*time.Millisecond:
		return fmt.Errorf("interval %v: want 0 or at least 10 ms", t.Interval)
	}
	return nil
}

// withDefaults fills in what is zero; v6 says that the far end's address is IPv6.
func (t Test) withDefaults(v6 bool) Test {
	if t.Streams == 0 {
		t.Streams = 1
	}
	if t.Port == 0 {
		t.Port = DefaultPort
	}
	if t.Time == 0 && t.Bytes == 0 {
		t.Time = DefaultTime
	}
	switch {
	case t.UDP && t.Length == 0 && v6:
		t.Length = defaultUDP6
	case t.UDP && t.Length == 0:
		t.Length = DefaultUDPLength
	}
	if t.UDP && t.PacketRate > 0 {
		t.Rate = t.PacketRate * float64(t.Length) * 8
	}
	if t.UDP && t.Rate == 0 && !t.Unlimited {
		t.Rate = DefaultUDPRate
	}
	return t
}

// gap returns the time between datagrams; 0: none is kept.
func (t Test) gap() time.Duration {
	if !t.UDP || t.Rate <= 0 {
		return 0
	}
	return time.Duration(float64(t.Length) * 8 / t.Rate * float64(time.Second))
}

// header returns what the test's client says at its beginning; back is the port it listens on, or 0.
func (t Test) header(back uint16) clientHeader {
	h := clientHeader{threads: uint32(t.Streams), port: uint32(t.Port), length: int32(t.Length), window: int32(t.Window)}
	if t.Time > 0 {
		h.amount = -int32(max(1, t.Time/(10*time.Millisecond)))
	} else {
		h.amount = int32(min(t.Bytes, math.MaxInt32))
	}
	h.rate = uint32(min(t.Rate, math.MaxUint32))
	if t.PacketRate > 0 {
		h.rate, h.upper = uint32(min(t.PacketRate, math.MaxUint32)), upperPPS
	}
	if t.UDP {
		h.flags |= flagWide
	}
	switch t.Mode {
	case Reverse:
		h.flags |= flagVersion2
		h.upper |= upperReverse
		if t.UDP {
			h.flags |= flagUDPTests
		}
	case Dual:
		h.flags |= flagVersion1 | flagRunNow
	case Tradeoff:
		h.flags |= flagVersion1
	}
	if back != 0 {
		h.port = uint32(back)
	}
	return h
}
