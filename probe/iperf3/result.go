package iperf3

import (
	"net"
	"time"

	"whydrop/probe/stream"
	"whydrop/probe/tcpinfo"
)

// Connection is one data connection of a test.
type Connection struct {
	ID            int  // 1, 3, 4, 5 ...
	Sends         bool // this end sends on it
	Local, Remote net.Addr
	Actual        stream.Actual // what the socket really got
	Length        int           // bytes of a datagram; 0: TCP
}

// Interval is what one stretch of a running test showed.
type Interval struct {
	From, To time.Duration // since the test's start; what is omitted has a time of its own before it
	Omitted  bool          // it is in no total
	Streams  []StreamInterval
}

// Bytes returns the sum over the streams.
func (i Interval) Bytes() uint64 {
	var n uint64
	for _, s := range i.Streams {
		n += s.Bytes
	}
	return n
}

// StreamInterval is one stream's part of an [Interval].
type StreamInterval struct {
	ID          int
	Sends       bool                // this end sends
	Bytes       uint64              // sent or received
	Retransmits tcpinfo.Opt[uint64] // in this interval; only of a sender
	Info        tcpinfo.Info        // at the interval's end
	Datagrams   *DatagramInterval   // of UDP; else nil
}

// DatagramInterval is what became of datagrams in an [Interval]. All but Packets and Far are the receiver's, and 0 where
// this end sends.
type DatagramInterval struct {
	Packets    uint64 // sent, or arrived, without duplicates
	Lost       uint64 // numbers missed up to the interval's end; one that comes later is in no interval's count taken off
	OutOfOrder uint64
	Duplicates uint64
	Jitter     tcpinfo.Opt[time.Duration] // at the interval's end; not given if nothing came
	Far        *FarInterval               // of datagrams that this end sends to a far end of ours; nil: it told nothing new
}

// FarInterval is what a far end of ours told while a test runs of the datagrams that arrived there. It does so ten times
// a second: a figure is of what came since the one of the interval before, up to To.
type FarInterval struct {
	To          time.Duration // since the test's start, what is omitted included
	Packets     uint64        // that arrived, without duplicates
	Lost        uint64
	OutOfOrder  uint64
	HostDropped uint64                     // of Lost, by the far end's own socket
	Jitter      tcpinfo.Opt[time.Duration] // at To
}

// Summary is what TCP showed of one stream over the whole test, from readings every 10 ms. It is only of a sender.
type Summary struct {
	ID                      int
	MaxCwnd, MaxSendWindow  uint64        // bytes; 0: not given
	MinRTT, MaxRTT, MeanRTT time.Duration // of the smoothed round-trip time; 0: not given
	rttSum                  time.Duration
	rttCount                int64
}

// Stall is a stretch without progress during a test.
type Stall struct {
	From, To time.Time
	Open     bool // it had not ended when the test did
}

// Result is what a test measured.
type Result struct {
	Started     time.Time
	Duration    time.Duration // how long data was sent that counts
	Cookie      string
	Reverse     bool
	UDP         bool
	Length      int // bytes of a datagram; of TCP what is written at a time
	Connections []Connection
	Local       Results   // counted by this end
	Far         *Results  // counted by the far end; nil if it did not say
	FarProblem  error     // why it did not
	TCP         []Summary // of this end as sender; empty where the system tells nothing
	Stalls      []Stall
	Broken      []error // streams that broke while others went on
	OursFar     bool    // the far end is whydrop
	FarRate     float64 // bit/s of all streams together that a far end of ours allows; 0: it does not say, or all that goes
	Interrupted bool    // ctx ended before the test did
}

// Sender returns what the sending end counted; nil if it is not known. Of a test in both directions it is the
// direction from this end; see [Result.Directions].
func (r Result) Sender() *Results { return r.Directions()[0].Sent }

// Receiver returns what the receiving end counted; nil if it is not known. See [Result.Sender].
func (r Result) Receiver() *Results { return r.Directions()[0].Received }
