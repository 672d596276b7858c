package iperf2

import (
	"encoding/hex"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// wire reads a fixture: words in hexadecimal, blanks between.
func wire(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// What iperf 2.1.8 sends, seen on loopback; see the package comment.
const (
	tcp218     = `40010078 00000001 00003a99 000007d0 00000000 ffffff9c 00000000 00000000 00000000 00020001 00080003 00000000 000c3500 00000000 00000000`
	reverse218 = `44010078 00000001 00003a99 000007d0 00000000 ffffff9c 00000000 00000000 04000000 00020001 00080003 00000000 000c3500 00000000 00000000`
	dual218    = `c0010079 00000002 00003a9a 000007d0 00000000 ffffff9c 00000000 00000000 00000000 00020001 00080003 00000000 000c3500 00000000 00000000`
	trade218   = `c0010078 00000001 00003a9a 000007d0 00000000 ffffff9c 00000000 00000000 00000000 00020001 00080003 00000000 000c3500 00000000 00000000`
	ack218     = `00000002 0000001c 00000000 00020001 00080003 00000000 00000000`
	udp218     = `00000001 6b0da06f 0003137c 00000000 48010098 00000001 00003a99 0000012c 00000000 ffffff9c 00000000 00000000 00000000 00020001 00080003 00000000 00030d40 00000000 00000000`
	last218    = `ffffffa9 6b0da070 00036297 ffffffff 48010098 00000001 00003a99 0000012c 00000000 ffffff9c 00000000 00000000 00000000 00020001 00080003 00000000 00030d40 00000000 00000000`
	udpRev218  = `00000001 6b0da096 0000e351 00000000 6c010098 00000001 00003a99 0000012c 00000000 ffffff38 00000000 00000000 04000000 00020001 00080003 00000000 000186a0 00000000 00000000`
	udpPPS218  = `00000001 6b0da17d 000b199c 00000000 48010098 00000001 00008d8d 00000064 00000000 00002710 00000000 00000000 00800000 00020001 00080003 00000000 00000064 00000000 00000000`
	compat218  = `00000001 6b0da18b 000bd882 00000000 36373839 30313233 34353637 38393031 32333435 36373839`
	report218  = `00000000 00000000 00000000 00000000 88000000 00000000 000065f4 00000001 00004e73 00000000 00000000 00000057 00000000 00000016
		00000000 00000009 00000000 000000dc 00000000 000012cc 00000000 00000037 00016184 00097891 00000000 fffffff3 00000057 00000055 00000001
		00000000 00000000 00000000`
)

// What iperf 2.0 sends, written by hand from the layout in its headers: client_hdr of 2.0.5 (24 bytes, flags 0 or
// HEADER_VERSION1 with RUN_NOW), UDP_datagram of 2.0.5 (12 bytes), server_hdr of 2.0.5 behind it; client_hdrext of
// 2.0.13 (type, length without themselves, flags, version, reserved, rate, unit, realtime).
const (
	tcp205     = `00000000 00000001 00001389 00000000 00000000 fffffc18`
	dual205    = `80000001 00000001 00001389 00002000 00010000 fffffc18`
	trade205   = `80000000 00000001 00001389 00002000 00010000 00a00000`
	udp205     = `00000000 4d000000 0007a120 00000000 00000001 00001389 00000000 00000000 fffffc18 38393031`
	dualUDP205 = `00000000 4d000000 0007a120 80000001 00000001 00001389 000005be 00000000 fffffc18 38393031`
	last205    = `fffffff6 4d00000a 0007a120 00000000 00000001 00001389 00000000 00000000 fffffc18 38393031`
	report205  = `fffffff6 4d00000a 0007a120 80000000 00000000 00003e3a 0000000a 0000c350 00000002 00000001 0000000b 00000000 00000041`
	tcp2013    = `40000000 00000001 00001389 00020000 00000000 fffffc18 00000001 0000001c 00000000 00020000 000d0000 00000000 00000000 00000000 00000000`
	rev2013    = `40000000 00000001 00001389 00020000 00000000 fffffc18 00000001 0000001c 00000008 00020000 000d0000 00000000 00989680 00000000 00000000`
	udp2013    = `00000005 4d000000 0007a120 00000000 08000000 00000001 00001389 000005be 00000000 fffffc18`
)

func TestClientHeadersOverTCP(t *testing.T) {
	ten := int32(-1000)
	tests := []struct {
		name, wire string
		want       clientHeader
		reverse    bool
		back, now  bool
	}{
		{"2.1.8 sends", tcp218, clientHeader{flags: 0x40010078, threads: 1, port: 15001, length: 2000, amount: -100, extended: true, rate: 800000}, false, false, false},
		{"2.1.8 -R", reverse218, clientHeader{flags: 0x44010078, threads: 1, port: 15001, length: 2000, amount: -100, extended: true, upper: 0x400, rate: 800000}, true, false, false},
		{"2.1.8 -d -P 2", dual218, clientHeader{flags: 0xc0010079, threads: 2, port: 15002, length: 2000, amount: -100, extended: true, rate: 800000}, false, true, true},
		{"2.1.8 -r", trade218, clientHeader{flags: 0xc0010078, threads: 1, port: 15002, length: 2000, amount: -100, extended: true, rate: 800000}, false, true, false},
		{"2.0.5 -d", dual205, clientHeader{flags: 0x80000001, threads: 1, port: 5001, length: 8192, window: 65536, amount: ten}, false, true, true},
		{"2.0.5 -r -n 10M", trade205, clientHeader{flags: 0x80000000, threads: 1, port: 5001, length: 8192, window: 65536, amount: 10 << 20}, false, true, false},
		{"2.0.13 sends", tcp2013, clientHeader{flags: 0x40000000, threads: 1, port: 5001, length: 131072, amount: ten, extended: true, legacy: true}, false, false, false},
		{"2.0.13 -R", rev2013, clientHeader{flags: 0x40000000, threads: 1, port: 5001, length: 131072, amount: ten, extended: true, legacy: true, oldFlags: 8, rate: 10e6}, true, false, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			b := wire(t, tt.wire)
			n, extension := headerLength(word(b, 0))
			if extension {
				n += extensionLength(b)
			}
			if n != len(b) {
				t.Errorf("%d bytes of header, want %d", n, len(b))
			}
			got, ok := parseHeader(b)
			if !ok {
				t.Fatal("not taken for a header")
			}
			if d := cmp.Diff(tt.want, got, cmp.AllowUnexported(clientHeader{})); d != "" {
				t.Error(d)
			}
			if got.reverse() != tt.reverse {
				t.Errorf("reverse %v", got.reverse())
			}
			if back, now := got.back(); back != tt.back || back && now != tt.now {
				t.Errorf("back %v, now %v", back, now)
			}
		})
	}
}

func TestWhatIsNoHeaderIsData(t *testing.T) {
	for _, s := range []string{
		tcp205, // says nothing that a server must know
		"30313233 34353637 38393031 32333435 36373839 30313233",       // the digits that fill stock iperf's data
		"47455420 2f204854 54502f31 2e310d0a 486f7374 3a20610d",       // GET / HTTP/1.1
		"9e3779b9 7f4a7c15 00000000 00000000 00000000 00000000",       // noise
		"ffffffff ffffffff ffffffff ffffffff ffffffff ffffffff",       // all bits
		"40010008 00000001 00003a99 000007d0 00000000 ffffff9c",       // a header of 4 bytes
		"00010030 00000001 00003a99 000007d0 00000000 ffffff9c"[0:26], // cut
	} {
		b := wire(t, s)
		if h, ok := parseHeader(b); ok {
			t.Errorf("%s: taken for a header: %+v", s, h)
		}
	}
}

func TestOurHeadersAreThoseOf218(t *testing.T) {
	test := Test{Port: 15001, Streams: 1, Length: 2000, Rate: 800000, Time: time.Second}
	tests := []struct {
		name, want string
		test       Test
		back       uint16
		mode       Mode
	}{
		{"TCP", tcp218, test, 0, Forward},
		{"TCP -R", reverse218, test, 0, Reverse},
		{"TCP -r", trade218, test, 15002, Tradeoff},
		{"TCP -d -P 2", dual218, Test{Port: 15001, Streams: 2, Length: 2000, Rate: 800000, Time: time.Second}, 15002, Dual},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.test.Mode = tt.mode
			if d := cmp.Diff(wire(t, tt.want), tt.test.header(tt.back).append(nil, 0)); d != "" {
				t.Error(d)
			}
		})
	}
	t.Run("the answer", func(t *testing.T) {
		if d := cmp.Diff(wire(t, ack218), appendAck(nil)); d != "" {
			t.Error(d)
		}
	})
	udp := func(number int64, sec, usec int64, h clientHeader) []byte {
		b := make([]byte, wideSize)
		putNumber(b, number, time.Unix(sec, usec*1000), true)
		return h.append(b, wideSize)
	}
	small := Test{UDP: true, Port: 15001, Streams: 1, Length: 300, Rate: 200000, Time: time.Second}
	t.Run("UDP", func(t *testing.T) {
		if d := cmp.Diff(wire(t, udp218), udp(1, 0x6b0da06f, 0x3137c, small.header(0))); d != "" {
			t.Error(d)
		}
		if d := cmp.Diff(wire(t, last218), udp(-87, 0x6b0da070, 0x36297, small.header(0))); d != "" {
			t.Error(d)
		}
	})
	t.Run("UDP -R", func(t *testing.T) {
		small.Mode, small.Rate, small.Time = Reverse, 100000, 2*time.Second
		if d := cmp.Diff(wire(t, udpRev218), udp(1, 0x6b0da096, 0xe351, small.header(0))); d != "" {
			t.Error(d)
		}
	})
	t.Run("UDP in packets a second", func(t *testing.T) {
		pps := Test{UDP: true, Port: 0x8d8d, Streams: 1, Length: 100, PacketRate: 100, Bytes: 10000}
		if d := cmp.Diff(wire(t, udpPPS218), udp(1, 0x6b0da17d, 0xb199c, pps.header(0))); d != "" {
			t.Error(d)
		}
	})
}

