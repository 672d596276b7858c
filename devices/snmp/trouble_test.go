package snmp

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

// What agents in the field have done to tools like this one, by the numbers of the catalogue of such reports, and the
// tests that hold against each:
//
//	A1-01, A1-03, A1-04, A1-06, A1-08, A1-09, A1-11, A1-14   TestWalkOverOddAgents, TestTroubleInWalks
//	A1-03 (ever more rows)   TestATableWithoutAnEndIsCutShort
//	A1-09                    TestTheWalkFindsWhatSnmpwalkFinds, and the figure walks of devices/bench
//	A1-13                    TestNoMessageIsLongerThanTheAgentBears
//	A1-16                    TestASlowTableGoesOnInTheNextPoll
//	A1-18                    TestAnswersFromAnotherAddressAreTakenWhereTheSiteFileSaysSo, TestAnswersFromElsewhereAreNotTaken
//	A2-01, A2-03, A2-04, A2-06, A2-09   TestTroubleInValues, FuzzAnswers
//	A2-08                    TestTroubleInWalks: identifiers are numbers, no MIB is read
//	A2-11                    TestOctets
//	A2-13                    TestStatesOutsideOfTheMIBAreVerbatim
//	A2-14                    TestCollectReadsASwitch (an alias with NULs)
//	A3-01, A3-03, A3-04      TestSpeed
//	A3-06                    TestStatesBecomeEvents of package devices (speed)
//	A3-08, A3-09, A3-16      TestPortsThatAreNotClear
//	A3-11                    TestIfNumberIsNotBelieved
//	A3-13                    TestPortsThatMove, TestAfterARestartThePortsAreLookedForAgain
//	A3-14                    TestARowThatVanishesIsGone
//	A4-01, A4-03             TestClockRestarted, TestARestartIsDatedByTheDevicesClock of package devices
//	A4-04, A4-06             TestCountersBecomeRates, TestRatesAreNeverAbsurd of package devices
//	A4-08, A4-09             TestOctets, TestWhatIsNotGivenIsAGap of package devices
//	A4-11                    TestOneWidthInOneDifference
//	A4-13, A4-14             TestCountersBecomeRates of package devices (the discontinuities)
//	A4-16                    TestAPortThatIsAwayForOnePoll of package devices
//	A4-18                    TestTheAgentsPaceIsNotTakenForTraffic of package devices
//	A4-19                    TestCountersBecomeRates of package devices (a 32-bit counter that may have wrapped twice)
//	A5-06                    TestEngineBootsThatFall
//	A5-09                    TestAnswersBelowTheLevel
//	A5-01, A5-03, A5-04, A5-08   package trap: this one only asks

func TestTroubleInWalks(t *testing.T) {
	same := func(a *snmptest.Answer) { // A1-03: the same row again and again
		for n := range a.Reply.Variables {
			a.Reply.Variables[n].Name = "." + tableRoot + ".1"
		}
	}
	one := func(a *snmptest.Answer) { // A1-01: .1, .2, .3, .1, ...
		for n := range a.Reply.Variables {
			a.Reply.Variables[n].Name = fmt.Sprintf(".%s.%d", tableRoot, n%3+1)
			a.Reply.Variables[n].Value = fmt.Appendf(nil, "port %d", n%3+1)
		}
	}
	view := func(a *snmptest.Answer) { // A1-06: endOfMibView amid the answer, and rows behind it
		if v := a.Reply.Variables; len(v) > 5 {
			v[5] = gosnmp.SnmpPDU{Name: v[4].Name, Type: gosnmp.EndOfMibView}
		}
	}
	for name, c := range map[string]struct {
		rows    int
		always  snmptest.Step
		want    int
		partial string
		bulks   int // the most GETBULK; 0: any number
	}{
		"A1-01 rows one to three over and over":   {30, one, 3, "rows not increasing: 1.3.6.1.2.1.2.2.1.2.1 after 1.3.6.1.2.1.2.2.1.2.3", 1},
		"A1-03 one row for ever":                  {30, same, 1, "not increasing", 2},
		"A1-04 an index that jumps back":          {120, snmptest.Repeat, 12, "not increasing", 0},
		"A1-06 the end of the view in an answer":  {30, view, 5, "", 1},
		"A1-08 GETBULK is tried once":             {40, snmptest.NoBulk, 40, "", 2}, // with its one repetition
		"A1-09 a table shorter than an answer":    {3, nil, 3, "", 1},
		"A1-09 a table as long as an answer":      {25, nil, 25, "", 2},
		"A1-11 tooBig for 52 rows of this column": {60, snmptest.TooBigAbove(20), 60, "", 0},
		"A1-14 an empty table is one answer":      {0, nil, 0, "", 1},
		"A2-08 what is told of it holds a number": {30, snmptest.Fail(gosnmp.GenErr), 0, "1.3.6.1.2.1.2.2.1.2", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a, s := table(t, c.rows, 0)
			a.Always(c.always)
			rows, err := s.walk(context.Background(), tableRoot, time.Now().Add(nameTime))
			if len(rows) != c.want {
				t.Errorf("%d rows, want %d", len(rows), c.want)
			}
			if c.partial == "" && err != nil || c.partial != "" && (err == nil || !strings.Contains(err.Error(), c.partial)) {
				t.Errorf("error %v, want %q", err, c.partial)
			}
			if n := a.Count("GETBULK"); c.bulks > 0 && n > c.bulks {
				t.Errorf("%d GETBULK, want at most %d", n, c.bulks)
			}
		})
	}
}

