package iperf3

import (
	"context"
	"encoding/binary"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"whydrop/probe/pathtest"
	"whydrop/probe/peertest"
)

// network is two hosts and a router between them, in namespaces of their own.
type network struct {
	*pathtest.Line
	t *testing.T
}

const addrB = "10.78.1.2"

func newNetwork(t *testing.T) *network {
	t.Helper()
	peertest.Need(t, "tcpdump")
	n := &network{pathtest.NewLine(t, "wdiperf3-", 1), t}
	n.Exec("r1", "nft", "add table inet f; add chain inet f pass { type filter hook forward priority 0; policy accept; }")
	return n
}

// rule makes the router do something to what it forwards; open lets everything through again.
func (n *network) rule(rule string) { n.Exec("r1", "nft", "add rule inet f pass "+rule) }
func (n *network) open()            { n.Exec("r1", "nft", "flush chain inet f pass") }

// listen listens at host b.
func (n *network) listen() net.Listener {
	n.t.Helper()
	l, err := pathtest.In(n.Line, "b", func() (net.Listener, error) {
		return ServerConfig{Address: addrB + ":5201"}.Listen(context.Background())
	})
	if err != nil {
		n.t.Fatal(err)
	}
	return l
}

// dial is for Client.Dial: connections leave from host a.
func (n *network) dial(ctx context.Context, network, address string) (net.Conn, error) {
	return pathtest.In(n.Line, "a", func() (net.Conn, error) {
		d := net.Dialer{Timeout: 3 * time.Second}
		d.SetMultipathTCP(false)
		return d.DialContext(ctx, network, address)
	})
}

// capture records a host's traffic until the function returned is called, which gives the file's name.
func (n *network) capture(host string) (stop func() string) {
	n.t.Helper()
	file := filepath.Join(n.t.TempDir(), "capture.pcap")
	cmd := exec.Command("ip", "netns", "exec", n.NS(host), "tcpdump", "-i", map[string]string{"a": "right", "b": "left"}[host], "--immediate-mode", "-U", "-s", "96", "-w", file, "tcp")
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	peertest.Await(n.t, "tcpdump has begun", func() bool {
		st, err := os.Stat(file)
		return err == nil && st.Size() >= 24
	})
	n.t.Cleanup(func() { _ = cmd.Process.Kill() })
	return func() string {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
		return file
	}
}

// segment is one TCP segment with payload.
type segment struct {
	at       time.Time
	from, to uint16
	seq      uint32
	payload  int
}

// segments reads the data segments of a capture made by tcpdump on Ethernet (pcap file format, microseconds).
func segments(t *testing.T, file string) []segment {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(b) < 24 || binary.LittleEndian.Uint32(b) != 0xa1b2c3d4 {
		t.Fatalf("%s is not a capture", file)
	}
	var out []segment
	for b = b[24:]; len(b) >= 16; {
		sec, usec := binary.LittleEndian.Uint32(b), binary.LittleEndian.Uint32(b[4:])
		n := int(binary.LittleEndian.Uint32(b[8:]))
		if len(b) < 16+n {
			break
		}
		p := b[16 : 16+n]
		b = b[16+n:]
		if len(p) < 54 || p[12] != 8 || p[13] != 0 || p[23] != 6 {
			continue
		}
		ip := p[14:]
		head := int(ip[0]&15) * 4
		tcp := ip[head:]
		payload := int(binary.BigEndian.Uint16(ip[2:])) - head - int(tcp[12]>>4)*4
		if payload > 0 {
			out = append(out, segment{time.Unix(int64(sec), int64(usec)*1000), binary.BigEndian.Uint16(tcp), binary.BigEndian.Uint16(tcp[2:]), binary.BigEndian.Uint32(tcp[4:]), payload})
		}
	}
	return out
}

// gapAt returns the time around a moment in which TCP could deliver nothing of the flows that carried most: what comes
// behind a hole is delivered when the hole is filled (RFC 9293, section 3.10.7.4). to is zero if it did not end.
func gapAt(segs []segment, at time.Time, sender func(segment) uint16) (from, to time.Time) {
	bytes := map[uint16]int{}
	for _, s := range segs {
		bytes[sender(s)] += s.payload
	}
	flows := map[uint16]*inOrder{}
	for _, s := range segs {
		port := sender(s)
		if bytes[port] < 20_000 { // a control connection
			continue
		}
		if flows[port] == nil {
			flows[port] = &inOrder{next: s.seq, ahead: map[uint32]uint32{}}
		}
		if !flows[port].takes(s) {
			continue
		}
		if s.at.After(at) {
			return from, s.at
		}
		from = s.at
	}
	return from, to
}

// inOrder is how far a flow can be delivered.
type inOrder struct {
	next  uint32
	ahead map[uint32]uint32 // beginning and end of what came behind a hole
}

// takes says whether the segment lets more be delivered.
func (f *inOrder) takes(s segment) bool {
	end := s.seq + uint32(s.payload)
	switch {
	case int32(end-f.next) <= 0: // sent again for nothing
		return false
	case int32(s.seq-f.next) > 0:
		f.ahead[s.seq] = max(f.ahead[s.seq], end)
		return false
	}
	for f.next = end; ; {
		grown := false
		for from, to := range f.ahead {
			if int32(from-f.next) <= 0 {
				delete(f.ahead, from)
				if int32(to-f.next) > 0 {
					f.next, grown = to, true
				}
			}
		}
		if !grown {
			return true
		}
	}
}
