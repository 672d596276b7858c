package cli

import (
	"encoding/pem"
	"errors"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/cli/clitest"
)

// knownLine returns the line of known_hosts for a server and a key.
func knownLine(s *clitest.Server, key ssh.Signer) string {
	return fmt.Sprintf("[127.0.0.1]:%d %s", s.Port(), strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key.PublicKey()))))
}

func TestHostKeys(t *testing.T) {
	ed, other, ecdsa, rsa := hostKey(t, "ed25519", ""), hostKey(t, "ed25519", "other"), hostKey(t, "ecdsa", ""), hostKey(t, "rsa", "")
	print := func(k ssh.Signer) string { return ssh.FingerprintSHA256(k.PublicKey()) }
	many := func(s *clitest.Server) { s.HostKey, s.MoreHostKeys = ecdsa, []ssh.Signer{rsa, ed} }
	for _, c := range []struct {
		name   string
		server func(*clitest.Server)
		known  []ssh.Signer // in known_hosts
		pin    string
		any    bool
		words  []string // of the error; none: it works
	}{
		{"the pinned key", nil, nil, print(ed), false, nil},
		{"the pinned key, with padding as some tools print it", nil, nil, print(ed) + "=", false, nil},
		{"a known key", nil, []ssh.Signer{ed}, "", false, nil},
		{"any key where the site file says so", nil, nil, "", true, nil},
		{"a device of three keys, of which RSA is known", many, []ssh.Signer{rsa}, "", false, nil},
		{"a device of three keys, of which Ed25519 is known", many, []ssh.Signer{ed}, "", false, nil},
		{"a device of three keys, of which RSA is pinned", many, nil, print(rsa), false, nil},
		{"a device of three keys, of which Ed25519 is pinned", many, nil, print(ed), false, nil},
		{"an unknown key", nil, nil, "", false, []string{"sw1: its host key is not known: ssh-ed25519 key", "add under its ssh: host_key: \"" + print(ed) + "\""}},
		{"a key that is not the known one", nil, []ssh.Signer{other}, "", false, []string{"sw1: HOST KEY CHANGED", print(ed), "known_hosts", "nothing was sent"}},
		{"a key of another type than the known one", nil, []ssh.Signer{rsa}, "", false, []string{"sw1: HOST KEY CHANGED", "ssh-rsa key for it, which it does not offer any more; it offers ssh-ed25519"}},
		{"a key that is not the pinned one", nil, nil, print(other), false, []string{"sw1: HOST KEY CHANGED: it shows " + print(ed) + " (ssh-ed25519), not the pinned " + print(other), "before you change `host_key`"}},
		{"three keys, none of them pinned", many, nil, print(other), false, []string{"HOST KEY CHANGED", print(ecdsa), print(rsa), print(ed)}},
		{"the pin goes before known_hosts", nil, []ssh.Signer{ed}, print(other), false, []string{"HOST KEY CHANGED"}},
		{"a pin that is none", nil, nil, "MD5:aa:bb", false, []string{"`host_key` \"MD5:aa:bb\" is no fingerprint"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := ios(t, c.server)
			lines := []string{"# ours"}
			for _, k := range c.known {
				lines = append(lines, knownLine(s, k))
			}
			err := ask(t, device(s, func(x *devices.SSH) {
				x.HostKey, x.InsecureHostKey, x.KnownHosts = c.pin, c.any, knownHosts(t, lines...)
			}))
			if len(c.words) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			checkWords(t, err, c.words...)
			if !errors.Is(err, devices.ErrHostKey) || devices.ReasonOf(err) != timeline.ReasonAuth {
				t.Errorf("error %v is not of the host key's kind", err)
			}
			if n := s.Counts().Passwords; n != 0 {
				t.Errorf("%d passwords were sent to a device whose key was refused", n)
			}
		})
	}
}

