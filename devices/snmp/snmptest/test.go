package snmptest

import (
	"net/netip"
	"testing"
)

// NewAgent starts the agent on a free port of 127.0.0.1 and closes it when the test ends.
func NewAgent(t testing.TB, a *Agent) netip.AddrPort {
	t.Helper()
	addr, err := a.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { a.Close() })
	return addr
}
