package stream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

// Count is what one direction of one connection carried. It may be read while the transfer runs. The zero Count
// is ready to use.
type Count struct {
	mu      sync.Mutex
	bytes   uint64
	last    time.Time     // when data last moved
	waited  time.Duration // inside Reads and Writes that are over
	since   time.Time     // when the Read or Write that goes on began; zero: none goes on
	starved time.Duration
	file    time.Duration // spent on a Source or Sink
	path    string
	damaged uint64
	damage1 uint64 // where the first damaged byte was
}

// Bytes returns how many bytes the kernel took (of a sender) or gave (to a receiver).
func (c *Count) Bytes() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.bytes
}

// Last returns when data last moved; the zero Time if none did.
func (c *Count) Last() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.last
}

// Waited returns the time spent waiting for the connection so far, the wait that goes on included.
func (c *Count) Waited() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.waited + c.blocked()
}

// Blocked returns for how long the Read or Write that goes on has waited; 0 if none does.
func (c *Count) Blocked() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.blocked()
}

// Starved returns the time a paced sender lost because its host was late; see [Pacer.Starved].
func (c *Count) Starved() time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.starved
}

// Path says how the bytes went to the kernel or came from it: one of the constants beginning with Path. It is ""
// before the transfer began.
func (c *Count) Path() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.path
}

// Damaged returns how many bytes were not those that the sender sent, and at which byte of the transfer, counted
// from 0, the first was. Only a receiver with Verify finds any.
func (c *Count) Damaged() (bytes, first uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.damaged, c.damage1
}

func (c *Count) damage(bytes, first uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.damaged == 0 {
		c.damage1 = first
	}
	c.damaged += bytes
}

func (c *Count) blocked() time.Duration {
	if c.since.IsZero() {
		return 0
	}
	return time.Since(c.since)
}

func (c *Count) begin() {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.since = now
}

// end notes that the Read or Write that went on moved n bytes by a path, and returns the time and how long it took.
func (c *Count) end(n int, path string) (now time.Time, took time.Duration) {
	now = time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	took = now.Sub(c.since)
	c.since = time.Time{}
	c.waited += took
	if n > 0 {
		c.bytes += uint64(n)
		c.last = now
	}
	c.path = path
	return now, took
}

func (c *Count) starve(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.starved = d
}

// Budget is a number of bytes that several senders share. It is safe for concurrent use.
type Budget struct{ left atomic.Int64 }

// NewBudget returns a budget of n bytes.
func NewBudget(n uint64) *Budget {
	b := &Budget{}
	b.left.Store(int64(min(n, 1<<62)))
	return b
}

// Take returns how many of n bytes may be sent and takes them from the budget; 0 when it is used up.
func (b *Budget) Take(n int) int {
	for {
		left := b.left.Load()
		took := min(int64(n), left)
		if took <= 0 {
			return 0
		}
		if b.left.CompareAndSwap(left, left-took) {
			return int(took)
		}
	}
}

// giveBack returns bytes that were taken and could not be sent.
func (b *Budget) giveBack(n int) {
	if n > 0 {
		b.left.Add(int64(n))
	}
}

// Sender sends bulk data over one connection.
//
// On Linux the kernel takes the program's pages as they are if the connection is a *net.TCPConn and the rate is high
// or not limited; [Count.Path] says what was done. Everywhere else, and if that fails, bytes are written.
type Sender struct {
	Rate     float64     // bit/s; 0: as fast as the path takes it
	Length   int         // bytes written at a time when not paced, and at most when paced; 0 is as many as are copied fastest
	Exact    bool        // write Length at a time even when paced
	Budget   *Budget     // nil: no end
	Slow     func(n int) // if not nil, called after each write of n bytes: a program that is slow
	Verify   bool        // write what a Receiver with Verify expects
	Portable bool        // write, even where there is a faster way
	Source   io.Reader   // what is sent, until it ends; nil: bytes that do not compress. See [Count.File]
	Count    *Count      // must not be nil; counts on from where it is
}

// DefaultLength is the length of a write, as iperf3's (DEFAULT_TCP_BLKSIZE).
const DefaultLength = 128 << 10

// copyLength is how much is copied at a time where nobody says how much: on loopback and across veth 1.2 times the
// throughput of iperf3's length.
const copyLength = 1 << 20

// Run sends until ctx ends, the budget is used up or the source ends, then returns nil; it returns the error if the
// connection breaks or the source does. It takes over the connection's write deadline and leaves none behind.
func (s *Sender) Run(ctx context.Context, conn net.Conn) error {
	defer interruptible(ctx, conn.SetWriteDeadline)()
	w, length := s.writer(conn)
	defer w.close()
	pacer := Pacer{Rate: s.Rate}
	for {
		if err := sleep(ctx, pacer.Wait(time.Now())); err != nil {
			return nil
		}
		asked := length
		if s.Budget != nil {
			if asked = s.Budget.Take(asked); asked == 0 {
				return nil
			}
		}
		if from, ok := w.(*sourceWriter); ok {
			n, err := from.load(asked, s.Count)
			if s.Budget != nil {
				s.Budget.giveBack(asked - n)
			}
			if asked = n; n == 0 {
				return err
			}
		}
		s.Count.begin()
		n, err := w.write(asked)
		now, blocked := s.Count.end(n, w.path())
		if s.Budget != nil {
			s.Budget.giveBack(asked - n)
		}
		if err != nil {
			return s.over(ctx, err)
		}
		pacer.Sent(now, n, blocked)
		s.Count.starve(pacer.Starved())
		if s.Slow != nil {
			s.Slow(n)
		}
	}
}

