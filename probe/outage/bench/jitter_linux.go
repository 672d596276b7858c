package main

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/rxtime"
	"whydrop/probe/stamp"
)

// jitter is the figure of the noise floor and of a jitter that is known.
func jitter(ctx context.Context, full bool) error {
	rounds, seconds := 3, 1
	if full {
		rounds, seconds = 15, 5
	}
	fmt.Printf("Jitter of a link without any, median of %d paired runs of %d s\n", rounds, seconds)
	if err := floor(ctx, "idle", rounds, seconds); err != nil {
		return err
	}
	idle, err := makeBusy(ctx, time.Hour)
	if err != nil {
		return err
	}
	err = floor(ctx, "busy", rounds, seconds)
	if idle(); err != nil {
		return err
	}
	return injected(ctx, time.Duration(seconds+1)*time.Second)
}

// floor measures in turns the jitter of a link that has none.
func floor(ctx context.Context, state string, rounds, seconds int) error {
	l, err := newLink(10)
	if err != nil {
		return err
	}
	defer l.close()
	stop, err := l.reflector()
	if err != nil {
		return err
	}
	defer stop()
	stopStock, err := l.stockServer()
	if err != nil {
		return err
	}
	defer stopStock()
	var ours, theirs []time.Duration
	var ratios []float64
	for range rounds {
		beating, cancel := context.WithTimeout(ctx, time.Duration(seconds)*time.Second)
		s, err := l.beats(beating)
		cancel()
		if err != nil {
			return err
		}
		o := median(jitters(s))
		t, err := l.stockJitter(seconds)
		if err != nil {
			return err
		}
		ours, theirs, ratios = append(ours, o), append(theirs, t), append(ratios, o.Seconds()/t.Seconds())
	}
	r := medianFloat(ratios)
	fmt.Printf("  %s host: %s; iperf3 -u: %s\n", state, median(ours), median(theirs))
	goal(median(ours) <= 20*time.Microsecond, "noise floor at most 20 us: %s", median(ours))
	goal(r <= 0.2, "at most 0.2 of iperf3's in paired runs: %.2f", r)
	return nil
}

// jitters returns the samples of the jitter of a run, on the way there.
func jitters(s timeline.Snapshot) (all []time.Duration) {
	for _, x := range s.Series(path, timeline.JitterForward) {
		all = append(all, time.Duration(x.Value*float64(time.Second)))
	}
	return all
}

func medianFloat(xs []float64) float64 {
	ds := make([]time.Duration, len(xs))
	for i, x := range xs {
		ds[i] = time.Duration(x * 1e9)
	}
	return float64(median(ds)) / 1e9
}

// injected measures a jitter of 2 ms: a relay holds every other heartbeat 2 ms longer.
func injected(ctx context.Context, length time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, length)
	defer cancel()
	conn, err := stamp.Listen(ctx, "127.0.0.1:0")
	if err != nil {
		return err
	}
	far := conn.LocalAddr().(*net.UDPAddr).AddrPort()
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { _ = new(stamp.Reflector).Serve(ctx, conn) })
	in, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return err
	}
	var held []time.Duration
	var relaying sync.WaitGroup
	relaying.Go(func() { held = relay(ctx, in, far) })
	var store timeline.Store
	near := in.LocalAddr().(*net.UDPAddr).AddrPort()
	s := stamp.Sender{Name: path.Name, To: "127.0.0.1", Port: near.Port(), Heartbeat: heartbeat}
	if err := s.Probe(ctx, &store); err != nil {
		return err
	}
	relaying.Wait()
	want, got := alternation(held), mean(jitters(store.Snapshot()))
	off := got.Seconds()/want.Seconds() - 1
	fmt.Printf("Jitter of 2 ms made by a relay, which came to %s by its own clock: %s\n", want, got)
	goal(off > -0.04 && off < 0.04, "within 4 %%: %+.1f %%", 100*off)
	return nil
}

// alternation returns by how much each of the delays differed from the one before, in the mean: a relay that is not let
// run is later than it means to be.
func alternation(held []time.Duration) time.Duration {
	var differences []time.Duration
	for i := 1; i < len(held); i++ {
		differences = append(differences, (held[i] - held[i-1]).Abs())
	}
	return mean(differences)
}

func mean(ds []time.Duration) (m time.Duration) {
	for _, d := range ds {
		m += d / time.Duration(len(ds))
	}
	return m
}

// relay passes datagrams on until ctx ends: questions after 1 ms and 3 ms by turns, counted from the kernel's time of
// arrival, answers at once. It returns how long each question was held.
func relay(ctx context.Context, in *net.UDPConn, far netip.AddrPort) (held []time.Duration) {
	out, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(far))
	if err != nil {
		return nil
	}
	r := rxtime.New(in)
	stop := context.AfterFunc(ctx, func() {
		_ = in.Close()
		_ = out.Close()
	})
	defer stop()
	var from netip.AddrPort
	var mu sync.Mutex
	var back sync.WaitGroup
	defer back.Wait()
	back.Go(func() {
		b := make([]byte, 2048)
		for {
			n, err := out.Read(b)
			if err != nil {
				return
			}
			mu.Lock()
			to := from
			mu.Unlock()
			_, _ = in.WriteToUDPAddrPort(b[:n], to)
		}
	})
	for late := false; ; late = !late {
		p, err := r.Read()
		if err != nil {
			return held
		}
		mu.Lock()
		from = p.From
		mu.Unlock()
		due := p.At.Add(time.Millisecond)
		if late {
			due = due.Add(2 * time.Millisecond)
		}
		for time.Now().Before(due) { // a timer would be late by as much as is measured
		}
		held = append(held, time.Since(p.At))
		_, _ = out.Write(p.Data)
	}
}
