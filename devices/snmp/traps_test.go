package snmp

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/snmp/internal/oid"
	"whydrop/devices/snmp/snmptest"
)

const tableRoot = "1.3.6.1.2.1.2.2.1.2"

// table is an agent with rows below tableRoot and something after it.
func table(t *testing.T, rows, maxSize int) (*snmptest.Agent, *session) {
	t.Helper()
	a := &snmptest.Agent{Community: "public", MaxSize: maxSize}
	for n := 1; n <= rows; n++ {
		a.Set(fmt.Sprintf("%s.%d", tableRoot, n), snmptest.Str(fmt.Sprintf("port %d", n)))
	}
	a.Set("1.3.6.1.2.1.2.2.1.3.1", snmptest.Int(6))
	d := device(snmptest.NewAgent(t, a))
	d.SNMP.Timeout = 500 * time.Millisecond
	s, err := newSession(d)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.close)
	return a, s
}

func TestWalkOverOddAgents(t *testing.T) {
	for name, c := range map[string]struct {
		rows    int
		steps   []snmptest.Step
		always  snmptest.Step
		max     int
		want    int
		partial string // in the error
	}{
		"a table":                               {rows: 120, want: 120},
		"one row":                               {rows: 1, want: 1},
		"an empty table is a quick answer":      {rows: 0, want: 0},
		"tooBig above ten repetitions":          {rows: 120, always: snmptest.TooBigAbove(10), want: 120},
		"tooBig for more than one row":          {rows: 30, always: snmptest.TooBigAbove(1), want: 30},
		"small messages":                        {rows: 120, max: 484, want: 120},
		"GETBULK is not answered":               {rows: 40, always: snmptest.NoBulk, want: 40},
		"genErr to GETBULK on one row":          {rows: 60, steps: []snmptest.Step{snmptest.Plain, snmptest.Fail(gosnmp.GenErr)}, want: 60},
		"genErr for good":                       {rows: 120, steps: []snmptest.Step{snmptest.Plain}, always: snmptest.Fail(gosnmp.GenErr), want: 25, partial: "cut short after 25 rows: the agent answered genErr"},
		"rows that repeat":                      {rows: 120, always: snmptest.Repeat, want: 12, partial: "not increasing"},
		"silence after two answers":             {rows: 120, steps: []snmptest.Step{snmptest.Plain, snmptest.Plain}, always: snmptest.Silence, want: 50, partial: "no answer in 500ms"},
		"a wrong request-id, then the right":    {rows: 30, steps: []snmptest.Step{snmptest.WrongID}, want: 30},
		"request-id 0, then the right":          {rows: 30, steps: []snmptest.Step{snmptest.ZeroID}, want: 30},
		"each answer comes twice":               {rows: 120, always: func(a *snmptest.Answer) { a.Twice = true }, want: 120},
		"an answer that is cut, then the right": {rows: 30, steps: []snmptest.Step{snmptest.CutTo(40)}, want: 30},
		"one answer is lost":                    {rows: 30, steps: []snmptest.Step{snmptest.Silence}, want: 30},
		"an answer without rows":                {rows: 30, always: func(a *snmptest.Answer) { a.Reply.Variables = nil }, want: 0, partial: "the agent answered without a row"},
		"noSuchName ends the table":             {rows: 25, steps: []snmptest.Step{snmptest.Plain, snmptest.Fail(gosnmp.NoSuchName)}, want: 25},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, s := table(t, c.rows, c.max)
			a.Next(c.steps...)
			a.Always(c.always)
			rows, err := s.walk(context.Background(), tableRoot, time.Now().Add(nameTime))
			if len(rows) != c.want {
				t.Errorf("%d rows, want %d", len(rows), c.want)
			}
			for n, r := range rows {
				if v := r.value.text().Value; v != fmt.Sprintf("port %d", n+1) || oid.Unpack(r.index) != fmt.Sprint(n+1) {
					t.Fatalf("row %d is %q at %s", n, v, oid.Unpack(r.index))
				}
			}
			switch {
			case c.partial == "" && err != nil:
				t.Errorf("error %v", err)
			case c.partial != "" && (err == nil || !strings.Contains(err.Error(), c.partial) || !errors.Is(err, devices.ErrPartial)):
				t.Errorf("error %v, want a partial table: %q", err, c.partial)
			}
		})
	}
}

