package cli

import (
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"

	"whydrop/devices"
	"whydrop/devices/cli/clitest"
	"whydrop/probe/peertest"
)

// play is a shell that behaves like a device, for sshd's ForceCommand. Its echo is the terminal's.
const play = `#!/bin/sh
prompt='sshd-sw1#'
printf '\nWelcome #\n\n%s' "$prompt"
while IFS= read -r line; do
  line=$(printf '%s' "$line" | tr -d '\r')
  printf '%s\n' "$line" >> "DIR/commands"
  case "$line" in
    '') ;;
    exit) exit 0 ;;
    'terminal length 0'|'terminal width 511') ;;
    'show clock') printf '*14:02:05.123 UTC Mon Nov 30 2026\n' ;;
    'show interfaces GigabitEthernet1/0/1') cat "DIR/gi1" ;;
    'show spanning-tree detail') cat "DIR/tree" ;;
    *) printf "            ^\n%% Invalid input detected at '^' marker.\n\n" ;;
  esac
  printf '%s' "$prompt"
done
`

// peer skips the test for want of a peer, or fails it where peers are required.
func peer(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

func write(t *testing.T, file, text string, mode os.FileMode) string {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
	return file
}

// sshd starts OpenSSH's server with a configuration of its own and returns the device it plays, without its
// host key in it.
func sshd(t *testing.T, hostKeys []string, extra string, authorized ssh.PublicKey) (d devices.Device, fingerprints map[string]string, dir string) {
	t.Helper()
	bin, err := exec.LookPath("sshd")
	if err != nil {
		if bin, err = exec.LookPath("/usr/sbin/sshd"); err != nil {
			peer(t, "no sshd here")
		}
	}
	if os.Geteuid() != 0 {
		peer(t, "sshd is started as root, for an account that has no shell can't log in")
	}
	if err := os.MkdirAll("/run/sshd", 0o755); err != nil { // its privilege separation wants it
		peer(t, "sshd can't be started: %v", err)
	}
	dir = t.TempDir()
	var config strings.Builder
	fingerprints = map[string]string{}
	for _, kind := range hostKeys {
		key, err := clitest.NewPrivateKey(kind)
		if err != nil {
			t.Fatal(err)
		}
		block, err := ssh.MarshalPrivateKey(key, "")
		if err != nil {
			t.Fatal(err)
		}
		signer, err := ssh.NewSignerFromSigner(key)
		if err != nil {
			t.Fatal(err)
		}
		fingerprints[kind] = ssh.FingerprintSHA256(signer.PublicKey())
		fmt.Fprintf(&config, "HostKey %s\n", write(t, filepath.Join(dir, "host_"+kind), string(pem.EncodeToMemory(block)), 0o600))
	}
	write(t, filepath.Join(dir, "gi1"), gi1, 0o644)
	write(t, filepath.Join(dir, "tree"), tree, 0o644)
	write(t, filepath.Join(dir, "authorized_keys"), string(ssh.MarshalAuthorizedKey(authorized)), 0o600)
	shell := write(t, filepath.Join(dir, "play"), strings.ReplaceAll(play, "DIR", dir), 0o755)
	port := peertest.Port(t, "127.0.0.1")
	// The first value of a setting counts.
	fmt.Fprintf(&config, "%s\nListenAddress 127.0.0.1:%d\nPidFile none\nUsePAM no\nStrictModes no\nPasswordAuthentication no\nKbdInteractiveAuthentication no\nPermitRootLogin yes\nAuthorizedKeysFile %s\nForceCommand %s\n",
		extra, port, filepath.Join(dir, "authorized_keys"), shell)
	cmd := exec.Command(bin, "-D", "-e", "-f", write(t, filepath.Join(dir, "config"), config.String(), 0o600))
	var said strings.Builder
	cmd.Stderr = &said
	if err := cmd.Start(); err != nil {
		peer(t, "sshd can't be started: %v", err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	addr := fmt.Sprintf("127.0.0.1:%d", port)
	if !eventually(func() bool { return greets(addr) }) {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		peer(t, "sshd does not listen: %s", said.String())
	}
	me, err := user.Current()
	if err != nil {
		peer(t, "no user: %v", err)
	}
	return devices.Device{Name: "sw1", Address: "127.0.0.1", Platform: "cisco_iosxe", Ports: []string{"GigabitEthernet1/0/1"},
		SSH: &devices.SSH{Port: uint16(port), User: me.Username, Timeout: testTime}}, fingerprints, dir
}

// greets says whether an SSH server answers at the address.
func greets(addr string) bool {
	conn, err := net.DialTimeout("tcp", addr, time.Second)
	if err != nil {
		return false
	}
	defer conn.Close()
	_ = conn.SetReadDeadline(time.Now().Add(time.Second))
	b := make([]byte, 4)
	_, err = io.ReadFull(conn, b)
	return err == nil && string(b) == "SSH-"
}

func TestRealSSHD(t *testing.T) {
	key, pub := userKey(t, "ed25519", "")
	d, prints, dir := sshd(t, []string{"ed25519", "ecdsa", "rsa"}, "", pub)
	with := func(change func(*devices.SSH)) devices.Device {
		e := d
		x := *d.SSH
		x.Key, x.HostKey = key, prints["ed25519"]
		change(&x)
		e.SSH = &x
		return e
	}
	t.Run("is read like a device, and logged out of", func(t *testing.T) {
		c := New()
		r, err := c.Collect(within(t, testTime), with(func(*devices.SSH) {}))
		if err != nil {
			t.Fatal(err)
		}
		if len(r.Interfaces) != 1 || r.Interfaces[0].FCS != devices.CCLI(3) || r.Interfaces[0].STPState.Value != "forwarding" || r.Bridge == nil {
			t.Errorf("reading %+v", r)
		}
		c.Close()
		sent, _ := os.ReadFile(filepath.Join(dir, "commands"))
		want := "\nterminal width 511\nterminal length 0\nshow interfaces GigabitEthernet1/0/1\nshow interfaces counters errors\nshow spanning-tree detail\nshow interfaces status err-disabled\nshow standby\nshow vrrp\nshow power inline GigabitEthernet1/0/1 detail\nshow version\nexit\n"
		if strings.TrimLeft(string(sent), "\n") != want[1:] {
			t.Errorf("the device got %q, want %q", sent, want)
		}
	})
	for _, kind := range []string{"ecdsa", "rsa"} {
		t.Run("its "+kind+" key is pinned although it has others", func(t *testing.T) {
			if err := ask(t, with(func(x *devices.SSH) { x.HostKey = prints[kind] })); err != nil {
				t.Error(err)
			}
		})
	}
	wrong, _ := userKey(t, "ed25519", "")
	for _, c := range []struct {
		name   string
		change func(*devices.SSH)
		kind   error
		words  []string
	}{
		{"wrong host key", func(x *devices.SSH) { x.HostKey = "SHA256:AAAA" }, devices.ErrHostKey, []string{"HOST KEY CHANGED", prints["ed25519"], prints["rsa"], prints["ecdsa"]}},
		{"unknown host key", func(x *devices.SSH) { x.HostKey, x.KnownHosts = "", knownHosts(t, "#") }, devices.ErrHostKey, []string{"its host key is not known", "host_key: \"SHA256:"}},
		{"wrong key", func(x *devices.SSH) { x.Key = wrong }, devices.ErrAuth, []string{"refused the key of user"}},
		{"wrong user", func(x *devices.SSH) { x.User = "nobody-like-that" }, devices.ErrAuth, []string{"refused the key of user \"nobody-like-that\"", "check `user`"}},
		{"a password where only keys are taken", func(x *devices.SSH) { x.Key, x.Password = devices.Secret{}, devices.NewSecret("canary") }, devices.ErrAuth, []string{"takes none of the ways to log in that are set for user"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := ask(t, with(c.change))
			checkWords(t, err, c.words...)
			if !errors.Is(err, c.kind) {
				t.Errorf("error %v, want one that is %v", err, c.kind)
			}
		})
	}
	t.Run("wrong platform", func(t *testing.T) {
		e := with(func(*devices.SSH) {})
		e.Platform = "vt100"
		checkWords(t, ask(t, e), "platform \"vt100\"", "`platform` is one of ")
	})
}

func TestRealSSHDWithOldAlgorithms(t *testing.T) {
	key, pub := userKey(t, "rsa", "")
	d, prints, _ := sshd(t, []string{"rsa"}, "KexAlgorithms diffie-hellman-group1-sha1\nCiphers aes128-cbc\nHostKeyAlgorithms ssh-rsa\nMACs hmac-sha1", pub)
	d.SSH.Key, d.SSH.HostKey = key, prints["rsa"]
	checkWords(t, ask(t, d), "sw1 offers only key exchange diffie-hellman-group1-sha1; add `profile: legacy` under this device's ssh")
	d.SSH.Profile = ProfileLegacy
	if err := ask(t, d); err != nil {
		t.Error(err)
	}
}

func TestRealSSHDThatRefusesPasswords(t *testing.T) {
	t.Parallel()
	key, pub := userKey(t, "ed25519", "")
	for name, c := range map[string]struct{ config string }{
		"keyboard-interactive fails at once":               {"KbdInteractiveAuthentication yes"},
		"a password is refused, then keyboard-interactive": {"KbdInteractiveAuthentication yes\nPasswordAuthentication yes"},
		"a password is refused":                            {"PasswordAuthentication yes"},
	} {
		t.Run(name, func(t *testing.T) {
			d, prints, _ := sshd(t, []string{"ed25519"}, c.config, pub)
			d.SSH.HostKey, d.SSH.Password = prints["ed25519"], devices.NewSecret("canary")
			err := ask(t, d)
			checkWords(t, err, fmt.Sprintf("refused the password of user %q", d.SSH.User))
			var keys interface{ SiteKeys() string }
			if !errors.Is(err, devices.ErrAuth) || !errors.As(err, &keys) || keys.SiteKeys() != "ssh.user, ssh.password" {
				t.Errorf("error %v, want one of the credentials", err)
			}
			d.SSH.Key = key
			if err := ask(t, d); err != nil {
				t.Errorf("with a key too: %v", err)
			}
		})
	}
}

// TestAccountThatIsNoDevice logs in to a plain shell, as with a site file that has a wrong address.
func TestAccountThatIsNoDevice(t *testing.T) {
	key, pub := userKey(t, "ed25519", "")
	d, prints, dir := sshd(t, []string{"ed25519"}, "", pub)
	write(t, filepath.Join(dir, "play"), "#!/bin/sh\nPS1='$ ' exec /bin/sh -i\n", 0o755)
	d.SSH.Key, d.SSH.HostKey, d.SSH.Timeout = key, prints["ed25519"], 2*time.Second
	err := ask(t, d)
	checkWords(t, err, "no prompt seen", "it stopped at \"$\"", "`platform`")
}

// TestAccountOnALinuxHost logs in where bash answers, with a prompt that IOS could have.
func TestAccountOnALinuxHost(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("bash"); err != nil {
		peer(t, "no bash here")
	}
	key, pub := userKey(t, "ed25519", "")
	d, prints, dir := sshd(t, []string{"ed25519"}, "", pub)
	write(t, filepath.Join(dir, "play"), "#!/bin/sh\nPS1='root@host:~# ' exec bash --norc --noprofile -i\n", 0o755)
	d.SSH.Key, d.SSH.HostKey, d.Ports = key, prints["ed25519"], []string{"lo", "eth0"}
	c := collector(t)
	for _, ask := range []struct {
		of   devices.Collector
		want string
	}{{c, "sw1: the device does not know `show interfaces` (it said "}, {NewLog(c), "sw1: the device does not know `show logging` (it said "}} {
		_, err := ask.of.Collect(within(t, testTime), d)
		checkWords(t, err, ask.want, "show: command not found", "check `platform`")
		var keys interface{ SiteKeys() string }
		if !errors.Is(err, ErrPlatform) || !errors.Is(err, devices.ErrUnsupported) || !errors.As(err, &keys) || keys.SiteKeys() != "platform" {
			t.Errorf("error %v, want one of the platform", err)
		}
		if n := strings.Count(err.Error(), "does not know"); n != 1 {
			t.Errorf("said %d times: %v", n, err)
		}
	}
}

func TestOutputWithoutAnEndBeforeThePrompt(t *testing.T) {
	t.Parallel()
	key, pub := userKey(t, "ed25519", "")
	for name, c := range map[string]struct{ script, want string }{
		"a line now and then": {"while sleep 0.02; do echo line; done", "sw1: logged in, but its output has no end: no prompt came within "},
		"as fast as it can":   {"yes", "sw1: logged in, but its output has no end"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, prints, dir := sshd(t, []string{"ed25519"}, "", pub)
			write(t, filepath.Join(dir, "play"), "#!/bin/sh\n"+c.script+"\n", 0o755)
			d.SSH.Key, d.SSH.HostKey, d.SSH.Timeout = key, prints["ed25519"], 2*time.Second
			checkWords(t, ask(t, d), c.want, "`platform`")
		})
	}
}
