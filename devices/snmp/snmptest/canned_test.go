package snmptest

import (
	"fmt"
	"strings"
	"testing"
)

// TestCanned holds the agent for measurements against net-snmp's tools and against the other agent.
func TestCanned(t *testing.T) {
	rows := map[string]Value{"1.3.6.1.2.1.1.3.0": Ticks(0), "1.3.6.1.2.1.1.5.0": Str("sw1")}
	a := &Agent{Community: "public"}
	for i := range 300 {
		for _, col := range []int{6, 10, 200} {
			id, v := fmt.Sprintf("1.3.6.1.2.1.31.1.1.1.%d.%d", col, 100*i), C64(uint64(i)<<(i%60))
			rows[id] = v
			a.Set(id, v)
		}
	}
	c, err := NewCanned(rows)
	if err != nil {
		t.Fatal(err)
	}
	addr, err := c.Listen("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	walk := func(at string) string {
		out, err := tool(t, "snmpbulkwalk", "-v2c", "-cpublic", "-On", "-Cr40", at, "1.3.6.1.2.1.31")
		if err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		_, rows, _ := strings.Cut(out, "\n.1.") // after what the tool says of its own directory
		return rows
	}
	got, want := walk(addr.String()), walk(NewAgent(t, a).String())
	if got != want || strings.Count(got, "Counter64") != 900 {
		t.Errorf("%d lines, want 900 as of the other agent; first %.200s", strings.Count(got, "\n"), got)
	}
	out, err := tool(t, "snmpget", "-v2c", "-cpublic", "-Onq", addr.String(), "1.3.6.1.2.1.1.3.0", "1.3.6.1.2.1.1.5.0", "1.3.6.1.2.1.1.6.0")
	if err != nil || !strings.Contains(out, "31:") || !strings.Contains(out, "sw1") || !strings.Contains(out, "No Such Instance") {
		t.Errorf("got %v: %s", err, out)
	}
}
