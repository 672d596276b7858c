// Package tcpinfo reads what the operating system knows of a TCP connection, as Go values with their units in
// their types.
//
// Sources: tcp(7) and struct tcp_info of Linux's include/uapi/linux/tcp.h, TCP_CONNECTION_INFO of XNU's
// netinet/tcp.h, SIO_TCP_INFO (TCP_INFO_v0) of the Windows SDK's mstcpip.h. A kernel that is older than a field,
// or that never had it, does not give it: such a field is "not given", never 0.
package tcpinfo

import (
	"errors"
	"fmt"
	"syscall"
	"time"
)

// ErrUnsupported says that this system tells nothing about its TCP connections, or not about this one.
var ErrUnsupported = errors.New("tcpinfo: not supported here")

// Opt is a value that the system may or may not have given. The zero Opt is "not given".
type Opt[T any] struct {
	Value T
	OK    bool
}

// Or returns the value, or def if it was not given.
func (o Opt[T]) Or(def T) T {
	if o.OK {
		return o.Value
	}
	return def
}

func some[T any](v T) Opt[T] { return Opt[T]{v, true} }

// Info is one reading of a connection. Counts are totals since the connection was made; whoever wants a rate
// subtracts two readings of the same connection.
type Info struct {
	RTT    Opt[time.Duration] // smoothed round-trip time
	RTTVar Opt[time.Duration] // its variation
	MinRTT Opt[time.Duration] // smallest round-trip time seen; not given before the first measurement
	RcvRTT Opt[time.Duration] // the receiver's estimate; 0 if it has none yet
	RTO    Opt[time.Duration] // the retransmission time-out in force

	Backoff           Opt[int]           // how often RTO has been doubled in the time-out that goes on
	TimeoutsInARow    Opt[int]           // unanswered time-outs in the recovery that goes on
	Timeouts          Opt[uint64]        // retransmission time-outs so far (Linux 6.7)
	TimeoutRecoveries Opt[uint64]        // time-out recoveries that ended (Linux 6.7)
	TimeoutTime       Opt[time.Duration] // time spent in time-out recovery so far, the one that goes on left out (Linux 6.7)

	Retransmitted      Opt[uint64] // segments sent again so far
	RetransmittedBytes Opt[uint64]
	BytesSent          Opt[uint64] // payload, with retransmits
	BytesAcked         Opt[uint64] // payload acknowledged (Linux counts the SYN as one byte)
	BytesReceived      Opt[uint64] // payload received in order
	SendQueue          Opt[uint64] // bytes in the send buffer: not sent or not acknowledged
	Unacked            Opt[uint64] // segments sent and not acknowledged
	NotSent            Opt[uint64] // bytes in the send buffer that were never sent
	Lost               Opt[uint64] // segments thought lost
	Reordering         Opt[uint64] // segments that may arrive late before they are thought lost

	SendMSS    Opt[uint64] // payload bytes of a full segment
	RecvMSS    Opt[uint64]
	PathMTU    Opt[uint64]
	Cwnd       Opt[uint64] // congestion window, in bytes
	SSThresh   Opt[uint64] // slow-start threshold, in bytes; not given while it is infinite
	SendWindow Opt[uint64] // window offered by the peer, in bytes (Linux 5.4)
	RecvWindow Opt[uint64] // window offered to the peer, in bytes (Linux 6.2)

	DeliveryRate Opt[float64] // bit/s, the most recent estimate
	PacingRate   Opt[float64] // bit/s; not given while it is unlimited

	Busy          Opt[time.Duration] // time with data outstanding
	RwndLimited   Opt[time.Duration] // time stopped by the peer's window
	SndbufLimited Opt[time.Duration] // time stopped by the own send buffer

	LastAck Opt[time.Duration] // how long ago the last acknowledgement came
}

// Outstanding says whether data waits in the send buffer to be sent or acknowledged, if the system tells.
func (i Info) Outstanding() (waiting, known bool) {
	if i.SendQueue.OK {
		return i.SendQueue.Value > 0, true
	}
	if i.Unacked.OK {
		return i.Unacked.Value > 0 || i.NotSent.Or(0) > 0, true
	}
	return false, false
}

// Get reads the connection, which is a *net.TCPConn or wraps one. The error wraps [ErrUnsupported] if the
// connection has no descriptor or the system no such reading.
func Get(conn any) (Info, error) {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return Info{}, fmt.Errorf("%w: %T has no descriptor", ErrUnsupported, conn)
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return Info{}, fmt.Errorf("tcpinfo: %w", err)
	}
	var info Info
	var inner error
	if err := raw.Control(func(fd uintptr) { info, inner = get(fd) }); err != nil {
		return Info{}, fmt.Errorf("tcpinfo: %w", err)
	}
	if inner != nil {
		return Info{}, fmt.Errorf("tcpinfo: %w", inner)
	}
	return info, nil
}
