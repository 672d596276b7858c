package wire

import (
	"math"
	"testing"

	"pgregory.net/rapid"
)

var (
	tcp4     = Framing{TCP: true}
	tcp6     = Framing{TCP: true, IPv6: true}
	windows4 = Framing{TCP: true, NoTimestamps: true}
	udp4     = Framing{}
	udp6     = Framing{IPv6: true}
)

func with(f Framing, change func(*Framing)) Framing {
	change(&f)
	return f
}

func TestMaxGoodputIsWhatIsKnownOfLines(t *testing.T) {
	jumbo := func(f *Framing) { f.MTU = 9000 }
	tagged := func(f *Framing) { f.VLANTags = 1 }
	for _, c := range []struct {
		name    string
		f       Framing
		speed   float64
		payload int
		want    float64 // Mbit/s, by the derivation in the name
	}{
		{"TCP on a gigabit: 1448 of 1538", tcp4, 1e9, 0, 941.482},
		{"TCP on fast Ethernet: 1448 of 1538", tcp4, 100e6, 0, 94.1482},
		{"TCP on 10 Gbit/s: 1448 of 1538", tcp4, 10e9, 0, 9414.82},
		{"TCP without time stamps: 1460 of 1538", windows4, 1e9, 0, 949.285},
		{"TCP over IPv6: 1428 of 1538", tcp6, 1e9, 0, 928.479},
		{"UDP: 1472 of 1538", udp4, 1e9, 0, 957.087},
		{"UDP over IPv6: 1452 of 1538", udp6, 1e9, 0, 944.083},
		{"iperf2's datagrams: 1470 of 1536", udp4, 1e9, 1470, 957.031},
		{"TCP with a tag: 1448 of 1542", with(tcp4, tagged), 1e9, 0, 939.040},
		{"TCP in jumbo frames: 8948 of 9038", with(tcp4, jumbo), 1e9, 0, 990.042},
		{"UDP in jumbo frames: 8972 of 9038", with(udp4, jumbo), 1e9, 0, 992.698},
		{"TCP over PPPoE, MTU 1492: 1440 of 1530", with(tcp4, func(f *Framing) { f.MTU = 1492 }), 1e9, 0, 941.176},
		{"TCP in VXLAN, 50 more octets: 1398 of 1538", with(tcp4, func(f *Framing) { f.Extra = 50 }), 1e9, 0, 908.973},
		{"voice, 172 octets: 172 of 238", udp4, 100e6, 172, 72.2689},
		{"one octet: 1 of 84, padded", udp4, 1e9, 1, 11.904762},
		{"an MTU without room", Framing{MTU: 20}, 1e9, 0, 0},
	} {
		if got := c.f.MaxGoodput(c.speed, c.payload) / 1e6; math.Abs(got-c.want) > c.want*1e-6+1e-9 {
			t.Errorf("%s: got %.4f Mbit/s, want %.4f", c.name, got, c.want)
		}
	}
}

func TestPacketRatesAreThoseOfRFC2544(t *testing.T) {
	// RFC 2544, appendix A.2: frames per second on Ethernet (10 Mbit/s), by the frame's length with check sequence.
	for frame, want := range map[int]float64{64: 14880, 128: 8445, 256: 4528, 512: 2349, 768: 1586, 1024: 1197, 1280: 961, 1518: 812} {
		payload := frame - EthHeader - FCS - IPv4Header - UDPHeader
		if got := math.Floor(udp4.MaxPackets(10e6, payload)); got != want {
			t.Errorf("frames of %d: got %v per second, want %v", frame, got, want)
		}
	}
}

func TestSegmentSizes(t *testing.T) {
	for _, c := range []struct {
		name string
		f    Framing
		want int
	}{
		{"1500", tcp4, 1448},
		{"1500 over IPv6", tcp6, 1428},
		{"9000: a segment size of 8960 is announced, 12 are time stamps", with(tcp4, func(f *Framing) { f.MTU = 9000 }), 8948},
		{"9001 as in clouds: 8961 announced", with(tcp4, func(f *Framing) { f.MTU = 9001 }), 8949},
		{"loopback", with(tcp4, func(f *Framing) { f.MTU = 65536 }), 65484},
		{"UDP", udp4, 1472},
	} {
		if got := c.f.MaxPayload(); got != c.want {
			t.Errorf("%s: got %d, want %d", c.name, got, c.want)
		}
	}
}

func TestOctetsByLayer(t *testing.T) {
	for _, c := range []struct {
		name    string
		f       Framing
		payload int
		want    [4]int // payload, IP, Ethernet, line
	}{
		{"a full segment", tcp4, 1448, [4]int{1448, 1500, 1518, 1538}},
		{"an acknowledgement: 52 octets of IP make a frame of 70", tcp4, 0, [4]int{0, 52, 70, 90}},
		{"one without time stamps is padded", windows4, 0, [4]int{0, 40, 64, 84}},
		{"a tag counts towards the least length", with(windows4, func(f *Framing) { f.VLANTags = 1 }), 0, [4]int{0, 40, 64, 84}},
		{"as Linux counts", with(tcp4, func(f *Framing) { f.NoFCS = true }), 1448, [4]int{1448, 1500, 1514, 1538}},
		{"two tags", with(udp4, func(f *Framing) { f.VLANTags = 2 }), 1472, [4]int{1472, 1500, 1526, 1546}},
	} {
		for l := Payload; l <= Line; l++ {
			if got := c.f.Octets(l, c.payload); got != c.want[l] {
				t.Errorf("%s, %s: got %d, want %d", c.name, l, got, c.want[l])
			}
		}
	}
}

