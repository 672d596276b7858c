package poll

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/cli/clitest"
	"whydrop/devices/snmp/snmptest"
)

// agent is a device of one port that carries 8 Mbit/s, with counters that are refreshed every so often.
func agent(t *testing.T, refresh time.Duration) devices.Device {
	t.Helper()
	a := &snmptest.Agent{Community: "public"}
	start := time.Now()
	a.SetFunc("1.3.6.1.2.1.1.3.0", func() snmptest.Value { return snmptest.Ticks(uint32(time.Since(start)/(10*time.Millisecond)) + 5000) })
	a.Set("1.3.6.1.2.1.1.5.0", snmptest.Str("core\x1b[31m-1"))
	a.Set("1.3.6.1.2.1.31.1.1.1.1.7", snmptest.Str("Gi1/0/7"))
	a.Set("1.3.6.1.2.1.2.2.1.8.7", snmptest.Int(1))
	a.Set("1.3.6.1.2.1.31.1.1.1.15.7", snmptest.Gauge(1000))
	for _, col := range []int{6, 10} {
		a.SetFunc(fmt.Sprintf("1.3.6.1.2.1.31.1.1.1.%d.7", col), func() snmptest.Value {
			if refresh == 0 {
				return snmptest.C64(77)
			}
			return snmptest.C64(uint64(1e6 * time.Since(start).Truncate(refresh).Seconds()))
		})
	}
	addr := snmptest.NewAgent(t, a)
	return devices.Device{
		Name: "sw1", Address: "127.0.0.1", Platform: "cisco_ios", Ports: []string{"GigabitEthernet1/0/7"},
		SNMP: &devices.SNMP{Version: "2c", Port: addr.Port(), Community: devices.NewSecret("public"), Timeout: 300 * time.Millisecond},
	}
}

const interfaces = `GigabitEthernet1/0/7 is up, line protocol is up (connected)
  Hardware is Gigabit Ethernet, address is 0011.2233.4455 (bia 0011.2233.4455)
  MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,
  Full-duplex, 1000Mb/s, media type is 10/100/1000BaseTX
  Last clearing of "show interface" counters never
     1000 packets input, 64000 bytes, 0 no buffer
     0 input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored
     2000 packets output, 128000 bytes, 0 underruns
     0 output errors, 0 collisions, 1 interface resets
`

// shell adds a command line to the device.
func shell(t *testing.T, d *devices.Device) *clitest.Server {
	t.Helper()
	begin := time.Now()
	return listen(t, d, func(cmd string) (string, bool) {
		now := time.Now().UTC()
		switch cmd {
		case "show interfaces GigabitEthernet1/0/7", "show interfaces":
			return interfaces, true
		case "show clock":
			return now.Add(-4*time.Second).Format("15:04:05.000 UTC Mon Jan 2 2006") + "\n", true
		case "show version":
			return "Cisco IOS Software, C2960X Software\n", true
		case "show logging":
			out := "Syslog logging: enabled\nLog Buffer (4096 bytes):\n\n" + begin.UTC().Add(-time.Hour).Format("Jan _2 15:04:05.000") + ": %SYS-5-RESTART: System restarted\n"
			if at := begin.Add(1500 * time.Millisecond); time.Now().After(at) {
				out += at.UTC().Add(-4*time.Second).Format("Jan _2 15:04:05.000") + ": %LINEPROTO-5-UPDOWN: Line protocol on Interface GigabitEthernet1/0/7, changed state to down\n"
			}
			return out, true
		}
		return "", false
	})
}

