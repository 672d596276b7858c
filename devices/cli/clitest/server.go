// Package clitest is an SSH server (RFC 4252 to RFC 4254) that behaves like a Cisco IOS command line, for tests
// and for simulated sites. It is a real server on a real socket: an OpenSSH client can log in and type.
//
// It echoes what is typed, prints the prompt name> or name#, stops every 24 lines with --More-- until "terminal
// length 0", answers what it does not know with "% Invalid input detected at '^' marker.", and ends on "exit".
// What a command prints comes from [Server.Handler]; [Transcript] makes one from a table.
//
// The package needs no testing.T. What it leaves to others: what the device is in the middle of (the handler),
// and every rule about which commands may be sent (package cli).
package clitest

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// Server is one device. Its fields are set before Listen and not changed afterwards. The zero value needs a
// HostKey; without a User, a Password and AuthorizedKeys nobody can log in.
type Server struct {
	Hostname string // in the prompt; "" is "Switch", as a new device says
	User     string
	Password string
	// KeyboardInteractive accepts the password by keyboard-interactive only, as a device behind TACACS+ does.
	KeyboardInteractive bool
	// Challenge is the question that keyboard-interactive asks; "" is "Password: ".
	Challenge string
	// AuthorizedKeys may log in as User without a password.
	AuthorizedKeys []ssh.PublicKey
	HostKey        ssh.Signer   // see NewHostKey
	MoreHostKeys   []ssh.Signer // keys of other types that the device has too
	// Legacy offers only what an old Catalyst 2960 does: diffie-hellman-group1-sha1, aes128-cbc, hmac-sha1 and
	// ssh-rsa. The host key must then be RSA.
	Legacy bool
	// Handler returns what a command prints, without the prompt and without the echo, lines ended by \n; ok is
	// false for a command the device does not know. It is called from one goroutine per session and may take
	// its time. The commands terminal, enable, disable and exit are the server's own.
	Handler    func(cmd string) (output string, ok bool)
	Privileged bool   // log in at name# instead of name>
	Enable     string // the enable password; "" means that enable is refused
	Banner     string // sent before authentication
	MOTD       string // printed before the first prompt
	// Pager is the pager's text; "" is " --More-- ".
	Pager string
	// NoPagerOff refuses "terminal length 0", as restricted accounts may.
	NoPagerOff bool
	// Prompt, if not "", is printed instead of the hostname and > or #.
	Prompt string
	// Prompts, if not nil, returns the prompt each time that it is printed, before Prompt and Hostname. It is called
	// from one goroutine per session.
	Prompts func() string
	// Redraw draws the whole line anew behind a space that is typed and at its end, as PAN-OS does.
	Redraw bool
	// Version is the SSH server's version string; "" is what IOS 15 greets with.
	Version string
	// MaxSessions, if not 0, is how many sessions the device bears; a further one is refused like a full VTY.
	MaxSessions int

	mu       sync.Mutex
	listener net.Listener
	conns    map[net.Conn]bool
	frozen   chan struct{} // closed when thawed; nil when not frozen
	closed   bool
	done     chan struct{} // closed by Close
	counts   Counts
	commands []string
	wg       sync.WaitGroup
}

// Counts is what a server has seen since Listen.
type Counts struct {
	Connections int // TCP connections accepted
	Passwords   int // passwords that were presented, by whatever method
	Logins      int // successful logins
	Sessions    int // sessions open now
	Peak        int // most sessions open at once
	Exits       int // sessions that ended with exit
}

// Listen starts the server on addr, for instance "127.0.0.1:0", and returns at once. Close ends it.
func (s *Server) Listen(addr string) error {
	if s.HostKey == nil {
		return errors.New("clitest: the server has no host key")
	}
	cfg, err := s.config()
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("clitest: %w", err)
	}
	s.mu.Lock()
	s.listener, s.conns, s.closed = l, map[net.Conn]bool{}, false
	s.done = make(chan struct{})
	s.mu.Unlock()
	s.wg.Add(1)
	go func() {
		defer s.wg.Done()
		s.accept(l, cfg)
	}()
	return nil
}