// TestChangedKeyOfARunningSession replaces the device by one with another key: nothing more is sent to it.
func TestChangedKeyOfARunningSession(t *testing.T) {
	t.Parallel()
	a := ios(t, nil)
	addr := a.Addr()
	c := collector(t)
	d := device(a, nil)
	if _, err := c.Ask(within(t, testTime), d, "show clock"); err != nil {
		t.Fatal(err)
	}
	a.Close()
	b := &clitest.Server{User: "netops", Password: "canary-password", HostKey: hostKey(t, "ed25519", "other")}
	if err := b.Listen(addr); err != nil {
		t.Skipf("the port is gone: %v", err)
	}
	defer b.Close()
	_, err := c.Ask(within(t, testTime), d, "show clock")
	checkWords(t, err, "HOST KEY CHANGED")
	if n := b.Counts(); n.Passwords != 0 || n.Connections == 0 {
		t.Errorf("counts %+v, want connections and no password", n)
	}
}

func TestMissingKnownHosts(t *testing.T) {
	s := ios(t, nil)
	t.Setenv("HOME", t.TempDir())
	checkWords(t, ask(t, device(s, func(x *devices.SSH) { x.HostKey = "" })), "its host key is not known")
	none := filepath.Join(t.TempDir(), "none")
	checkWords(t, ask(t, device(s, func(x *devices.SSH) { x.HostKey, x.KnownHosts = "", none })), "known_hosts can't be read")
}

func TestOldSwitch(t *testing.T) {
	old := func(s *clitest.Server) { s.Legacy, s.HostKey = true, hostKey(t, "rsa", "") }
	t.Run("is not reached without the profile, and says so", func(t *testing.T) {
		s := ios(t, old)
		err := ask(t, device(s, nil))
		checkWords(t, err, "cli: sw1 offers only key exchange diffie-hellman-group1-sha1; add `profile: legacy` under this device's ssh")
		if !errors.Is(err, devices.ErrUnsupported) || s.Counts().Connections != 1 || s.Counts().Passwords != 0 {
			t.Errorf("error %v, counts %+v", err, s.Counts())
		}
	})
	t.Run("is reached with it, and what is weak is known", func(t *testing.T) {
		s := ios(t, old)
		c := collector(t)
		if _, ok := c.Negotiated("sw1"); ok {
			t.Error("something was negotiated before the first session")
		}
		if _, err := c.Ask(within(t, testTime), device(s, func(x *devices.SSH) { x.Profile = ProfileLegacy }), "show clock"); err != nil {
			t.Fatal(err)
		}
		a, ok := c.Negotiated("sw1")
		if want := "diffie-hellman-group1-sha1, ssh-rsa, aes128-cbc, hmac-sha1; weak: diffie-hellman-group1-sha1, ssh-rsa, aes128-cbc"; !ok || a.String() != want {
			t.Errorf("negotiated %q, want %q", a, want)
		}
	})
	t.Run("a known RSA key on a device that signs with SHA-1 only", func(t *testing.T) {
		s := ios(t, old)
		known := knownHosts(t, knownLine(s, s.HostKey))
		d := device(s, func(x *devices.SSH) { x.HostKey, x.KnownHosts = "", known })
		checkWords(t, ask(t, d), "add `profile: legacy`")
		d.SSH.Profile = ProfileLegacy
		if err := ask(t, d); err != nil {
			t.Error(err)
		}
	})
	t.Run("the profile prefers what is sound", func(t *testing.T) {
		s := ios(t, nil)
		c := collector(t)
		if _, err := c.Ask(within(t, testTime), device(s, func(x *devices.SSH) { x.Profile = ProfileLegacy }), "show clock"); err != nil {
			t.Fatal(err)
		}
		if a, _ := c.Negotiated("sw1"); len(a.Weak) > 0 {
			t.Errorf("negotiated %v", a)
		}
	})
}

