package app

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"whydrop/probe/iperf3"
	"whydrop/probe/iperftext"
	"whydrop/probe/tcpinfo"
)

// udpResult is a test by UDP in both directions: 10 of 100 datagrams lost forward, nothing arrived in reverse.
func udpResult() iperf3.Result {
	opt := func(n uint64) tcpinfo.Opt[uint64] { return tcpinfo.Opt[uint64]{Value: n, OK: true} }
	return iperf3.Result{
		Started: time.Unix(1_700_000_000, 0), Duration: time.Second, UDP: true, Length: 1000,
		Connections: []iperf3.Connection{{ID: 1, Sends: true, Local: &net.UDPAddr{IP: net.IPv4(192, 0, 2, 1), Port: 1}, Remote: &net.UDPAddr{IP: net.IPv4(192, 0, 2, 2), Port: 2}, Length: 1000}},
		Local: iperf3.Results{Streams: []iperf3.StreamResult{
			{ID: 1, Sends: true, Bytes: 100_000, Packets: 100, Seconds: 1, Retransmits: -1},
			{ID: 3, Seconds: 1, Retransmits: -1, Lost: opt(0), OutOfOrder: opt(0)},
		}},
		Far: &iperf3.Results{Streams: []iperf3.StreamResult{
			{ID: 1, Bytes: 90_000, Packets: 90, Seconds: 1, Retransmits: -1, Lost: opt(7), OutOfOrder: opt(2), HostDropped: opt(4), Jitter: tcpinfo.Opt[time.Duration]{Value: time.Millisecond, OK: true}},
			{ID: 3, Sends: true, Bytes: 50_000, Packets: 50, Seconds: 1, Retransmits: -1},
		}, OutputText: "hello\x1b[2Jworld\nline"},
	}
}

func udpOptions() ProbeOptions {
	return ProbeOptions{Test: iperf3.Test{Address: "192.0.2.2:5201", UDP: true, Bidirectional: true, Streams: 1, Time: time.Second, Length: 1000, ServerOutput: true}}
}

func TestProbeTableOfDatagrams(t *testing.T) {
	var out bytes.Buffer
	opt := udpOptions()
	opt.Out = &out
	if err := newProbeTable(opt).result(udpResult()); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"[  1][TX-C]   0.00-1.00   sec  97.7 KBytes   800 Kbits/sec  100 sent  sender\n",
		"[  1][TX-C]   0.00-1.00   sec  87.9 KBytes   720 Kbits/sec  1.000 ms  10/100 (10%)  2 out of order  4 of them by the receiving host  receiver\n",
		"[  3][RX-C]   0.00-1.00   sec  48.8 KBytes   400 Kbits/sec  50 sent  sender\n",
		"[  3][RX-C]   0.00-1.00   sec  0.00 Bytes  0.00 bits/sec  ?  50/50 (100%)  receiver\n",
		"hello\\x1b[2Jworld\nline\n",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
}

func TestProbeTableWithoutThePeersResult(t *testing.T) {
	var out bytes.Buffer
	opt := udpOptions()
	opt.Out, opt.Test.Bidirectional = &out, false
	r := udpResult()
	r.Local.Streams, r.Far, r.FarProblem = r.Local.Streams[:1], nil, errors.New("the control connection ended: EOF")
	if err := newProbeTable(opt).result(r); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"100 sent  sender", "peer result missing: the control connection ended: EOF", "What was lost is not known."} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if strings.Contains(out.String(), "0%") {
		t.Errorf("a loss that nobody knows:\n%s", out.String())
	}
	d := probeDocument(opt, nil, r, nil)
	if d.Datagrams != nil || d.Received != nil || d.Sent.Bytes != 100_000 || d.FarEnd.Problem == nil {
		t.Errorf("the document: %+v", d)
	}
}

func TestProbeDocumentsOfDatagrams(t *testing.T) {
	opt := udpOptions()
	one, two := udpResult(), uint64(2)
	d := probeDocument(opt, nil, one, nil)
	if len(d.Directions) != 2 || d.Datagrams == nil {
		t.Fatalf("got %+v", d)
	}
	if f := d.Directions[0].Datagrams; f.Sent != 100 || f.Received != 90 || f.Lost != 10 || *f.Share != 0.1 || *f.OutOfOrder != two || *f.HostDropped != 4 || *f.Jitter != 0.001 {
		t.Errorf("forward: %+v", f)
	}
	if b := d.Directions[1].Datagrams; b.Sent != 50 || b.Lost != 50 || *b.Share != 1 || b.Jitter != nil {
		t.Errorf("reverse: %+v", b)
	}
	intervals := []iperf3.Interval{{From: 0, To: time.Second, Streams: []iperf3.StreamInterval{
		{ID: 1, Sends: true, Bytes: 100_000, Datagrams: &iperf3.DatagramInterval{Packets: 100}},
		{ID: 3, Datagrams: &iperf3.DatagramInterval{}},
	}}}
	b, err := json.MarshalIndent(iperf3Document(opt, intervals, one, nil), "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"lost_percent": 10,`, `"lost_packets": 10,`, `"jitter_ms": null`, `"sum_bidir_reverse"`, `"sum_sent_bidir_reverse"`, `"sum_received_bidir_reverse"`, `"bidir": 1`, `"server_output_text": "hello\\x1b[2Jworld\nline"`} {
		want = strings.ReplaceAll(want, "\n", `\n`)
		if !strings.Contains(string(b), strings.ReplaceAll(want, `\x1b`, `\x1b`)) {
			t.Errorf("no %s in\n%s", want, b)
		}
	}
	// What reads iperf3's documents reads ours.
	tests := iperftext.Find(string(b))
	if len(tests) != 1 || tests[0].Protocol != "udp" || !tests[0].Bidir || len(tests[0].Intervals) == 0 {
		t.Errorf("read back: %+v", tests)
	}
}

func TestStrftime(t *testing.T) {
	at := time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)
	for form, want := range map[string]string{
		"%c ": "Wed Mar  4 05:06:07 2026 ", "%F %T": "2026-03-04 05:06:07", "%s": "1772600767", "100%%": "100%", "%Q%": "%Q%", "%H:%M%n": "05:06\n", "2006 Jan": "2006 Jan",
	} {
		if got := strftime(form, at); got != want {
			t.Errorf("%q is %q, want %q", form, got, want)
		}
	}
}

func TestLinePrefix(t *testing.T) {
	var out bytes.Buffer
	n := 0
	l := &linePrefix{w: &out, prefix: func() string { n++; return "> " }}
	for _, s := range []string{"a", "b\nc\n", "", "\n", "d"} {
		if _, err := l.Write([]byte(s)); err != nil {
			t.Fatal(err)
		}
	}
	if got, want := out.String(), "> ab\n> c\n> \n> d"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
