package iperf2

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whydrop/probe/iperftext"
)

var (
	here  = netip.MustParseAddrPort("192.0.2.1:40000")
	there = netip.MustParseAddrPort("192.0.2.2:5001")
	dash  = strings.Repeat("-", 60) + "\n"
)

func TestTextOfATCPClient(t *testing.T) {
	var b strings.Builder
	p := &Printer{W: &b, Unit: 'm', MSS: true}
	h := p.Handler()
	s := Stream{ID: 3, Client: true, Sends: true, Local: here, Remote: there, MSS: 8961}
	h.Notice("attempt to set TCP maximum segment size to 9000, but got 8961")
	h.Opening(Opening{Host: "sun", Port: 5001, Asked: 1 << 20, Granted: 2 << 20, AskedMSS: 9000})
	h.Connected(s)
	h.Figures(Figures{Stream: s, To: time.Second, Counts: Counts{Bytes: 11_744_051}})
	h.Figures(Figures{Stream: s, From: time.Second, To: 2 * time.Second, Counts: Counts{Bytes: 11_744_051}})
	h.Figures(Figures{Stream: s, To: 2001500 * time.Microsecond, Counts: Counts{Bytes: 1_271_000_000}, Final: true})
	want := "WARNING: attempt to set TCP maximum segment size to 9000, but got 8961\n" + dash + `Client connecting to sun, TCP port 5001
TCP window size: 2.00 MByte (WARNING: requested 1.00 MByte)
` + dash + `[  3] local 192.0.2.1 port 40000 connected with 192.0.2.2 port 5001
[  3] MSS size 8961 bytes (MTU 9001 bytes, unknown interface)
[ ID] Interval       Transfer     Bandwidth
[  3] 0.0000-1.0000 sec  11.2 MBytes  94.0 Mbits/sec
[  3] 1.0000-2.0000 sec  11.2 MBytes  94.0 Mbits/sec
[  3] 0.0000-2.0015 sec  1212 MBytes  5080 Mbits/sec
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
	if p.Err() != nil {
		t.Error(p.Err())
	}
}

func TestTextOfUDP(t *testing.T) {
	var b strings.Builder
	h := (&Printer{W: &b}).Handler()
	h.Opening(Opening{UDP: true, Host: "192.0.2.2", Port: 5001, Length: 1470, Gap: 11215 * time.Microsecond, Granted: 212992})
	for id := 3; id < 5; id++ {
		h.Connected(Stream{ID: id, UDP: true, Client: true, Sends: true, Local: here, Remote: there})
	}
	sent := Figures{
		Stream: Stream{ID: 3, UDP: true, Client: true, Sends: true}, To: 10 * time.Second, Final: true,
		Counts: Counts{Bytes: 634708 * 1470, Datagrams: 634708},
		Report: &Report{Bytes: 634087 * 1470, Time: 10 * time.Second, Lost: 621, Total: 634708, OutOfOrder: 1, Jitter: 65 * time.Microsecond},
	}
	h.Figures(sent)
	none := sent
	none.Stream.ID, none.Report, none.Problem = 4, nil, "did not receive the report on the last datagram after 10 tries"
	h.Figures(none)
	h.Figures(sum([]Figures{sent, none}))
	got := Stream{ID: 5, UDP: true, Client: true, Reverse: true}
	h.Figures(Figures{Stream: got, To: time.Second, Counts: Counts{Received: true, Bytes: 26100, Total: 87, Duplicates: 2, Jitter: 22 * time.Microsecond}})
	want := dash + `Client connecting to 192.0.2.2, UDP port 5001
Sending 1470 byte datagrams, IPG target: 11215.00 us
UDP buffer size:  208 KByte (default)
` + dash + `[  3] local 192.0.2.1 port 40000 connected with 192.0.2.2 port 5001
[  4] local 192.0.2.1 port 40000 connected with 192.0.2.2 port 5001
[ ID] Interval       Transfer     Bandwidth
[  3] 0.0000-10.0000 sec   890 MBytes   746 Mbits/sec
[  3] Sent 634708 datagrams
[  3] Server Report:
[ ID] Interval       Transfer     Bandwidth        Jitter   Lost/Total Datagrams
[  3] 0.0000-10.0000 sec   889 MBytes   746 Mbits/sec   0.065 ms 621/634708 (0.098%)
[  3] 0.0000-10.0000 sec  1 datagrams received out-of-order
[ ID] Interval       Transfer     Bandwidth
[  4] 0.0000-10.0000 sec   890 MBytes   746 Mbits/sec
[  4] Sent 634708 datagrams
[  4] WARNING: did not receive the report on the last datagram after 10 tries
[SUM] 0.0000-10.0000 sec  1.74 GBytes  1.49 Gbits/sec
[SUM] Sent 1269416 datagrams
[ ID] Interval       Transfer     Bandwidth        Jitter   Lost/Total Datagrams
[ *5] 0.0000-1.0000 sec  25.5 KBytes   209 Kbits/sec   0.022 ms 0/87 (0%)
[ *5] 0.0000-1.0000 sec  2 datagrams received more than once
`
	if d := cmp.Diff(want, b.String()); d != "" {
		t.Error(d)
	}
}

func TestScaled(t *testing.T) {
	tests := []struct {
		v    float64
		unit byte
		want string
	}{
		{0, 'a', "   0 "}, {880, 'A', " 880 "}, {1000, 'a', "1.00 K"}, {1023, 'A', "1023 "}, {1024, 'A', "1.00 K"}, {205e3, 'a', " 205 K"},
		{8.41e3, 'a', "8.41 K"}, {1.14 * (1 << 30), 'A', "1.14 G"}, {13.831212e9, 'k', "13831212 K"}, {0.625 * (1 << 30), 'G', "0.625 G"},
		{5e15, 'a', "5000 T"},
	}
	for _, tt := range tests {
		if got := scaled(tt.v, tt.unit); got != tt.want {
			t.Errorf("scaled(%v, %c) = %q, want %q", tt.v, tt.unit, got, tt.want)
		}
	}
}

// TestOurTextIsReadLikeTheirs runs a test and reads what it printed as a person's paste is read.
func TestOurTextIsReadLikeTheirs(t *testing.T) {
	t.Parallel()
	port, _ := serve(t, ServerConfig{})
	for _, test := range []Test{
		{Host: "127.0.0.1", Port: port, Time: 300 * time.Millisecond, Interval: 100 * time.Millisecond, Rate: 20e6},
		{Host: "127.0.0.1", Port: port, Time: 300 * time.Millisecond, UDP: true, Rate: 5e6},
	} {
		var b strings.Builder
		p := &Printer{W: &b}
		res, err := Run(t.Context(), test, p.Handler())
		if err != nil {
			t.Fatal(err)
		}
		found := iperftext.Find(b.String())
		if len(found) != 1 || found[0].Tool != "iperf2" || found[0].Role != "client" || found[0].Cut {
			t.Fatalf("read as %+v:\n%s", found, &b)
		}
		sent, ok := found[0].Offering()
		if !ok || !nearly(sent.Bytes, float64(res.Sent[0].Bytes)) || !nearly(sent.Rate, res.Sent[0].BitsPerSecond()) {
			t.Errorf("read %+v of %+v:\n%s", sent, res.Sent[0], &b)
		}
		if test.UDP {
			if r := res.Sent[0].Report; r == nil || r.Time == 0 {
				t.Logf("the far end read all at once, or says nothing: %+v", r) // on a busy host
			} else if got, _ := found[0].Received(); got.Total == nil || uint64(*got.Total) != res.Sent[0].Datagrams {
				t.Errorf("read %+v of %+v:\n%s", got, res.Sent[0], &b)
			}
		} else if len(found[0].Intervals) < 1 { // a busy host joins some
			t.Errorf("%d intervals:\n%s", len(found[0].Intervals), &b)
		}
	}
}

// nearly allows for the three digits that are printed.
func nearly(a, b float64) bool { return a > b*0.994 && a < b*1.006 }