func TestWrongPasswordIsSentTwiceAtMost(t *testing.T) {
	t.Parallel()
	for _, kbd := range []bool{false, true} {
		t.Run(fmt.Sprintf("keyboard-interactive %v", kbd), func(t *testing.T) {
			s := ios(t, func(s *clitest.Server) { s.Password, s.KeyboardInteractive = "right", kbd })
			c := collector(t)
			d := device(s, nil)
			for range 5 {
				_, err := c.Ask(within(t, testTime), d, "show clock")
				if !errors.Is(err, devices.ErrAuth) {
					t.Errorf("error %v, want one of the credentials", err)
				}
				checkWords(t, err, "sw1", "the password of user \"netops\"", "`user` or `password`"[:6])
			}
			if n := s.Counts().Passwords; n != maxRefusals {
				t.Errorf("the password was sent %d times, want %d", n, maxRefusals)
			}
			_, err := c.Ask(within(t, testTime), d, "show clock")
			checkWords(t, err, "has refused the password of user \"netops\" 2 times: not sent again, to spare the account")
		})
	}
}

func TestCountOfRefusalsEndsWithALogin(t *testing.T) {
	t.Parallel()
	s := ios(t, nil)
	c := collector(t)
	wrong, right := device(s, func(x *devices.SSH) { x.Password = devices.NewSecret("canary-wrong") }), device(s, nil)
	for range 4 {
		if _, err := c.Ask(within(t, testTime), wrong, "show clock"); !errors.Is(err, devices.ErrAuth) {
			t.Fatalf("error %v", err)
		}
		if _, err := c.Ask(within(t, testTime), right, "show clock"); err != nil {
			t.Fatal(err)
		}
		s.DropSessions()
		eventually(func() bool { return s.Counts().Sessions == 0 })
	}
}

func TestLoginsThatCannotWork(t *testing.T) {
	for _, c := range []struct {
		name   string
		server func(*clitest.Server)
		ssh    func(*devices.SSH)
		words  []string
	}{
		{"a one-time code", func(s *clitest.Server) { s.KeyboardInteractive, s.Challenge = true, "Enter PASSCODE:" }, nil,
			[]string{"sw1: asks user \"netops\" for \"Enter PASSCODE:\", which only a person can answer"}},
		{"nothing to log in with", nil, func(x *devices.SSH) { x.Password = devices.Secret{} }, []string{"sw1: there is nothing to log in with; set `password`, `key` or `agent: true` under its ssh"}},
		{"a key that is none", nil, func(x *devices.SSH) { x.Key = devices.NewSecret("canary-key") }, []string{"sw1: its private key is none in OpenSSH or PEM form; check `key`"}},
		{"no user", func(s *clitest.Server) { s.User = "x" }, func(x *devices.SSH) { x.User = "" }, []string{"sw1: no user; set `user`"}},
		{"an agent that is not there", nil, func(x *devices.SSH) { x.Password, x.Agent = devices.Secret{}, true }, []string{"`agent`", "sw1"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("SSH_AUTH_SOCK", "")
			s := ios(t, c.server)
			err := ask(t, device(s, c.ssh))
			checkWords(t, err, c.words...)
			if !errors.Is(err, devices.ErrAuth) {
				t.Errorf("error %v, want one of the credentials", err)
			}
		})
	}
}

// userKey returns a key in OpenSSH form, and its public half.
func userKey(t *testing.T, kind, pass string) (devices.Secret, ssh.PublicKey) {
	t.Helper()
	key, err := clitest.NewPrivateKey(kind)
	if err != nil {
		t.Fatal(err)
	}
	var block *pem.Block
	if pass == "" {
		block, err = ssh.MarshalPrivateKey(key, "")
	} else {
		block, err = ssh.MarshalPrivateKeyWithPassphrase(key, "", []byte(pass))
	}
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	return devices.NewSecret(string(pem.EncodeToMemory(block))), signer.PublicKey()
}

