package connectrate

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
)

// dialError is what a dialler of the net package returns.
func dialError(err error) error { return &net.OpError{Op: "dial", Net: "tcp", Err: err} }

func TestFates(t *testing.T) {
	tests := []struct {
		name string
		err  error
		want Fate
		why  string
	}{
		{"accepted", nil, Accepted, ""},
		{"refused", dialError(os.NewSyscallError("connect", syscall.ECONNREFUSED)), Refused, ""},
		{"given up", dialError(context.DeadlineExceeded), Silent, ""},
		{"given up by the kernel", dialError(os.NewSyscallError("connect", syscall.ETIMEDOUT)), Silent, ""},
		{"a router says no", dialError(os.NewSyscallError("connect", syscall.EHOSTUNREACH)), Rejected, "no route to host"},
		{"out of ports", dialError(os.NewSyscallError("connect", syscall.EADDRNOTAVAIL)), Host, "cannot assign requested address"},
		{"out of descriptors", dialError(os.NewSyscallError("socket", syscall.EMFILE)), Host, "too many open files"},
	}
	for _, tt := range tests {
		if f, why := fateOf(tt.err); f != tt.want || why != tt.why {
			t.Errorf("%s: %s %q, want %s %q", tt.name, f, why, tt.want, tt.why)
		}
	}
}

// simulate carries out a run in virtual time; answer says what becomes of connection n, begun at a moment.
func simulate(t *testing.T, c Config, limit time.Duration, answer func(n int, at time.Duration) error) (r Result, err error) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		var n atomic.Int64
		var start time.Time
		c.To, c.Ports = "192.0.2.1", []uint16{80}
		c.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) {
			if start.IsZero() {
				start = time.Now()
			}
			err := answer(int(n.Add(1)), time.Since(start))
			if errors.Is(err, context.DeadlineExceeded) {
				<-ctx.Done()
				return nil, dialError(ctx.Err())
			}
			select {
			case <-ctx.Done():
				return nil, dialError(ctx.Err())
			case <-time.After(10 * time.Millisecond):
			}
			if err != nil {
				return nil, dialError(err)
			}
			a, b := net.Pipe()
			b.Close()
			return a, nil
		}
		r, err = Run(ctx, c)
	})
	return r, err
}

func TestRuns(t *testing.T) {
	refused := os.NewSyscallError("connect", syscall.ECONNREFUSED)
	rejected := os.NewSyscallError("connect", syscall.EHOSTUNREACH)
	busy := os.NewSyscallError("connect", syscall.EADDRNOTAVAIL)
	tests := []struct {
		name   string
		answer func(n int, at time.Duration) error
		failed bool
		means  string
	}{
		{"all accepted", func(int, time.Duration) error { return nil }, false, "admits new sessions"},
		{"all refused", func(int, time.Duration) error { return refused }, false, "admits new sessions. Nothing listens on port"},
		{"one of three refused", func(n int, _ time.Duration) error {
			if n%3 == 0 {
				return refused
			}
			return nil
		}, true, "refused"},
		{"a router rejects every other", func(n int, _ time.Duration) error {
			if n%2 == 0 {
				return rejected
			}
			return nil
		}, true, "rejected: no route to host"},
		{"two of all without an answer", func(n int, _ time.Duration) error {
			if n == 20 || n == 40 {
				return context.DeadlineExceeded
			}
			return nil
		}, false, "too few"},
		{"none after the first 40", func(n int, _ time.Duration) error {
			if n > 42 { // one by which the port was chosen, one that goes on
				return context.DeadlineExceeded
			}
			return nil
		}, true, "The first 40 got through"},
		{"this host is out of ports", func(n int, _ time.Duration) error {
			if n > 50 {
				return busy
			}
			return nil
		}, false, "more could not be tried: cannot assign requested address"},
	}
	for _, tt := range tests {
		r, err := simulate(t, Config{}, time.Minute, tt.answer)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
		all := countOf(r.Attempts)
		if all.All() < 145 || all.All() > 152 { // 10/3 s at 5 and 20/3 s at 20 a second
			t.Errorf("%s: %d connections", tt.name, all.All())
		}
		if m := r.Meaning(); !strings.Contains(m, tt.means) || tt.failed != strings.Contains(m, "did not get through (") {
			t.Errorf("%s: %s; want %q", tt.name, m, tt.means)
		}
	}
}

func TestNothingAnswersAtAll(t *testing.T) {
	_, err := simulate(t, Config{}, time.Minute, func(int, time.Duration) error { return context.DeadlineExceeded })
	if !errors.Is(err, ErrSilent) {
		t.Error(err)
	}
	if _, err := Run(t.Context(), Config{To: "127.0.0.1"}); err == nil || !strings.Contains(err.Error(), "no port") {
		t.Error(err)
	}
}

func TestInterrupted(t *testing.T) {
	r, err := simulate(t, Config{}, 3*time.Second, func(n int, _ time.Duration) error {
		if n%2 == 0 {
			return context.DeadlineExceeded
		}
		return nil
	})
	if err != nil || r.Seconds > 3.1 {
		t.Errorf("%v after %.1f s", err, r.Seconds)
	}
	for _, a := range r.Attempts {
		if a.Fate == Silent && a.At > 3*time.Second-answerTime {
			t.Errorf("a connection begun at %s was not given its time", a.At)
		}
	}
}

func TestTheRateIsBounded(t *testing.T) {
	r, err := simulate(t, Config{Rate: 1e6, Time: time.Hour}, 10*time.Second, func(int, time.Duration) error { return nil })
	if err != nil || len(r.Attempts) > 10*maxRate+10 {
		t.Errorf("%v, %d connections in 10 s", err, len(r.Attempts))
	}
}

func TestMeaningOfSessionsBeside(t *testing.T) {
	var as []Attempt
	for i := range 60 {
		a := Attempt{At: time.Duration(i) * 100 * time.Millisecond, Fate: Accepted, Fast: i%3 > 0}
		if i%2 == 0 {
			a.Fate = Silent
		}
		as = append(as, a)
	}
	tests := []struct {
		name string
		e    []Established
		own  Table
		want string
	}{
		{"it went on", []Established{{Kind: "stamp", Known: true}}, Table{}, "a full session"},
		{"it did not", []Established{{Kind: "stamp", Known: true, Silence: time.Second}}, Table{}, "an outage"},
		{"it lost as much", []Established{{Kind: "stamp", Known: true, Lost: 0.5}}, Table{}, "heavy loss"},
		{"there was none", nil, Table{}, "an established session would tell"},
		{"one of two", []Established{{Kind: "stamp", Known: true}, {Kind: "tcp", Known: true, Silence: 4 * time.Second}}, Table{}, "the other did not"},
		{"our own table is full", nil, Table{65536, 65536}, "may be the culprit"},
	}
	for _, tt := range tests {
		r := Result{Attempts: as, Established: tt.e, Own: tt.own, SlowTime: 2 * time.Second, FastTime: 4 * time.Second}
		r.count()
		if m := r.Meaning(); !strings.Contains(m, tt.want) {
			t.Errorf("%s: %s", tt.name, m)
		}
	}
}

func TestFewConnectionsProveNothing(t *testing.T) {
	r := Result{Attempts: []Attempt{{Fate: Accepted}, {Fate: Accepted}}}
	if got, want := r.Meaning(), "None of the new connections failed, 2 in all: too few to conclude anything from."; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
