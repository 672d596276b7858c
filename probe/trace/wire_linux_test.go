package trace

import (
	"encoding/binary"
	"net/netip"
	"testing"

	"whydrop/probe/sock"
)

func TestADatagramIsKnownByItsLength(t *testing.T) {
	sent := 300
	for _, tt := range []struct{ length, want int }{
		{8 + udpPayload + 43, 299}, // 299 = 256 + 43
		{8 + udpPayload + 44, 44},  // 300 was not sent yet
		{8 + udpPayload + 255, 255},
		{8 + udpPayload - 1, -1},
		{8 + udpPayload + 256, -1},
		{0, -1},
	} {
		if got := byLength(tt.length, sent); got != tt.want {
			t.Errorf("length %d: packet %d, want %d", tt.length, got, tt.want)
		}
	}
	if got := byLength(8+udpPayload+200, 3); got >= 0 {
		t.Errorf("a length that was never sent: packet %d", got)
	}
}

func TestASegmentIsAValidSYN(t *testing.T) {
	w := syn{to: netip.MustParseAddrPort("198.51.100.1:443"), from: netip.MustParseAddrPort("192.0.2.1:40000"), first: 1<<32 - 1, sent: 3}
	b := w.segment(2)
	pseudo := []byte{192, 0, 2, 1, 198, 51, 100, 1, 0, 6, 0, tcpHeader}
	if len(b) != tcpHeader || sock.Checksum(uint32(^sock.Checksum(0, pseudo)), b) != 0 || binary.BigEndian.Uint32(b[4:]) != 1 {
		t.Errorf("% x", b)
	}
	answer := func(seq, ack uint32, flags byte) []byte {
		a := make([]byte, 20)
		binary.BigEndian.PutUint16(a, 443)
		binary.BigEndian.PutUint16(a[2:], 40000)
		binary.BigEndian.PutUint32(a[4:], seq)
		binary.BigEndian.PutUint32(a[8:], ack)
		a[13] = flags
		return a
	}
	for _, tt := range []struct {
		name string
		b    []byte
		want int
	}{
		{"accepted", answer(7, 2, flagSYN|flagACK), 2},
		{"refused", answer(0, 0, flagRST|flagACK), 0},
		{"data", answer(7, 2, flagACK), -1},
		{"a SYN not sent", answer(7, 9, flagSYN|flagACK), -1},
		{"short", answer(7, 2, flagSYN|flagACK)[:19], -1},
	} {
		if got := w.answered(tt.b); got != tt.want {
			t.Errorf("%s: SYN %d, want %d", tt.name, got, tt.want)
		}
	}
}
