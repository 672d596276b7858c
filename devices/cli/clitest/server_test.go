package clitest

import (
	"bytes"
	"encoding/pem"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
)

func start(t *testing.T, s *Server) *Server {
	t.Helper()
	if s.HostKey == nil {
		key, err := NewHostKey("ed25519")
		if err != nil {
			t.Fatal(err)
		}
		s.HostKey = key
	}
	if err := s.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func numbered(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "line %d\n", i+1)
	}
	return b.String()
}

// talk logs in with a password, types each input after the text that comes before it, and returns all output.
func talk(t *testing.T, s *Server, steps ...[2]string) string {
	t.Helper()
	client, err := ssh.Dial("tcp", s.Addr(), &ssh.ClientConfig{
		User: s.User, Auth: []ssh.AuthMethod{ssh.Password(s.Password)},
		HostKeyCallback: ssh.FixedHostKey(s.HostKey.PublicKey()), Timeout: 5 * time.Second,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	stuck := time.AfterFunc(10*time.Second, func() { client.Close() })
	defer stuck.Stop()
	sess, err := client.NewSession()
	if err != nil {
		t.Fatal(err)
	}
	in, _ := sess.StdinPipe()
	out, _ := sess.StdoutPipe()
	if err := sess.RequestPty("vt100", 24, 80, nil); err != nil {
		t.Fatal(err)
	}
	if err := sess.Shell(); err != nil {
		t.Fatal(err)
	}
	var got []byte
	buf := make([]byte, 4096)
	from := 0
	for _, step := range steps {
		for !bytes.Contains(got[from:], []byte(step[0])) {
			n, err := out.Read(buf)
			got = append(got, buf[:n]...)
			if err != nil {
				t.Fatalf("waiting for %q: %v; got %q", step[0], err, got)
			}
		}
		from = len(got)
		if _, err := io.WriteString(in, step[1]); err != nil {
			t.Fatal(err)
		}
	}
	rest, _ := io.ReadAll(out)
	return string(append(got, rest...))
}

func TestTerminal(t *testing.T) {
	s := start(t, &Server{Hostname: "sw1", User: "u", Password: "p", Enable: "secret", MOTD: "no trespassing",
		Handler: Transcript(map[string]string{"show clock": "*14:02:05.123 UTC Mon Nov 30 2026\n", "show long": numbered(60)})})
	for _, c := range []struct {
		name  string
		steps [][2]string
		want  []string
		not   []string
	}{
		{"echoes, answers and prompts", [][2]string{{"sw1>", "show clock\n"}, {"2026\r\nsw1>", "exit\n"}},
			[]string{"no trespassing\r\n\r\nsw1>show clock\r\n*14:02:05.123 UTC"}, nil},
		{"CR LF is one end of line", [][2]string{{"sw1>", "show clock\r\n"}, {"2026\r\nsw1>", "exit\r"}}, nil, []string{"sw1>\r\nsw1>"}},
		{"what it does not know is marked", [][2]string{{"sw1>", "show foo\n"}, {"sw1>", "exit\n"}},
			[]string{"sw1>show foo\r\n         ^\r\n% Invalid input detected at '^' marker.\r\n"}, nil},
		{"a long answer stops after 23 lines and goes on at a blank", [][2]string{{"sw1>", "show long\n"}, {"--More--", " "}, {"--More--", " "}, {"sw1>", "exit\n"}},
			[]string{"line 23\r\n --More-- \b", "line 60\r\nsw1>"}, nil},
		{"q ends a long answer", [][2]string{{"sw1>", "show long\n"}, {"--More--", "q"}, {"sw1>", "exit\n"}}, nil, []string{"line 24"}},
		{"terminal length 0 ends the paging", [][2]string{{"sw1>", "term len 0\n"}, {"sw1>", "show long\n"}, {"line 60\r\nsw1>", "exit\n"}}, nil, []string{"More"}},
		{"enable asks without echo", [][2]string{{"sw1>", "enable\n"}, {"Password: ", "secret\n"}, {"sw1#", "exit\n"}}, []string{"Password: \r\nsw1#"}, []string{"secret"}},
		{"backspace corrects", [][2]string{{"sw1>", "show clocc\bk\n"}, {"2026\r\nsw1>", "exit\n"}}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := talk(t, s, c.steps...)
			for until := time.Now().Add(10 * time.Second); s.Counts().Sessions > 0 && time.Now().Before(until); { // it notices a little later
				time.Sleep(time.Millisecond)
			}
			for _, w := range c.want {
				if !strings.Contains(got, w) {
					t.Errorf("got %q, want %q in it", got, w)
				}
			}
			for _, w := range c.not {
				if strings.Contains(got, w) {
					t.Errorf("got %q, want no %q in it", got, w)
				}
			}
		})
	}
	if c := s.Counts(); c.Logins != 8 || c.Exits != 8 || c.Peak != 1 {
		t.Errorf("counts %+v, want 8 logins, 8 exits, 1 at once", c)
	}
	if got := s.Commands()[0]; got != "show clock" {
		t.Errorf("first command %q", got)
	}
}

func TestCloseEndsOpenSessionsAndFrozenOnes(t *testing.T) {
	s := start(t, &Server{User: "u", Password: "p"})
	s.Freeze(true)
	conn, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	done := make(chan error, 1)
	go func() { done <- s.Close() }()
	select {
	case <-done:
	case <-time.After(5 * time.Second):
		t.Fatal("Close hangs")
	}
	_ = conn.SetReadDeadline(time.Now().Add(5 * time.Second))
	if b, err := io.ReadAll(conn); err != nil && os.IsTimeout(err) || len(b) > 0 {
		t.Errorf("a frozen server said %q, %v", b, err)
	}
}

func TestOpenSSHClientLogsIn(t *testing.T) {
	bin, err := exec.LookPath("ssh")
	if err != nil {
		if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
			t.Fatal("no ssh client")
		}
		t.Skip("no ssh client")
	}
	dir := t.TempDir()
	user, err := NewPrivateKey("ed25519")
	if err != nil {
		t.Fatal(err)
	}
	block, err := ssh.MarshalPrivateKey(user, "")
	if err != nil {
		t.Fatal(err)
	}
	key := filepath.Join(dir, "key")
	if err := os.WriteFile(key, pem.EncodeToMemory(block), 0o600); err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromSigner(user)
	if err != nil {
		t.Fatal(err)
	}
	s := start(t, &Server{Hostname: "sw1", User: "netops", AuthorizedKeys: []ssh.PublicKey{signer.PublicKey()},
		Handler: Transcript(map[string]string{"show clock": "14:02:05.123 UTC Mon Nov 30 2026\n"})})
	known := filepath.Join(dir, "known_hosts")
	line := fmt.Sprintf("[127.0.0.1]:%d %s", s.Port(), ssh.MarshalAuthorizedKey(s.HostKey.PublicKey()))
	if err := os.WriteFile(known, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"-F", "none", "-i", key, "-o", "IdentitiesOnly=yes", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes",
		"-o", "UserKnownHostsFile=" + known, "-p", strconv.Itoa(int(s.Port())), "netops@127.0.0.1"}
	shell := exec.Command(bin, append([]string{"-tt"}, args...)...)
	shell.Stdin = strings.NewReader("terminal length 0\rshow clock\rexit\r")
	out, err := shell.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "sw1>show clock\r\n14:02:05.123 UTC") {
		t.Errorf("ssh shell: %v\n%s", err, out)
	}
	out, err = exec.Command(bin, append(args, "show clock")...).CombinedOutput()
	if err != nil || !strings.HasPrefix(string(out), "14:02:05.123 UTC") {
		t.Errorf("ssh with a command: %v\n%s", err, out)
	}
}
