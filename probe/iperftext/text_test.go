package iperftext

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// shown is the part of a test that the tables compare.
type shown struct {
	tool, form, role, protocol string
	streams                    int
	received, sent             float64 // bit/s
	seconds                    float64
	intervals                  int
	lost, total, retransmits   int64 // -1: not known
	window                     float64
}

func show(t Test) shown {
	s := shown{tool: t.Tool, form: t.Form, role: t.Role, protocol: t.Protocol, streams: t.Streams(), intervals: len(t.PerSecond()), lost: -1, total: -1, retransmits: -1}
	if r, ok := t.Received(); ok {
		s.received, s.seconds = r.Rate, r.Width()
		if r.Lost != nil && r.Total != nil {
			s.lost, s.total = *r.Lost, *r.Total
		}
	}
	if o, ok := t.Offering(); ok {
		s.sent = o.Rate
		if o.Retransmits != nil {
			s.retransmits = *o.Retransmits
		}
	}
	if t.Window != nil {
		s.window = t.Window.Bytes
	}
	return s
}

func near(a, b float64) bool { return math.Abs(a-b) <= 0.002*math.Max(math.Abs(a), math.Abs(b)) }

func (s shown) same(t shown) bool {
	ok := near(s.received, t.received) && near(s.sent, t.sent) && near(s.seconds, t.seconds) && near(s.window, t.window)
	s.received, s.sent, s.seconds, s.window = t.received, t.sent, t.seconds, t.window
	return ok && s == t
}

const iperf2TCP = `$ iperf -c 198.51.100.7 -i 1 -t 3 -w 256K
------------------------------------------------------------
Client connecting to 198.51.100.7, TCP port 5001
TCP window size:  416 KByte (WARNING: requested  256 KByte)
------------------------------------------------------------
[  3] local 198.51.100.2 port 50012 connected with 198.51.100.7 port 5001
[ ID] Interval       Transfer     Bandwidth
[  3]  0.0- 1.0 sec  11.2 MBytes  94.4 Mbits/sec
[  3]  1.0- 2.0 sec  11.1 MBytes  93.3 Mbits/sec
[  3]  2.0- 3.0 sec  11.2 MBytes  94.4 Mbits/sec
[  3]  0.0- 3.0 sec  33.6 MBytes  94.0 Mbits/sec
`

const iperf3TCP = `Connecting to host 198.51.100.7, port 5201
[  5] local 198.51.100.2 port 40084 connected to 198.51.100.7 port 5201
[  7] local 198.51.100.2 port 40086 connected to 198.51.100.7 port 5201
[ ID] Interval           Transfer     Bitrate         Retr  Cwnd
[  5]   0.00-1.00   sec  6.00 MBytes  50.3 Mbits/sec    2   1.12 MBytes       (omitted)
[  7]   0.00-1.00   sec  6.00 MBytes  50.3 Mbits/sec    0   1.12 MBytes       (omitted)
[SUM]   0.00-1.00   sec  12.0 MBytes   101 Mbits/sec    2             (omitted)
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   0.00-1.00   sec  6.00 MBytes  50.3 Mbits/sec    2   1.12 MBytes       
[  7]   0.00-1.00   sec  5.88 MBytes  49.3 Mbits/sec    0   1.12 MBytes       
[SUM]   0.00-1.00   sec  11.9 MBytes  99.6 Mbits/sec    2             
- - - - - - - - - - - - - - - - - - - - - - - - -
[  5]   1.00-2.00   sec  6.00 MBytes  50.3 Mbits/sec    1   1.12 MBytes       
[  7]   1.00-2.00   sec  6.00 MBytes  50.3 Mbits/sec    0   1.12 MBytes       
[SUM]   1.00-2.00   sec  12.0 MBytes   101 Mbits/sec    1             
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Retr
[  5]   0.00-2.00   sec  12.0 MBytes  50.3 Mbits/sec    3             sender
[  5]   0.00-2.04   sec  11.9 MBytes  48.9 Mbits/sec                  receiver
[  7]   0.00-2.00   sec  11.9 MBytes  49.8 Mbits/sec    0             sender
[  7]   0.00-2.04   sec  11.8 MBytes  48.5 Mbits/sec                  receiver
[SUM]   0.00-2.00   sec  23.9 MBytes   100 Mbits/sec    3             sender
[SUM]   0.00-2.04   sec  23.7 MBytes  97.4 Mbits/sec                  receiver

iperf Done.
`