func TestConvertAndBackIsTheSame(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Framing{
			TCP: rapid.Bool().Draw(t, "tcp"), NoTimestamps: rapid.Bool().Draw(t, "no timestamps"), IPv6: rapid.Bool().Draw(t, "6"),
			VLANTags: rapid.IntRange(0, 2).Draw(t, "tags"), NoFCS: rapid.Bool().Draw(t, "no fcs"), MTU: rapid.IntRange(576, 9000).Draw(t, "mtu"),
		}
		a, b := Layer(rapid.IntRange(0, 3).Draw(t, "from")), Layer(rapid.IntRange(0, 3).Draw(t, "to"))
		payload := rapid.IntRange(1, f.MaxPayload()).Draw(t, "payload")
		rate := rapid.Float64Range(1, 1e12).Draw(t, "rate")
		there := f.Convert(rate, a, b, payload)
		if back := f.Convert(there, b, a, payload); math.Abs(back-rate) > rate*1e-12 {
			t.Fatalf("got %v, want %v", back, rate)
		}
		if a < b && there < rate {
			t.Fatalf("%s %v became %v at %s: it must not shrink outwards", a, rate, there, b)
		}
	})
}

func TestConvertKnownRates(t *testing.T) {
	for _, c := range []struct {
		name     string
		f        Framing
		rate     float64
		from, to Layer
		payload  int
		want     float64
	}{
		{"goodput of a full gigabit as a port counts it: 1518 of 1538", tcp4, 941.482445e6, Payload, Ethernet, 0, 986.996e6},
		{"the same at IP: 1500 of 1538", tcp4, 941.482445e6, Payload, IP, 0, 975.293e6},
		{"50 Mbit/s of payload on the line: 50 * 1538 / 1448", tcp4, 50e6, Payload, Line, 0, 53.1077e6},
		{"100 Mbit/s at a port as UDP payload: 100 * 1470 / 1516", udp4, 100e6, Ethernet, Payload, 1470, 96.9657e6},
	} {
		if got := c.f.Convert(c.rate, c.from, c.to, c.payload); math.Abs(got-c.want) > c.want*1e-5 {
			t.Errorf("%s: got %.0f, want %.0f", c.name, got, c.want)
		}
	}
	if got := tcp4.Convert(1e9, Payload, Line, 0); got <= 1e9 {
		t.Errorf("0 must mean a full segment, got %v", got)
	}
}

func TestExpectedOctets(t *testing.T) {
	for _, c := range []struct {
		name          string
		f             Framing
		t             Traffic
		with, against Range
	}{
		// 1000 * (1470 + 28 + 18)
		{"a thousand datagrams, exactly", udp4, Traffic{Payload: 1470000, Size: 1470, Packets: 1000}, Range{1516000, 1516000}, Range{}},
		// 999 full ones and one of 470, which is longer than the least frame
		{"datagrams by their size", udp4, Traffic{Payload: 999*1470 + 470, Size: 1470}, Range{1515000, 1515000}, Range{}},
		// 1000 segments of 1518; at most 12 more packets for 11 writes of 128 KiB and the last, 4 bare ones with options:
		// each packet adds 70, the 4 add 4 * 90. ACKs: 22 at least (one for 64 KiB), 1012 and 4 at most.
		{"a thousand segments", tcp4, Traffic{Payload: 1448000, Write: 128 << 10}, Range{1518000, 1518000 + 12*70 + 360}, Range{22 * 70, 1012*70 + 360}},
		// ten segments sent again
		{"with retransmits", tcp4, Traffic{Payload: 1448000, Write: 1448000, Again: 10}, Range{1010 * 1518, 1010*1518 + 2*70 + 360}, Range{22 * 70, 1012*70 + 360}},
		{"nothing", tcp4, Traffic{}, Range{0, 70 + 360}, Range{0, 70 + 360}},
		{"no room for payload", Framing{MTU: 20}, Traffic{Payload: 1000}, Range{}, Range{}},
	} {
		with, against := c.f.Expect(c.t)
		if with != c.with || against != c.against {
			t.Errorf("%s: got %v and %v, want %v and %v", c.name, with, against, c.with, c.against)
		}
	}
}

func TestARangeHoldsWhatItMay(t *testing.T) {
	r := Range{10, 20}.Add(Range{1, 2})
	for n, want := range map[uint64]bool{10: false, 11: true, 22: true, 23: false} {
		if r.Holds(n) != want {
			t.Errorf("%v holds %d: %v", r, n, !want)
		}
	}
}

func TestMorePacketsTakeMoreOctets(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		f := Framing{TCP: rapid.Bool().Draw(t, "tcp"), IPv6: rapid.Bool().Draw(t, "6")}
		tr := Traffic{Payload: rapid.Uint64Range(0, 1e12).Draw(t, "payload"), Again: rapid.Uint64Range(0, 1e6).Draw(t, "again"), Write: rapid.IntRange(0, 1<<20).Draw(t, "write")}
		with, against := f.Expect(tr)
		if with.Least > with.Most || against.Least > against.Most || with.Least < tr.Payload {
			t.Fatalf("%v and %v of %+v", with, against, tr)
		}
	})
}
