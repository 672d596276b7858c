package endtoend

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// helperEnv makes this test program serve the BRIDGE-MIB of the bridge it names, as snmpd's pass_persist wants it
// (snmpd.conf(5)), instead of running tests.
const helperEnv = "WHYDROP_LAB_BRIDGE"

// bridgeMIB is BRIDGE-MIB, RFC 4188.
const bridgeMIB = ".1.3.6.1.2.1.17"

func TestMain(m *testing.M) {
	if bridge := os.Getenv(helperEnv); bridge != "" && len(os.Args) == 1 {
		serveBridgeMIB(bridge)
		return
	}
	os.Exit(m.Run())
}

// serveBridgeMIB answers snmpd on standard input and output, with the kernel's own figures.
func serveBridgeMIB(bridge string) {
	var changes atomic.Uint64
	go countChanges(bridge, &changes)
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		switch in.Text() {
		case "PING":
			fmt.Println("PONG")
		case "get", "getnext":
			next := in.Text() == "getnext"
			if !in.Scan() {
				return
			}
			answer(objects(bridge, changes.Load()), in.Text(), next)
		case "":
			return
		}
	}
}

// countChanges counts topology changes as 802.1D's bridge does: each time that one begins.
func countChanges(bridge string, n *atomic.Uint64) {
	was := true
	for ; ; time.Sleep(20 * time.Millisecond) {
		is := sysfs(bridge, "bridge/topology_change") == 1 || sysfs(bridge, "bridge/topology_change_detected") == 1
		if is && !was {
			n.Add(1)
		}
		was = is
	}
}

type object struct {
	oid   []int
	kind  string
	value string
}

func answer(list []object, asked string, next bool) {
	oid := parseOID(asked)
	for _, o := range list {
		if c := slices.Compare(o.oid, oid); c == 0 && !next || c > 0 && next {
			fmt.Printf(".%s\n%s\n%s\n", joinOID(o.oid), o.kind, o.value)
			return
		}
	}
	fmt.Println("NONE")
}

// objects lists what there is, in the order of the identifiers.
func objects(bridge string, changes uint64) []object {
	ports, _ := filepath.Glob("/sys/class/net/" + bridge + "/brif/*")
	type port struct{ number, index, state int }
	var list []port
	for _, p := range ports {
		name := filepath.Base(p)
		list = append(list, port{sysfs(name, "brport/port_no"), sysfs(name, "ifindex"), sysfs(name, "brport/state")})
	}
	slices.SortFunc(list, func(a, b port) int { return a.number - b.number })
	add := func(out []object, kind string, value any, ids ...int) []object {
		return append(out, object{append(parseOID(bridgeMIB), ids...), kind, fmt.Sprint(value)})
	}
	out := add(nil, "integer", len(list), 1, 2, 0)
	for _, p := range list {
		out = add(out, "integer", p.index, 1, 4, 1, 2, p.number)
	}
	out = add(out, "counter", changes, 2, 4, 0)
	out = add(out, "integer", sysfs(bridge, "bridge/root_path_cost"), 2, 6, 0)
	out = add(out, "integer", sysfs(bridge, "bridge/root_port"), 2, 7, 0)
	for _, p := range list {
		out = add(out, "integer", p.number, 2, 15, 1, 1, p.number)
	}
	// The kernel's states are disabled 0, listening 1, learning 2, forwarding 3, blocking 4; the MIB's are
	// disabled 1, blocking 2, listening 3, learning 4, forwarding 5.
	for _, p := range list {
		out = add(out, "integer", [...]int{1, 3, 4, 5, 2}[min(max(p.state, 0), 4)], 2, 15, 1, 3, p.number)
	}
	return out
}

// sysfs reads a number of an interface; -1 if it is not there.
func sysfs(dev, file string) int {
	b, err := os.ReadFile("/sys/class/net/" + dev + "/" + file)
	if err != nil {
		return -1
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(b)), 0, 64)
	if err != nil {
		return -1
	}
	return int(n)
}

func parseOID(s string) []int {
	var out []int
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r == '.' }) {
		n, err := strconv.Atoi(f)
		if err != nil {
			return nil
		}
		out = append(out, n)
	}
	return out
}

func joinOID(oid []int) string {
	parts := make([]string, len(oid))
	for i, n := range oid {
		parts[i] = strconv.Itoa(n)
	}
	return strings.Join(parts, ".")
}