const iperf2UDP = `Client connecting to 203.0.113.9, UDP port 5001
Sending 1470 byte datagrams
UDP buffer size:  160 KByte (default)
[  3] local 203.0.113.2 port 40612 connected with 203.0.113.9 port 5001
[ ID] Interval       Transfer     Bandwidth
[  3]  0.0-10.0 sec  119 MBytes  99.9 Mbits/sec
[  3] Sent 84941 datagrams
[  3] Server Report:
[  3]  0.0-10.0 sec  118 MBytes  98.9 Mbits/sec   0.021 ms  850/84940 (1%)
[  3]  0.0-10.0 sec  3 datagrams received out-of-order
`

const iperf3UDP = `[ ID] Interval           Transfer     Bitrate         Total Datagrams
[  5]   0.00-1.00   sec  1.25 MBytes  10.5 Mbits/sec  906  
[  5]   1.00-2.00   sec  1.25 MBytes  10.5 Mbits/sec  905  
- - - - - - - - - - - - - - - - - - - - - - - - -
[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams
[  5]   0.00-2.00   sec  2.50 MBytes  10.5 Mbits/sec  0.000 ms  0/1811 (0%)  sender
[  5]   0.00-2.00   sec  2.40 MBytes  10.1 Mbits/sec  0.034 ms  71/1811 (3.9%)  receiver
`

const iperf3JSON = `{
	"start": {"connected": [{"socket": 5, "local_host": "198.51.100.2", "local_port": 4711, "remote_host": "198.51.100.7", "remote_port": 5201}],
		"timestamp": {"time": "Mon, 30 Nov 2026 14:00:00 GMT", "timesecs": 1796047200}, "sock_bufsize": 65536, "sndbuf_actual": 131072,
		"test_start": {"protocol": "TCP", "num_streams": 1, "blksize": 131072, "reverse": 0}},
	"intervals": [{"streams": [{"socket": 5, "start": 0, "end": 1, "bytes": 2097152, "bits_per_second": 16777216, "retransmits": 0, "snd_cwnd": 130320, "rtt": 31000}],
		"sum": {"start": 0, "end": 1, "bytes": 2097152, "bits_per_second": 16777216, "retransmits": 0, "omitted": false}}],
	"end": {"streams": [{"sender": {"mean_rtt": 31000, "max_snd_wnd": 65536}, "receiver": {}}],
		"sum_sent": {"start": 0, "end": 1, "seconds": 1, "bytes": 2097152, "bits_per_second": 16777216, "retransmits": 0},
		"sum_received": {"start": 0, "end": 1.03, "bytes": 2031616, "bits_per_second": 15779541, "jitter_ms": -nan},
		"cpu_utilization_percent": {"host_total": 3.5, "remote_total": 97.2}}
}`

