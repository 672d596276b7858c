package iperf3

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

func TestParseParams(t *testing.T) {
	tests := []struct {
		name, text string
		check      func(p params) bool // nil: an error is wanted
	}{
		{"iperf 3.12", `{"tcp":true,"omit":0,"time":1,"num":0,"blockcount":0,"MSS":1000,"parallel":2,"reverse":true,"window":102400,"len":131072,"bandwidth":1000000,"pacing_timer":1000,"client_version":"3.12"}`,
			func(p params) bool {
				return p.time == time.Second && p.mss == 1000 && p.streams == 2 && p.reverse && p.window == 102400 && p.length == 131072 && p.rate == 1e6 && p.ours == nil && p.other == ""
			}},
		{"nothing given", `{}`, func(p params) bool { return p.streams == 1 && p.time == 0 && p.rate == 0 && !p.reverse }},
		{"blocks are bytes", `{"blockcount":10,"len":1000}`, func(p params) bool { return p.bytes == 10_000 }},
		{"UDP of iperf 3.12", `{"udp":true,"omit":1,"time":1,"num":0,"blockcount":0,"parallel":1,"bidirectional":true,"len":1470,"bandwidth":1000000,"pacing_timer":1000,"burst":3,"TOS":16,"title":"t","get_server_output":1,"udp_counters_64bit":1,"zerocopy":1,"dont_fragment":1,"client_version":"3.12"}`,
			func(p params) bool {
				return p.udp && p.omit == time.Second && p.bidirectional && p.length == 1470 && p.burst == 3 && p.tos == 16 && p.title == "t" && p.serverOutput && p.counters64 && p.zeroCopy && p.dontFragment && p.conns() == 2
			}},
		{"keys of iperf 3.13 to 3.19", `{"tcp":true,"time":1,"parallel":1,"len":131072,"pacing_timer":1000,"skip_rx_copy":1,"mptcp":1,"gsro":1,"gso":0,"cntl_ka":1,"extra_data":{"a":[1]},"flowlabel":3,"client_version":"3.19"}`,
			func(p params) bool { return p.time == time.Second && !p.udp }},
		{"SCTP is not ours", `{"sctp":true,"time":1}`, func(p params) bool { return p.other == "SCTP" }},
		{"UDP without a length", `{"udp":true}`, func(p params) bool { return p.udp && p.length == 1460 }},
		{"datagrams shorter than their fields", `{"udp":true,"len":11}`, nil},
		{"datagrams longer than any", `{"udp":true,"len":65508}`, nil},
		{"a burst beyond any", `{"burst":1001}`, nil},
		{"a type of service beyond any", `{"TOS":545460846592}`, nil},
		{"reverse and both directions", `{"reverse":true,"bidirectional":true}`, nil},
		{"flags as numbers", `{"tcp":1,"reverse":1}`, func(p params) bool { return p.reverse }},
		{"nan is not given", `{"time":nan,"bandwidth":-inf,"parallel":NaN}`, func(p params) bool { return p.time == 0 && p.rate == 0 && p.streams == 1 }},
		{"text after the text", `{"time":3} iperf Done.`, func(p params) bool { return p.time == 3*time.Second }},
		{"NUL after the text", "{\"time\":3}\x00\x00", func(p params) bool { return p.time == 3*time.Second }},
		{"nan in a string stays", `{"title":"nan, -inf \" nan","time":3}`, func(p params) bool { return p.time == 3*time.Second }},
		{"ours", `{"whydrop":{"version":1,"nonce":"ab","auth":true}}`, func(p params) bool { return p.ours != nil && p.ours.Auth && p.ours.Nonce == "ab" }},
		{"a whole number as a float", `{"num":1.5e9}`, func(p params) bool { return p.bytes == 1_500_000_000 }},
		{"time is a string", `{"time":"3"}`, nil},
		{"time is a list", `{"time":[3]}`, nil},
		{"negative streams", `{"parallel":-1}`, nil},
		{"streams beyond any", `{"parallel":129}`, nil},
		{"streams in halves", `{"parallel":1.5}`, nil},
		{"a rate out of range", `{"bandwidth":1e400}`, nil},
		{"a negative rate", `{"bandwidth":-1}`, nil},
		{"ours is a number", `{"whydrop":1}`, nil},
		{"a list", `[]`, nil},
		{"no JSON", `hello`, nil},
		{"nothing", ``, nil},
		{"nested deeply", strings.Repeat("[", 100_000), nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := parseParams([]byte(tt.text))
			if tt.check == nil {
				if err == nil {
					t.Errorf("accepted as %+v", p)
				}
				return
			}
			if err != nil || !tt.check(p) {
				t.Errorf("got %+v, %v", p, err)
			}
		})
	}
}