// writer returns how to write, and how much at a time.
func (s *Sender) writer(conn net.Conn) (w bulkWriter, length int) {
	if !s.Portable && !s.Verify && !s.Exact && s.Source == nil && (s.Rate <= 0 || s.Rate >= fastRate) {
		if w := newFastWriter(conn); w != nil {
			return w, ChunkFor(s.Rate, spliceLength)
		}
	}
	length = s.Length
	if length <= 0 {
		length = copyLength
	}
	if !s.Exact {
		length = ChunkFor(s.Rate, length)
	}
	switch {
	case s.Source != nil:
		return &sourceWriter{plainBulkWriter{conn: conn, buf: make([]byte, length)}, s.Source}, length
	case s.Verify:
		return &patternWriter{conn: conn}, length
	}
	return &plainBulkWriter{conn: conn, buf: payload(length)}, length
}

// How much goes and comes at a time where nothing is copied.
const (
	spliceLength  = 1 << 20
	discardLength = 4 << 20
)

func (s *Sender) over(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, os.ErrDeadlineExceeded) {
		return nil
	}
	return fmt.Errorf("stream: send: %w", err)
}

// Receiver receives bulk data from one connection and throws it away.
//
// On Linux it is the kernel that does so if the connection is a *net.TCPConn: the program never sees the bytes.
// [Count.Path] says what was done, [PathDiscard] or another. What a protocol has at the beginning of a connection
// must be read before.
type Receiver struct {
	Length   int         // bytes read at a time; 0 is as many as are copied fastest. A kernel that throws away is asked for more
	Slow     func(n int) // if not nil, called after each read of n bytes: a program that is slow
	Limit    *Limit      // nil: none
	Verify   bool        // read the bytes and compare them with those of a Sender with Verify; see [Count.Damaged]
	Portable bool        // read, even where there is a faster way
	Sink     io.Writer   // if not nil, takes what arrives; not together with Verify. See [Count.File]
	Count    *Count      // must not be nil; counts on from where it is
}

// Run receives until ctx ends or the peer closes, then returns nil; it returns the error if the connection breaks or
// the sink does.
// It takes over the connection's read deadline and leaves none behind.
func (r *Receiver) Run(ctx context.Context, conn net.Conn) error {
	defer interruptible(ctx, conn.SetReadDeadline)()
	from, length := r.reader(conn)
	for {
		r.Count.begin()
		n, err := from.read(length)
		if err == nil && r.Limit != nil {
			// Waiting for the limit is not the program's own slowness: it counts as waiting.
			_ = r.Limit.wait(ctx, n)
		}
		r.Count.end(n, from.path())
		if to, ok := from.(*sinkReader); ok && n > 0 {
			if serr := to.store(n, r.Count); serr != nil {
				return serr
			}
		}
		if n > 0 && r.Slow != nil {
			r.Slow(n)
		}
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil && ctx.Err() != nil && errors.Is(err, os.ErrDeadlineExceeded):
			return nil
		case err != nil:
			return fmt.Errorf("stream: receive: %w", err)
		}
	}
}

// reader returns how to read, and how much at a time.
func (r *Receiver) reader(conn net.Conn) (from bulkReader, length int) {
	if !r.Portable && !r.Verify && r.Sink == nil && r.Slow == nil {
		if from := newFastReader(conn); from != nil {
			if r.Limit != nil {
				return from, ChunkFor(r.Limit.pacer.Rate, discardLength)
			}
			return from, discardLength
		}
	}
	length = r.Length
	if length <= 0 {
		length = copyLength
	}
	plain := plainBulkReader{conn: conn, buf: make([]byte, length)}
	switch {
	case r.Sink != nil:
		return &sinkReader{plain, r.Sink}, length
	case r.Verify:
		return &patternReader{plainBulkReader: plain, count: r.Count}, length
	}
	return &plain, length
}

// Limit bounds the rate at which several receivers read together. It is safe for concurrent use.
type Limit struct {
	mu    sync.Mutex
	pacer Pacer
}

// NewLimit returns a limit of rate bit/s.
func NewLimit(rate float64) *Limit { return &Limit{pacer: Pacer{Rate: rate}} }

func (l *Limit) wait(ctx context.Context, n int) error {
	l.mu.Lock()
	now := time.Now()
	l.pacer.Sent(now, n, 0)
	d := l.pacer.Wait(now)
	l.mu.Unlock()
	return sleep(ctx, d)
}

// interruptible makes a call in progress end when ctx does, by a deadline in the past. The function returned
// must be called when the calls are over; it clears the deadline.
func interruptible(ctx context.Context, setDeadline func(time.Time) error) (done func()) {
	var mu sync.Mutex
	over := false
	stop := context.AfterFunc(ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		if !over {
			_ = setDeadline(time.Unix(1, 0))
		}
	})
	return func() {
		stop()
		mu.Lock()
		defer mu.Unlock()
		over = true
		_ = setDeadline(time.Time{})
	}
}

// sleep waits for d and returns ctx's error if it ends before.
func sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return ctx.Err()
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// payload returns n bytes that do not compress: links that compress would otherwise look faster than they are.
func payload(n int) []byte {
	b := make([]byte, n)
	x := uint64(0x9e3779b97f4a7c15) // xorshift64* (Marsaglia, 2003): any odd start does
	for i := range b {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		b[i] = byte(x >> 32)
	}
	return b
}