func TestATableWithoutAnEndIsCutShort(t *testing.T) {
	for name, c := range map[string]struct {
		column, want string
	}{
		"names":                    {column: column(ifXTable, ifName), want: "walk of 1.3.6.1.2.1.31.1.1.1.1 cut short after 20"},
		"descriptions":             {column: column(ifTable, ifDescr), want: "the agent's table has no end"},
		"bridge ports":             {column: dot1dBasePortIfIndex, want: "the agent's table has no end"},
		"roles in a spanning tree": {column: stpxRSTPPortRole, want: "the agent's table has no end"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &snmptest.Agent{Community: "public"}
			sw(a)
			if c.column == column(ifTable, ifDescr) {
				a.Delete(column(ifXTable, ifName))
			}
			a.Always(snmptest.Endless(c.column))
			d := device(snmptest.NewAgent(t, a))
			d.Ports, d.SNMP.Timeout = []string{"Gi1/0/1"}, 5*time.Second
			col := New()
			defer col.Close()
			began := time.Now()
			r, err := col.Collect(context.Background(), d)
			if err == nil || !strings.Contains(err.Error(), c.want) || !errors.Is(err, devices.ErrPartial) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if !r.Clock.OK {
				t.Error("the device's clock was not read")
			}
			if took := time.Since(began); took > nameTime {
				t.Errorf("took %s", took)
			}
			asked := a.Count("GETBULK")
			if _, err := col.Collect(context.Background(), d); err == nil || a.Count("GETBULK") != asked {
				t.Errorf("the next poll walked again: %d requests, %v", a.Count("GETBULK")-asked, err)
			}
		})
	}
}

func TestAWalkHasATimeOfItsOwn(t *testing.T) {
	a, s := table(t, 0, 0)
	a.Always(snmptest.Steps(snmptest.Endless(tableRoot), snmptest.Late(10*time.Millisecond)))
	rows, err := s.walk(context.Background(), tableRoot, time.Now().Add(200*time.Millisecond))
	if len(rows) == 0 || !errors.Is(err, errEndless) || !errors.Is(err, devices.ErrPartial) {
		t.Errorf("%d rows, %v, want some and no end", len(rows), err)
	}
}

func TestAWalkThatTheEndCutsOffIsSaid(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	a.Always(snmptest.Steps(snmptest.Endless(column(ifXTable, ifName)), snmptest.Late(10*time.Millisecond)))
	d := device(snmptest.NewAgent(t, a))
	d.Ports = []string{"Gi1/0/1"}
	c := New()
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 300*time.Millisecond)
	defer cancel()
	_, err := c.Collect(ctx, d)
	if !errors.Is(err, devices.ErrTimeout) || !strings.Contains(err.Error(), "walk of 1.3.6.1.2.1.31.1.1.1.1 cut short after ") {
		t.Errorf("error %v, want the walk that was cut short", err)
	}
}

func TestAnswersFromElsewhereAreNotTaken(t *testing.T) {
	for name, step := range map[string]snmptest.Step{
		"another source address": snmptest.OtherSource, "another request-id": snmptest.WrongID, "request-id 0": snmptest.ZeroID,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, s := table(t, 3, 0)
			a.Always(step)
			rows, err := s.walk(context.Background(), tableRoot, time.Now().Add(nameTime))
			if len(rows) != 0 || !errors.Is(err, devices.ErrTimeout) {
				t.Errorf("%d rows, %v, want a time-out", len(rows), err)
			}
			want := "answer nothing we asked"
			if name == "another source address" {
				want = "but one came from 127.0.0.1:"
			}
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%v does not say %q", err, want)
			}
		})
	}
}

