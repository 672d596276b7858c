package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp"
	"whydrop/devices/snmp/snmptest"
)

// recordings are walks of real devices beside the checkout; they are no part of it.
const recordings = "../shared/corpus/snmp/*/*.snmprec"

// walkRoots are walked one after the other: everything that an agent has.
var walkRoots = []string{"1.0", "1.2", "1.3"}

// walks serves each recording by an agent of ours over UDP and compares what is read of it with what net-snmp's
// snmpbulkwalk finds, row by row.
func walks(full bool, args []string) error {
	files, _ := filepath.Glob(recordings)
	if len(args) > 0 {
		files = slices.DeleteFunc(files, func(f string) bool { return !strings.Contains(f, args[0]) })
	}
	if len(files) == 0 {
		fmt.Println("no recordings at", recordings)
		return nil
	}
	peer, err := exec.LookPath("snmpbulkwalk")
	if err != nil {
		return errors.New("snmpbulkwalk is not installed")
	}
	if !full {
		files = sample(files)
	}
	var all walkResult
	began := time.Now()
	for _, f := range files {
		r, err := walkOne(f, peer)
		if err != nil {
			return fmt.Errorf("%s: %w", f, err)
		}
		if len(r.mismatches) > 0 || r.resolved < r.sane {
			fmt.Printf("%-50s %6d rows %3d mismatches, speed of %d of %d ports\n", filepath.Base(f), r.rows, len(r.mismatches), r.resolved, r.sane)
			for _, m := range r.mismatches[:min(5, len(r.mismatches))] {
				fmt.Println("   ", m)
			}
		}
		all.add(r)
	}
	fmt.Printf("%d walks, %d rows, %d mismatches with snmpbulkwalk; ours took %s, snmpbulkwalk %s\n", len(files), all.rows, len(all.mismatches), all.ours.Round(time.Millisecond), all.theirs.Round(time.Millisecond))
	fmt.Printf("speed resolved for %d of %d ports that give a sane one (%.2f %%); %s in all\n", all.resolved, all.sane, 100*float64(all.resolved)/float64(max(1, all.sane)), time.Since(began).Round(100*time.Millisecond))
	switch {
	case len(all.mismatches) > 0:
		return fmt.Errorf("%d rows differ", len(all.mismatches))
	case float64(all.resolved) < 0.99*float64(all.sane):
		return errors.New("the speed of more than 1 % of the ports is not resolved")
	}
	return nil
}

// sample takes one small recording of each system, as many as a quick run bears.
func sample(files []string) []string {
	const small, most = 200_000, 25 // octets, files
	var out []string
	seen := map[string]bool{}
	for _, f := range files {
		if i, err := os.Stat(f); err == nil && i.Size() <= small && !seen[filepath.Dir(f)] && len(out) < most {
			seen[filepath.Dir(f)] = true
			out = append(out, f)
		}
	}
	return out
}

// walkResult is what came of one recording, or of all.
type walkResult struct {
	rows, sane, resolved int
	mismatches           []string
	ours, theirs         time.Duration
}

func (r *walkResult) add(o walkResult) {
	r.rows, r.sane, r.resolved = r.rows+o.rows, r.sane+o.sane, r.resolved+o.resolved
	r.mismatches = append(r.mismatches, o.mismatches...)
	r.ours, r.theirs = r.ours+o.ours, r.theirs+o.theirs
}

func walkOne(file, peer string) (r walkResult, err error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return r, err
	}
	a := &snmptest.Agent{Community: "public"}
	if _, err := a.Load(bytes.NewReader(b)); err != nil {
		return r, err
	}
	if !bytes.Contains(b, []byte("\n1.3.6.1.2.1.1.3.0|67|")) {
		a.Set("1.3.6.1.2.1.1.3.0", snmptest.Ticks(123456)) // some recordings have none, or a rule in its place
	}
	addr, err := a.Listen("127.0.0.1:0")
	if err != nil {
		return r, err
	}
	defer a.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()

	d := devices.Device{Name: filepath.Base(file), Address: "127.0.0.1", SNMP: &devices.SNMP{
		Version: "2c", Port: addr.Port(), Timeout: 2 * time.Second, Community: devices.NewSecret("public"),
	}}
	began := time.Now()
	ours := map[string]string{}
	c := snmp.New()
	defer c.Close()
	for _, root := range walkRoots {
		cells, err := c.Walk(ctx, d, root)
		if err != nil {
			return r, err
		}
		for _, cell := range cells {
			ours[root+"."+dots(cell.Index)] = plainValue(cell)
		}
	}
	r.ours = time.Since(began)

	began = time.Now()
	theirs, err := peerWalk(ctx, peer, addr)
	if err != nil {
		return r, err
	}
	r.theirs = time.Since(began)
	r.rows = len(theirs)
	for id, v := range theirs {
		if o, ok := ours[id]; !ok || o != v {
			r.mismatches = append(r.mismatches, fmt.Sprintf("%s: %q, snmpbulkwalk has %q", id, o, v))
		}
	}
	for id, v := range ours {
		if _, ok := theirs[id]; !ok {
			r.mismatches = append(r.mismatches, fmt.Sprintf("%s: %q, snmpbulkwalk has none", id, v))
		}
	}
	slices.Sort(r.mismatches)
	return r, speeds(ctx, c, d, theirs, &r)
}