func TestParamsSurviveTheWire(t *testing.T) {
	p := params{time: 90 * time.Second, streams: 4, reverse: true, window: 65536, mss: 1400, length: 5000, rate: 12.5e6, congestion: "cubic", ours: &greeting{Version: 1, Nonce: "n", Auth: true}}
	b, err := json.Marshal(p.encode())
	if err != nil {
		t.Fatal(err)
	}
	if len(b) > maxParams {
		t.Errorf("%d bytes, stock iperf3 takes %d", len(b), maxParams)
	}
	got, err := parseParams(b)
	if err != nil {
		t.Fatal(err)
	}
	if got.ours == nil || *got.ours != *p.ours {
		t.Errorf("our key: got %+v", got.ours)
	}
	got.ours, p.ours = nil, nil
	if got != p {
		t.Errorf("got  %+v\nwant %+v", got, p)
	}
}

func TestParseResults(t *testing.T) {
	const stock = `{"cpu_util_total":0.14,"cpu_util_user":0.14,"cpu_util_system":0,"sender_has_retransmits":18446744073709551615,"congestion_used":"bbr","streams":[{"id":1,"bytes":131072,"retransmits":18446744073709551615,"jitter":0,"errors":0,"packets":0,"start_time":0,"end_time":1.001097},{"id":3,"bytes":5,"retransmits":7,"jitter":-nan,"errors":0,"packets":0}]}`
	r, err := parseResults([]byte(stock), tcpPeers(2))
	if err != nil {
		t.Fatal(err)
	}
	if r.Bytes() != 131077 || r.Streams[0].Retransmits != -1 || r.Streams[1].Retransmits != 7 || r.Streams[0].Seconds != 1.001097 || r.Congestion != "bbr" || r.CPU.Total != 0.14 {
		t.Errorf("got %+v", r)
	}
	for name, text := range map[string]string{
		"a stream is missing":       `{"streams":[{"id":1,"bytes":1}]}`,
		"a stream without bytes":    `{"streams":[{"id":1,"bytes":1},{"id":3}]}`,
		"negative bytes":            `{"streams":[{"id":1,"bytes":-1},{"id":3,"bytes":1}]}`,
		"bytes as text":             `{"streams":[{"id":1,"bytes":"1"},{"id":3,"bytes":1}]}`,
		"streams is an object":      `{"streams":{"id":1}}`,
		"no streams":                `{}`,
		"a stream that is a number": `{"streams":[1,2]}`,
		"a million streams":         `{"streams":[` + strings.Repeat("{},", 1_000_000) + `{}]}`,
		"cut short":                 `{"streams":[{"id":1,"bytes":1},`,
	} {
		t.Run(name, func(t *testing.T) {
			if r, err := parseResults([]byte(text), tcpPeers(2)); err == nil {
				t.Errorf("accepted as %+v", r)
			}
		})
	}
}

func TestResultsSurviveTheWire(t *testing.T) {
	r := Results{Streams: []StreamResult{{ID: 1, Sends: true, Bytes: 1 << 40, Retransmits: 3, Seconds: 2.5}, {ID: 3, Sends: true, Bytes: 7, Retransmits: 0, Seconds: 2.5}}, CPU: CPUUse{Total: 12, User: 4, System: 8}, Congestion: "cubic"}
	b, err := json.Marshal(r.encode())
	if err != nil {
		t.Fatal(err)
	}
	got, err := parseResults(b, tcpPeers(2))
	if err != nil {
		t.Fatal(err)
	}
	if got.CPU != r.CPU || got.Congestion != r.Congestion || got.Streams[0] != r.Streams[0] || got.Streams[1] != r.Streams[1] {
		t.Errorf("got %+v, want %+v", got, r)
	}
}