// Addr returns the address the server listens on, as host:port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Port returns the TCP port the server listens on.
func (s *Server) Port() uint16 { return uint16(s.listener.Addr().(*net.TCPAddr).Port) }

// Done returns a channel that is closed when the server is, so that a handler that waits can end. It is called
// after Listen.
func (s *Server) Done() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.done
}

// Close ends every session, stops listening and waits for all of the server's goroutines. A handler that blocks
// keeps it waiting; see Done.
func (s *Server) Close() error {
	s.mu.Lock()
	l := s.listener
	if l != nil && !s.closed {
		close(s.done)
	}
	s.closed = true
	for c := range s.conns {
		c.Close()
	}
	s.mu.Unlock()
	s.Freeze(false)
	if l == nil {
		return nil
	}
	err := l.Close()
	s.wg.Wait()
	return err
}

// DropSessions closes every connection that is open, as a device does that ends idle sessions; the server goes
// on listening.
func (s *Server) DropSessions() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.conns {
		c.Close()
	}
}

// Freeze stops the device from answering until it is thawed: new connections are taken by the system but never
// greeted, open ones fall silent. Nothing is closed.
func (s *Server) Freeze(on bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case on && s.frozen == nil:
		s.frozen = make(chan struct{})
	case !on && s.frozen != nil:
		close(s.frozen)
		s.frozen = nil
	}
}

// thawed waits while the server is frozen.
func (s *Server) thawed() {
	for {
		s.mu.Lock()
		ch := s.frozen
		s.mu.Unlock()
		if ch == nil {
			return
		}
		<-ch
	}
}

// Commands returns the lines that were entered since Listen, in order, those the server answers itself included.
func (s *Server) Commands() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]string(nil), s.commands...)
}

// Counts returns what the server has seen so far.
func (s *Server) Counts() Counts {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.counts
}

func (s *Server) count(f func(*Counts)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f(&s.counts)
}

func (s *Server) note(cmd string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.commands = append(s.commands, cmd)
}

// Fingerprint returns the fingerprint of the server's first host key, "SHA256:…".
func (s *Server) Fingerprint() string { return ssh.FingerprintSHA256(s.HostKey.PublicKey()) }

func (s *Server) config() (*ssh.ServerConfig, error) {
	cfg := &ssh.ServerConfig{ServerVersion: cmp.Or(s.Version, "SSH-2.0-Cisco-1.25"), MaxAuthTries: 4}
	if s.Banner != "" {
		cfg.BannerCallback = func(ssh.ConnMetadata) string { return s.Banner }
	}
	s.authMethods(cfg)
	for _, key := range append([]ssh.Signer{s.HostKey}, s.MoreHostKeys...) {
		if s.Legacy {
			as, ok := key.(ssh.AlgorithmSigner)
			if !ok || key.PublicKey().Type() != ssh.KeyAlgoRSA {
				return nil, errors.New("clitest: a legacy server needs an RSA host key")
			}
			only, err := ssh.NewSignerWithAlgorithms(as, []string{ssh.KeyAlgoRSA})
			if err != nil {
				return nil, fmt.Errorf("clitest: host key: %w", err)
			}
			key = only
		}
		cfg.AddHostKey(key)
	}
	if s.Legacy {
		cfg.KeyExchanges = []string{ssh.InsecureKeyExchangeDH1SHA1}
		cfg.Ciphers = []string{ssh.InsecureCipherAES128CBC}
		cfg.MACs = []string{ssh.HMACSHA1}
	}
	return cfg, nil
}

var errDenied = errors.New("denied")

