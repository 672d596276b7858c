package sock

import "testing"

func TestChecksumIsThatOfTheRFC(t *testing.T) {
	// RFC 1071, section 3: the sum of these octets is ddf2.
	example := []byte{0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7}
	for name, got := range map[string]uint16{
		"at once":     Checksum(0, example),
		"in two goes": Checksum(uint32(^Checksum(0, example[:4])), example[4:]),
	} {
		if got != ^uint16(0xddf2) {
			t.Errorf("%s: %04x, want %04x", name, got, ^uint16(0xddf2))
		}
	}
	if got := Checksum(0, []byte{0x01}); got != ^uint16(0x0100) {
		t.Errorf("an odd octet: %04x, want %04x", got, ^uint16(0x0100))
	}
}
