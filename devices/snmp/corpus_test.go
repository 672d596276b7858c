package snmp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp/internal/oid"
	"whydrop/devices/snmp/snmptest"
)

// recording is a walk of a real device, read without any of our decoding.
type recording map[string]string // identifier: "tag|value"

func (r recording) column(col string) map[string]string {
	out := map[string]string{}
	for id, v := range r {
		if index, ok := strings.CutPrefix(id, col+"."); ok {
			out[index] = v
		}
	}
	return out
}

// TestRecordedDevices plays walks of real devices, which are not part of the tree, and compares what is read of
// some ports with the lines of the recording.
func TestRecordedDevices(t *testing.T) {
	files, _ := filepath.Glob("../../../shared/corpus/snmp/*/*.snmprec")
	if len(files) == 0 {
		t.Skip("no recordings here")
	}
	for n, file := range files {
		if testing.Short() && n%8 != 0 {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".snmprec"), func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			playRecording(t, b)
		})
	}
}

func playRecording(t *testing.T, b []byte) {
	a := &snmptest.Agent{Community: "public"}
	if _, err := a.Load(bytes.NewReader(b)); err != nil {
		t.Fatal(err)
	}
	a.Set(sysUpTime, snmptest.Ticks(123456)) // some recordings have none
	rec := recording{}
	for line := range strings.SplitSeq(string(b), "\n") {
		if f := strings.SplitN(strings.TrimRight(line, "\r"), "|", 2); len(f) == 2 {
			rec[f[0]] = f[1]
		}
	}
	names := rec.column(column(ifXTable, ifName))
	if len(names) == 0 {
		names = rec.column(column(ifTable, ifDescr))
	}
	ports := map[string]string{} // name: index
	for _, index := range slices.Sorted(maps.Keys(names)) {
		name, ok := strings.CutPrefix(names[index], "4|")
		if !ok || name == "" || len(ports) == 3 {
			continue
		}
		same := 0
		for _, other := range names {
			if o, ok := strings.CutPrefix(other, "4|"); ok && devices.PortKey(o) == devices.PortKey(name) {
				same++
			}
		}
		if same == 1 {
			ports[name] = index
		}
	}
	if len(ports) == 0 {
		t.Skip("no port with a name of its own")
	}
	d := device(snmptest.NewAgent(t, a), slices.Sorted(maps.Keys(ports))...)
	d.SNMP.Timeout = 5 * time.Second // all recordings are played at once
	c := collector(t)
	for range 2 {
		r, err := c.Collect(context.Background(), d)
		if err != nil && !errors.Is(err, devices.ErrPartial) {
			t.Fatal(err)
		}
		for _, i := range r.Interfaces {
			compare(t, rec, ports[i.Name], i)
		}
		if len(r.Interfaces) == 0 {
			t.Errorf("none of the ports %v was read: %v", ports, err)
		}
	}
	s, err := newSession(d)
	if err != nil {
		t.Fatal(err)
	}
	defer s.close()
	rows, err := s.walk(context.Background(), column(ifTable, ifOperStatus), time.Now().Add(nameTime))
	if err != nil {
		t.Fatal(err)
	}
	if want := len(rec.column(column(ifTable, ifOperStatus))); len(rows) != want {
		t.Errorf("%d rows of ifOperStatus, the recording has %d", len(rows), want)
	}
	for n := 1; n < len(rows); n++ {
		if rows[n].index <= rows[n-1].index {
			t.Errorf("row %s after %s", oid.Unpack(rows[n].index), oid.Unpack(rows[n-1].index))
		}
	}
}

// compare holds a port against the recording's lines.
func compare(t *testing.T, rec recording, index string, i devices.Interface) {
	t.Helper()
	if fmt.Sprint(i.Index.Value) != index {
		t.Errorf("%s: ifIndex %v, want %s", i.Name, i.Index, index)
	}
	at := func(tb Table, col int) string { return rec[column(tb, col)+"."+index] }
	number := func(s string, tags ...string) (uint64, bool) {
		tag, v, _ := strings.Cut(s, "|")
		n, err := strconv.ParseUint(v, 10, 64)
		return n, err == nil && slices.Contains(tags, tag)
	}
	for what, x := range map[string]struct {
		got    devices.Opt[devices.Counter]
		hc, lc string
	}{
		"octets in":  {i.InOctets, at(ifXTable, ifHCInOctets), at(ifTable, ifInOctets)},
		"octets out": {i.OutOctets, at(ifXTable, ifHCOutOctets), at(ifTable, ifOutOctets)},
		"errors in":  {i.InErrors, "", at(ifTable, ifInErrors)},
		"drops out":  {i.OutDrops, "", at(ifTable, ifOutDiscards)},
	} {
		want, ok := number(x.hc, "70", "65")
		if low, has := number(x.lc, "70", "65"); has && (!ok || want == 0 && low > 0) {
			want, ok = low, true
		}
		if x.got.OK != ok || x.got.Value.Value != want {
			t.Errorf("%s: %s %v, the recording has %q and %q", i.Name, what, x.got, x.hc, x.lc)
		}
	}
	if n, ok := number(at(ifTable, ifOperStatus), "2"); ok {
		want := fmt.Sprintf("unknown(%d)", n)
		if n >= 1 && n <= 7 {
			want = statusWords[n-1]
		}
		if i.Oper.Value != want {
			t.Errorf("%s: state %v, want %s", i.Name, i.Oper, want)
		}
	}
	if i.Speed.OK && (i.Speed.Value == 0 || i.Speed.Value == unknownSpeed || float64(i.Speed.Value) > maxSpeed) {
		t.Errorf("%s: speed %v", i.Name, i.Speed)
	}
	if strings.HasSuffix(i.Alias, "\x00") || strings.HasSuffix(i.Descr, "\x00") {
		t.Errorf("%s: texts end in NUL", i.Name)
	}
}