func TestFind(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []shown
	}{
		"iperf 2, TCP, by the second": {iperf2TCP, []shown{{"iperf2", "text", "client", "tcp", 1, 94e6, 94e6, 3, 3, -1, -1, -1, 416 << 10}}},
		"folded onto one line":        {strings.ReplaceAll(iperf2TCP, "\n", " "), []shown{{"iperf2", "text", "client", "tcp", 1, 94e6, 94e6, 3, 3, -1, -1, -1, 416 << 10}}},
		"with the spaces of a page":   {strings.ReplaceAll(iperf2TCP, "  ", "\u00a0 "), []shown{{"iperf2", "text", "client", "tcp", 1, 94e6, 94e6, 3, 3, -1, -1, -1, 416 << 10}}},
		"with carriage returns":       {strings.ReplaceAll(iperf2TCP, "\n", "\r\n"), []shown{{"iperf2", "text", "client", "tcp", 1, 94e6, 94e6, 3, 3, -1, -1, -1, 416 << 10}}},
		"two in one text": {iperf2TCP + "\nUnd noch einmal:\n" + iperf2TCP, []shown{
			{"iperf2", "text", "client", "tcp", 1, 94e6, 94e6, 3, 3, -1, -1, -1, 416 << 10}, {"iperf2", "text", "client", "tcp", 1, 94e6, 94e6, 3, 3, -1, -1, -1, 416 << 10}}},
		"bytes a second are powers of 1024": {"[  3]  0.0-10.0 sec   239 MBytes  23.9 MBytes/sec\n", []shown{{"iperf2", "text", "", "tcp", 1, 23.9 * 1024 * 1024 * 8, 23.9 * 1024 * 1024 * 8, 10, 0, -1, -1, -1, 0}}},
		"a comma for the point":             {"[  3]  0,0-10,0 sec  11,2 MBytes  9,4 Mbits/sec\n", []shown{{"iperf2", "text", "", "tcp", 1, 9.4e6, 9.4e6, 10, 0, -1, -1, -1, 0}}},
		"iperf 2, UDP with server's report": {iperf2UDP, []shown{{"iperf2", "text", "client", "udp", 1, 98.9e6, 99.9e6, 10, 0, 850, 84940, -1, 160 << 10}}},
		"the same folded":                   {strings.Join(strings.Fields(iperf2UDP), " "), []shown{{"iperf2", "text", "client", "udp", 1, 98.9e6, 99.9e6, 10, 0, 850, 84940, -1, 160 << 10}}},
		"iperf3, TCP, two streams":          {iperf3TCP, []shown{{"iperf3", "text", "client", "tcp", 2, 97.4e6, 100e6, 2.04, 2, -1, -1, 3, 0}}},
		"iperf3 with time stamps":           {"2026-11-30T12:59:15 " + strings.ReplaceAll(iperf3TCP, "\n", "\n2026-11-30T12:59:15 "), []shown{{"iperf3", "text", "client", "tcp", 2, 97.4e6, 100e6, 2.04, 2, -1, -1, 3, 0}}},
		"iperf3, UDP without its header":    {iperf3UDP, []shown{{"iperf3", "text", "", "udp", 1, 10.1e6, 10.5e6, 2, 2, 71, 1811, -1, 0}}},
		"iperf3, JSON with nan":             {"Ergebnis: " + iperf3JSON + "\niperf Done.", []shown{{"iperf3", "json", "client", "tcp", 1, 15779541, 16777216, 1.03, 1, -1, -1, 0, 65536}}},
		"JSON that is cut":                  {iperf3JSON[:700], nil},
		"other JSON":                        {`{"start": {"a": 1}, "x": [` + "\n{}]}", []shown{{"iperf3", "json", "client", "", 0, 0, 0, 0, 0, -1, -1, -1, 0}}},
		"stopped before its end":            {iperf3TCP[:strings.Index(iperf3TCP, "[ ID] Interval           Transfer     Bitrate         Retr\n")], []shown{{"iperf3", "text", "client", "tcp", 2, 100.3e6, 100.3e6, 2, 2, -1, -1, 3, 0}}},
		"heads alone, a window that stays": {"[ ID] Interval           Transfer     Bandwidth       Retr  Cwnd\n[  5]   0.00-1.00   sec  2.50 MBytes  21.0 Mbits/sec    0    128 KBytes\n[  5]   1.00-2.00   sec  2.50 MBytes  21.0 Mbits/sec    0    128 KBytes\n",
			[]shown{{"iperf3", "text", "", "tcp", 1, 21e6, 21e6, 2, 2, -1, -1, 0, 0}}},
		"the end of iperf3's text alone": {"[  5]   0.00-10.00  sec  1.10 GBytes   941 Mbits/sec    0             sender\n[  5]   0.00-10.04  sec  1.09 GBytes   936 Mbits/sec                  receiver\n",
			[]shown{{"iperf3", "text", "", "tcp", 1, 936e6, 941e6, 10.04, 0, -1, -1, 0, 0}}},
		"comma-separated values": {"20261130130341,127.0.0.1,55431,127.0.0.1,5525,1,0.0-1.0,657090,5256720,0.010,3,447,0.671,2\n20261130130342,127.0.0.1,55431,127.0.0.1,5525,1,0.0-2.0,1312710,5250840,0.010,3,893,0.336,2\n",
			[]shown{{"iperf2", "csv", "", "udp", 1, 5250840, 5250840, 2, 1, 3, 893, -1, 0}}},
		"a server's window alone": {"Server listening on TCP port 5001 TCP window size: 85.3 KByte (default)", []shown{{"iperf2", "text", "server", "tcp", 0, 0, 0, 0, 0, -1, -1, -1, 85.3 * 1024}}},
		"refused":                 {"iperf3: error - unable to connect to server: Connection refused\n", []shown{{"iperf3", "text", "client", "", 0, 0, 0, 0, 0, -1, -1, -1, 0}}},
		"prose about it":          {"Man startet iperf -s auf dem Server; die Bandbreite war 94 Mbit/s [3], siehe [ 4].", nil},
		"nothing":                 {"", nil},
	} {
		got := Find(c.text)
		ok := len(got) == len(c.want)
		for i := range min(len(got), len(c.want)) {
			ok = ok && show(got[i]).same(c.want[i])
		}
		if !ok {
			var s []shown
			for _, g := range got {
				s = append(s, show(g))
			}
			t.Errorf("%s:\ngot  %+v\nwant %+v", name, s, c.want)
		}
	}
}

