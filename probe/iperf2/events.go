package iperf2

import (
	"net"
	"net/netip"
	"sync"
	"time"

	"whydrop/probe/stream"
)

// Stream is one direction of one connection.
type Stream struct {
	ID            int // from 3 on, as the descriptors that iperf 2.0 prints
	UDP           bool
	Client        bool // this end opened the connection
	Sends         bool // this end sends
	Reverse       bool // it runs against the usual direction, from server to client
	Local, Remote netip.AddrPort
	MSS           int // granted, bytes; 0: not known
}

// Opening is what is known before the first connection: of a client, or of a listening socket.
type Opening struct {
	Server     bool
	UDP        bool
	Host       string // as it was given; of a client
	Port       uint16
	Length     int           // of a UDP datagram, bytes
	Gap        time.Duration // between datagrams, as asked for; 0: none
	Asked      int           // socket buffer asked for, bytes; 0: the system's
	Granted    int           // socket buffer that the system gave, as it counts; 0: not known
	AskedMSS   int           // 0: none
	Congestion string        // asked for
}

// Figures is what a stream, or all streams of one direction together, carried in a span of time.
type Figures struct {
	Stream   Stream // of a sum only the direction
	Sum      int    // of how many streams; 0: of Stream alone
	From, To time.Duration
	Counts
	Final   bool    // of the whole test
	Report  *Report // of a final UDP sender: what the far end says; nil: it said nothing
	Problem string  // of a final one: why it ended early, or what is missing; "" nothing
}

// BitsPerSecond returns the rate of payload, which is what iperf 2 prints.
func (f Figures) BitsPerSecond() float64 {
	if f.To <= f.From {
		return 0
	}
	return float64(f.Bytes) * 8 / (f.To - f.From).Seconds()
}

// Handler is told what happens, in order, one call at a time. What is nil is not called.
type Handler struct {
	Opening   func(Opening)
	Connected func(Stream)
	Figures   func(Figures)
	Notice    func(text string) // what the person should know, in one line
}

// events guards a handler.
type events struct {
	mu sync.Mutex
	h  Handler
	id int
}

func (e *events) opening(o Opening) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.h.Opening != nil {
		e.h.Opening(o)
	}
}

// connected gives the stream its number and tells of it.
func (e *events) connected(s *Stream) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.id == 0 {
		e.id = 3
	}
	s.ID = e.id
	e.id++
	if e.h.Connected != nil {
		e.h.Connected(*s)
	}
}

func (e *events) figures(f Figures) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.h.Figures != nil {
		e.h.Figures(f)
	}
}

func (e *events) notice(text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.h.Notice != nil {
		e.h.Notice(text)
	}
}

// flow is a stream while it runs.
type flow struct {
	Stream
	conn   net.Conn // nil where many streams share a socket
	header uint64   // bytes that count with the data but went before it
	tcp    stream.Count
	sender *datagramSender // of UDP that is sent
	rec    *reception      // of UDP that is received

	last   Counts // at the last line
	lastAt time.Duration

	mu      sync.Mutex
	start   time.Time
	end     time.Time // zero: it runs
	problem string
	report  *Report
}

func (f *flow) counts() Counts {
	switch {
	case f.sender != nil:
		return f.sender.Counts()
	case f.rec != nil:
		return f.rec.Counts()
	}
	return Counts{Bytes: f.header + f.tcp.Bytes()}
}

// finish notes when the work ended and what went wrong; only the first call counts.
func (f *flow) finish(at time.Time, problem string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.end.IsZero() {
		f.end, f.problem = at, problem
	}
}

// begin notes when the work began, where that was later than for the others.
func (f *flow) begin(at time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.start = at
}

// overBefore says whether the work ended before the moment at.
func (f *flow) overBefore(at time.Time) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return !f.end.IsZero() && f.end.Before(at)
}

// interval returns the figures since the last call, up to the moment to.
func (f *flow) interval(to time.Duration) Figures {
	now := f.counts()
	fig := Figures{Stream: f.Stream, From: f.lastAt, To: to, Counts: now.since(f.last)}
	f.last, f.lastAt = now, to
	return fig
}

func (f *flow) final() Figures {
	f.mu.Lock()
	defer f.mu.Unlock()
	to := f.end.Sub(f.start)
	if f.rec != nil {
		to = f.rec.span()
	}
	return Figures{Stream: f.Stream, To: to, Counts: f.counts(), Final: true, Report: f.report, Problem: f.problem}
}
