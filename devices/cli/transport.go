package cli

import (
	"errors"
	"io"
	"sync"
	"time"

	scrapli "github.com/scrapli/scrapligo/transport"
	"golang.org/x/crypto/ssh"
)

// Limits on what a device may send. A device that sends more loses its session.
const maxIdle = 64 << 10 // between commands: log lines to the terminal

// maxOutput is how much one command may print. The tests, whose machine may be slow, have less.
var maxOutput = 8 << 20

// Size of the terminal asked for: as wide as IOS allows, so that lines are not folded.
const (
	termWidth  = 511
	termHeight = 0
)

var errTooLong = errors.New("sent more than a command may print")

// transport carries scrapligo's bytes over an SSH connection that is open already. It implements scrapligo's
// transport.Implementation. Every error it meets becomes io.EOF for scrapligo, whose reading loop would spin on
// anything else; the cause is kept.
type transport struct {
	link *link
	bye  string // logs out

	sess   *ssh.Session
	stdin  io.WriteCloser
	stdout io.Reader
	clean  cleaner
	done   chan struct{} // closed when the device's output has ended
	once   sync.Once

	mu     sync.Mutex
	raw    []byte // of the exchange under way
	left   int    // bytes the device may still send
	cause  error  // why the session ended
	polite bool   // exit is typed before hanging up
	wrote  time.Time
	read   time.Time
}

var _ scrapli.Implementation = (*transport)(nil)

// newTransport returns a transport on the link; bye logs out, "" is exit.
func newTransport(l *link, bye string) *transport {
	if bye == "" {
		bye = "exit"
	}
	return &transport{link: l, bye: bye, done: make(chan struct{}), left: maxOutput}
}

// Open asks for a terminal and a shell on it.
func (t *transport) Open(*scrapli.Args) error {
	var err error
	if t.sess, err = t.link.client.NewSession(); err != nil {
		return err
	}
	if t.stdin, err = t.sess.StdinPipe(); err != nil {
		return err
	}
	if t.stdout, err = t.sess.StdoutPipe(); err != nil {
		return err
	}
	if err = t.sess.RequestPty("vt100", termHeight, termWidth, ssh.TerminalModes{}); err != nil {
		return err
	}
	return t.sess.Shell()
}

// Close hangs up without a word. It may be called more than once and from any goroutine.
func (t *transport) Close() error {
	t.once.Do(t.link.close)
	return nil
}

// IsAlive says whether the device can still say something.
func (t *transport) IsAlive() bool {
	select {
	case <-t.done:
		return false
	default:
		return true
	}
}

// Read returns up to n bytes of the device's output, without terminal control. It is called by one goroutine.
func (t *transport) Read(n int) ([]byte, error) {
	buf := make([]byte, n)
	n, err := t.stdout.Read(buf)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read = time.Now()
	if t.left -= n; t.left < 0 && err == nil {
		err = errTooLong
	}
	if err != nil {
		if t.cause == nil {
			t.cause = err
		}
		select {
		case <-t.done:
		default:
			close(t.done)
		}
		return nil, io.EOF
	}
	t.raw = append(t.raw, buf[:n]...)
	return t.clean.clean(buf[:n]), nil
}

// Write sends bytes to the device.
func (t *transport) Write(b []byte) error {
	t.mu.Lock()
	t.wrote = time.Now() // before, since a quick device's answer can be read before Write returns
	t.mu.Unlock()
	_, err := t.stdin.Write(b)
	return err
}

// begin starts an exchange: what arrives from now on belongs to it, and may be at most limit bytes.
func (t *transport) begin(limit int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.raw, t.left = nil, limit
}

// end ends the exchange and returns what the device sent, when its last write began, and when the last byte was read.
func (t *transport) end() (raw []byte, wrote, read time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	raw = t.raw
	t.raw, t.left = nil, maxIdle
	return raw, t.wrote, t.read
}

// why returns why the session ended; nil if it has not.
func (t *transport) why() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.cause
}

// exit returns what logs out of the shell.
func (t *transport) exit() []byte { return []byte(t.bye + "\n") }

// logoutTime is how long the device may take to say good-bye.
const logoutTime = 300 * time.Millisecond

// logout says whether exit can be typed at any time. At a pager it can't.
func (t *transport) logout(can bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.polite = can
}

// hangUp closes the connection for the given reason, if it is open. A command may be under way: the device finds
// exit behind it, and frees the line also where it does not notice the connection's end.
func (t *transport) hangUp(cause error) {
	t.mu.Lock()
	if t.cause == nil {
		t.cause = cause
	}
	polite := t.polite
	t.polite = false
	t.mu.Unlock()
	if polite && t.IsAlive() {
		late := time.AfterFunc(logoutTime, func() { _ = t.Close() })
		_ = t.Write(t.exit())
		late.Stop()
	}
	_ = t.Close()
}