func TestWhatElseATestSays(t *testing.T) {
	text := "x\n" + iperf2TCP
	got := Find(text)[0]
	if got.Command["w"] != "256K" || got.Command["c"] != "198.51.100.7" || text[got.From:got.From+5] != "iperf" || !strings.HasSuffix(text[:got.To], "94.0 Mbits/sec") {
		t.Errorf("command %v, %q ... %q", got.Command, text[got.From:got.From+5], text[got.To-20:got.To])
	}
	if c := got.Connections; len(c) != 1 || c[0] != (Connection{"198.51.100.2", "198.51.100.7", 50012, 5001}) {
		t.Errorf("connections %+v", c)
	}
	e := Find("[ ID] Interval        Transfer    Bandwidth       Write/Err  Rtry     Cwnd/RTT(var)        NetPwr\n[  1] 0.00-10.00 sec  1.15 GBytes   988 Mbits/sec  9430/0          7      463K/3725(325) us  33222\n")[0]
	if r, _ := e.Received(); r.Retransmits == nil || *r.Retransmits != 7 || r.RTT == nil || !near(*r.RTT, 3725e-6) || r.Cwnd == nil || *r.Cwnd != 463*1024 {
		t.Errorf("iperf -e: %+v", r)
	}
	udp := Find(iperf2UDP)[0]
	if r, _ := udp.Received(); r.OutOfOrder == nil || *r.OutOfOrder != 3 || r.Jitter == nil || !near(*r.Jitter, 21e-6) {
		t.Errorf("UDP: %+v", r)
	}
	j := Find(iperf3JSON)[0]
	if j.RTT == nil || !near(*j.RTT, 0.031) || j.ReceiverWindow == nil || *j.ReceiverWindow != 65536 || j.ReceiverCPU == nil || !near(*j.ReceiverCPU, 0.972) || j.Start.Unix() != 1796047200 {
		t.Errorf("JSON: %+v", j)
	}
	mss := Find("WARNING: attempt to set TCP maximum segment size to 9000, but got 8961 Client connecting to sun, TCP port 5001 TCP window size: 1.00 MByte [ 3] 0.0-10.0 sec 972 MBytes 815 Mbits/sec")[0]
	if mss.MSSAsked == nil || *mss.MSSAsked != 9000 || mss.MSSGot == nil || *mss.MSSGot != 8961 {
		t.Errorf("MSS: %+v", mss)
	}
}

