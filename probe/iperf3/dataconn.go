package iperf3

import (
	"net"
	"time"

	"whydrop/probe/stream"
	"whydrop/probe/tcpinfo"
)

// dataConn is one stream of a test: a TCP connection, or a UDP socket with one peer.
type dataConn struct {
	conn  net.Conn
	id    int
	sends bool // this end sends on it; else it receives

	count   stream.Count          // of TCP
	out     *stream.DatagramCount // of UDP that this end sends; else nil
	in      *stream.Reception     // of UDP that this end receives; else nil
	early   []byte                // a datagram of the test that came instead of the answer to the hello; nil: none did
	answers bool                  // this end answers hellos

	base mark // when counting began: what was omitted does not count
}

// mark is what a stream had carried at a moment.
type mark struct {
	bytes, retransmits                   uint64
	packets, lost, reordered, duplicates uint64
	hostDropped                          uint64
}

func (c *dataConn) udp() bool { return c.out != nil || c.in != nil }

// bytes returns what the kernel took or gave so far, of datagrams without duplicates.
func (c *dataConn) bytes() uint64 {
	switch {
	case c.out != nil:
		return c.out.Sent().Bytes
	case c.in != nil:
		return c.in.Counts().Bytes
	}
	return c.count.Bytes()
}

// last returns when data last moved; the zero Time if none did.
func (c *dataConn) last() time.Time {
	switch {
	case c.out != nil:
		return c.out.Sent().Last
	case c.in != nil:
		return c.in.Counts().Last
	}
	return c.count.Last()
}

// now returns what the stream has carried so far.
func (c *dataConn) now() (m mark) {
	m.bytes = c.bytes()
	switch {
	case c.out != nil:
		m.packets = c.out.Sent().Datagrams
	case c.in != nil:
		a := c.in.Counts()
		m.packets, m.lost, m.reordered, m.duplicates, m.hostDropped = a.Datagrams, a.Lost, a.Reordered, a.Duplicates, a.HostDropped
	case c.sends:
		if info, err := tcpinfo.Get(c.conn); err == nil {
			m.retransmits = info.Retransmitted.Or(0)
		}
	}
	return m
}

// since returns what m has more than base. What was missing and came late makes a loss smaller, never negative.
func (m mark) since(base mark) mark {
	less := func(a, b uint64) uint64 { return a - min(a, b) }
	return mark{
		less(m.bytes, base.bytes), less(m.retransmits, base.retransmits), less(m.packets, base.packets), less(m.lost, base.lost),
		less(m.reordered, base.reordered), less(m.duplicates, base.duplicates), less(m.hostDropped, base.hostDropped),
	}
}

// result returns what this end counted of the stream, over the seconds given.
func (c *dataConn) result(seconds float64) StreamResult {
	m := c.now().since(c.base)
	s := StreamResult{ID: c.id, Sends: c.sends, Bytes: m.bytes, Retransmits: -1, Seconds: seconds}
	switch {
	case c.out != nil:
		s.Path = c.out.Sent().Path
		s.Packets, s.OmittedPackets = m.packets, c.base.packets
	case c.in != nil:
		a := c.in.Counts()
		s.Path = a.Path
		s.Packets, s.OmittedPackets = m.packets, c.base.packets+c.base.lost
		s.Lost, s.OutOfOrder, s.Duplicates = some(m.lost), some(m.reordered), some(m.duplicates)
		if a.Known {
			s.HostDropped = some(m.hostDropped)
		}
		if a.Datagrams > 1 {
			s.Jitter = tcpinfo.Opt[time.Duration]{Value: a.Jitter, OK: true}
		}
	case c.sends:
		if info, err := tcpinfo.Get(c.conn); err == nil && info.Retransmitted.OK {
			s.Retransmits = int64(m.retransmits)
		}
	}
	if !c.udp() {
		s.Path = c.count.Path()
		if d := c.count.File(); d > 0 {
			s.FileTime = tcpinfo.Opt[time.Duration]{Value: d, OK: true}
		}
	}
	if !c.udp() && !c.sends {
		if n, _ := c.count.Damaged(); n > 0 {
			s.Damaged = some(n)
		}
	}
	return s
}

func some(v uint64) tcpinfo.Opt[uint64] { return tcpinfo.Opt[uint64]{Value: v, OK: true} }
