package stamp

import (
	"bytes"
	"math/rand/v2"
	"net"
	"testing"
	"time"
)

// Questions and answers of TWAMP Light, written by hand from RFC 5357, sections 4.1.2 and 4.2.1.
const (
	// 27 octets of padding make it as long as its answer.
	lightQuestion = `00000007 eeb7e3c0 80000000 0001
		a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5`
	lightAnswer = `00000003 eeb7e3c0 80000000 8001 0000
		eeb7e3c0 7f000000 00000007 eeb7e3bf c0000000 0001 0000 ff`
)

func TestPacketsOfTWAMPLight(t *testing.T) {
	q, err := ParseQuestion(unhex(t, lightQuestion))
	if want := (Question{Sequence: 7, Timestamp: 0xeeb7e3c0_80000000, Estimate: 1}); err != nil || q != want {
		t.Errorf("question %+v, %v; want %+v", q, err, want)
	}
	want := *figures[2].answer
	want.Session = 0
	a, err := ParseAnswer(unhex(t, lightAnswer))
	if err != nil || a != want || len(unhex(t, lightAnswer)) != LightSize {
		t.Errorf("answer %+v, %v; want %+v", a, err, want)
	}
}

// Senders of TWAMP Light fill their questions with what they like; each is one session all the same, and is answered
// with as many octets.
func TestTheReflectorAnswersTWAMPLight(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(5, 357))
	noise := func(b []byte) {
		for i := range b {
			b[i] = byte(random.Uint32()) | 1
		}
	}
	tests := []struct {
		name string
		size int
		fill func([]byte)
		want bool
	}{
		{"41 octets with zeros", LightSize, func([]byte) {}, true},
		{"41 octets with random padding", LightSize, noise, true},
		{"42 octets", 42, noise, true},
		{"43 octets", 43, noise, true},
		{"300 octets with random padding", 300, noise, true},
		{"14 octets: the answer would be longer", 14, noise, false},
		{"40 octets: likewise", 40, noise, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r Reflector
			to := serve(t, &r, listen(t, "127.0.0.1:0"))
			me, err := net.ListenUDP("udp", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
			if err != nil {
				t.Fatal(err)
			}
			defer me.Close()
			for i := range uint32(3) {
				b := Question{Sequence: 100 + i, Timestamp: NewTimestamp(time.Now(), NTP), Estimate: 1}.Append(nil)
				b = append(b, make([]byte, 300)...)[:tt.size]
				tt.fill(b[14:])
				got := ask(t, me, to, b, tt.want)
				if !tt.want {
					if got != nil {
						t.Fatalf("answered with %d octets", len(got))
					}
					return
				}
				a, err := ParseAnswer(got)
				if err != nil || len(got) != len(b) || a.Sequence != i || a.Question.Sequence != 100+i || a.Session != 0 || a.Received == 0 {
					t.Errorf("number %d: %d octets, %+v, %v", i, len(got), a, err)
				}
				if len(b) > Size && !bytes.Equal(got[Size:], b[Size:]) {
					t.Errorf("the padding came back as %x, it was %x", got[Size:], b[Size:])
				}
			}
			if st := r.Stats(); st.Sessions != 1 {
				t.Errorf("reflector: %+v", st)
			}
		})
	}
}

// Our question to a reflector of TWAMP Light comes back with 44 octets or, where it drops the padding, with 41.
func TestTheSenderBelievesAReflectorOfTWAMPLight(t *testing.T) {
	t.Parallel()
	for _, size := range []int{LightSize, Size} {
		conn := listen(t, "127.0.0.1:0")
		at := conn.LocalAddr().(*net.UDPAddr).AddrPort()
		done := make(chan struct{})
		go func() {
			defer close(done)
			b := make([]byte, 2048)
			for n := uint32(0); ; n++ {
				_, from, err := conn.ReadFrom(b)
				if err != nil {
					return
				}
				q, _ := ParseQuestion(b)
				q.Session = 0
				now := NewTimestamp(time.Now(), NTP)
				a := Answer{Sequence: n, Timestamp: now, Estimate: 1, Received: now, Question: q, TTL: 64}
				_, _ = conn.WriteTo(a.Append(nil)[:size], from)
			}
		}()
		if err := Check(t.Context(), "127.0.0.1", at.Port()); err != nil {
			t.Errorf("answers of %d octets: %v", size, err)
		}
		conn.Close()
		<-done
	}
}
