package admission

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"
)

// MaxSilent is how many connections may be on their way to a test at once. One more pushes out the one that is on its
// way longest: a client that means it answers at once, so a flood of silent connections does not keep it out.
const MaxSilent = 256

// Entrance is where connections come in. The zero value is ready to use.
type Entrance struct {
	mu    sync.Mutex
	conns []net.Conn // that have not said yet what they want, oldest first
}

// Accept hands each connection that comes to handle, in a goroutine of its own and with its number, counted from 1,
// until ctx ends; then it returns nil. It returns an error only if the listener cannot go on. Then, too, handle's
// context is ended. l is closed and the goroutines are gone when it returns. handle closes its connection. problem, if not nil, is told of what did not end
// it: descriptors that are used up, a connection that died while it waited.
func (e *Entrance) Accept(ctx context.Context, l net.Listener, handle func(ctx context.Context, conn net.Conn, order uint64), problem func(error)) error {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	defer l.Close()
	defer context.AfterFunc(ctx, func() { l.Close() })()
	for order := uint64(1); ; order++ {
		conn, err := l.Accept()
		switch {
		case ctx.Err() != nil:
			if err == nil {
				conn.Close()
			}
			return nil
		case errors.Is(err, net.ErrClosed):
			return fmt.Errorf("accept: %w", err)
		case err != nil:
			if problem != nil {
				problem(fmt.Errorf("accept: %w", err))
			}
			e.evict()
			pause(ctx, 50*time.Millisecond)
			continue
		}
		wg.Go(func() { handle(ctx, conn, order) })
	}
}

// Silent notes a connection that has not said yet what it wants; it may be closed to make room for another. out must
// be called, once or more often, when it has said so or has ended.
func (e *Entrance) Silent(conn net.Conn) (out func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.conns) >= MaxSilent {
		e.evictLocked()
	}
	e.conns = append(e.conns, conn)
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.conns = slices.DeleteFunc(e.conns, func(c net.Conn) bool { return c == conn })
	}
}

// evict closes the connection that is silent longest.
func (e *Entrance) evict() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.evictLocked()
}

func (e *Entrance) evictLocked() {
	if len(e.conns) > 0 {
		e.conns[0].Close()
		e.conns = slices.Delete(e.conns, 0, 1)
	}
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}