// listen adds a command line that answers as the handler does.
func listen(t *testing.T, d *devices.Device, handler func(string) (string, bool)) *clitest.Server {
	t.Helper()
	key, err := clitest.NewHostKey("ed25519")
	if err != nil {
		t.Fatal(err)
	}
	s := &clitest.Server{Hostname: "sw1", User: "netops", Password: "letmein", HostKey: key, Handler: handler}
	if err := s.Listen("127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	d.SSH = &devices.SSH{Port: s.Port(), User: "netops", Password: devices.NewSecret("letmein"), HostKey: s.Fingerprint(), Timeout: 5 * time.Second}
	return s
}

func TestCheckSaysWhatWorks(t *testing.T) {
	t.Parallel()
	d := agent(t, time.Second)
	shell(t, &d)
	results := Check(context.Background(), d)
	want := map[string]string{
		"address": "127.0.0.1", "snmp": "answers as", "ports": "1 found: GigabitEthernet1/0/7",
		"reads": "octets, state, speed; not: packets, errors, drops, FCS errors", "poll time": "per poll",
		"refresh": `counters are refreshed every (1\.[0-4]5?s|1s|9[05]0ms)`, "ssh": "logged in", "ssh reads": "interfaces: GigabitEthernet1/0/7",
		"log": "the log has", "clock": `^(4|4\.0\d+|3\.9\d+)s slow`,
	}
	for _, r := range results {
		t.Logf("%v %s: %s (%s) %s", r.OK, r.Step, r.Text, r.Took, r.Key)
		if !r.OK || r.Device != "sw1" {
			t.Errorf("%s of %s failed: %s", r.Step, r.Device, r.Text)
		}
		if w := want[r.Step]; !regexp.MustCompile(w).MatchString(r.Text) {
			t.Errorf("%s: %q, want %q in it", r.Step, r.Text, w)
		}
		delete(want, r.Step)
	}
	if len(want) > 0 {
		t.Errorf("steps not taken: %v", want)
	}
}

func TestCheckOfADeviceWhoseTableHasNoEnd(t *testing.T) {
	t.Parallel()
	a := &snmptest.Agent{Community: "public"}
	a.Set("1.3.6.1.2.1.1.3.0", snmptest.Ticks(5000))
	a.Always(snmptest.Endless("1.3.6.1.2.1.31.1.1.1.1"))
	d := agent(t, 0)
	d.SNMP.Port = snmptest.NewAgent(t, a).Port()
	began := time.Now()
	results := Check(context.Background(), d)
	i := slices.IndexFunc(results, func(r Result) bool { return !r.OK })
	if i < 0 || !strings.Contains(results[i].Text, "the agent's table has no end") {
		t.Errorf("results %+v, want a table without an end", results)
	}
	if took := time.Since(began); took > stepTime {
		t.Errorf("took %s", took)
	}
}

// stuck answers nothing until it is given up.
type stuck struct{}

func (stuck) Name() string { return "snmp" }
func (stuck) Close() error { return nil }
func (stuck) Collect(ctx context.Context, d devices.Device) (devices.Reading, error) {
	<-ctx.Done()
	return devices.Reading{}, fmt.Errorf("snmp: %s: stopped while asking: %w", d.Name, devices.ErrTimeout)
}

func TestAStepOfTheCheckThatDoesNotEndFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := time.Now()
		results := checkSNMP(context.Background(), sw1, stuck{})
		if len(results) != 1 || results[0].OK || results[0].Text != "stopped while asking: no answer in time; given up after 15s" {
			t.Errorf("results %+v", results)
		}
		if took := time.Since(began); took != stepTime {
			t.Errorf("took %s", took)
		}
	})
}

func TestAStepThatIsInterruptedIsNoFailure(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		if results := checkSNMP(ctx, sw1, stuck{}); len(results) != 1 || results[0].OK || !results[0].Cut {
			t.Errorf("results %+v, want one that was cut off", results)
		}
		if results := checkLog(ctx, devices.Device{Name: "sw1", SSH: &devices.SSH{}}, stuck{}); len(results) != 2 || !results[0].Cut || !results[1].Cut {
			t.Errorf("results %+v, want two that were cut off", results)
		}
		if results := checkSNMP(context.Background(), sw1, stuck{}); results[0].Cut {
			t.Errorf("results %+v: nothing was interrupted", results)
		}
	})
}