func TestKeys(t *testing.T) {
	t.Parallel()
	key, pub := userKey(t, "ed25519", "canary-phrase")
	bare, barePub := userKey(t, "rsa", "")
	for _, c := range []struct {
		name  string
		ssh   func(*devices.SSH)
		words []string
	}{
		{"with its pass phrase", func(x *devices.SSH) { x.Key, x.KeyPass = key, devices.NewSecret("canary-phrase") }, nil},
		{"without one", func(x *devices.SSH) { x.Key = bare }, nil},
		{"its pass phrase is missing", func(x *devices.SSH) { x.Key = key }, []string{"sw1: its private key has a pass phrase; set `key_pass`"}},
		{"its pass phrase is wrong", func(x *devices.SSH) { x.Key, x.KeyPass = key, devices.NewSecret("canary-wrong") }, []string{"sw1: the pass phrase does not open its private key; check `key_pass`"}},
		{"a key the device does not have", func(x *devices.SSH) { x.Key, _ = userKey(t, "ed25519", "") }, []string{"sw1: refused the key of user \"netops\" (key); check `user` and `key`"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ios(t, func(s *clitest.Server) { s.Password, s.AuthorizedKeys = "", []ssh.PublicKey{pub, barePub} })
			err := ask(t, device(s, func(x *devices.SSH) { x.Password = devices.Secret{}; c.ssh(x) }))
			if len(c.words) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			checkWords(t, err, c.words...)
			if !errors.Is(err, devices.ErrAuth) {
				t.Errorf("error %v, want one of the credentials", err)
			}
		})
	}
}

func TestAgent(t *testing.T) {
	key, err := clitest.NewPrivateKey("ed25519")
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromSigner(key)
	if err != nil {
		t.Fatal(err)
	}
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: key}); err != nil {
		t.Fatal(err)
	}
	sock := filepath.Join(t.TempDir(), "agent")
	l, err := net.Listen("unix", sock)
	if err != nil {
		t.Skipf("no sockets in the file system: %v", err)
	}
	defer l.Close()
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			_ = agent.ServeAgent(ring, conn)
			conn.Close()
		}
	}()
	t.Setenv("SSH_AUTH_SOCK", sock)
	s := ios(t, func(s *clitest.Server) { s.Password, s.AuthorizedKeys = "", []ssh.PublicKey{signer.PublicKey()} })
	if err := ask(t, device(s, func(x *devices.SSH) { x.Password, x.Agent = devices.Secret{}, true })); err != nil {
		t.Error(err)
	}
}

func TestJumpHost(t *testing.T) {
	for _, c := range []struct {
		name  string
		jump  func(*devices.SSH)
		inner func(*devices.Device)
		words []string
	}{
		{"reaches the device", nil, nil, nil},
		{"its own host key is checked", func(x *devices.SSH) { x.HostKey = "SHA256:AAAA" }, nil, []string{"jump host of sw1: HOST KEY CHANGED"}},
		{"the device's host key is checked too", nil, func(d *devices.Device) { d.SSH.HostKey = "SHA256:AAAA" }, []string{"cli: sw1: HOST KEY CHANGED"}},
		{"its password is wrong", func(x *devices.SSH) { x.Password = devices.NewSecret("canary-wrong") }, nil, []string{"jump host of sw1: refused the password"}},
		{"it does not reach the device", nil, func(d *devices.Device) { d.Address = "192.0.2.1" }, []string{"sw1 at 192.0.2.1", "the jump host does not reach it"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := ios(t, nil)
			j := ios(t, func(s *clitest.Server) {
				s.User, s.Password, s.HostKey = "jumper", "canary-jump", hostKey(t, "ed25519", "other")
			})
			d := device(s, nil)
			d.SSH.Jump = &devices.SSHJump{Address: j.Addr(), SSH: devices.SSH{User: "jumper", Password: devices.NewSecret("canary-jump"), HostKey: j.Fingerprint()}}
			if c.jump != nil {
				c.jump(&d.SSH.Jump.SSH)
			}
			if c.inner != nil {
				c.inner(&d)
			}
			err := ask(t, d)
			if !eventually(func() bool { return goroutinesOf("cli.(*sessions)") == 0 }) {
				t.Error("something is left")
			}
			if len(c.words) == 0 {
				if err != nil {
					t.Error(err)
				}
				return
			}
			checkWords(t, err, c.words...)
		})
	}
}

