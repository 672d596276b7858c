package stamp

import (
	"bytes"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

var testKey = []byte("orchard")

// Written by hand from RFC 8762, figures 3 and 6, and RFC 8972, figures 2 and 4; the HMACs were computed by another
// implementation of HMAC-SHA-256.
const (
	signedQuestion = `00000007 000000000000000000000000
		eeb7e3c0 80000000 0001 beef 00000000
		00000000000000000000000000000000
		00000000000000000000000000000000
		00000000000000000000000000000000
		00000000000000000000000000000000
		9abec42493155fb44f32a9e71074f06f`
	signedAnswer = `00000003 000000000000000000000000
		eeb7e3c0 80000000 8001 beef 00000000
		eeb7e3c0 7f000000 0000000000000000
		00000007 000000000000000000000000
		eeb7e3bf c0000000 0001 000000000000
		ff 000000000000000000000000000000
		61c9b7ab70574df87cc0451e48f52d6d`
)

func TestSignedPacketsAreAsTheFiguresOfTheRFC(t *testing.T) {
	q, a := Question{Sequence: 7, Timestamp: 0xeeb7e3c0_80000000, Estimate: 1, Session: 0xbeef}, *figures[2].answer
	if b := unhex(t, signedQuestion); !bytes.Equal(q.AppendSigned(nil, testKey), b) {
		t.Errorf("wrote %x\nwant  %x", q.AppendSigned(nil, testKey), b)
	} else if got, err := ParseSignedQuestion(b, testKey); err != nil || got != q || isSignedAnswer(b) {
		t.Errorf("read %+v, %v, an answer: %v; want %+v", got, err, isSignedAnswer(b), q)
	}
	if b := unhex(t, signedAnswer); !bytes.Equal(a.AppendSigned(nil, testKey), b) {
		t.Errorf("wrote %x\nwant  %x", a.AppendSigned(nil, testKey), b)
	} else if got, err := ParseSignedAnswer(b, testKey); err != nil || got != a || !isSignedAnswer(b) {
		t.Errorf("read %+v, %v, an answer: %v; want %+v", got, err, isSignedAnswer(b), a)
	}
}

func TestPacketsThatAreNotSignedAreNotRead(t *testing.T) {
	good := unhex(t, signedQuestion)
	changed := func(i int) []byte { b := bytes.Clone(good); b[i] ^= 1; return b }
	none := Question{Sequence: 1}.AppendSigned(nil, testKey)
	tests := []struct {
		name string
		b    []byte
		key  string
		want error
	}{
		{"signed", good, "orchard", nil},
		{"with padding behind", append(bytes.Clone(good), 1, 2, 3), "orchard", nil},
		{"with another key", good, "orchards", errUnsigned},
		{"another number", changed(3), "orchard", errUnsigned},
		{"an octet that should be zero", changed(95), "orchard", errUnsigned},
		{"the HMAC's last octet", changed(111), "orchard", errUnsigned},
		{"one octet short", good[:AuthenticatedSize-1], "orchard", errShortSigned},
		{"unauthenticated mode", Question{Estimate: 1}.Append(nil), "orchard", errShortSigned},
		{"multiplier 0", none, "orchard", errEstimate},
	}
	for _, tt := range tests {
		if _, err := ParseSignedQuestion(tt.b, []byte(tt.key)); !errors.Is(err, tt.want) {
			t.Errorf("%s: %v, want %v", tt.name, err, tt.want)
		}
	}
	if _, err := ParseQuestion(good); !errors.Is(err, errEstimate) {
		t.Errorf("a reflector without a key reads it: %v", err)
	}
}

func TestKeysOfBothEnds(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name        string
		sender, far string
		answered    bool
		unsigned    bool
		hint        string
	}{
		{"the same key", "orchard", "orchard", true, false, ""},
		{"another key", "orchard", "meadow", false, true, "without this key"},
		{"a key at the far end only", "", "orchard", false, true, "not signed"},
		{"a key at the sender only", "orchard", "", false, false, "without this key"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if !tt.answered {
				long(t)
			}
			t.Parallel()
			r := &Reflector{Key: []byte(tt.far)}
			at := serve(t, r, listen(t, "127.0.0.1:0"))
			h := beat(t, Sender{To: "127.0.0.1", Port: at.Port(), Key: []byte(tt.sender)})
			if tt.answered {
				h.Measures(2)
			} else {
				h.Tells(timeline.EventProbeProblem)
			}
			if n := len(h.Stop().Series(path, timeline.LossForward)); (n > 0) != tt.answered {
				t.Errorf("%d samples of loss, answered: want %v", n, tt.answered)
			}
			if st := r.Stats(); (st.Unsigned > 0) != tt.unsigned || (st.Reflected > 0) != tt.answered {
				t.Errorf("reflector: %+v", st)
			}
			err := CheckSigned(t.Context(), "127.0.0.1", at.Port(), []byte(tt.sender))
			if (err == nil) != tt.answered || err != nil && !strings.Contains(err.Error(), tt.hint) {
				t.Errorf("checked: %v, want %q in it", err, tt.hint)
			}
		})
	}
}

// A replayed or looped packet of the own key must not set two reflectors against each other.
func TestASignedAnswerIsNotAnswered(t *testing.T) {
	t.Parallel()
	r := Reflector{Key: testKey}
	to := serve(t, &r, listen(t, "127.0.0.1:0"))
	me, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer me.Close()
	q := append(Question{Sequence: 5, Timestamp: NewTimestamp(time.Now(), NTP), Estimate: 1, Session: 77}.AppendSigned(nil, testKey), 9, 9)
	first := ask(t, me, to, q, true)
	a, err := ParseSignedAnswer(first, testKey)
	if err != nil || len(first) != len(q) || a.Session != 77 || a.Question.Sequence != 5 || a.Received == 0 {
		t.Errorf("%d octets: %+v, %v", len(first), a, err)
	}
	if b := ask(t, me, to, first, false); b != nil || r.Stats().Looped != 1 {
		t.Errorf("the answer was answered with %d octets, %+v", len(b), r.Stats())
	}
}