func TestDatagrams(t *testing.T) {
	tests := []struct {
		name, wire string
		number     int64
		wide, has  bool
		length     int32
	}{
		{"2.1.8", udp218, 1, true, true, 300},
		{"2.1.8, the last", last218, -87, true, true, 300},
		{"2.1.8 -C has no header and counts the same", compat218, 1, false, false, 0},
		{"2.0.5", udp205, 0, false, false, 0},
		{"2.0.5 -d", dualUDP205, 0, false, true, 1470},
		{"2.0.5, the last", last205, -10, false, false, 0},
		{"2.0.13", udp2013, 5, true, false, 0},
		{"number 2^31 in 64 bits", strings.Replace(udp218, "00000001", "80000000", 1), 1 << 31, true, true, 300},
		{"number 2^32 + 1 in 64 bits", strings.Replace(udp218, "0003137c 00000000", "0003137c 00000001", 1), 1<<32 + 1, true, true, 300},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d, ok := parseDatagram(wire(t, tt.wire))
			if !ok || d.number != tt.number || d.wide != tt.wide || d.has != tt.has || d.header.length != tt.length {
				t.Errorf("got %+v, want number %d, wide %v, header %v, length %d", d, tt.number, tt.wide, tt.has, tt.length)
			}
		})
	}
	if _, ok := parseDatagram(make([]byte, 11)); ok {
		t.Error("11 bytes are taken for a datagram")
	}
	d, _ := parseDatagram(wire(t, udp218))
	if want := time.Unix(0x6b0da06f, 0x3137c*1000); !d.sent.Equal(want) {
		t.Errorf("sent %v, want %v", d.sent, want)
	}
}