func TestTheEndOfTheViewEndsOneColumnOnly(t *testing.T) { // A1-06
	a := tableAgent(rows_{cdpCache + "7.7.1": snmptest.Str("Gi0/1"), cdpCache + "6.7.1": snmptest.Str("sw3")})
	a.Always(func(ans *snmptest.Answer) {
		if ans.Request.PDU == "GETBULK" && strings.HasPrefix(ans.Request.OIDs[0], "."+cdpCache+"3") {
			for n := range ans.Reply.Variables {
				ans.Reply.Variables[n] = gosnmp.SnmpPDU{Name: ans.Request.OIDs[0], Type: gosnmp.EndOfMibView}
			}
		}
	})
	// A walk that ends so says that nothing follows; agents with a hole in one column do not stop at the others.
	r, err := collector(t).Survey(context.Background(), tableDevice(t, a, "2c"), "cdpCacheTable")
	if err != nil || len(r.Neighbours) != 1 || r.Neighbours[0].PortID != "Gi0/1" {
		t.Errorf("%v, neighbours %+v", err, r.Neighbours)
	}
}

func TestNoMessageIsLongerThanTheAgentBears(t *testing.T) { // A1-13
	a := &snmptest.Agent{User: "ops", AuthPass: "authphrase", PrivPass: "privphrase", MaxSize: 700}
	sw(a)
	tooBig := 0
	a.Always(func(ans *snmptest.Answer) {
		if b, err := ans.Reply.MarshalMsg(); err == nil && ans.Request.PDU == "GET" && len(b) > 700-100 {
			tooBig++
		}
	})
	d := usm(snmptest.NewAgent(t, a), func(*devices.SNMP) {})
	d.Ports = []string{"Gi1/0/1", "Gi1/0/2", "Fa0"}
	c := collector(t)
	for poll := range 3 {
		r, err := c.Collect(context.Background(), d)
		if err != nil || len(r.Interfaces) != 3 || !r.Interfaces[1].InOctets.OK {
			t.Fatalf("%v, %+v", err, r.Interfaces)
		}
		if tooBig > 0 {
			t.Errorf("poll %d: %d answers would have been too long", poll, tooBig)
		}
		tooBig = 0
	}
}

func TestASlowTableGoesOnInTheNextPoll(t *testing.T) { // A1-16
	rows := rows_{}
	for n := 1; n <= 300; n++ {
		rows[fmt.Sprintf("%s7.0.%d.1", lldpRem, n)] = snmptest.Str(fmt.Sprint("port ", n))
	}
	a := tableAgent(rows)
	a.Always(func(ans *snmptest.Answer) {
		if ans.Request.PDU == "GETBULK" && strings.HasPrefix(ans.Request.OIDs[0], "."+lldpRem) {
			ans.Delay = walkBudget / 4
		}
	})
	c, d := collector(t), tableDevice(t, a, "2c")
	for polls := 1; polls < 60; polls++ {
		r, err := c.Collect(context.Background(), d)
		if err != nil || len(r.Interfaces) != 2 {
			t.Fatal(err)
		}
		if r.Neighbours != nil {
			if len(r.Neighbours) != 300 || polls < 3 {
				t.Errorf("%d neighbours in poll %d, want all 300 in a later one", len(r.Neighbours), polls)
			}
			return
		}
		if r.Span.Width() > time.Second {
			t.Errorf("the ports were read over %s", r.Span.Width())
		}
	}
	t.Error("the table never came to its end")
}

// ber encodes an element of less than 128 octets.
func ber(tag byte, content ...[]byte) []byte {
	var all []byte
	for _, c := range content {
		all = append(all, c...)
	}
	return append([]byte{tag, byte(len(all))}, all...)
}