// speeds polls every port and looks whether the speed is known of those of which the agent gives one that can be.
func speeds(ctx context.Context, c *snmp.Collector, d devices.Device, rows map[string]string, r *walkResult) error {
	const ifSpeed, ifHighSpeed = "1.3.6.1.2.1.2.2.1.5.", "1.3.6.1.2.1.31.1.1.1.15."
	sane := map[uint32][]uint64{} // by ifIndex: speeds that can be, bit/s
	for id, v := range rows {
		tag, text, _ := strings.Cut(v, "|")
		n, err := strconv.ParseUint(text, 10, 64)
		if err != nil || tag != "66" && tag != "2" || n == 0 {
			continue
		}
		for _, x := range []struct {
			column      string
			scale, most uint64
		}{{ifSpeed, 1, 1<<32 - 2}, {ifHighSpeed, 1e6, 1_600_000}} {
			i, ok := strings.CutPrefix(id, x.column)
			if index, err := strconv.ParseUint(i, 10, 32); ok && err == nil && n <= x.most {
				sane[uint32(index)] = append(sane[uint32(index)], n*x.scale)
			}
		}
	}
	if len(sane) == 0 {
		return nil
	}
	for index := range sane {
		d.Ports = append(d.Ports, fmt.Sprintf("ifIndex %d", index))
	}
	slices.Sort(d.Ports)
	d.Name += " ports" // a session of its own
	reading, err := c.Collect(ctx, d)
	if err != nil && !errors.Is(err, devices.ErrPartial) {
		return err
	}
	for _, i := range reading.Interfaces {
		if i.Speed.OK && slices.Contains(sane[i.Index.Value], i.Speed.Value) {
			r.resolved++
		}
	}
	r.sane = len(sane)
	return nil
}

// plainValue writes a value as snmprec does, all text in hex.
func plainValue(c snmp.Cell) string {
	tag, text := c.Recorded()
	switch tag {
	case "4":
		return "4|" + hex.EncodeToString([]byte(text))
	case "4x":
		return "4|" + text
	}
	return tag + "|" + text
}

// tags are net-snmp's names of types and their numbers.
var tags = map[string]string{
	"INTEGER": "2", "STRING": "4", "Hex-STRING": "4", "NULL": "5", "OID": "6", "IpAddress": "64", "Network Address": "64",
	"Counter32": "65", "Gauge32": "66", "Timeticks": "67", "Counter64": "70",
}

// peerWalk returns what snmpbulkwalk finds, in the words of plainValue.
func peerWalk(ctx context.Context, peer string, addr netip.AddrPort) (map[string]string, error) {
	out := map[string]string{}
	dir, err := os.MkdirTemp("", "walks")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	for _, root := range walkRoots {
		// -On numbers, -Oe no words for numbers, -Ox text in hex, -Ot ticks as a number.
		cmd := exec.CommandContext(ctx, peer, "-v2c", "-c", "public", "-Onext", "-m", "", "-t", "2", "-r", "2", "-Cr40", addr.String(), "."+root)
		cmd.Env = append(os.Environ(), "SNMP_PERSISTENT_DIR="+dir, "MIBS=", "SNMPCONFPATH="+dir)
		text, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("snmpbulkwalk: %w", err)
		}
		parsePeer(text, out)
	}
	return out, nil
}

// parsePeer reads lines ".1.3.6.1 = TYPE: value"; long values in hex go on in lines of their own.
func parsePeer(text []byte, out map[string]string) {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	id, value := "", ""
	flush := func() {
		if id != "" && !strings.HasPrefix(value, "No ") {
			out[id] = peerValue(value)
		}
	}
	for lines.Scan() {
		if left, right, ok := strings.Cut(lines.Text(), " ="); ok && strings.HasPrefix(left, ".") {
			flush()
			id, value = left[1:], strings.TrimPrefix(right, " ")
			continue
		}
		value += " " + lines.Text()
	}
	flush()
}

func peerValue(s string) string {
	if s == `""` {
		return "4|"
	}
	if strings.TrimSpace(s) == "NULL" {
		return "5|"
	}
	name, v, ok := strings.Cut(s, ": ")
	if !ok {
		name, v, ok = strings.Cut(s, ":")
	}
	if _, err := strconv.ParseUint(strings.TrimSpace(s), 10, 32); err == nil {
		return "67|" + strings.TrimSpace(s) // ticks have no name with -Ot
	}
	tag := tags[name]
	switch {
	case !ok || tag == "":
		return s
	case tag == "4":
		return "4|" + strings.ToLower(strings.Join(strings.Fields(v), ""))
	case tag == "6":
		return "6|" + strings.TrimPrefix(strings.TrimSpace(v), ".")
	}
	return tag + "|" + strings.TrimSpace(v)
}

func dots(arcs []uint32) string {
	var out []string
	for _, a := range arcs {
		out = append(out, strconv.FormatUint(uint64(a), 10))
	}
	return strings.Join(out, ".")
}