func TestIPv6(t *testing.T) {
	t.Parallel()
	s := &clitest.Server{User: "netops", Password: "canary-password", HostKey: hostKey(t, "ed25519", ""), Handler: clitest.Transcript(map[string]string{"show clock": "14:02:05.123 UTC Mon Nov 30 2026\n"})}
	if err := s.Listen("[::1]:0"); err != nil {
		t.Skipf("no IPv6 here: %v", err)
	}
	defer s.Close()
	d := device(s, nil)
	d.Address = "::1"
	if err := ask(t, d); err != nil {
		t.Error(err)
	}
}

func TestUnreachable(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := uint16(l.Addr().(*net.TCPAddr).Port)
	d := devices.Device{Name: "sw1", Address: "127.0.0.1", SSH: &devices.SSH{Port: port, User: "u", Password: devices.NewSecret("p"), InsecureHostKey: true}}
	go func() {
		if conn, err := l.Accept(); err == nil {
			conn.Close()
		}
	}()
	err = ask(t, d)
	checkWords(t, err, "sw1 at 127.0.0.1:", "closed the connection before the login")
	l.Close()
	err = ask(t, d)
	checkWords(t, err, "sw1 at 127.0.0.1:", "connection refused: nothing listens there; check `port`")
	if !errors.Is(err, devices.ErrUnreachable) {
		t.Errorf("error %v", err)
	}
	d.Platform = "vt100"
	checkWords(t, ask(t, d), "sw1: platform \"vt100\" has no command line here; `platform` is one of ")
	d.SSH = nil
	checkWords(t, ask(t, d), "sw1 has no ssh in the site file")
}

func TestErrorsNameTheKeysOfTheSiteFile(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"sw1: refused the password of user \"x\"; check `user` and `password` under its ssh":    "ssh.user, ssh.password",
		"sw1 offers only x; add `profile: legacy` under this device's ssh":                      "ssh.profile",
		"sw1 at 192.0.2.1:22: no answer; check `address` and `port` under ssh":                  "address, ssh.port",
		"jump host of sw1 at 192.0.2.1:22: no answer; check `address` and `port`":               "ssh.jump.address, ssh.jump.port",
		"sw1: platform \"x\" has no command line here; `platform` is cisco_ios, not a `Thing!`": "platform",
		"sw1: set `key` or `agent: true`":                                                       "ssh.key, ssh.agent",
		"sw1: the device ended the session":                                                     "",
		"sw1: no prompt; it stopped at \"`\"":                                                   "",
	} {
		var keys interface{ SiteKeys() string }
		err := fmt.Errorf("cli: %w", fail(devices.ErrAuth, nil, "%s", text))
		if !errors.As(err, &keys) || keys.SiteKeys() != want {
			t.Errorf("%s: keys %q, want %q", text, keys.SiteKeys(), want)
		}
	}
}

func TestFullLinesAreSaid(t *testing.T) {
	t.Parallel()
	s := ios(t, func(s *clitest.Server) { s.MaxSessions = 1 })
	first, second := collector(t), collector(t)
	d := device(s, nil)
	if _, err := first.Ask(within(t, testTime), d, "show clock"); err != nil {
		t.Fatal(err)
	}
	_, err := second.Ask(within(t, testTime), d, "show clock")
	checkWords(t, err, "sw1: logged in, but it gives no command line", "its lines may all be in use")
}

func TestALoginWithoutAPromptIsSaidInWordsOfOurOwn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func(*clitest.Server)
		limit  time.Duration
		want   string
	}{
		"output without an end": {func(s *clitest.Server) { s.MOTD = strings.Repeat(strings.Repeat("x", 99)+"\n", 2*maxOutput/100) }, testTime,
			"sw1: logged in, but its output has no end: 1 MiB came and no prompt; check `address` and `platform`"},
		"no prompt": {func(s *clitest.Server) { s.Prompt = "login: " }, 3 * time.Second, "sw1: no prompt seen; it stopped at \"login:\""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := ask(t, device(ios(t, c.change), func(x *devices.SSH) { x.Timeout = c.limit }))
			checkWords(t, err, c.want)
			if strings.Contains(err.Error(), "errConnection") {
				t.Errorf("error %q has a library's constant in it", err)
			}
		})
	}
}