func TestCheckOfADeviceOfAnotherPlatform(t *testing.T) {
	for name, c := range map[string]struct {
		handler func(string) (string, bool)
		want    map[string]string
	}{
		"a Linux host": {func(cmd string) (string, bool) {
			word, _, _ := strings.Cut(cmd, " ")
			return "bash: " + word + ": command not found\n", true
		}, map[string]string{
			"ssh reads": "the device does not know `show interfaces` (it said \"bash: show: command not found\")",
			"log":       "the device does not know `show logging` (it said ", "clock": "not read",
		}},
		"answers that mean nothing": {func(string) (string, bool) { return "yes\n", true },
			map[string]string{"ssh reads": "not found: GigabitEthernet1/0/7", "log": "nothing of the log and the clock", "clock": "not read"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := agent(t, 0)
			listen(t, &d, c.handler)
			d.SNMP = nil
			for _, r := range Check(context.Background(), d) {
				want, bad := c.want[r.Step]
				if r.OK == bad || !strings.Contains(r.Text, want) {
					t.Errorf("%s: %v %q, want %q in it", r.Step, r.OK, r.Text, want)
				}
				if bad && r.Key != "platform" && r.Text != "not found: GigabitEthernet1/0/7" {
					t.Errorf("%s: change %q, want the platform", r.Step, r.Key)
				}
				delete(c.want, r.Step)
			}
			if len(c.want) > 0 {
				t.Errorf("steps not taken: %v", c.want)
			}
		})
	}
}

func TestCheckSaysWhichKeyToChange(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*devices.Device)
		step   string
		key    string
	}{
		"community": {func(d *devices.Device) { d.SNMP.Community = devices.NewSecret("canary-4711") }, "snmp", "snmp.community"},
		"port":      {func(d *devices.Device) { d.Ports = append(d.Ports, "Gi1/0/8") }, "ports", "ports"},
		"SNMP port": {func(d *devices.Device) { d.SNMP.Port = 9 }, "snmp", "snmp.port"},
		"pass": {func(d *devices.Device) {
			d.SNMP.Version, d.SNMP.User, d.SNMP.AuthPass = "3", "ops", devices.NewSecret("canary")
		}, "snmp", "snmp.auth_pass"},
		"password": {func(d *devices.Device) { d.SSH.Password = devices.NewSecret("canary-4711"); d.SNMP = nil }, "ssh", "ssh.password"},
		"host key": {func(d *devices.Device) {
			d.SSH.HostKey = "SHA256:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
			d.SNMP = nil
		}, "ssh", "ssh.host_key"},
		"ssh port":   {func(d *devices.Device) { d.SSH.Port = 9; d.SNMP = nil }, "ssh", "ssh.port"},
		"name":       {func(d *devices.Device) { d.Address = "no-such-host.invalid" }, "address", "address"},
		"no way":     {func(d *devices.Device) { d.SNMP, d.SSH = nil, nil }, "snmp", "snmp"},
		"no account": {func(d *devices.Device) { d.SSH.User = "nobody"; d.SNMP = nil }, "ssh", "ssh.user"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := agent(t, 0)
			shell(t, &d)
			c.change(&d)
			ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
			defer cancel()
			results := Check(ctx, d)
			i := slices.IndexFunc(results, func(r Result) bool { return !r.OK })
			if i < 0 {
				t.Fatalf("all passed: %+v", results)
			}
			r := results[i]
			t.Logf("%s: %s; change %s", r.Step, r.Text, r.Key)
			if r.Step != c.step || !strings.Contains(r.Key, c.key) || r.Text == "" {
				t.Errorf("%+v, want step %s and key %s", r, c.step, c.key)
			}
			if strings.Contains(fmt.Sprintf("%+v", results), "canary") {
				t.Error("a secret is in the results")
			}
		})
	}
}

type tape struct{ exchanges chan timeline.Exchange }

func (t tape) Keep(e timeline.Exchange) {
	select {
	case t.exchanges <- e:
	default:
	}
}