// iperf3's counter of datagrams has 32 bits: after that many the loss that it prints is none. A few less than none are datagrams that
// came late.
func TestLossThatCannotBeIsNone(t *testing.T) {
	const head = "Server listening on 5201\nAccepted connection from 192.0.2.7, port 40022\n[  5] local 192.0.2.8 port 5201 connected to 192.0.2.7 port 10000\n" +
		"[ ID] Interval           Transfer     Bitrate         Jitter    Lost/Total Datagrams\n[  5]   0.00-1.00   sec  12.5 MBytes   105 Mbits/sec  0.001 ms  300/10000 (3%)\n"
	for line, want := range map[string]struct {
		overran     bool
		lost, total int64
	}{
		"[  5]   1.00-2.00   sec  12.5 MBytes   105 Mbits/sec  0.001 ms  200/10000 (2%)\n":       {false, 500, 20000},
		"[  5]   1.00-2.00   sec  12.5 MBytes   105 Mbits/sec  0.001 ms  -2/10000 (-0.02%)\n":    {false, 300, 10000},
		"[  5]   1.00-2.00   sec  12.5 MBytes   105 Mbits/sec  0.001 ms  -81000/412 (-2e+04%)\n": {true, 300, 10000},
	} {
		got := Find(head + line)
		if len(got) != 1 {
			t.Fatalf("%q: %d tests", line, len(got))
		}
		r, _ := got[0].Received()
		if got[0].Overran() != want.overran || r.Lost == nil || r.Total == nil || *r.Lost != want.lost || *r.Total != want.total {
			t.Errorf("%q: overran %v, %+v; want %+v", line, got[0].Overran(), r, want)
		}
	}
}

func TestSizesPrintedWithFewDigits(t *testing.T) {
	a, b, c := size("0.01", "M"), size("8.00", "K"), size("64.0", "K")
	if !a.Same(*b) || !b.Same(*a) {
		t.Errorf("0.01 MByte %v and 8.00 KByte %v can be the same", a, b)
	}
	if a.Same(*c) {
		t.Errorf("0.01 MByte %v and 64.0 KByte %v are not", a, c)
	}
}

