package host

import (
	"context"
	"net"
	"net/netip"
	"runtime"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func TestOnThisHostTheSamplerSeesLoopback(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
	defer cancel()
	var store timeline.Store
	if err := (&Sampler{Name: "a-b", To: []string{"127.0.0.1", "::1"}}).Probe(ctx, &store); err != nil {
		t.Fatal(err)
	}
	s := store.Snapshot()
	if len(s.Series(local, timeline.HostSchedGap)) == 0 {
		t.Error("no lateness")
	}
	cards := 0
	for _, k := range s.Keys() {
		if k.Subject.Kind == timeline.KindPort && k.Metric == timeline.Oper {
			cards++
		}
		if _, ok := timeline.Describe(k.Metric); !ok {
			t.Errorf("%s is no metric", k.Metric)
		}
	}
	if cards == 0 {
		t.Error("no card leads to the own addresses")
	}
	if runtime.GOOS != "linux" {
		return
	}
	for _, m := range []timeline.Metric{timeline.HostCPU, timeline.HostCoreBusy, timeline.HostSoftirq, timeline.HostSteal, timeline.HostIOWait, timeline.HostProcessCPU,
		timeline.HostCPUWait, timeline.HostUDPDrops, timeline.HostUDPErrors, timeline.HostNICDrops, timeline.HostQueueDrops, timeline.HostQueue} {
		if len(s.Series(local, m)) == 0 {
			t.Errorf("%s: nothing, gaps %+v", m, s.GapsOf(local, m))
		}
	}
	if e := s.EventsOf(local, timeline.EventClockStep); len(e) > 0 {
		t.Errorf("the clock was set: %+v", e)
	}
}

func TestTheRouteByAddressLeadsToLoopback(t *testing.T) {
	for _, to := range []string{"127.0.0.1", "::1"} {
		index, err := routeByAddress(t.Context(), netip.MustParseAddr(to))
		if err != nil {
			t.Logf("%s: %v", to, err) // without IPv6
			continue
		}
		l, err := linkByIndex(index)
		if err != nil || !l.Up {
			t.Errorf("%s: %+v, %v", to, l, err)
		}
		if i, err := net.InterfaceByIndex(index); err != nil || i.Flags&net.FlagLoopback == 0 {
			t.Errorf("%s leads to %s", to, l.Name)
		}
	}
	if _, err := zoneIndex("no-such-card"); err == nil {
		t.Error("a zone that is not there has an index")
	}
}

func TestTheCardToTheOwnAddressIsLoopback(t *testing.T) {
	c, err := CardTo(t.Context(), netip.MustParseAddr("127.0.0.1"))
	if err != nil {
		t.Fatal(err)
	}
	if i, err := net.InterfaceByIndex(c.Index); err != nil || i.Name != c.Name || i.Flags&net.FlagLoopback == 0 || c.MTU != i.MTU {
		t.Errorf("got %s", c)
	}
	t.Log(c)
}
