package iperf3

import (
	"os"
	"os/exec"
	"testing"
	"time"
)

// needPeers skips the test if one of the programs is missing or, where asked, the rights are; with
// WHYDROP_REQUIRE_PEERS=1 that is a failure.
func needPeers(t *testing.T, root bool, programs ...string) {
	t.Helper()
	missing := ""
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			missing = p + " is not installed"
		}
	}
	if root && os.Geteuid() != 0 {
		missing = "not root"
	}
	switch {
	case missing == "":
	case os.Getenv("WHYDROP_REQUIRE_PEERS") == "1":
		t.Fatal(missing)
	default:
		t.Skip(missing)
	}
}

// await waits until the condition holds.
func await(t *testing.T, d time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("not within %v: %s", d, what)
}

// tcpPeers is what is known of n TCP streams on which the peer sends.
func tcpPeers(n int) []peerStream { return make([]peerStream, n) }
