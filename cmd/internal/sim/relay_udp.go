package sim

import (
	"net"
	"net/netip"
	"time"
)

// door is a UDP port of the relay and what is behind it. Datagrams of tests compete with TCP for what the path carries;
// heartbeats are too few to matter.
type door struct {
	*relay
	conn   *net.UDPConn
	far    netip.AddrPort
	shaped bool
}

// serve takes what arrives; each sender has a socket of its own to the far end, so that answers find their way back.
func (r *door) serve() {
	senders := map[netip.AddrPort]*sender{}
	defer func() {
		for _, s := range senders {
			close(s.queue)
			s.conn.Close()
		}
	}()
	buf := make([]byte, 65536)
	for {
		n, from, err := r.conn.ReadFromUDPAddrPort(buf)
		if r.ctx.Err() != nil {
			return
		}
		if err != nil {
			continue // an ICMP error of an earlier answer
		}
		s := senders[from]
		if s == nil {
			if s = r.newSender(from); s == nil {
				continue
			}
			senders[from] = s
		}
		r.enter(forward, s.queue, buf[:n])
	}
}

// sender is one program that sends datagrams through the relay.
type sender struct {
	conn  *net.UDPConn // to the far end
	queue chan datagram
}

// datagram is one on its way.
type datagram struct {
	due  time.Duration
	data []byte
}

// queueLength bounds the datagrams under way; more are dropped as a full queue would.
const queueLength = 4096

// longestQueue is how long a datagram of a test waits at most where the path carries less than is sent.
const longestQueue = 50 * time.Millisecond

func (r *door) newSender(from netip.AddrPort) *sender {
	conn, err := net.DialUDP("udp4", nil, net.UDPAddrFromAddrPort(r.far))
	if err != nil {
		return nil
	}
	s := &sender{conn: conn, queue: make(chan datagram, queueLength)}
	back := make(chan datagram, queueLength)
	r.wg.Add(3)
	go func() {
		defer r.wg.Done()
		r.leave(s.queue, func(b []byte) { _, _ = conn.Write(b) })
	}()
	go func() {
		defer r.wg.Done()
		r.leave(back, func(b []byte) { _, _ = r.conn.WriteToUDPAddrPort(b, from) })
	}()
	go func() {
		defer r.wg.Done()
		defer close(back)
		buf := make([]byte, 65536)
		for {
			n, err := conn.Read(buf)
			if r.ctx.Err() != nil {
				return
			}
			if err != nil {
				if !r.sleep(r.now() + 10*time.Millisecond) { // nobody listens at the far end just now
					return
				}
				continue
			}
			r.enter(reverse, back, buf[:n])
		}
	}()
	return s
}

// enter decides what becomes of a datagram that begins its way.
func (r *door) enter(w way, queue chan<- datagram, b []byte) {
	now := r.now()
	c := r.path.at(now)
	if c.dark[w] {
		return
	}
	if r.lose(c.loss[w]) {
		r.path.datagram(w, c.active, len(b), true)
		return
	}
	due := now
	if r.shaped && c.rate > 0 {
		at, ok := r.reserve(w, len(b), c.rate, longestQueue)
		if !ok {
			r.path.datagram(w, c.active, len(b), true)
			return
		}
		due = max(due, at.Sub(r.begun))
	}
	r.path.datagram(w, c.active, len(b), false)
	select {
	case queue <- datagram{due + c.delay[w] + c.queue[w], append([]byte(nil), b...)}:
	default:
	}
}

// leave sends datagrams when they are due, in their order.
func (r *door) leave(queue <-chan datagram, send func([]byte)) {
	for d := range queue {
		if r.sleep(d.due) {
			send(d.data)
		}
	}
}
