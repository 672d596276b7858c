package iperf2

import (
	"context"
	"encoding/json"
	"net"
	"os/exec"
	"testing"
	"time"

	"whydrop/probe/pathtest"
)

func init() {
	becomeClient = func() {
		pathtest.Main(func(arg []byte) (any, error) {
			var t Test
			if err := json.Unmarshal(arg, &t); err != nil {
				return nil, err
			}
			return Run(context.Background(), t, Handler{})
		})
	}
}

// twoHosts makes the hosts a and b, 10.78.0.1 and 10.78.0.2, with a link between them.
func twoHosts(t *testing.T) *pathtest.Line { return pathtest.NewLine(t, "wdiperf2-", 0) }

// clientIn runs a client at a.
func clientIn(t *testing.T, l *pathtest.Line, test Test) (res Result) {
	t.Helper()
	if err := l.Run("a", test, &res); err != nil {
		t.Logf("client: %v", err)
	}
	return res
}

func TestUDPIsSentOnlyToAddressesThatWereSeenByTCP(t *testing.T) {
	t.Parallel()
	hosts := twoHosts(t)
	l := &log{}
	s, err := pathtest.In(hosts, "b", func() (*Server, error) {
		return ServerConfig{Address: "10.78.0.2:5001", Handler: l.handler()}.Listen(context.Background())
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	defer func() { cancel(); <-done }()

	// Only datagrams: they ask for two seconds, and nothing comes.
	u, err := pathtest.In(hosts, "a", func() (net.Conn, error) { return net.Dial("udp", "10.78.0.2:5001") })
	if err != nil {
		t.Fatal(err)
	}
	defer u.Close()
	ask := append(wire(t, udpRev218), make([]byte, 1000)...)
	for range 5 {
		_, _ = u.Write(ask)
		_ = u.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		if n, err := u.Read(make([]byte, 2048)); err == nil {
			t.Fatalf("%d bytes came to an address that only datagrams named", n)
		}
	}
	if !l.told("it may be forged") {
		t.Error("the server does not say why")
	}
	// Our own client is refused first, shows its address, and gets what it asks for.
	res := clientIn(t, hosts, Test{Host: "10.78.0.2", UDP: true, Mode: Reverse, Rate: 10e6, Time: 300 * time.Millisecond})
	if len(res.Received) != 1 || res.Received[0].Datagrams < 100 || res.Received[0].Lost != 0 || res.Received[0].Problem != "" {
		t.Errorf("received %+v", res.Received)
	}
}

func TestStockServersConnectBackToTheUsualPort(t *testing.T) {
	t.Parallel()
	needStock(t)
	hosts := twoHosts(t)
	for _, args := range [][]string{{"-s"}, {"-s", "-u"}} {
		cmd := exec.CommandContext(t.Context(), "ip", append([]string{"netns", "exec", hosts.NS("b"), "iperf"}, args...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	}
	time.Sleep(300 * time.Millisecond) // for both to listen; a client that connects too early is tried again below
	for _, test := range []Test{
		{Host: "10.78.0.2", Mode: Dual, Rate: 20e6, Time: 300 * time.Millisecond},
		{Host: "10.78.0.2", Mode: Tradeoff, UDP: true, Rate: 10e6, Time: 300 * time.Millisecond},
	} {
		var res Result
		for range 10 {
			if res = clientIn(t, hosts, test); len(res.Sent) > 0 {
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
		if len(res.Sent) != 1 || len(res.Received) != 1 || res.Received[0].Bytes == 0 {
			t.Fatalf("%+v: %+v", test, res)
		}
		if p := res.Received[0].Stream.Local.Port(); p != DefaultPort {
			t.Errorf("the server sent back to port %d, want %d", p, DefaultPort)
		}
	}
}
