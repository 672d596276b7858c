package sim

import (
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

// peer skips the test if a program is not installed, or fails where every peer must be there.
func peer(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
}

func startDefault(t *testing.T) *Site {
	t.Helper()
	story, err := Draw(Default, 7, Options{})
	if err != nil {
		t.Fatal(err)
	}
	s, err := Start(story)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("close: %v", err)
		}
	})
	return s
}

func snmpArgs(d *running) []string {
	if d.community != "" {
		return []string{"-v2c", "-c", d.community}
	}
	return []string{"-v3", "-l", "authPriv", "-u", d.user, "-a", "SHA", "-A", d.authPass, "-x", "AES", "-X", d.privPass}
}

func TestStockSnmpwalkReadsEveryDevice(t *testing.T) {
	peer(t, "snmpwalk")
	s := startDefault(t)
	for _, d := range s.devices {
		walk := exec.Command("snmpwalk", append(snmpArgs(d), "-On", "-t", "2", d.snmp.String(), ".1.3.6.1")...)
		walk.Env = append(os.Environ(), "SNMP_PERSISTENT_DIR="+t.TempDir()) // what other runs left stands in its way
		out, err := walk.CombinedOutput()
		if err != nil {
			t.Fatalf("%s: %v\n%s", d.name, err, out)
		}
		text := string(out)
		wants := []string{
			`.1.3.6.1.2.1.1.5.0 = STRING: "` + d.name + `"`, ".1.3.6.1.2.1.31.1.1.1.6." + strconv.Itoa(int(d.on[0].index)) + " = Counter64: ",
			".1.3.6.1.2.1.10.7.2.1.3." + strconv.Itoa(int(d.on[0].index)) + " = Counter32: ",
		}
		if d.bridge != nil {
			wants = append(wants, ".1.3.6.1.2.1.17.1.4.1.2."+strconv.Itoa(d.on[0].number)+" = INTEGER: "+strconv.Itoa(int(d.on[0].index)),
				".1.3.6.1.2.1.17.2.4.0 = Counter32: ", ".1.3.6.1.4.1.9.9.82.1.12.2.1.3.1."+strconv.Itoa(d.on[1].number)+" = INTEGER: ")
		}
		for _, w := range wants {
			if !strings.Contains(text, w) {
				t.Errorf("%s: the walk lacks %q", d.name, w)
			}
		}
		if strings.Contains(text, "Error") || strings.Contains(text, "not increasing") {
			t.Errorf("%s: %s", d.name, text)
		}
	}
}

func TestStockSSHReadsEveryDevice(t *testing.T) {
	peer(t, "ssh")
	s := startDefault(t)
	dir := t.TempDir()
	for _, d := range s.devices {
		ask := filepath.Join(dir, d.name)
		if err := os.WriteFile(ask, []byte("#!/bin/sh\necho "+d.password+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		args := []string{"-F", "none", "-o", "StrictHostKeyChecking=accept-new", "-o", "UserKnownHostsFile=" + filepath.Join(dir, "known"), "-o", "PreferredAuthentications=password"}
		if d.model.legacy {
			args = append(args, "-o", "KexAlgorithms=+diffie-hellman-group1-sha1", "-o", "Ciphers=+aes128-cbc", "-o", "HostKeyAlgorithms=+ssh-rsa")
		}
		cmd := exec.Command("ssh", append(args, "-p", strconv.Itoa(int(d.shell.Port())), d.login+"@127.0.0.1", "show clock")...)
		cmd.Env = append(os.Environ(), "SSH_ASKPASS="+ask, "SSH_ASKPASS_REQUIRE=force", "DISPLAY=:0")
		out, err := cmd.Output()
		if err != nil || !strings.Contains(string(out), " UTC ") {
			t.Errorf("%s: %v: %q", d.name, err, out)
		}
	}
}

// dialShell logs in with x/crypto/ssh alone, as an independent client of the server.
func dialShell(t *testing.T, d *running) *ssh.Client {
	t.Helper()
	cfg := &ssh.ClientConfig{
		User: d.login, Auth: []ssh.AuthMethod{ssh.Password(d.password)}, Timeout: 5 * time.Second,
		HostKeyCallback: func(_ string, _ net.Addr, key ssh.PublicKey) error {
			if got := ssh.FingerprintSHA256(key); got != d.shell.Fingerprint() {
				t.Errorf("%s: host key %s, pinned %s", d.name, got, d.shell.Fingerprint())
			}
			return nil
		},
	}
	if d.model.legacy {
		cfg.KeyExchanges = []string{ssh.InsecureKeyExchangeDH1SHA1}
		cfg.Ciphers = []string{ssh.InsecureCipherAES128CBC}
		cfg.HostKeyAlgorithms = []string{ssh.KeyAlgoRSA}
	}
	c, err := ssh.Dial("tcp", d.shell.Addr(), cfg)
	if err != nil {
		t.Fatalf("%s: %v", d.name, err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestEveryDeviceAnswersItsCommands(t *testing.T) {
	s := startDefault(t)
	for _, d := range s.devices {
		for _, c := range commandLine {
			line := strings.ReplaceAll(c.words, "NAME", d.on[0].ifName())
			sess, err := dialShell(t, d).NewSession()
			if err != nil {
				t.Fatal(err)
			}
			out, err := sess.CombinedOutput(line)
			if err != nil || len(out) == 0 || strings.Contains(string(out), "% Invalid") {
				t.Errorf("%s: %s: %v\n%s", d.name, line, err, out)
			}
			if testing.Verbose() {
				t.Logf("%s# %s\n%s", d.name, line, out)
			}
		}
	}
}
