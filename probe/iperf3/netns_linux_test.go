package iperf3

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var netCount atomic.Int32

// network is two hosts and a router between them, in namespaces of their own.
type network struct {
	t       *testing.T
	a, r, b string
}

const addrB = "10.77.2.2"

func newNetwork(t *testing.T) *network {
	t.Helper()
	needPeers(t, true, "ip", "nft", "tcpdump")
	id := fmt.Sprintf("wdprobe-%d-%d-", os.Getpid(), netCount.Add(1))
	n := &network{t, id + "a", id + "r", id + "b"}
	t.Cleanup(func() {
		for _, ns := range []string{n.a, n.r, n.b} {
			_ = exec.Command("ip", "netns", "del", ns).Run()
		}
	})
	for _, ns := range []string{n.a, n.r, n.b} {
		n.sh("ip", "netns", "add", ns)
		n.sh("ip", "-n", ns, "link", "set", "lo", "up")
	}
	for i, host := range []string{n.a, n.b} {
		up := fmt.Sprintf("p%d", i+1)
		n.sh("ip", "-n", host, "link", "add", "eth0", "type", "veth", "peer", "name", up, "netns", n.r)
		n.sh("ip", "-n", host, "addr", "add", fmt.Sprintf("10.77.%d.2/24", i+1), "dev", "eth0")
		n.sh("ip", "-n", n.r, "addr", "add", fmt.Sprintf("10.77.%d.1/24", i+1), "dev", up)
		n.sh("ip", "-n", host, "link", "set", "eth0", "up")
		n.sh("ip", "-n", n.r, "link", "set", up, "up")
		n.sh("ip", "-n", host, "route", "add", "default", "via", fmt.Sprintf("10.77.%d.1", i+1))
	}
	n.in(n.r, "sysctl", "-qw", "net.ipv4.ip_forward=1")
	n.in(n.r, "nft", "add table inet f; add chain inet f pass { type filter hook forward priority 0; policy accept; }")
	return n
}

func (n *network) sh(name string, args ...string) {
	n.t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		n.t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
}

func (n *network) in(ns, name string, args ...string) {
	n.t.Helper()
	n.sh("ip", append([]string{"netns", "exec", ns, name}, args...)...)
}

// rule makes the router do something to what it forwards; open lets everything through again.
func (n *network) rule(rule string) { n.in(n.r, "nft", "add rule inet f pass "+rule) }
func (n *network) open()            { n.in(n.r, "nft", "flush chain inet f pass") }

// inside runs f on a thread that stands in the namespace.
func inside[T any](ns string, f func() (T, error)) (T, error) {
	type result struct {
		v   T
		err error
	}
	done := make(chan result, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		var r result
		var fd int
		if fd, r.err = unix.Open("/run/netns/"+ns, unix.O_RDONLY|unix.O_CLOEXEC, 0); r.err == nil {
			if r.err = unix.Setns(fd, unix.CLONE_NEWNET); r.err == nil {
				r.v, r.err = f()
			}
			unix.Close(fd)
		}
		done <- r
	}()
	r := <-done
	return r.v, r.err
}

func (n *network) listen(ns, address string) net.Listener {
	n.t.Helper()
	l, err := inside(ns, func() (net.Listener, error) { return ServerConfig{Address: address}.Listen(context.Background()) })
	if err != nil {
		n.t.Fatal(err)
	}
	return l
}

// dial is for Client.Dial: connections leave from host a.
func (n *network) dial(ctx context.Context, network, address string) (net.Conn, error) {
	return inside(n.a, func() (net.Conn, error) {
		d := net.Dialer{Timeout: 3 * time.Second}
		d.SetMultipathTCP(false)
		return d.DialContext(ctx, network, address)
	})
}

// capture records a namespace's traffic until the function returned is called, which gives the file's name.
func (n *network) capture(ns string) (stop func() string) {
	n.t.Helper()
	file := filepath.Join(n.t.TempDir(), "capture.pcap")
	cmd := exec.Command("ip", "netns", "exec", ns, "tcpdump", "-i", "eth0", "--immediate-mode", "-U", "-s", "96", "-w", file, "tcp")
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	for deadline := time.Now().Add(5 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if st, err := os.Stat(file); err == nil && st.Size() >= 24 {
			break
		}
	}
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

// longestGap returns the longest time in which TCP could deliver nothing of the flows that carried most: what comes
// behind a hole is delivered when the hole is filled (RFC 9293, section 3.10.7.4).
func longestGap(segs []segment, sender func(segment) uint16) (from, to time.Time) {
	bytes := map[uint16]int{}
	for _, s := range segs {
		bytes[sender(s)] += s.payload
	}
	var last time.Time
	flows := map[uint16]*inOrder{}
	for _, s := range segs {
		port := sender(s)
		if bytes[port] < 100_000 { // a control connection
			continue
		}
		if flows[port] == nil {
			flows[port] = &inOrder{next: s.seq, ahead: map[uint32]uint32{}}
		}
		if !flows[port].takes(s) {
			continue
		}
		if !last.IsZero() && s.at.Sub(last) > to.Sub(from) {
			from, to = last, s.at
		}
		last = s.at
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