func (s *Server) authMethods(cfg *ssh.ServerConfig) {
	check := func(user, password string) (*ssh.Permissions, error) {
		s.count(func(c *Counts) { c.Passwords++ })
		if s.Password == "" || user != s.User || password != s.Password {
			return nil, errDenied
		}
		return nil, nil
	}
	if len(s.AuthorizedKeys) > 0 {
		cfg.PublicKeyCallback = func(m ssh.ConnMetadata, key ssh.PublicKey) (*ssh.Permissions, error) {
			for _, k := range s.AuthorizedKeys {
				if m.User() == s.User && bytes.Equal(k.Marshal(), key.Marshal()) {
					return nil, nil
				}
			}
			return nil, errDenied
		}
	}
	if s.KeyboardInteractive {
		question := s.Challenge
		if question == "" {
			question = "Password: "
		}
		cfg.KeyboardInteractiveCallback = func(m ssh.ConnMetadata, ask ssh.KeyboardInteractiveChallenge) (*ssh.Permissions, error) {
			answers, err := ask("", "", []string{question}, []bool{false})
			if err != nil || len(answers) != 1 {
				return nil, errDenied
			}
			return check(m.User(), answers[0])
		}
		return
	}
	if s.Password != "" {
		cfg.PasswordCallback = func(m ssh.ConnMetadata, pw []byte) (*ssh.Permissions, error) {
			return check(m.User(), string(pw))
		}
	}
}

func (s *Server) accept(l net.Listener, cfg *ssh.ServerConfig) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		if s.closed {
			s.mu.Unlock()
			conn.Close()
			return
		}
		s.conns[conn] = true
		s.counts.Connections++
		s.wg.Add(1)
		s.mu.Unlock()
		go func() {
			defer s.wg.Done()
			s.serve(conn, cfg)
			s.mu.Lock()
			delete(s.conns, conn)
			s.mu.Unlock()
		}()
	}
}

// handshakeTime bounds how long a client may take to log in, as IOS's "ip ssh time-out" default does.
const handshakeTime = 120 * time.Second

// lingerTime is how long the server waits for the client to hang up after the session's end.
const lingerTime = 200 * time.Millisecond

func (s *Server) serve(conn net.Conn, cfg *ssh.ServerConfig) {
	defer conn.Close()
	s.thawed()
	_ = conn.SetDeadline(time.Now().Add(handshakeTime))
	sc, chans, reqs, err := ssh.NewServerConn(conn, cfg)
	if err != nil {
		return
	}
	_ = conn.SetDeadline(time.Time{})
	s.count(func(c *Counts) { c.Logins++ })
	var wg sync.WaitGroup
	defer wg.Wait()
	defer sc.Close()
	wg.Add(1)
	go func() {
		defer wg.Done()
		ssh.DiscardRequests(reqs)
	}()
	for nc := range chans {
		switch nc.ChannelType() {
		case "session":
			s.session(sc, nc, &wg)
		case "direct-tcpip":
			s.forward(nc, &wg)
		default:
			_ = nc.Reject(ssh.UnknownChannelType, "no such channel")
		}
	}
}

func (s *Server) session(sc *ssh.ServerConn, nc ssh.NewChannel, wg *sync.WaitGroup) {
	s.mu.Lock()
	full := s.MaxSessions > 0 && s.counts.Sessions >= s.MaxSessions
	if !full {
		s.counts.Sessions++
		s.counts.Peak = max(s.counts.Peak, s.counts.Sessions)
	}
	s.mu.Unlock()
	if full {
		_ = nc.Reject(ssh.ResourceShortage, "no more lines")
		sc.Close()
		return
	}
	ch, reqs, err := nc.Accept()
	if err != nil {
		s.count(func(c *Counts) { c.Sessions-- })
		return
	}
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer s.count(func(c *Counts) { c.Sessions-- })
		t := &terminal{s: s, ch: ch, wg: wg, length: pageLength, privileged: s.Privileged}
		if t.serve(reqs) {
			s.count(func(c *Counts) { c.Exits++ })
		}
		ch.Close()
		// IOS has one session per connection; a client that reads to the end hangs up first.
		end := time.AfterFunc(lingerTime, func() { sc.Close() })
		_ = sc.Wait()
		end.Stop()
	}()
}

// Transcript returns a handler that answers from a table of commands; a command that is not in the table is
// unknown to the device.
func Transcript(answers map[string]string) func(string) (string, bool) {
	return func(cmd string) (string, bool) {
		out, ok := answers[strings.Join(strings.Fields(cmd), " ")]
		return out, ok
	}
}
