package stamp

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// unhex reads a figure: octets in hexadecimal, spaces and newlines between them.
func unhex(t testing.TB, s string) []byte {
	t.Helper()
	b, err := hex.DecodeString(strings.Join(strings.Fields(s), ""))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// Written by hand from RFC 8762, figures 2 and 5, and RFC 8972, figure 1: 2026-11-30 12:00:00.5 UTC is
// 1796040000.5 s after 1970, 4005028800.5 s after 1900.
var figures = []struct {
	name     string
	bytes    string
	question *Question
	answer   *Answer
}{
	{
		name: "a question with NTP timestamps and no session",
		bytes: `00000007
			eeb7e3c0 80000000
			0001 0000
			0000000000000000 00000000 0000000000000000 0000 0000 00 000000`,
		question: &Question{Sequence: 7, Timestamp: 0xeeb7e3c0_80000000, Estimate: 0x0001},
	},
	{
		name: "a question with PTP timestamps, a session and a synchronised clock",
		bytes: `fffffffe
			6b0d6540 1dcd6500
			d401 beef
			0000000000000000 00000000 0000000000000000 0000 0000 00 000000`,
		question: &Question{Sequence: 0xfffffffe, Timestamp: 0x6b0d6540_1dcd6500, Estimate: 0xd401, Session: 0xbeef},
	},
	{
		name: "an answer",
		bytes: `00000003
			eeb7e3c0 80000000
			8001 beef
			eeb7e3c0 7f000000
			00000007 eeb7e3bf c0000000 0001 0000
			ff 000000`,
		answer: &Answer{Sequence: 3, Timestamp: 0xeeb7e3c0_80000000, Estimate: 0x8001, Session: 0xbeef, Received: 0xeeb7e3c0_7f000000,
			Question: Question{Sequence: 7, Timestamp: 0xeeb7e3bf_c0000000, Estimate: 1}, TTL: 255},
	},
}

func TestPacketsAreAsTheFiguresOfTheRFC(t *testing.T) {
	for _, f := range figures {
		t.Run(f.name, func(t *testing.T) {
			b := unhex(t, f.bytes)
			if len(b) != Size {
				t.Fatalf("the figure has %d octets", len(b))
			}
			if f.question != nil {
				got, err := ParseQuestion(b)
				if err != nil || got != *f.question {
					t.Errorf("read %+v, %v; want %+v", got, err, *f.question)
				}
				if w := f.question.Append(nil); !bytes.Equal(w, b) {
					t.Errorf("wrote %x\nwant  %x", w, b)
				}
			}
			if f.answer != nil {
				got, err := ParseAnswer(b)
				if d := cmp.Diff(*f.answer, got); err != nil || d != "" {
					t.Errorf("read, %v: %s", err, d)
				}
				if w := f.answer.Append(nil); !bytes.Equal(w, b) {
					t.Errorf("wrote %x\nwant  %x", w, b)
				}
			}
		})
	}
}

func TestPacketsThatAreNoQuestions(t *testing.T) {
	good := figures[0].question.Append(nil)
	corrupt := bytes.Clone(good)
	corrupt[13] = 0
	tests := []struct {
		name string
		b    []byte
		want error
	}{
		{"empty", nil, errShort},
		{"one octet short of TWAMP Light", good[:LightSize-1], errShort},
		{"as long as TWAMP Light", good[:LightSize], nil},
		{"multiplier 0", corrupt, errEstimate},
		{"longer, with padding", append(bytes.Clone(good), 1, 2, 3), nil},
	}
	for _, tt := range tests {
		if _, err := ParseQuestion(tt.b); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
}

func TestTimestamps(t *testing.T) {
	tests := []struct {
		name   string
		t      string
		format Format
		raw    Timestamp
	}{
		{"NTP in era 0", "2026-11-30T12:00:00.5Z", NTP, 0xeeb7e3c0_80000000},
		{"NTP at the end of era 0", "2036-02-07T06:28:15Z", NTP, 0xffffffff_00000000},
		{"NTP in era 1", "2036-02-07T06:28:16Z", NTP, 0},
		{"PTP", "2026-11-30T12:00:00.000000001Z", PTP, 0x6b0d6540_00000001},
		{"PTP after 2106", "2106-02-07T06:28:17Z", PTP, 0x00000001_00000000},
	}
	for _, tt := range tests {
		at, err := time.Parse(time.RFC3339Nano, tt.t)
		if err != nil {
			t.Fatal(err)
		}
		if got := NewTimestamp(at, tt.format); got != tt.raw {
			t.Errorf("%s: wrote %x, want %x", tt.name, uint64(got), uint64(tt.raw))
		}
		for _, near := range []time.Duration{-40 * 365 * 24 * time.Hour, 0, 40 * 365 * 24 * time.Hour} {
			if got := tt.raw.Time(tt.format, at.Add(near)); !got.Equal(at) {
				t.Errorf("%s, read %s off: %s, want %s", tt.name, near, got, at)
			}
		}
	}
}

func TestErrorEstimates(t *testing.T) {
	tests := []struct {
		name string
		d    time.Duration
		sync bool
		f    Format
		want ErrorEstimate
	}{
		{"none: the multiplier is never 0", 0, false, NTP, 0x0001},
		{"a second", time.Second, true, NTP, 0x8000 | 25<<8 | 128},
		{"half a second in PTP", time.Second / 2, false, PTP, 0x4000 | 24<<8 | 128},
	}
	for _, tt := range tests {
		got := NewErrorEstimate(tt.f, tt.sync, tt.d)
		if got != tt.want || got.Format() != tt.f || got.Error() < tt.d || got.Error() > tt.d+tt.d/100+time.Nanosecond {
			t.Errorf("%s: %04x, format %d, %s; want %04x", tt.name, uint16(got), got.Format(), got.Error(), uint16(tt.want))
		}
	}
	if got := ErrorEstimate(0x3fff).Error(); got != 24*time.Hour {
		t.Errorf("the largest estimate is %s, want a day", got)
	}
}

func TestAnAnswerIsNotTakenForAQuestion(t *testing.T) {
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	for _, f := range figures {
		if got := isAnswer(unhex(t, f.bytes), now); got != (f.answer != nil) {
			t.Errorf("%s: %v", f.name, got)
		}
	}
}

func FuzzPackets(f *testing.F) {
	for _, x := range figures {
		f.Add(unhex(f, x.bytes))
	}
	f.Add([]byte{})
	f.Add(bytes.Repeat([]byte{0xff}, Size))
	f.Add(unhex(f, lightQuestion))
	f.Add(unhex(f, lightAnswer))
	now := time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := ParseAnswer(b)
		if err != nil {
			if len(b) >= Size {
				t.Errorf("%d octets: %v", len(b), err)
			}
			return
		}
		if again, err := ParseAnswer(a.Append(nil)); err != nil || again != a {
			t.Errorf("written and read again: %+v, %v; want %+v", again, err, a)
		}
		for _, f := range []Format{NTP, PTP} {
			at := a.Timestamp.Time(f, now)
			if f == NTP || a.Timestamp&0xffffffff < 1e9 {
				// A nanosecond holds four units of NTP: the last bits are lost.
				if back := NewTimestamp(at, f); int64(back-a.Timestamp) > 4 || int64(back-a.Timestamp) < -4 {
					t.Errorf("format %d: %x became %x", f, uint64(a.Timestamp), uint64(back))
				}
			}
		}
		if a.Estimate.Error() < 0 {
			t.Errorf("estimate %04x: %s", uint16(a.Estimate), a.Estimate.Error())
		}
		q, err := ParseQuestion(b)
		isAnswer(b, now)
		if again, err2 := ParseQuestion(q.Append(nil)); !errors.Is(err2, err) || again != q {
			t.Errorf("question written and read again: %+v, %v; want %+v, %v", again, err2, q, err)
		}
	})
}

func FuzzSignedPackets(f *testing.F) {
	f.Add(unhex(f, signedQuestion))
	f.Add(unhex(f, signedAnswer))
	f.Add(bytes.Repeat([]byte{0xff}, AuthenticatedSize))
	f.Fuzz(func(t *testing.T, b []byte) {
		if _, err := ParseSignedAnswer(b, testKey); err == nil && !bytes.Equal(b[signed:AuthenticatedSize], mac(b, testKey)) {
			t.Errorf("%x is believed", b)
		}
		if len(b) < AuthenticatedSize {
			return
		}
		b = append(bytes.Clone(b[:signed]), mac(b, testKey)...) // beyond the signature
		a, err := ParseSignedAnswer(b, testKey)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := ParseSignedAnswer(a.AppendSigned(nil, testKey), testKey); err != nil || again != a {
			t.Errorf("written and read again: %+v, %v; want %+v", again, err, a)
		}
		q, err := ParseSignedQuestion(b, testKey)
		if again, err2 := ParseSignedQuestion(q.AppendSigned(nil, testKey), testKey); !errors.Is(err2, err) || again != q {
			t.Errorf("question written and read again: %+v, %v; want %+v, %v", again, err2, q, err)
		}
	})
}