func TestReadText(t *testing.T) {
	text := func(n uint32, body string) []byte { return append(binary.BigEndian.AppendUint32(nil, n), body...) }
	tests := []struct {
		name string
		in   []byte
		want string
		err  error
	}{
		{"whole", text(2, "{}"), "{}", nil},
		{"empty", text(0, ""), "", nil},
		{"too long", text(maxParams+1, ""), "", errTooLong},
		{"2^32-1 bytes announced", text(1<<32-1, "{}"), "", errTooLong},
		{"cut short", text(10, "{}"), "", io.ErrUnexpectedEOF},
		{"half a length", []byte{0, 0}, "", io.ErrUnexpectedEOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := readText(bytes.NewReader(tt.in), maxParams)
			if string(got) != tt.want || !errors.Is(err, tt.err) || err == nil != (tt.err == nil) {
				t.Errorf("got %q, %v; want %q, %v", got, err, tt.want, tt.err)
			}
		})
	}
}

func TestReadTextTakesMemoryAsBytesArrive(t *testing.T) {
	in := append(binary.BigEndian.AppendUint32(nil, maxResults), "{}"...)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range 100 {
		_, _ = readText(bytes.NewReader(in), maxResults)
	}
	runtime.ReadMemStats(&after)
	if each := (after.TotalAlloc - before.TotalAlloc) / 100; each > 64<<10 {
		t.Errorf("%d bytes allocated for 2 bytes that came", each)
	}
}

func TestReadMessages(t *testing.T) {
	framed := func(s state, body string) string {
		return string([]byte{byte(s)}) + string(binary.BigEndian.AppendUint32(nil, uint32(len(body)))) + body
	}
	tests := []struct {
		name, in string
		want     []state
		err      error
	}{
		{"a whole test", "\x09\x0a\x01\x02\x0d" + framed(0, "{}")[1:] + "\x0e", []state{paramExchange, createStreams, testStart, testRunning, exchangeResults, exchangeResults, displayResults}, io.EOF},
		{"busy", "\xff", []state{accessDenied}, io.EOF},
		{"an error with its numbers", "\xfe\x00\x00\x00\x05\x00\x00\x00\x00", []state{serverError}, io.EOF},
		{"an error without its numbers", "\xfe\x00", nil, io.ErrUnexpectedEOF},
		{"our own", framed(stateGrant, "{}") + framed(stateReport, "{}"), []state{stateGrant, stateReport}, io.EOF},
		{"a report too long", string([]byte{byte(stateReport), 0xff, 0xff, 0xff, 0xff}), nil, errTooLong},
		{"a state of the client", "\x04", nil, errProtocol},
		{"no state at all", "HTTP/1.1 400", nil, errProtocol},
		{"nothing", "", nil, io.EOF},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var got []state
			err := readMessages(strings.NewReader(tt.in), nil, func(m message) bool { got = append(got, m.state); return true })
			if !errors.Is(err, tt.err) || len(got) != len(tt.want) {
				t.Fatalf("got %v, %v; want %v, %v", got, err, tt.want, tt.err)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("message %d is %v, want %v", i, got[i], tt.want[i])
				}
			}
		})
	}
}

func TestStreamsAreNumberedAsStockDoes(t *testing.T) {
	for i, want := range []int{1, 3, 4, 5, 6} {
		if got := streamID(i); got != want {
			t.Errorf("streamID(%d) = %d, want %d", i, got, want)
		}
	}
}

func TestProof(t *testing.T) {
	good := proof("token", clientSide, "cookie", "c", "s")
	for name, other := range map[string]string{
		"another token":        proof("Token", clientSide, "cookie", "c", "s"),
		"the other side's":     proof("token", serverSide, "cookie", "c", "s"),
		"another cookie":       proof("token", clientSide, "cookif", "c", "s"),
		"another client nonce": proof("token", clientSide, "cookie", "d", "s"),
		"another server nonce": proof("token", clientSide, "cookie", "c", "t"),
		"shifted borders":      proof("token", clientSide, "cookiec", "", "s"),
		"nothing":              "",
	} {
		if proven(good, other) {
			t.Errorf("%s is taken for a proof", name)
		}
	}
	if !proven(good, proof("token", clientSide, "cookie", "c", "s")) {
		t.Error("the proof itself is refused")
	}
}

func TestCookieServesOnce(t *testing.T) {
	var u used
	if !u.first("a") || u.first("a") {
		t.Error("the same cookie was taken twice, or not at all")
	}
	for range usedCookies {
		u.first(newCookie())
	}
	if len(u.seen) > usedCookies+1 {
		t.Errorf("%d cookies are remembered, at most %d", len(u.seen), usedCookies)
	}
}

func TestNewCookie(t *testing.T) {
	a, b := newCookie(), newCookie()
	if len(a) != cookieSize-1 || a == b || strings.ContainsRune(a, 0) {
		t.Errorf("cookies %q and %q", a, b)
	}
}
