package snmptest

import (
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"testing"
)

// tool runs one of net-snmp's programs, which are the independent judge of the agent's messages.
func tool(t *testing.T, name string, args ...string) (string, error) {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
			t.Fatalf("%s is not installed", name)
		}
		t.Skipf("%s is not installed", name)
	}
	cmd := exec.Command(path, args...)
	// net-snmp keeps boots and engine in a state file and complains about its own if it is shared.
	cmd.Env = append(os.Environ(), "SNMP_PERSISTENT_DIR="+t.TempDir(), "MIBS=", "SNMPCONFPATH="+t.TempDir())
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func fill(a *Agent) {
	a.Set("1.3.6.1.2.1.1.1.0", Str("an agent"))
	a.Set("1.3.6.1.2.1.1.2.0", OID("1.3.6.1.4.1.9.1.1208"))
	n := uint32(100)
	a.SetFunc("1.3.6.1.2.1.1.3.0", func() Value { n++; return Ticks(n) })
	for i := 1; i <= 120; i++ {
		a.Set(fmt.Sprintf("1.3.6.1.2.1.2.2.1.1.%d", i), Int(i))
		a.Set(fmt.Sprintf("1.3.6.1.2.1.31.1.1.1.6.%d", i), C64(1<<63+uint64(i)))
	}
	a.Set("1.3.6.1.2.1.4.20.1.1.10.0.0.1", IP(netip.MustParseAddr("10.0.0.1")))
}

func TestNetSNMPReadsTheAgent(t *testing.T) {
	flags := map[string][]string{"v2c": {"-v2c", "-c", "public"}}
	agents := map[string]*Agent{"v2c": {Community: "public"}}
	for _, c := range []struct{ auth, priv, a, x string }{
		{"MD5", "DES", "MD5", "DES"}, {"SHA", "AES", "SHA", "AES"}, {"SHA-256", "AES", "SHA-256", "AES"},
		{"SHA-512", "AES-256", "SHA-512", "AES-256"}, {"SHA", "AES-256-C", "SHA", "AES-256-C"}, {"SHA-224", "", "SHA-224", ""},
	} {
		name := c.auth + "/" + c.priv
		agents[name] = &Agent{User: "ops", Auth: c.auth, AuthPass: "authphrase", Priv: c.priv, PrivPass: "privphrase"}
		flags[name] = []string{"-v3", "-u", "ops", "-l", "authPriv", "-a", c.a, "-A", "authphrase", "-x", c.x, "-X", "privphrase"}
		if c.priv == "" {
			agents[name].PrivPass = ""
			flags[name] = []string{"-v3", "-u", "ops", "-l", "authNoPriv", "-a", c.a, "-A", "authphrase"}
		}
	}
	for name, a := range agents {
		t.Run(name, func(t *testing.T) {
			fill(a)
			addr := NewAgent(t, a).String()
			common := append(flags[name], "-On", "-t", "2", "-r", "1", addr)
			out, err := tool(t, "snmpget", append(common, "1.3.6.1.2.1.1.1.0", "1.3.6.1.2.1.1.3.0", "1.3.6.1.2.1.1.99.0")...)
			if err != nil {
				if strings.Contains(out, "Invalid") && strings.Contains(out, "-C") {
					t.Skip("this net-snmp lacks the Reeder extension")
				}
				t.Fatalf("snmpget: %v\n%s", err, out)
			}
			for _, want := range []string{`STRING: "an agent"`, "Timeticks: (101)", "No Such"} {
				if !strings.Contains(out, want) {
					t.Errorf("snmpget printed %q, want %q in it", out, want)
				}
			}
			for _, walker := range []string{"snmpwalk", "snmpbulkwalk"} {
				out, err := tool(t, walker, append(common, "1.3.6.1.2.1.31.1.1.1.6")...)
				if rows := strings.Count(out, "Counter64: 92233720368547"); err != nil || rows != 120 {
					t.Errorf("%s: %d rows, %v, want 120\n%.300s", walker, rows, err, out)
				}
			}
		})
	}
}

func TestNetSNMPSaysWhatIsWrong(t *testing.T) {
	a := &Agent{Community: "public", User: "ops", AuthPass: "authphrase", PrivPass: "privphrase"}
	fill(a)
	addr := NewAgent(t, a).String()
	v3 := func(user, level, auth, priv string) []string {
		return []string{"-v3", "-u", user, "-l", level, "-a", "SHA", "-A", auth, "-x", "AES", "-X", priv}
	}
	for name, c := range map[string]struct {
		flags []string
		want  string
	}{
		"a wrong community is not answered": {[]string{"-v2c", "-c", "wrong"}, "Timeout"},
		"an unknown user":                   {v3("nobody", "authPriv", "authphrase", "privphrase"), "Unknown user name"},
		"a wrong auth pass phrase":          {v3("ops", "authPriv", "authwrong", "privphrase"), "Authentication failure"},
		"a level that is too low":           {v3("ops", "authNoPriv", "authphrase", "privphrase"), "authorizationError"},
		"a wrong priv pass phrase":          {v3("ops", "authPriv", "authphrase", "privwrong"), "Timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := tool(t, "snmpget", append(c.flags, "-On", "-t", "0.3", "-r", "0", addr, "1.3.6.1.2.1.1.1.0")...)
			if err == nil || !strings.Contains(out, c.want) {
				t.Errorf("snmpget: %v, printed %q, want %q in it", err, out, c.want)
			}
		})
	}
	if n := a.Count("SET"); n != 0 {
		t.Errorf("%d SET requests", n)
	}
}

func TestSetIsRefused(t *testing.T) {
	a := &Agent{Community: "public"}
	fill(a)
	addr := NewAgent(t, a).String()
	out, err := tool(t, "snmpset", "-v2c", "-c", "public", "-t", "1", "-r", "0", addr, "1.3.6.1.2.1.1.1.0", "s", "x")
	if err == nil || !strings.Contains(out, "notWritable") || a.Count("SET") != 1 {
		t.Errorf("snmpset: %v, %q, %d counted", err, out, a.Count("SET"))
	}
}
