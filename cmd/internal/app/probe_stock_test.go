package app

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"whydrop/probe/iperf3"
)

// TestDocumentHasEveryKeyOfStock: what reads a document of iperf3 -J finds in ours what it looks for.
func TestDocumentHasEveryKeyOfStock(t *testing.T) {
	if _, err := exec.LookPath("iperf3"); err != nil {
		if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	for _, udp := range []bool{false, true} {
		name := map[bool]string{false: "TCP", true: "UDP"}[udp]
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			address := farEnd(t)
			host, port, _ := net.SplitHostPort(address)
			args := []string{"-c", host, "-p", port, "-J", "-t", "1", "-b", "5M", "--bidir", "--get-server-output"}
			test := iperf3.Test{Address: address, UDP: udp, Bidirectional: true, Time: 300 * time.Millisecond, Rate: 5e6, ServerOutput: true}
			if udp {
				args = append(args, "-u")
			}
			ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
			defer cancel()
			stock, err := exec.CommandContext(ctx, "iperf3", args...).Output()
			if err != nil {
				t.Fatalf("%v: %s", err, stock)
			}
			var ours bytes.Buffer
			if err := Probe(ctx, ProbeOptions{Test: test, Interval: 100 * time.Millisecond, Format: "iperf3", Out: &ours, Progress: io.Discard}); err != nil {
				t.Fatal(err)
			}
			have := documentKeys(t, ours.Bytes())
			for _, k := range documentKeys(t, stock) {
				if !slices.Contains(have, k) {
					t.Errorf("%s is not in our document", k)
				}
			}
			if strings.Contains(ours.String(), "-0,") || strings.Contains(ours.String(), "-0\n") {
				t.Error("a figure below nothing")
			}
		})
	}
}

// farEnd serves until the test ends.
func farEnd(t *testing.T) string {
	t.Helper()
	cfg := iperf3.ServerConfig{Address: "127.0.0.1:0", MaxTests: 2}
	l, err := cfg.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Listener = l
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- iperf3.Serve(ctx, cfg) }()
	t.Cleanup(func() { cancel(); <-done })
	return l.Addr().String()
}

// documentKeys returns the paths of all keys of a document.
func documentKeys(t *testing.T, text []byte) (out []string) {
	t.Helper()
	var doc any
	if err := json.Unmarshal(text, &doc); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	var walk func(path string, v any)
	walk = func(path string, v any) {
		switch x := v.(type) {
		case map[string]any:
			for k, e := range x {
				out = append(out, path+"."+k)
				walk(path+"."+k, e)
			}
		case []any:
			for _, e := range x {
				walk(path+"[]", e)
			}
		}
	}
	walk("", doc)
	slices.Sort(out)
	return slices.Compact(out)
}
