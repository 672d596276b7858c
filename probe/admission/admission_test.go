package admission

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// place joins a queue that is not full.
func place(t *testing.T, q *Queue) *Place {
	t.Helper()
	p, err := q.Join()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func hasTurn(p *Place) bool {
	select {
	case <-p.Turn():
		return true
	default:
		return false
	}
}

func TestQueueIsFirstComeFirstServed(t *testing.T) {
	q := NewQueue(2)
	var p []*Place
	for range 5 {
		p = append(p, place(t, q))
	}
	steps := []struct {
		name    string
		leaves  int // -1: nobody
		turns   [5]bool
		waiting int
	}{
		{"two run at once", -1, [5]bool{true, true}, 3},
		{"one who waits goes away", 3, [5]bool{true, true}, 2},
		{"the first in the queue follows", 1, [5]bool{true, true, true}, 1},
		{"who left twice frees one place", 1, [5]bool{true, true, true}, 1},
		{"the next jumps over who went away", 0, [5]bool{true, true, true, false, true}, 0},
		{"nobody waits", 2, [5]bool{true, true, true, false, true}, 0},
	}
	for _, s := range steps {
		if s.leaves >= 0 {
			p[s.leaves].Leave()
		}
		for i := range p {
			if got := hasTurn(p[i]); got != s.turns[i] {
				t.Errorf("%s: place %d has its turn: %v", s.name, i, got)
			}
		}
		if n := q.Waiting(); n != s.waiting {
			t.Errorf("%s: %d wait, want %d", s.name, n, s.waiting)
		}
	}
	if !hasTurn(place(t, q)) {
		t.Error("a free place is not given")
	}
}

func TestQueueIsBounded(t *testing.T) {
	q := NewQueue(1)
	for range 1 + MaxWaiting {
		place(t, q)
	}
	if _, err := q.Join(); !errors.Is(err, ErrFull) {
		t.Errorf("got %v, want %v", err, ErrFull)
	}
}

// script is a listener that gives what it is told.
type script struct {
	next   chan error // nil: a connection
	closed chan struct{}
	conns  chan net.Conn // the other ends
}

func (s *script) Accept() (net.Conn, error) {
	select {
	case err := <-s.next:
		if err != nil {
			return nil, err
		}
		a, b := net.Pipe()
		s.conns <- b
		return a, nil
	case <-s.closed:
		return nil, net.ErrClosed
	}
}

func (s *script) Close() error {
	select {
	case <-s.closed:
	default:
		close(s.closed)
	}
	return nil
}

func (s *script) Addr() net.Addr { return nil }

func newScript() *script {
	return &script{make(chan error), make(chan struct{}), make(chan net.Conn, 2*MaxSilent)}
}

// ended says whether the peer closed a connection.
func ended(c net.Conn) bool {
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	_, err := c.Read(make([]byte, 1))
	var ne net.Error
	return err != nil && !(errors.As(err, &ne) && ne.Timeout())
}

func TestSilentConnectionsMakeRoom(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var e Entrance
		l := newScript()
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		problems := 0
		go func() {
			done <- e.Accept(ctx, l, func(ctx context.Context, conn net.Conn, order uint64) {
				defer conn.Close()
				out := e.Silent(conn)
				defer out()
				if order == 2 { // it speaks
					out()
				}
				<-ctx.Done()
			}, func(error) { problems++ })
		}()
		var peers []net.Conn
		add := func() {
			l.next <- nil
			peers = append(peers, <-l.conns)
			synctest.Wait()
		}
		for range MaxSilent + 1 { // one of them has spoken
			add()
		}
		for i, c := range peers {
			if ended(c) {
				t.Fatalf("connection %d was closed while there was room", i+1)
			}
		}
		add()
		if !ended(peers[0]) || ended(peers[1]) || ended(peers[2]) {
			t.Error("not the silent connection that is oldest made room")
		}
		l.next <- errors.New("too many open files")
		add()
		if !ended(peers[2]) || problems != 1 {
			t.Errorf("without descriptors nobody made room; %d problems", problems)
		}
		cancel()
		if err := <-done; err != nil {
			t.Errorf("ended with %v", err)
		}
		for i, c := range peers {
			if !ended(c) {
				t.Errorf("connection %d is open after the end", i+1)
			}
		}
	})
}

func TestAcceptEndsWithItsListener(t *testing.T) {
	l := newScript()
	l.Close()
	if err := new(Entrance).Accept(t.Context(), l, nil, nil); !errors.Is(err, net.ErrClosed) {
		t.Errorf("got %v, want that the listener is closed", err)
	}
}

func TestDefaults(t *testing.T) {
	longest, rate, streams := time.Second, 0.0, -1
	Defaults(&longest, &rate, &streams)
	if longest != time.Second || rate != DefaultMaxRate || streams != DefaultMaxStreams {
		t.Errorf("got %v, %v, %v", longest, rate, streams)
	}
}
