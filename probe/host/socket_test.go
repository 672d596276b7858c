package host

import (
	"net"
	"runtime"
	"slices"
	"testing"

	"whydrop/probe/stream"
)

func TestAskedAndGot(t *testing.T) {
	for _, c := range []struct {
		g    Granted
		want string
		less bool
	}{
		{Granted{"segment size", 9000, 8961}, "segment size: 9000 asked, 8961 got", true},
		{Granted{"segment size", 0, 1448}, "segment size: none asked, 1448 got", false},
		{Granted{"send buffer", 65536, 0}, "send buffer: 65536 asked, not known what it got", false},
		{Granted{"send buffer", 65536, 65536}, "send buffer: 65536 asked, 65536 got", false},
	} {
		if got := c.g.String(); got != c.want || c.g.Less() != c.less {
			t.Errorf("got %q, less %v, want %q, %v", got, c.g.Less(), c.want, c.less)
		}
	}
}

func TestARealSocketGetsWhatItAskedFor(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	asked := stream.Socket{Buffer: 64 << 10}
	if runtime.GOOS == "linux" {
		asked.MSS = 1000
	}
	conn, err := asked.Dialer(0).DialContext(t.Context(), "tcp4", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	got := Compare(asked, stream.Inspect(conn))
	if runtime.GOOS != "linux" {
		t.Log(got)
		return
	}
	// Of a segment of 1000 octets that were asked for, 12 are the time stamps where those are on.
	want := []Granted{{"segment size", 1000, 988}, {"send buffer", 65536, 65536}, {"receive buffer", 65536, 65536}}
	if got[0].Got == 1000 {
		want[0].Got = 1000
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}