// TestRealOutputIsRead reads captures of the programs where they are at hand, and expects of each that was not
// refused a rate.
func TestRealOutputIsRead(t *testing.T) {
	files, err := filepath.Glob("../../../shared/corpus/iperf/iperf*/gen__*")
	if err != nil || len(files) == 0 {
		t.Skip("no captures at hand")
	}
	read := 0
	for _, f := range files {
		base := filepath.Base(f)
		skip := strings.Contains(base, "stderr") || strings.Contains(base, ".run.") || strings.Contains(base, "args")
		for _, w := range []string{"badname", "busy", "refused", "unknown_cc", "client_sigkill.client.json", "getserver", "no_server"} {
			skip = skip || strings.Contains(base, w)
		}
		if skip || !strings.Contains(base, ".client.") || !strings.HasSuffix(base, ".txt") && !strings.HasSuffix(base, ".json") && !strings.HasSuffix(base, ".jsonl") {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if len(b) == 0 || strings.Contains(string(b), `"error":`) && !strings.Contains(string(b), "bits_per_second") {
			continue
		}
		got := Find(string(b))
		if len(got) != 1 {
			t.Errorf("%s: %d tests", base, len(got))
			continue
		}
		if r, ok := got[0].Received(); !ok || r.Rate <= 0 || r.Width() <= 0 {
			t.Errorf("%s: %+v", base, got[0])
		}
		read++
	}
	if read < 30 {
		t.Errorf("only %d captures were read", read)
	}
}

func TestHostileTextIsReadInTime(t *testing.T) {
	began := time.Now()
	for _, unit := range []string{`{"start":{`, "[ 1] 0.0-1.0 sec 1 Bytes 1 bits/sec ", "[ 1] 0.0-1.0 sec 1 datagrams received out-of-order ", "[ 1] local 1.1.1.1 port 1 connected with 1.1.1.1 port 1 ", "iperf -c a -w 1 ",
		"Accepted connection from a, port 1 ", "TCP window size: 1 KByte ", iperf3JSON, "[ 1] Sent 1 datagrams ", "iperf3: error - x\n", "\n20261130130341,1.1.1.1,1,1.1.1.1,1,1,0.0-1.0,1,1"} {
		Find(strings.Repeat(unit, 64<<10/len(unit)))
	}
	if d := time.Since(began); d > time.Minute {
		t.Errorf("took %v", d)
	}
}

func FuzzFind(f *testing.F) {
	for _, s := range []string{iperf2TCP, iperf2UDP, iperf3TCP, iperf3UDP, iperf3JSON, `{"event":"start","data":{}}` + "\n" + `{"event":"end","data":{}}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		at := 0
		for _, x := range Find(text) {
			if x.From < at || x.To < x.From || x.To > len(text) {
				t.Fatalf("a test from %d to %d after %d in %d bytes", x.From, x.To, at, len(text))
			}
			at = x.From
			for _, i := range append(x.Intervals, x.Totals...) {
				if math.IsNaN(i.Rate) || math.IsInf(i.Rate, 0) || i.Rate < 0 {
					t.Fatalf("rate %v", i.Rate)
				}
			}
			x.Received()
			x.Offering()
			x.Streams()
		}
	})
}

func ExampleFind() {
	for _, t := range Find("Medimos con iperf: [ 3] 0.0-10.0 sec 112 MBytes 94.1 Mbits/sec y nada más.") {
		r, _ := t.Received()
		fmt.Printf("%s %s %.1f Mbit/s in %.0f s\n", t.Tool, t.Protocol, r.Rate/1e6, r.Width())
	}
	// Output: iperf2 tcp 94.1 Mbit/s in 10 s
}

func TestResultsUnderEachOtherAreTests(t *testing.T) {
	const receiver = "[  3]  0.0-10.0 sec  119 MBytes   100 Mbits/sec   0.040 ms    0/85034 (0%)\n" +
		"[  3]  0.0-10.0 sec  179 MBytes   150 Mbits/sec   0.038 ms    12/127552 (0.0094%)\n" +
		"[  3]  0.0-10.0 sec  237 MBytes   199 Mbits/sec   0.041 ms  85410/254900 (34%)\n"
	const both = "[  3]  0.0-10.0 sec  119 MBytes   100 Mbits/sec\n[  3] Sent 85034 datagrams\n[  3] Server Report:\n" +
		"[  3]  0.0-10.0 sec  119 MBytes   100 Mbits/sec   0.040 ms    0/85034 (0%)\n"
	const iperf3 = "[  5]   0.00-10.00  sec   742 MBytes   622 Mbits/sec  0.000 ms  0/608432 (0%)  sender\n" +
		"[  5]   0.00-10.00  sec   742 MBytes   622 Mbits/sec  0.019 ms  71102/608432 (11.7%)  receiver\n"
	for _, tt := range []struct {
		name, text string
		lost       []int64
	}{
		{"three results of a receiver", receiver, []int64{0, 12, 85410}},
		{"what one test sent and what arrived", both, []int64{0}},
		{"the two sides of one test", iperf3, []int64{71102}},
	} {
		got := Find(tt.text)
		if len(got) != len(tt.lost) {
			t.Errorf("%s: %d tests, want %d", tt.name, len(got), len(tt.lost))
			continue
		}
		for i, x := range got {
			if r, ok := x.Received(); !ok || r.Lost == nil || *r.Lost != tt.lost[i] {
				t.Errorf("%s: test %d received %+v, want %d lost", tt.name, i+1, r, tt.lost[i])
			}
		}
	}
}

func TestASteadyWindowIsOneThatCouldHaveGrown(t *testing.T) {
	table := func(rows ...string) string {
		s := "[ ID] Interval           Transfer     Bitrate         Retr  Cwnd\n"
		for i, r := range rows {
			s += fmt.Sprintf("[  5]   %d.00-%d.00   sec  2.50 MBytes  21.0 Mbits/sec  %s\n", i, i+1, r)
		}
		return s
	}
	for name, c := range map[string]struct {
		text string
		want float64 // bytes; 0: it is not steady
	}{
		"from the second line on":  {table("0   90.0 KBytes", "0    128 KBytes", "0    128 KBytes", "0    128 KBytes", "0    128 KBytes", "0    128 KBytes"), 128 << 10},
		"it grows":                 {table("0   90.0 KBytes", "0    128 KBytes", "0    132 KBytes", "0    136 KBytes", "0    140 KBytes", "0    144 KBytes"), 0},
		"segments were sent again": {table("0   90.0 KBytes", "0    128 KBytes", "3    128 KBytes", "0    128 KBytes", "0    128 KBytes", "0    128 KBytes"), 0},
		"too few lines":            {table("0    128 KBytes", "0    128 KBytes", "0    128 KBytes"), 0},
	} {
		got, ok := Find(c.text)[0].Steady()
		if ok != (c.want > 0) || ok && got != c.want {
			t.Errorf("%s: %v %v, want %v", name, got, ok, c.want)
		}
	}
}
