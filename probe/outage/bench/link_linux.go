package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"whydrop/probe/capture"
)

// link is two network namespaces with a veth pair between them.
type link struct {
	a, b           string // names of the namespaces
	addrA, addrB   string
	closed         bool
	captureEnded   sync.WaitGroup
	captureFailure error
}

// newLink makes link number n. It is to be closed.
func newLink(n int) (*link, error) {
	l := &link{
		a: fmt.Sprintf("wdob-%d-%d-a", os.Getpid(), n), b: fmt.Sprintf("wdob-%d-%d-b", os.Getpid(), n),
		addrA: fmt.Sprintf("10.78.%d.1", n), addrB: fmt.Sprintf("10.78.%d.2", n),
	}
	for _, line := range []string{
		"netns add " + l.a, "netns add " + l.b,
		"link add wdob netns " + l.a + " type veth peer name wdob netns " + l.b,
		"-n " + l.a + " addr add " + l.addrA + "/24 dev wdob", "-n " + l.b + " addr add " + l.addrB + "/24 dev wdob",
		"-n " + l.a + " link set wdob up", "-n " + l.b + " link set wdob up",
	} {
		if err := command("ip", strings.Fields(line)...); err != nil {
			l.close()
			return nil, err
		}
	}
	return l, nil
}

func (l *link) close() {
	if l == nil || l.closed {
		return
	}
	l.closed = true
	for _, ns := range []string{l.a, l.b} {
		_ = exec.Command("ip", "netns", "del", ns).Run()
	}
}

func command(name string, args ...string) error {
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", name, strings.Join(args, " "), err, bytes.TrimSpace(out))
	}
	return nil
}

// in calls f on a thread in a namespace and returns when f has: sockets that it opens are there.
func in(ns string, f func()) error {
	file, err := os.Open("/run/netns/" + ns)
	if err != nil {
		return err
	}
	defer file.Close()
	var wg sync.WaitGroup
	wg.Go(func() {
		runtime.LockOSThread() // and never unlocked: the thread ends with the goroutine
		if err = unix.Setns(int(file.Fd()), unix.CLONE_NEWNET); err == nil {
			f()
		}
	})
	wg.Wait()
	if err != nil {
		return fmt.Errorf("enter %s: %w", ns, err)
	}
	return nil
}

// stretch is a time in which nothing was delivered.
type stretch struct{ from, to time.Time }

func (s stretch) width() time.Duration { return s.to.Sub(s.from) }

// overlaps says whether two stretches have a moment in common, or nearly.
func (s stretch) overlaps(t stretch, slack time.Duration) bool {
	return s.from.Before(t.to.Add(slack)) && t.from.Before(s.to.Add(slack))
}

// dropAt makes a namespace drop all it receives in the stretches. The kernel looks at its clock for every packet: the
// times are exact, and nothing runs when they come.
func dropAt(ns string, when []stretch) error {
	var elements, shown []string
	for i := range when {
		from, to := &when[i].from, &when[i].to
		*from, *to = from.Truncate(512), to.Truncate(512)
		elements = append(elements, fmt.Sprintf("%d-%d", nftTime(*from), nftTime(*to)))
		shown = append(shown, from.Format("15:04:05"))
	}
	rules := "table inet wdob {\n set dark { typeof meta time; flags interval; elements = { " + strings.Join(elements, ", ") +
		" }\n }\n chain gate { type filter hook input priority 0; meta time @dark counter drop\n }\n}\n"
	cmd := exec.Command("ip", "netns", "exec", ns, "nft", "-f", "-")
	cmd.Stdin = strings.NewReader(rules)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("nft: %w: %s", err, bytes.TrimSpace(out))
	}
	out, err := exec.Command("ip", "netns", "exec", ns, "nft", "list", "set", "inet", "wdob", "dark").Output()
	for _, s := range shown {
		if err == nil && !strings.Contains(string(out), s) {
			err = fmt.Errorf("this nft reads times in another way: %s is not in %s", s, out)
		}
	}
	return err
}

// nftTime returns the number that nft takes for a time, which is to be a multiple of 512 ns after 1970: nft (seen with
// 1.0.6) reads a number as seconds and multiplies it by 1e9, modulo 2^64. 1e9 is 512 * 1953125, and odd numbers have an
// inverse modulo 2^55. A time in words would have whole seconds only.
func nftTime(t time.Time) uint64 {
	inverse := uint64(1)
	for range 6 { // Newton's method doubles the bits that are right
		inverse *= 2 - 1953125*inverse
	}
	return uint64(t.UnixNano()) / 512 * inverse & (1<<55 - 1)
}

// question is a heartbeat as it was captured.
type question struct {
	at     time.Time
	number uint32
}

// questions captures the heartbeats that arrive at b until ctx ends, and gives them to got.
func (l *link) questions(ctx context.Context, port uint16, got func([]question)) error {
	var c *capture.Capture
	var err error
	if nsErr := in(l.b, func() {
		c, err = capture.Open(capture.Config{To: netip.MustParseAddr(l.addrA), Ports: []uint16{port}})
	}); nsErr != nil {
		return nsErr
	}
	if err != nil {
		return err
	}
	l.captureEnded.Go(func() {
		var file bytes.Buffer
		stats, err := c.Run(ctx, &file)
		if err == nil && stats.Dropped+stats.Left > 0 {
			err = fmt.Errorf("the capture is not whole: %s", stats)
		}
		l.captureFailure = err
		got(arrivals(file.Bytes(), netip.MustParseAddr(l.addrA)))
	})
	return nil
}

// arrivals reads the heartbeats of one sender from a file of package capture: IPv4 without options, UDP, STAMP.
func arrivals(pcap []byte, from netip.Addr) (out []question) {
	const header, record, number = 24, 16, 20 + 8
	for b := pcap[min(header, len(pcap)):]; len(b) >= record; {
		le := binary.LittleEndian
		size := record + int(le.Uint32(b[8:]))
		if size > len(b) {
			break
		}
		if p := b[record:size]; len(p) >= number+4 && netip.AddrFrom4([4]byte(p[12:16])) == from {
			out = append(out, question{time.Unix(int64(le.Uint32(b)), int64(le.Uint32(b[4:]))), binary.BigEndian.Uint32(p[number:])})
		}
		b = b[size:]
	}
	return out
}

// missing returns the stretches between two arrivals of which at least three heartbeats are missing. What a host did not
// send is not.
func missing(qs []question) (out []stretch) {
	for i := 1; i < len(qs); i++ {
		if skipped := int32(qs[i].number - qs[i-1].number); skipped > 3 {
			out = append(out, stretch{qs[i-1].at, qs[i].at})
		}
	}
	return out
}

// within counts the heartbeats that arrived in a stretch.
func within(qs []question, s stretch) (n int) {
	for _, q := range qs {
		if !q.at.Before(s.from) && q.at.Before(s.to) {
			n++
		}
	}
	return n
}
