package main

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// space is two network namespaces with a veth pair between them.
type space struct{ a, b string }

// openSpace returns nil if there is nobody to make namespaces, and then everything runs on this host's loopback.
func openSpace() (*space, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	s := &space{fmt.Sprintf("wdbench-%d-a", os.Getpid()), fmt.Sprintf("wdbench-%d-b", os.Getpid())}
	for _, line := range []string{
		"netns add " + s.a, "netns add " + s.b,
		"link add wdb0 netns " + s.a + " type veth peer name wdb0 netns " + s.b,
		"-n " + s.a + " addr add 10.77.0.1/24 dev wdb0", "-n " + s.b + " addr add 10.77.0.2/24 dev wdb0",
		"-n " + s.a + " link set wdb0 up", "-n " + s.b + " link set wdb0 up",
		"-n " + s.a + " link set lo up", "-n " + s.b + " link set lo up",
		// A server chooses its congestion control by the route; the host's default may be another.
		"-n " + s.a + " route replace 10.77.0.0/24 dev wdb0 src 10.77.0.1 congctl " + congestion,
		"-n " + s.b + " route replace 10.77.0.0/24 dev wdb0 src 10.77.0.2 congctl " + congestion,
		"-n " + s.a + " route replace local 127.0.0.1 dev lo table local src 127.0.0.1 congctl " + congestion,
	} {
		if out, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			s.close()
			return nil, fmt.Errorf("ip %s: %s: %w", line, strings.TrimSpace(string(out)), err)
		}
	}
	return s, nil
}

func (s *space) close() {
	for _, n := range []string{s.a, s.b} {
		_ = exec.Command("ip", "netns", "del", n).Run()
	}
}

func in(name string) []string { return []string{"ip", "netns", "exec", name} }

func (s *space) loopback() place {
	if s == nil {
		return place{name: "loopback", address: "127.0.0.1"}
	}
	return place{name: "loopback", address: "127.0.0.1", serverIn: in(s.a), client: in(s.a)}
}

func (s *space) veth() place {
	return place{name: "veth", address: "10.77.0.2", serverIn: in(s.b), client: in(s.a)}
}

// segmentation switches the client's card's segmentation of datagrams.
func (s *space) segmentation(on bool) error {
	state := "off"
	if on {
		state = "on"
	}
	cmd := exec.Command("ip", append(in(s.a)[1:], "ethtool", "-K", "wdb0", "tx-udp-segmentation", state)...)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s: %s: %w", cmd, strings.TrimSpace(string(out)), err)
	}
	return nil
}
