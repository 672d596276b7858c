package app

import (
	"context"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/probe/capture"
	"whydrop/probe/host"
	"whydrop/probe/iperf3"
	"whydrop/probe/wire"
)

// tester watches this host while a test runs: what it loses itself must not be blamed on the path.
type tester struct {
	opt    ProbeOptions
	to     netip.Addr // the far end; not valid if its name is not known, which the test will say
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu       sync.Mutex
	total    map[timeline.Metric]float64
	most     map[timeline.Metric]float64
	events   []string
	captured string
}

// watchTester begins to watch, and to capture if that is asked for. An error means that the capture cannot be made.
// The caller must call end.
func watchTester(ctx context.Context, opt ProbeOptions) (*tester, error) {
	t := &tester{opt: opt, to: farAddress(ctx, opt.Test), total: map[timeline.Metric]float64{}, most: map[timeline.Metric]float64{}}
	ctx, t.cancel = context.WithCancel(context.WithoutCancel(ctx)) // until the test has really ended
	if !t.to.IsValid() {
		return t, nil
	}
	if opt.Pcap != "" {
		if err := t.capture(ctx); err != nil {
			t.cancel()
			return nil, Exit{ExitUsage, fmt.Errorf("--pcap %s: %w", opt.Pcap, err)}
		}
	}
	s := &host.Sampler{Name: "probe", To: []string{t.to.String()}}
	t.wg.Go(func() { _ = s.Probe(ctx, t) }) // it never fails
	return t, nil
}

// capture begins to write the test's packets to the file.
func (t *tester) capture(ctx context.Context) error {
	_, port, err := net.SplitHostPort(t.opt.Test.Address)
	if err != nil {
		return err
	}
	n, err := strconv.ParseUint(port, 10, 16)
	if err != nil {
		return fmt.Errorf("port %q: %w", port, err)
	}
	card, err := host.CardTo(ctx, t.to)
	if err != nil {
		return err
	}
	c, err := capture.Open(capture.Config{To: t.to, Ports: []uint16{uint16(n)}, Card: card.Index})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(t.opt.Pcap, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		c.Close()
		return err
	}
	t.wg.Go(func() {
		stats, err := c.Run(ctx, f)
		text := stats.String() + " to " + t.opt.Pcap
		if cerr := f.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			text += ": " + err.Error()
		}
		t.mu.Lock()
		defer t.mu.Unlock()
		t.captured = text
	})
	return nil
}

// farAddress returns the address that the test goes to; not valid if there is none.
func farAddress(ctx context.Context, t iperf3.Test) netip.Addr {
	name, _, err := net.SplitHostPort(t.Address)
	if err != nil {
		return netip.Addr{}
	}
	if a, err := netip.ParseAddr(name); err == nil {
		return a.Unmap()
	}
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	network := "ip"
	if t.Family != 0 {
		network += strconv.Itoa(t.Family)
	}
	as, err := net.DefaultResolver.LookupNetIP(ctx, network, name)
	if err != nil || len(as) == 0 {
		return netip.Addr{}
	}
	return as[0].Unmap()
}

// Put takes in what the host tells.
func (t *tester) Put(r timeline.Record) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch r := r.(type) {
	case timeline.Sample:
		if r.Kind == timeline.KindHost {
			t.total[r.Metric] += r.Value * r.Span.Width().Seconds()
			t.most[r.Metric] = max(t.most[r.Metric], r.Value)
		}
	case timeline.Event:
		if (r.Type == timeline.EventOper || r.Type == timeline.EventClockStep) && len(t.events) < 20 {
			t.events = append(t.events, report.EventText(r))
		}
	}
}

// end stops watching and says what the host did to the test. It writes nothing if that was nothing.
func (t *tester) end(res iperf3.Result) {
	t.cancel()
	t.wg.Wait()
	for _, text := range t.says(res) {
		fmt.Fprintln(t.opt.Progress, "note: this host: "+report.Clean(text))
	}
	if t.captured != "" {
		fmt.Fprintln(t.opt.Progress, "note: "+report.Clean(t.captured))
	}
	if t.opt.Verbose {
		t.layers(res)
	}
}

// What of the host is worth a word: less disturbs no test.
const (
	longGap  = 0.05 // s; the shortest outage that a heartbeat finds
	muchIRQ  = 0.9  // of one core
	muchLost = 0.1  // of all cores, to the hypervisor
)

// says lists what the host did. That it was busy is of interest only where something may have suffered from it.
func (t *tester) says(res iperf3.Result) []string {
	var out []string
	counted := func(m timeline.Metric, format string) {
		if n := math.Round(t.total[m]); n >= 1 {
			out = append(out, fmt.Sprintf(format, n))
		}
	}
	if t.opt.Test.UDP {
		counted(timeline.HostUDPDrops, "its kernel discarded %.0f datagrams for want of socket buffer; the path did not lose them")
	}
	counted(timeline.HostNICDrops, "its network card or input queue had no room for %.0f frames; the path did not lose them")
	counted(timeline.HostQueueDrops, "its own queueing discipline dropped %.0f packets; the path did not lose them")
	if !t.opt.Verbose && !t.opt.Test.UDP && len(res.Stalls) == 0 {
		return append(out, t.events...)
	}
	if v := t.most[timeline.HostSchedGap]; v >= longGap {
		out = append(out, fmt.Sprintf("it did not let this program run for up to %.0f ms", v*1e3))
	}
	if v := t.most[timeline.HostSoftirq]; v >= muchIRQ {
		out = append(out, fmt.Sprintf("a core spent %.0f %% of its time taking in packets", v*100))
	}
	if v := t.most[timeline.HostSteal]; v >= muchLost {
		out = append(out, fmt.Sprintf("the hypervisor took up to %.0f %% of the CPU", v*100))
	}
	return append(out, t.events...)
}

// layers says what the goodput is at the other layers, and by which card it went.
func (t *tester) layers(res iperf3.Result) {
	if !t.to.IsValid() || len(res.Connections) == 0 {
		return
	}
	card, err := host.CardTo(context.Background(), t.to)
	if err != nil {
		return
	}
	fmt.Fprintln(t.opt.Progress, "note: this host's network card is "+report.Clean(card.String()))
	f := wire.Framing{TCP: !res.UDP, IPv6: t.to.Is6(), MTU: card.MTU}
	payload := res.Connections[0].Actual.MSS
	if res.UDP {
		payload = res.Length
	}
	if payload <= 0 || payload > f.MaxPayload() {
		return // fragments, or nothing that one can reckon with
	}
	for _, d := range res.Directions() {
		if d.Received == nil || res.Duration <= 0 {
			continue
		}
		rate := float64(d.Received.Bytes()) * 8 / res.Duration.Seconds()
		at := func(l wire.Layer) string {
			return strings.TrimSpace(rateColumn(f.Convert(rate, wire.Payload, l, payload), t.opt.Unit))
		}
		fmt.Fprintf(t.opt.Progress, "note: %s of goodput in packets of %d bytes are %s of IP, %s as a port counts octets, %s on the line\n",
			at(wire.Payload), payload, at(wire.IP), at(wire.Ethernet), at(wire.Line))
	}
}