// answerWith is an answer of v2c with the values, each of ifInOctets.
func answerWith(values ...[]byte) []byte {
	var binds [][]byte
	for _, v := range values {
		binds = append(binds, ber(0x30, ber(0x06, []byte{0x2b, 6, 1, 2, 1, 2, 2, 1, 10, 1}), v))
	}
	number := ber(0x02, []byte{1})
	zero := ber(0x02, []byte{0})
	return ber(0x30, ber(0x02, []byte{1}), ber(0x04, []byte("public")), ber(0xa2, number, zero, zero, ber(0x30, binds...)))
}

func TestTroubleInValues(t *testing.T) {
	text := ber(0x04, []byte("good"))
	for name, c := range map[string]struct {
		value []byte
		want  any // what Counter or Float gives
	}{
		"A2-01 a Counter64 of nine octets":         {ber(0x46, []byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1e, 0xe5, 0x3a}), devices.C64(0xffffffffff1ee53a)},
		"A2-01 a Counter64 of one octet":           {ber(0x46, []byte{5}), devices.C64(5)},
		"A2-03 a Counter32 whose highest bit is 1": {ber(0x41, []byte{0xff, 0xff}), devices.C32(0xffff)},
		"A2-03 a Counter32 of five octets":         {ber(0x41, []byte{0, 0xff, 0xff, 0xff, 0xff}), devices.C32(math.MaxUint32)},
		"A2-04 an Opaque of no known kind":         {ber(0x44, []byte{0x9f, 0x76, 1, 5}), devices.None[devices.Counter]()},
		"A2-06 an Opaque Float":                    {ber(0x44, []byte{0x9f, 0x78, 4, 0x41, 0x48, 0, 0}), devices.Some(12.5)},
		"A2-06 an Opaque Double":                   {ber(0x44, []byte{0x9f, 0x79, 8, 0x40, 0x29, 0, 0, 0, 0, 0, 0}), devices.Some(12.5)},
		"A2-11 octets as text":                     {ber(0x04, []byte{0, 1}), devices.None[devices.Counter]()},
		"A2-11 a NULL":                             {ber(0x05), devices.None[devices.Counter]()},
	} {
		t.Run(name, func(t *testing.T) {
			x := gosnmp.GoSNMP{Version: gosnmp.Version2c}
			p, err := x.SnmpDecodePacket(answerWith(text, c.value, text))
			if err != nil || len(p.Variables) != 3 {
				t.Fatalf("the whole answer is lost: %v", err)
			}
			cell := Cell{value: valueOf(p.Variables[1])}
			var got any = cell.Counter()
			if _, ok := c.want.(devices.Opt[float64]); ok {
				got = cell.Float()
			}
			equal(t, "value", got, c.want)
			if v := (Cell{value: valueOf(p.Variables[2])}).Text(); v != "good" {
				t.Errorf("the value behind it is %q", v)
			}
		})
	}
}

// FuzzAnswers decodes any datagram as an answer (A2-09: eight malformed messages made a decoder panic).
func FuzzAnswers(f *testing.F) {
	f.Add(answerWith(ber(0x41, []byte{1})))
	f.Add(answerWith(ber(0x46, []byte{0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1e, 0xe5, 0x3a}), ber(0x44, []byte{0x9f, 0x78, 4, 0x41})))
	f.Add(answerWith(ber(0x44, []byte{0x9f, 0x78, 4}), ber(0x06, []byte{0x80}), ber(0x40, []byte{1, 2}), ber(0x80)))
	f.Add([]byte{0x30, 0x82, 0xff, 0xff, 2, 1, 1})
	f.Add([]byte{0x30, 0x84, 0, 0, 0})
	f.Add([]byte{0x30, 0x05, 2, 1, 1, 4, 0x7f})
	f.Fuzz(func(t *testing.T, b []byte) {
		x := gosnmp.GoSNMP{Version: gosnmp.Version2c}
		p, err := decode(&x, b)
		if err != nil || p == nil {
			return
		}
		s := session{}
		s.objects.init()
		values := map[string]value{}
		s.take(batch{"1.3.6.1.2.1.2.2.1.10.1"}, p.Variables, values)
		for _, v := range p.Variables {
			c := Cell{value: valueOf(v)}
			c.Counter()
			c.Number()
			c.Float()
			c.Text()
			c.MAC()
			c.Addr()
			c.OID()
			c.Recorded()
		}
	})
}

// decode does what a session does with a datagram: the codec's own panics are errors.
func decode(x *gosnmp.GoSNMP, b []byte) (p *gosnmp.SnmpPacket, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return x.SnmpDecodePacket(b)
}