func TestCollectEndsWithItsContext(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	a.Always(snmptest.Silence)
	d := device(snmptest.NewAgent(t, a), "Fa0")
	d.SNMP.Timeout, d.SNMP.Retries = 30*time.Second, 5
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(100*time.Millisecond, cancel)
	began := time.Now()
	_, err := collector(t).Collect(ctx, d)
	if took := time.Since(began); took > 20*time.Second {
		t.Errorf("returned after %s, a try takes 30 s", took)
	}
	if !errors.Is(err, context.Canceled) || !errors.Is(err, devices.ErrTimeout) {
		t.Errorf("error %v", err)
	}
}

func TestTwoRefusedLoginsAreEnough(t *testing.T) {
	a := &snmptest.Agent{User: "ops", AuthPass: "authphrase", PrivPass: "privphrase"}
	sw(a)
	addr := snmptest.NewAgent(t, a)
	d := usm(addr, func(c *devices.SNMP) { c.AuthPass = devices.NewSecret("not the phrase") })
	c := collector(t)
	var err error
	for range 10 {
		if _, err = c.Collect(context.Background(), d); !errors.Is(err, devices.ErrAuth) {
			t.Fatalf("error %v", err)
		}
	}
	if n := a.Count("auth"); n != 2 {
		t.Errorf("%d messages with a wrong pass phrase, want 2", n)
	}
	if !strings.Contains(err.Error(), "not asked again before") {
		t.Errorf("%v does not say that it pauses", err)
	}
}

func TestSettingsAreCheckedBeforeAnythingIsSent(t *testing.T) {
	good := devices.SNMP{Version: "3", User: "ops", AuthPass: devices.NewSecret("authphrase"), PrivPass: devices.NewSecret("privphrase")}
	for name, c := range map[string]struct {
		change func(*devices.Device)
		want   string
	}{
		"short auth pass phrase":  {func(d *devices.Device) { d.SNMP.AuthPass = devices.NewSecret("seven77") }, "snmp.auth_pass is shorter than 8 characters"},
		"short priv pass phrase":  {func(d *devices.Device) { d.SNMP.PrivPass = devices.NewSecret("seven77") }, "snmp.priv_pass is shorter than 8 characters"},
		"privacy alone":           {func(d *devices.Device) { d.SNMP.AuthPass = devices.Secret{} }, "snmp.auth_pass is missing"},
		"no user":                 {func(d *devices.Device) { d.SNMP.User = "" }, "snmp.user is missing"},
		"auth protocol":           {func(d *devices.Device) { d.SNMP.Auth = "SHA1" }, `snmp.auth "SHA1" is not`},
		"priv protocol":           {func(d *devices.Device) { d.SNMP.Priv = "3DES" }, `snmp.priv "3DES" is not`},
		"level":                   {func(d *devices.Device) { d.SNMP.Level = "high" }, `snmp.level "high" is not`},
		"version":                 {func(d *devices.Device) { d.SNMP.Version = "4" }, `snmp.version "4" is not 1, 2c or 3`},
		"no community, version 1": {func(d *devices.Device) { d.SNMP.Version = "1" }, "snmp.community is missing"},
		"no community":            {func(d *devices.Device) { d.SNMP.Version = "2c" }, "snmp.community is missing"},
		"long community": {func(d *devices.Device) {
			d.SNMP.Version, d.SNMP.Community = "2c", devices.NewSecret(strings.Repeat("x", 128))
		}, "snmp.community is longer"},
		"no address": {func(d *devices.Device) { d.Address = "" }, "address is missing"},
	} {
		t.Run(name, func(t *testing.T) {
			a := &snmptest.Agent{User: "ops", AuthPass: "authphrase"}
			addr := snmptest.NewAgent(t, a)
			s := good
			s.Port = addr.Port()
			d := devices.Device{Name: "sw1", Address: "127.0.0.1", SNMP: &s}
			c.change(&d)
			_, err := collector(t).Collect(context.Background(), d)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
			if err != nil && strings.Contains(err.Error(), "seven77") {
				t.Error("the pass phrase is in the error")
			}
			if n := a.Count(""); n != 0 {
				t.Errorf("%d datagrams were sent", n)
			}
		})
	}
}

