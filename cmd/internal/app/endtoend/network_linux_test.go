package endtoend

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"whydrop/cmd/internal/report"
)

// network is a set of network namespaces with a common prefix, and the program under test.
type network struct {
	t       *testing.T
	dir     string
	prefix  string
	whydrop string
}

func newNetwork(t *testing.T, prefix string) *network {
	t.Helper()
	n := &network{t: t, dir: t.TempDir(), prefix: prefix}
	n.build()
	return n
}

// require skips the test without root or without one of the programs, or fails if peers are required.
func require(t *testing.T, programs ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("takes a minute and more")
	}
	if os.Geteuid() != 0 {
		miss(t, "needs root for network namespaces")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			miss(t, "%s is not installed", p)
		}
	}
}

// miss skips the test for want of something, or fails it where peers are required.
func miss(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// build compiles the program under test.
func (n *network) build() {
	n.whydrop = filepath.Join(n.dir, "whydrop")
	cmd := exec.Command("go", "build", "-o", n.whydrop, "whydrop/cmd/whydrop")
	if out, err := cmd.CombinedOutput(); err != nil {
		n.t.Fatalf("build: %v\n%s", err, out)
	}
}

// run runs a command to its end and returns what it printed.
func (n *network) run(name string, args ...string) string {
	n.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		n.t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// in runs a command in a node's namespace.
func (n *network) in(node string, args ...string) string {
	n.t.Helper()
	return n.run("ip", append([]string{"netns", "exec", n.prefix + node}, args...)...)
}

// start runs a command in a node's namespace until the test ends; its output goes to a file that is returned.
func (n *network) start(node, logName string, env []string, args ...string) (*exec.Cmd, string) {
	n.t.Helper()
	log := filepath.Join(n.dir, logName)
	f, err := os.Create(log)
	if err != nil {
		n.t.Fatal(err)
	}
	defer f.Close()
	cmd := exec.Command("ip", append([]string{"netns", "exec", n.prefix + node}, args...)...)
	cmd.Stdout, cmd.Stderr, cmd.Env = f, f, append(os.Environ(), env...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	n.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended already
		done := make(chan struct{})
		go func() { _ = cmd.Wait(); close(done) }()
		select {
		case <-done:
		case <-time.After(3 * time.Second):
			_ = cmd.Process.Kill()
			<-done
		}
	})
	return cmd, log
}

// eventually fails the test unless ok becomes true in time.
func (n *network) eventually(limit time.Duration, what string, ok func() bool) {
	n.t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(100 * time.Millisecond) {
		if ok() {
			return
		}
	}
	n.t.Fatalf("waited %v for %s", limit, what)
}

// capture starts a packet capture at a node and returns a function that ends it and gives the moments of the packets.
func (n *network) capture(node, name, filter string) func() []time.Time {
	n.t.Helper()
	cmd, log := n.start(node, name+".capture", nil, "tcpdump", "-i", "eth0", "-n", "-tt", "-l", "--immediate-mode", "-s", "96", filter)
	n.eventually(5*time.Second, "tcpdump to listen", func() bool {
		b, err := os.ReadFile(log)
		return err == nil && bytes.Contains(b, []byte("listening on"))
	})
	return func() []time.Time {
		_ = cmd.Process.Signal(syscall.SIGINT) // its end is waited for by the cleanup
		time.Sleep(300 * time.Millisecond)
		b, err := os.ReadFile(log)
		if err != nil {
			n.t.Fatal(err)
		}
		return captureTimes(string(b))
	}
}

// captureTimes reads the time stamps of tcpdump -tt.
func captureTimes(text string) []time.Time {
	var out []time.Time
	for line := range strings.Lines(text) {
		var sec, micro int64
		if n, _ := fmt.Sscanf(line, "%d.%d", &sec, &micro); n == 2 && sec > 1e9 {
			out = append(out, time.Unix(sec, micro*1000))
		}
	}
	return out
}

// longestGap returns the longest time between two consecutive moments.
func longestGap(times []time.Time) (from, to time.Time) {
	for i := 1; i < len(times); i++ {
		if times[i].Sub(times[i-1]) > to.Sub(from) {
			from, to = times[i-1], times[i]
		}
	}
	return from, to
}

// watch runs the program under test at a node and returns its report.
func (n *network) watch(node, site string, length time.Duration, env ...string) report.Document {
	path := filepath.Join(n.dir, "site.yaml")
	if err := os.WriteFile(path, []byte(site), 0o600); err != nil {
		n.t.Error(err)
		return report.Document{}
	}
	cmd := exec.Command("ip", "netns", "exec", n.prefix+node, n.whydrop, "watch", "-f", path, "--for", length.String(),
		"--session", filepath.Join(n.dir, "session.whydrop"), "--format", "json")
	cmd.Env = append(os.Environ(), env...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	n.t.Logf("watch: %v\n%s", err, stderr.String())
	var doc report.Document
	if jerr := json.Unmarshal(out, &doc); jerr != nil {
		n.t.Errorf("watch: %v; its output is no report: %v\n%s", err, jerr, out)
	}
	return doc
}