func TestReports(t *testing.T) {
	tests := []struct {
		name, wire string
		want       Report
	}{
		{"2.1.8", report218, Report{Bytes: 26100, Time: 1020083 * time.Microsecond, Total: 87, Jitter: 22 * time.Microsecond}},
		{"2.0.5", report205, Report{Bytes: 15930, Time: 10050 * time.Millisecond, Lost: 2, OutOfOrder: 1, Total: 11, Jitter: 65 * time.Microsecond}},
		{"more lost than there was", strings.Replace(report205, "00000002 00000001 0000000b", "0000ffff 00000001 0000000b", 1),
			Report{Bytes: 15930, Time: 10050 * time.Millisecond, Lost: 11, OutOfOrder: 1, Total: 11, Jitter: 65 * time.Microsecond}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseReport(wire(t, tt.wire))
			if err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Error(d)
			}
			if l := got.LossRatio(); l < 0 || l > 1 {
				t.Errorf("loss %v", l)
			}
		})
	}
	for _, s := range []string{"", udp218, tcp218, compat218, report205[:100]} {
		if r, err := parseReport(wire(t, s[:len(s)/9*9])); err == nil {
			t.Errorf("%q is taken for a report: %+v", s, r)
		}
	}
}

func TestOurReportIsReadByBothAndNeverLongerThanTheQuestion(t *testing.T) {
	r := Report{Bytes: 5 << 32, Time: 61500 * time.Millisecond, Lost: 3<<32 | 7, OutOfOrder: 1<<32 | 2, Total: 9<<32 | 1, Jitter: 1250 * time.Microsecond}
	for _, wide := range []bool{true, false} {
		for _, limit := range []int{0, 51, 52, 55, 56, 127, 128, 1470} {
			b := appendReport(nil, r, -10, wide, limit)
			if len(b) > limit {
				t.Errorf("wide %v: %d bytes for %d", wide, len(b), limit)
			}
			if len(b) == 0 {
				if limit >= 56 {
					t.Errorf("wide %v: no answer to %d bytes", wide, limit)
				}
				continue
			}
			got, err := parseReport(b)
			if err != nil {
				t.Errorf("wide %v, limit %d: %v", wide, limit, err)
				continue
			}
			want := r
			if len(b) < reportSize {
				want.Lost, want.OutOfOrder, want.Total = r.Lost&math.MaxUint32, r.OutOfOrder&math.MaxUint32, r.Total&math.MaxUint32
				want.Lost, want.OutOfOrder = min(want.Lost, want.Total), min(want.OutOfOrder, want.Total)
			}
			if d := cmp.Diff(want, got); d != "" {
				t.Errorf("wide %v, limit %d: %s", wide, limit, d)
			}
		}
	}
	// 2.0.5 finds its fields behind 12 bytes, 2.1.8 behind 16.
	narrow := appendReport(nil, Report{Bytes: 15930, Time: 10050 * time.Millisecond, Lost: 2, OutOfOrder: 1, Total: 11, Jitter: 65 * time.Microsecond}, -10, false, 1470)
	want := wire(t, report205)
	copy(want[4:12], make([]byte, 8)) // the times there mean nothing
	if d := cmp.Diff(want, narrow); d != "" {
		t.Error(d)
	}
}