func TestEveryCipherIsSpoken(t *testing.T) {
	for _, auth := range []string{"MD5", "SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"} {
		for _, priv := range []string{"DES", "AES", "AES-192", "AES-256", "AES-192-C", "AES-256-C"} {
			t.Run(auth+"/"+priv, func(t *testing.T) {
				a := &snmptest.Agent{User: "ops", Auth: auth, AuthPass: "authphrase", Priv: priv, PrivPass: "privphrase"}
				sw(a)
				d := usm(snmptest.NewAgent(t, a), func(c *devices.SNMP) { c.Auth, c.Priv = auth, priv })
				d.Ports = []string{"Gi1/0/1"}
				r, err := collector(t).Collect(context.Background(), d)
				if err != nil || len(r.Interfaces) != 1 || r.Interfaces[0].FCS.Value.Value != dot3FCS {
					t.Errorf("%v, %+v", err, r.Interfaces)
				}
			})
		}
	}
}

func TestAnAgentThatRestartsIsReadOn(t *testing.T) {
	a := &snmptest.Agent{User: "ops", AuthPass: "authphrase", PrivPass: "privphrase"}
	sw(a)
	addr := snmptest.NewAgent(t, a)
	d := usm(addr, func(*devices.SNMP) {})
	d.Ports = []string{"Gi1/0/1"}
	c := collector(t)
	read := func() devices.Reading {
		t.Helper()
		r, err := c.Collect(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	before := read().EngineBoot
	a.Restart()
	if after := read().EngineBoot; after.Value != before.Value+1 {
		t.Errorf("snmpEngineBoots %v, then %v", before, after)
	}
	// Another engine at the same address: a stack's other member, or a replaced device.
	a.Close()
	b := &snmptest.Agent{User: "ops", AuthPass: "authphrase", PrivPass: "privphrase", EngineID: "\x80\x00\x1f\x88\x04other"}
	sw(b)
	if _, err := b.Listen(addr.String()); err != nil {
		t.Skip(err)
	}
	defer b.Close()
	read()
}

func TestNothingIsEverSet(t *testing.T) {
	set := regexp.MustCompile(`\.Set\(|SetRequest\b|SendTrap|SendInform|SnmpTrap\{`)
	files, err := filepath.Glob("*.go")
	if err != nil || len(files) < 10 {
		t.Fatal(files, err)
	}
	for _, f := range files {
		if strings.HasSuffix(f, "_test.go") || f == "doc.go" {
			continue
		}
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		if m := set.Find(b); m != nil {
			t.Errorf("%s has %q: devices are only read", f, m)
		}
	}
}

func TestPortsThatMove(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	c, d := collector(t), device(snmptest.NewAgent(t, a), "Gi1/0/1")
	index := func() uint32 {
		t.Helper()
		r, err := c.Collect(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		return r.Interfaces[0].Index.Value
	}
	if got := index(); got != 10101 {
		t.Fatalf("ifIndex %d", got)
	}
	// The rows change places, as after a restart without ifIndex persist.
	a.Set(column(ifXTable, ifName)+".10101", snmptest.Str("Gi1/0/2"))
	a.Set(column(ifXTable, ifName)+".10102", snmptest.Str("Gi1/0/1"))
	if got := index(); got != 10102 {
		t.Errorf("ifIndex %d after the rows changed places, want 10102", got)
	}
	// sysUpTime falls.
	walks := a.Count("GETBULK")
	a.Set(sysUpTime, snmptest.Ticks(100))
	if index(); a.Count("GETBULK") == walks {
		t.Error("the ports were not looked for again although sysUpTime fell")
	}
}

func TestPortsThatAreNotClear(t *testing.T) {
	for name, c := range map[string]struct {
		names map[int]string
		descr map[int]string
		want  string
		found int
		text  string
	}{
		"plain names":          {map[int]string{1: "in", 2: "out"}, nil, "in", 1, ""},
		"only ifDescr":         {nil, map[int]string{1: "eth0", 2: "eth1"}, "eth1", 1, ""},
		"two of one name":      {map[int]string{3: "eth0", 5: "eth0", 7: "eth1"}, nil, "eth0", 0, `port "eth0" is ambiguous: 2 ports have this name; write one of "ifIndex 3", "ifIndex 5"`},
		"by its index":         {map[int]string{3: "eth0", 5: "eth0"}, nil, "ifIndex 5", 1, ""},
		"an index beyond 2^28": {map[int]string{268435456: "1/1/1"}, nil, "1/1/1", 1, ""},
		"FastIron by the name of its command line": {map[int]string{1: "ethernet1/1/1", 2: "ethernet1/1/2"}, nil, "10GigabitEthernet1/1/2", 1, ""},
		"FastIron by its numbers":                  {map[int]string{1: "ethernet1/1/1", 2: "ethernet1/1/2"}, nil, "1/1/2", 1, ""},
		"ExtremeXOS by its number":                 {map[int]string{1: "1:1", 2: "1:2", 3: "1:12"}, nil, "2", 1, ""},
		"a number of two kinds":                    {map[int]string{1: "Gi0/1", 2: "Fa0/1"}, nil, "0/1", 0, `port "0/1" is ambiguous: 2 ports have this name`},
		"missing, with the like":                   {map[int]string{1: "Gi1/0/1", 2: "Gi1/0/2", 3: "Po1", 4: "Vl1"}, nil, "Gi1/0/3", 0, `port "Gi1/0/3" not found; the device has "Gi1/0/1", "Gi1/0/2", `},
		"no ports at all":                          {nil, nil, "in", 0, `port "in" not found: the device shows no ports at all`},
	} {
		t.Run(name, func(t *testing.T) {
			a := &snmptest.Agent{Community: "public"}
			a.Set(sysUpTime, snmptest.Ticks(5000))
			for i, n := range c.names {
				a.Set(fmt.Sprintf("%s.%d", column(ifXTable, ifName), i), snmptest.Str(n))
				a.Set(fmt.Sprintf("%s.%d", column(ifTable, ifOperStatus), i), snmptest.Int(1))
			}
			for i, n := range c.descr {
				a.Set(fmt.Sprintf("%s.%d", column(ifTable, ifDescr), i), snmptest.Str(n))
				a.Set(fmt.Sprintf("%s.%d", column(ifTable, ifOperStatus), i), snmptest.Int(1))
			}
			r, err := collector(t).Collect(context.Background(), device(snmptest.NewAgent(t, a), c.want))
			if len(r.Interfaces) != c.found {
				t.Errorf("%d ports, want %d (%v)", len(r.Interfaces), c.found, err)
			}
			if c.text == "" && err != nil || c.text != "" && (err == nil || !strings.Contains(err.Error(), c.text)) {
				t.Errorf("error %v, want %q", err, c.text)
			}
		})
	}
}

func TestADeviceWithoutWantedPortsIsNotWalkedInEveryPoll(t *testing.T) {
	for name, ports := range map[string][]string{"none wanted": nil, "all missing": {"Gi9/9/9"}} {
		t.Run(name, func(t *testing.T) {
			a := &snmptest.Agent{Community: "public"}
			sw(a)
			c, d := collector(t), device(snmptest.NewAgent(t, a), ports...)
			for range 5 {
				r, err := c.Collect(context.Background(), d)
				if !r.Clock.OK || r.Bridge == nil || (err != nil) != (ports != nil) {
					t.Fatalf("%+v, %v", r, err)
				}
			}
			if n := a.Count("GETBULK"); n > 24 {
				t.Errorf("%d GETBULK in five polls", n)
			}
		})
	}
}

func TestOnePortMissingLeavesTheOthers(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	c, d := collector(t), device(snmptest.NewAgent(t, a), "Gi1/0/1", "Gi1/0/9")
	for range 3 {
		r, err := c.Collect(context.Background(), d)
		if len(r.Interfaces) != 1 || !errors.Is(err, devices.ErrPartial) || !strings.Contains(err.Error(), `"Gi1/0/9" not found`) {
			t.Fatalf("%+v, %v", r.Interfaces, err)
		}
	}
	if n := a.Count("GETBULK"); n > 24 {
		t.Errorf("%d GETBULK: the table is walked in every poll", n)
	}
}

func TestPollsThatAreCutShort(t *testing.T) {
	for name, c := range map[string]struct {
		step  snmptest.Step
		after int // requests answered in the second poll
		ok    bool
		in    bool // the octets were read
	}{
		"silence after the first answer": {snmptest.Silence, 1, false, false},
		"tooBig above 20 objects":        {snmptest.TooBigAbove(20), 0, true, true},
		"tooBig above one object":        {snmptest.TooBigAbove(1), 0, true, true},
	} {
		t.Run(name, func(t *testing.T) {
			a := &snmptest.Agent{Community: "public"}
			sw(a)
			coll, d := collector(t), device(snmptest.NewAgent(t, a), "Gi1/0/1", "Gi1/0/2", "Fa0")
			d.SNMP.Timeout = 400 * time.Millisecond
			if _, err := coll.Collect(context.Background(), d); err != nil {
				t.Fatal(err)
			}
			for range c.after {
				a.Next(snmptest.Plain)
			}
			a.Always(c.step)
			r, err := coll.Collect(context.Background(), d)
			if (err == nil) != c.ok || err != nil && !errors.Is(err, devices.ErrPartial) {
				t.Errorf("error %v", err)
			}
			if !r.Clock.OK || len(r.Interfaces) != 3 {
				t.Fatalf("reading %+v", r)
			}
			for _, i := range r.Interfaces {
				if i.Oper.Value != "up" {
					t.Errorf("%s: state %v, which was read", i.Name, i.Oper)
				}
				if i.InOctets.OK != c.in && i.Name == "Gi1/0/2" {
					t.Errorf("%s: octets %v, want given: %v", i.Name, i.InOctets, c.in)
				}
			}
		})
	}
}

func TestOneObjectThatFailsIsLeftOut(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	bad := "." + column(etherLike, dot3Symbol) + ".10101"
	a.Always(func(ans *snmptest.Answer) {
		for n, id := range ans.Request.OIDs {
			if id == bad {
				ans.Reply.Error, ans.Reply.ErrorIndex = gosnmp.GenErr, uint8(n+1)
			}
		}
	})
	c, d := collector(t), device(snmptest.NewAgent(t, a), "Gi1/0/1")
	for range 2 {
		r, err := c.Collect(context.Background(), d)
		if err != nil || len(r.Interfaces) != 1 {
			t.Fatal(err)
		}
		if i := r.Interfaces[0]; i.Symbol.OK || !i.FCS.OK || !i.InOctets.OK {
			t.Errorf("%+v", i)
		}
	}
}

type tape []timeline.Exchange

func (t *tape) Keep(e timeline.Exchange) { *t = append(*t, e) }

func TestTheTapeHoldsAnswersAndNoSecret(t *testing.T) {
	a := &snmptest.Agent{Community: "canary-4711"}
	sw(a)
	var tp tape
	c, d := collector(t), device(snmptest.NewAgent(t, a), "Gi1/0/1")
	d.SNMP.Community = devices.NewSecret("canary-4711")
	c.Tape = &tp
	r, err := c.Collect(context.Background(), d)
	if err != nil {
		t.Fatal(err)
	}
	if len(tp) != 1 || tp[0].Origin != r.Origin || tp[0].Subject != timeline.Device("sw1") || tp[0].Span != r.Span {
		t.Fatalf("%d exchanges: %+v", len(tp), tp)
	}
	reply := string(tp[0].Reply)
	for _, want := range []string{"1.3.6.1.2.1.31.1.1.1.6.10101|70|1099511627782\n", "1.3.6.1.2.1.1.5.0|4|sw1\n", "1.3.6.1.2.1.17.2.5.0|4x|8001aabbccddeeff\n"} {
		if !strings.Contains(reply, want) {
			t.Errorf("%q is not in the reply:\n%s", want, reply)
		}
	}
	if strings.Contains(fmt.Sprintf("%+v", tp), "canary") {
		t.Error("the community is on the tape")
	}
}