func TestIfNumberIsNotBelieved(t *testing.T) { // A3-11
	for _, number := range []int{1, 3, 500} {
		a := tableAgent(rows_{"1.3.6.1.2.1.2.1.0": snmptest.Int(number)})
		if r, err := collector(t).Collect(context.Background(), tableDevice(t, a, "2c")); err != nil || len(r.Interfaces) != 2 {
			t.Errorf("ifNumber %d: %v, %d ports", number, err, len(r.Interfaces))
		}
	}
}

func TestARowThatVanishesIsGone(t *testing.T) { // A3-14
	a := tableAgent(nil)
	c, d := collector(t), tableDevice(t, a, "2c")
	if _, err := c.Collect(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	for _, entry := range []string{ifTable.Entry, ifXTable.Entry} {
		for col := range 20 {
			a.Delete(fmt.Sprintf("%s.%d.8", entry, col+1))
		}
	}
	r, err := c.Collect(context.Background(), d)
	if len(r.Interfaces) != 1 || err == nil || !strings.Contains(err.Error(), `port "q" is gone`) || !errors.Is(err, devices.ErrPartial) {
		t.Errorf("%v, ports %+v, want the row to be gone and not zero", err, r.Interfaces)
	}
}

func TestOneWidthInOneDifference(t *testing.T) { // A4-11
	a := tableAgent(rows_{column(ifTable, ifInOctets) + ".7": snmptest.C32(77)})
	c, d := collector(t), tableDevice(t, a, "2c")
	var differ devices.Differ
	for poll := range 4 {
		if poll == 2 { // the agent no longer gives the 64-bit column
			a.Set(column(ifXTable, ifHCInOctets)+".7", snmptest.Value{})
		}
		r, err := c.Collect(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		for _, rec := range differ.Records(r) {
			if s, ok := rec.(timeline.Sample); ok && s.Metric == timeline.InBits && s.Name == "p" && s.Value > 0 {
				t.Errorf("poll %d: a rate of %v out of two counters", poll, s.Value)
			}
		}
	}
}

func TestEngineBootsThatFall(t *testing.T) { // A5-06
	a := &snmptest.Agent{User: "ops", AuthPass: "authphrase", PrivPass: "privphrase", Boots: 9}
	sw(a)
	addr := snmptest.NewAgent(t, a)
	d := usm(addr, func(*devices.SNMP) {})
	d.Ports = []string{"Gi1/0/1"}
	c := collector(t)
	if _, err := c.Collect(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	a.Close()
	b := &snmptest.Agent{User: "ops", AuthPass: "authphrase", PrivPass: "privphrase", Boots: 1}
	sw(b)
	if _, err := b.Listen(addr.String()); err != nil {
		t.Skip(err)
	}
	defer b.Close()
	r, err := c.Collect(context.Background(), d)
	if err != nil || r.EngineBoot.Value != 1 {
		t.Errorf("%v, snmpEngineBoots %v, want the agent to be discovered anew", err, r.EngineBoot)
	}
}

func TestAnswersBelowTheLevel(t *testing.T) { // A5-09
	a := &snmptest.Agent{User: "ops", AuthPass: "authphrase", PrivPass: "privphrase"}
	sw(a)
	a.Always(func(ans *snmptest.Answer) { ans.Unsigned = true })
	d := usm(snmptest.NewAgent(t, a), func(c *devices.SNMP) { c.Timeout = 50 * time.Millisecond })
	d.Ports = []string{"Gi1/0/1"}
	r, err := collector(t).Collect(context.Background(), d)
	if err == nil || r.Clock.OK || len(r.Interfaces) > 0 {
		t.Errorf("%v, an answer without authentication was taken: %+v", err, r)
	}
}

func TestAfterARestartThePortsAreLookedForAgain(t *testing.T) { // A3-13
	a := tableAgent(rows_{stpTopChanges: snmptest.C32(1), stpPortState + "1": snmptest.Int(5), stpPortState + "2": snmptest.Int(2)})
	c, d := collector(t), tableDevice(t, a, "2c")
	state := func() string {
		r, err := c.Collect(context.Background(), d)
		if err != nil || len(r.Interfaces) != 2 {
			t.Fatalf("%v, %+v", err, r.Interfaces)
		}
		return r.Interfaces[0].STPState.Value
	}
	equal(t, "state", state(), "forwarding")
	// Names and ifIndexes stay, the numbers of the bridge's ports do not.
	a.Set(dot1dBasePortIfIndex+".1", snmptest.Int(8))
	a.Set(dot1dBasePortIfIndex+".2", snmptest.Int(7))
	equal(t, "state while nothing shows that the numbers changed", state(), "forwarding")
	a.Set(sysUpTime, snmptest.Ticks(1))
	equal(t, "state after a restart", state(), "blocking")
}