func TestRunReadsBothWays(t *testing.T) {
	t.Parallel()
	d := agent(t, 10*time.Millisecond)
	shell(t, &d)
	var store timeline.Store
	d.SNMP.Timeout = 2 * time.Second
	tp := tape{make(chan timeline.Exchange, 1000)}
	ctx, cancel := context.WithTimeout(context.Background(), 4500*time.Millisecond)
	defer cancel()
	began := time.Now()
	if err := Run(ctx, Config{Devices: []devices.Device{d}, Interval: 250 * time.Millisecond, LogInterval: time.Second, Out: &store, Tape: tp}); err != nil {
		t.Fatal(err)
	}
	s := store.Snapshot()
	port := timeline.Port("sw1", "GigabitEthernet1/0/7")
	rates := s.Series(port, timeline.InBits)
	if len(rates) < 6 { // of 18, on a busy machine
		t.Errorf("%d rates in 4.5 s at 250 ms", len(rates))
	}
	for _, r := range rates[1:] {
		if r.Value < 6e6 || r.Value > 10e6 {
			t.Errorf("rate %.3g at %s, want 8 Mbit/s", r.Value, r.Span.To.Sub(began))
		}
		if r.Origin.Collector != "snmp:sw1" {
			t.Errorf("a rate of %s", r.Origin.Collector)
		}
	}
	if len(s.Series(port, timeline.InFCS)) == 0 && len(s.Series(port, timeline.Oper)) == 0 {
		t.Error("the command line gave nothing")
	}
	offset := s.Series(timeline.Device("sw1"), timeline.ClockOffset)
	if len(offset) == 0 || offset[0].Value > -3.9 || offset[0].Value < -4.1 {
		t.Errorf("clock offset %+v, want -4 s", offset)
	}
	events := s.EventsOf(port, timeline.EventOper)
	if len(events) != 1 || events[0].Attrs["to"] != "down" {
		t.Fatalf("events %+v, want the log's line once", events)
	}
	if off := events[0].Span.Mid().Sub(began.Add(1500 * time.Millisecond)); off.Abs() > 200*time.Millisecond {
		t.Errorf("the log's line is dated %s off", off)
	}
	for _, g := range s.Gaps() {
		if g.Reason == timeline.ReasonUnsupported && g.Subject == timeline.Device("sw1") {
			continue // tables that this agent does not have
		}
		t.Errorf("gap in %s of %s: %s: %s", g.Metric, g.Subject, g.Reason, g.Text)
	}
	close(tp.exchanges)
	kinds := map[string]int{}
	for e := range tp.exchanges {
		kinds[e.Origin.Collector]++
		if strings.Contains(string(e.Reply)+e.Request, "letmein") || strings.Contains(string(e.Reply)+e.Request, "public") {
			t.Errorf("a secret is on the tape: %s", e.Request)
		}
	}
	if kinds["snmp:sw1"] == 0 || kinds["ssh:sw1"] == 0 {
		t.Errorf("exchanges %v", kinds)
	}
}

func TestAWrongPasswordIsSentTwiceAtMost(t *testing.T) {
	t.Parallel()
	d := agent(t, 10*time.Millisecond)
	s := shell(t, &d)
	d.SSH.Password = devices.NewSecret("canary-4711")
	var store timeline.Store
	ctx, cancel := context.WithTimeout(context.Background(), 4*time.Second)
	defer cancel()
	if err := Run(ctx, Config{Devices: []devices.Device{d}, Interval: 250 * time.Millisecond, LogInterval: 500 * time.Millisecond, Out: &store}); err != nil {
		t.Fatal(err)
	}
	if n := s.Counts().Passwords; n < 1 || n > 2 {
		t.Errorf("%d passwords were sent, want at most 2", n)
	}
	snap := store.Snapshot()
	said := false
	for _, g := range snap.Gaps() {
		said = said || g.Subject == timeline.Device("sw1") && g.Reason == timeline.ReasonAuth
		if strings.Contains(g.Text, "canary") {
			t.Errorf("a secret is on the timeline: %s", g.Text)
		}
	}
	if !said {
		t.Error("the refused login is not on the timeline")
	}
	if last, _ := snap.Last(timeline.Device("sw1"), timeline.Reachable); last.Value != 1 {
		t.Error("the device is not reachable, although SNMP answers")
	}
}
