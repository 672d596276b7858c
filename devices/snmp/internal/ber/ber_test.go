package ber

import (
	"bytes"
	"testing"
)

func TestLengths(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 255, 256, 65535} {
		b := AppendHeader(nil, Octets, n)
		if len(b) != HeaderLen(n) {
			t.Errorf("header of %d octets: %d long, HeaderLen says %d", n, len(b), HeaderLen(n))
		}
		content, rest, ok := Take(append(b, make([]byte, n+3)...), Octets)
		if !ok || len(content) != n || len(rest) != 3 {
			t.Errorf("%d octets: got %d, rest %d, %t", n, len(content), len(rest), ok)
		}
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[uint32][]byte{
		0: {2, 1, 0}, 127: {2, 1, 127}, 128: {2, 2, 0, 128}, 65535: {2, 3, 0, 255, 255}, 1<<32 - 1: {2, 5, 0, 255, 255, 255, 255},
	} {
		b := AppendUint(nil, v)
		if !bytes.Equal(b, want) || len(b) != 2+UintLen(v) {
			t.Errorf("%d: got %x, want %x", v, b, want)
		}
		if got, _, ok := TakeUint(b); !ok || got != v {
			t.Errorf("%d: read as %d, %t", v, got, ok)
		}
	}
	for name, b := range map[string][]byte{"negative": {2, 1, 0x80}, "of 40 bits": {2, 5, 1, 0, 0, 0, 0}, "empty": {2, 0}, "cut": {2, 2, 1}} {
		if v, _, ok := TakeUint(b); ok {
			t.Errorf("%s: read as %d", name, v)
		}
	}
}

func TestIdentifiers(t *testing.T) {
	got, err := AppendOID(nil, ".1.3.6.1.4.1.2680.1.2.7.3.2.0")
	want := []byte{6, 13, 0x2b, 6, 1, 4, 1, 0x94, 0x78, 1, 2, 7, 3, 2, 0}
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %x, %v, want %x", got, err, want)
	}
	if got, err := AppendOID(nil, "2.100.4294967295"); err != nil || !bytes.Equal(got, []byte{6, 7, 0x81, 0x34, 0x8f, 0xff, 0xff, 0xff, 0x7f}) {
		t.Errorf("got %x, %v", got, err)
	}
}
