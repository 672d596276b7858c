package cli

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/cli/clitest"
)

func TestCollectReadsPortsSpanningTreeLogAndClock(t *testing.T) {
	t.Parallel()
	s := ios(t, nil)
	c := collector(t)
	var kept tape
	c.Tape = &kept
	d := device(s, nil)
	d.Ports, d.OffPath = []string{"GigabitEthernet1/0/1"}, []string{"Gi1/0/2"}
	before := time.Now()
	r, err := c.Collect(within(t, testTime), d)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Interfaces) != 2 || r.Interfaces[0].Name != "GigabitEthernet1/0/1" || r.Interfaces[1].Name != "Gi1/0/2" {
		t.Fatalf("interfaces %+v, want the two that are watched, by the site file's names", r.Interfaces)
	}
	i := r.Interfaces[0]
	if i.FCS != devices.CCLI(3) || i.OutDrops != devices.CCLI(12) || i.Speed != devices.Some(uint64(1e9)) || i.STPRole != devices.Some("root") || i.STPState != devices.Some("forwarding") {
		t.Errorf("port %+v", i)
	}
	if got := r.Interfaces[1].STPState; got != devices.Some("blocking") {
		t.Errorf("second port's state %v, want blocking", got)
	}
	if r.Bridge == nil || r.Bridge.TopologyChanges != devices.CCLI(7) || r.Bridge.ChangeFrom != devices.Some("Gi1/0/2") || r.Bridge.RootPort != devices.Some("GigabitEthernet1/0/1") {
		t.Errorf("bridge %+v", r.Bridge)
	}
	if r.Device != "sw1" || r.SysName != devices.Some("sw1") || !strings.Contains(r.SysDescr.Value, "15.2(7)E") || (r.Origin != timeline.Origin{Collector: "ssh:sw1", Exchange: 1}) {
		t.Errorf("reading %+v", r)
	}
	if r.Span.From.Before(before) || r.Span.To.After(time.Now()) || r.Span.Width() <= 0 {
		t.Errorf("span %v", r.Span)
	}
	r, err = NewLog(c).Collect(within(t, testTime), d)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Log) != 2 || r.Log[0].Port != "Gi1/0/2" || r.Log[0].Attrs["to"] != "down" || r.Log[1].Mnemonic != "TOPOTRAP" {
		t.Errorf("log %+v", r.Log)
	}
	if lc := r.LocalClock; !lc.OK || lc.Value.Time != time.Date(2026, 11, 30, 14, 2, 5, 123e6, time.UTC) || lc.Value.Quality != "" || lc.Value.Span.Width() > time.Second {
		t.Errorf("clock %+v", lc)
	}
	if n := len(kept.list); n != 12 || kept.list[0].Request != "show interfaces GigabitEthernet1/0/1" || !strings.Contains(string(kept.list[0].Reply), "3 CRC") || kept.list[0].Span.Width() <= 0 {
		t.Errorf("%d exchanges kept, want 12; first %+v", n, kept.list[0])
	}
	for _, e := range kept.list {
		if strings.Contains(string(e.Reply), "canary") {
			t.Errorf("a secret is on the tape")
		}
	}
	c.Close()
	onlyAllowed(t, s)
	if n := s.Counts(); n.Logins != 1 || n.Exits != 1 {
		t.Errorf("counts %+v, want one login and one exit", n)
	}
}

func TestCollectWithoutPortsReadsAll(t *testing.T) {
	t.Parallel()
	s := ios(t, nil)
	r, err := collector(t).Collect(within(t, testTime), device(s, nil))
	if err != nil || len(r.Interfaces) != 3 {
		t.Errorf("%d interfaces, %v; want 3", len(r.Interfaces), err)
	}
}

func TestDeviceWithoutSpanningTreeIsAskedOnce(t *testing.T) {
	t.Parallel()
	s := ios(t, func(s *clitest.Server) {
		s.Handler = clitest.Transcript(map[string]string{"show interfaces GigabitEthernet1/0/1": gi1})
	})
	c := collector(t)
	d := device(s, nil)
	d.Ports = []string{"GigabitEthernet1/0/1"}
	for range 3 {
		r, err := c.Collect(within(t, testTime), d)
		if err != nil || r.Bridge != nil {
			t.Fatalf("bridge %v, error %v", r.Bridge, err)
		}
	}
	if n := strings.Count(strings.Join(s.Commands(), "\n"), "show spanning-tree detail"); n != 1 {
		t.Errorf("asked %d times for the spanning tree", n)
	}
}

func TestUnknownPortKeepsTheDevicesWords(t *testing.T) {
	t.Parallel()
	s := ios(t, nil)
	d := device(s, nil)
	d.Ports = []string{"GigabitEthernet1/0/1", "GigabitEthernet9/9"}
	r, err := collector(t).Collect(within(t, testTime), d)
	if !errors.Is(err, devices.ErrPartial) || !errors.Is(err, devices.ErrUnsupported) {
		t.Errorf("error %v, want one that is partial and unsupported", err)
	}
	checkWords(t, err, "sw1: show interfaces GigabitEthernet9/9: % Invalid input detected at '^' marker.")
	if len(r.Interfaces) != 1 || r.Bridge == nil {
		t.Errorf("reading %+v, want what the device did give", r)
	}
}

// TestPromptsBannersAndPagers logs in to devices of many habits and expects the same answer from each.
func TestPromptsBannersAndPagers(t *testing.T) {
	long := strings.Repeat("!", 30)
	for _, c := range []struct {
		name   string
		change func(*clitest.Server)
	}{
		{"user prompt", func(*clitest.Server) {}},
		{"privileged prompt", func(s *clitest.Server) { s.Privileged = true }},
		{"brackets in the host name", func(s *clitest.Server) { s.Hostname = "sw(acc)-1" }},
		{"a tilde in the host name", func(s *clitest.Server) { s.Hostname = "sw~1" }},
		{"a host name of 64 characters", func(s *clitest.Server) { s.Hostname = strings.Repeat("s", 64) }},
		{"a blank after the prompt", func(s *clitest.Server) { s.Prompt = "sw1# " }},
		{"maintenance mode", func(s *clitest.Server) { s.Prompt = "sw1(maint-mode)#" }},
		{"odd characters in the prompt", func(s *clitest.Server) { s.Prompt = "{core}|sw1>" }},
		{"a banner of number signs", func(s *clitest.Server) { s.MOTD = "#####################\n# keep out #\nsw1#\n#####" }},
		{"a banner that asks for a password", func(s *clitest.Server) { s.MOTD = "Enter your password:\nPassword:" }},
		{"a banner before the login", func(s *clitest.Server) { s.Banner = "password: \n\x1b[2J#>" }},
		{"no way to switch the pager off", func(s *clitest.Server) { s.NoPagerOff = true }},
		{"another pager", func(s *clitest.Server) { s.NoPagerOff = true; s.Pager = "<--- More --->" }},
		{"a coloured prompt", func(s *clitest.Server) { s.Prompt = "\x1b[1;32msw1\x1b[0m#" }},
		{"a prompt that is put at the bottom of the screen", func(s *clitest.Server) { s.Prompt = "\x1b[24;1H\x1b[2K\x1b[24;1H\x1b[?25hsw1# \x1b[24;6H" }},
		{"a prompt that is drawn anew", func(s *clitest.Server) { s.Prompt = "\r\x1b[Ksw1>\r\x1b[Ksw1>" }},
		{"an echo that is drawn anew", func(s *clitest.Server) { s.Redraw = true }},
		{"an echo that is drawn anew behind an odd prompt", func(s *clitest.Server) { s.Redraw, s.Prompt = true, "ops@fw1(active)> " }},
		{"a banner of number signs, and a prompt of two", func(s *clitest.Server) { s.MOTD, s.Prompt = "#####\n#>\n#####", ">#" }},
		{"a title in the prompt", func(s *clitest.Server) { s.Prompt = "\x1b]0;sw1 " + long + "\x07sw1#" }},
		{"keyboard-interactive", func(s *clitest.Server) { s.KeyboardInteractive = true }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := ios(t, c.change)
			col := collector(t)
			d := device(s, nil)
			r, err := col.Collect(within(t, testTime), d)
			if err != nil {
				t.Fatal(err)
			}
			if len(r.Interfaces) != 3 || r.Bridge == nil || r.Bridge.TopologyChanges != devices.CCLI(7) {
				t.Fatalf("%d interfaces, bridge %+v", len(r.Interfaces), r.Bridge)
			}
			for _, i := range r.Interfaces {
				if i.FCS != devices.CCLI(3) || i.OutPackets != devices.CCLI(2000) || i.MTU != devices.Some(uint32(1500)) {
					t.Errorf("port %+v", i)
				}
			}
			if r, err := NewLog(col).Collect(within(t, testTime), d); err != nil || len(r.Log) != 2 || !r.LocalClock.OK {
				t.Errorf("log %+v, %v", r, err)
			}
			if a, err := col.Ask(within(t, testTime), d, "show clock"); err != nil || !strings.HasPrefix(a.Text, "Load for five secs") || !strings.HasSuffix(a.Text, "\n14:02:05.123 UTC Mon Nov 30 2026\n") {
				t.Errorf("the answer is %q, %v; want nothing of the echo and the prompt in it", a.Text, err)
			}
			col.Close()
			onlyAllowed(t, s)
			if n := s.Counts().Passwords; n != 1 {
				t.Errorf("the password was sent %d times", n)
			}
		})
	}
}

func TestPagedAnswerIsWhatTheUnpagedOneIs(t *testing.T) {
	t.Parallel()
	texts := map[bool]string{}
	for _, paged := range []bool{false, true} {
		s := ios(t, func(s *clitest.Server) { s.NoPagerOff = paged })
		a, err := collector(t).Ask(within(t, testTime), device(s, nil), "show interfaces")
		if err != nil {
			t.Fatal(err)
		}
		texts[paged] = a.Text
	}
	if texts[true] != texts[false] || texts[false] != gi1+strings.ReplaceAll(gi1, "1/0/1", "1/0/2")+strings.ReplaceAll(gi1, "1/0/1", "1/0/3") {
		t.Errorf("paged:\n%q\nunpaged:\n%q", texts[true], texts[false])
	}
}

func TestOneSessionPerDevice(t *testing.T) {
	t.Parallel()
	s := ios(t, nil)
	c := collector(t)
	d := device(s, nil)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if _, err := c.Ask(within(t, testTime), d, "show clock"); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := s.Counts(); n.Peak != 1 || n.Connections != 1 {
		t.Errorf("counts %+v, want one session", n)
	}
}

func TestSessionIsOpenedAgainWhenTheDeviceEndedIt(t *testing.T) {
	t.Parallel()
	s := ios(t, nil)
	c := collector(t)
	d := device(s, nil)
	for range 3 {
		if _, err := c.Ask(within(t, testTime), d, "show clock"); err != nil {
			t.Fatal(err)
		}
		s.DropSessions()
	}
	if n := s.Counts().Logins; n != 3 {
		t.Errorf("%d logins, want 3", n)
	}
}

func TestTooLongAnAnswerIsCutShort(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 1023) + "\n"
	s := ios(t, func(s *clitest.Server) {
		s.Handler = func(cmd string) (string, bool) {
			if cmd == "show logging" {
				return strings.Repeat(line, 2*maxOutput/len(line)), true
			}
			return "14:02:05.123 UTC Mon Nov 30 2026\n", true
		}
	})
	c := collector(t)
	d := device(s, nil)
	_, err := c.Ask(within(t, testTime), d, "show logging")
	if !errors.Is(err, devices.ErrPartial) {
		t.Errorf("error %v, want one that is partial", err)
	}
	checkWords(t, err, "sw1: show logging", "1 MiB")
	if _, err := c.Ask(within(t, testTime), d, "show clock"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// TestEverythingReturnsWhenTheContextEnds freezes the device at different moments.
func TestEverythingReturnsWhenTheContextEnds(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*clitest.Server)
		freeze bool
		opened bool // a session is open already
	}{
		{"before the handshake", nil, true, false},
		{"in the shell", nil, true, true},
		{"in the middle of a command", func(s *clitest.Server) {
			s.Handler = func(string) (string, bool) { <-s.Done(); return "", true }
		}, false, false},
		{"at a prompt that is none", func(s *clitest.Server) { s.Prompt = "Login as?" }, false, false},
	} {
		for _, how := range []string{"cancelled", "deadline", "timeout of the site file"} {
			t.Run(c.name+", "+how, func(t *testing.T) {
				t.Parallel()
				s := ios(t, c.change)
				col := New()
				d := device(s, nil)
				if c.opened {
					if _, err := col.Ask(within(t, testTime), d, "show clock"); err != nil {
						t.Fatal(err)
					}
				}
				s.Freeze(c.freeze)
				const soon = 300 * time.Millisecond
				ctx, cancel := context.WithTimeout(context.Background(), 20*time.Second)
				defer cancel()
				switch how {
				case "cancelled":
					time.AfterFunc(soon, cancel)
				case "deadline":
					ctx, cancel = context.WithTimeout(ctx, soon)
					defer cancel()
				default:
					d.SSH.Timeout = soon
				}
				start := time.Now()
				_, err := col.Ask(ctx, d, "show clock")
				if took := time.Since(start); took > soon+2*time.Second { // one second, and one for a busy machine
					t.Errorf("returned after %v", took)
				}
				if !errors.Is(err, devices.ErrTimeout) || devices.ReasonOf(err) != timeline.ReasonTimeout {
					t.Errorf("error %v, want a timeout", err)
				}
				start = time.Now()
				col.Close()
				if took := time.Since(start); took > 2*time.Second {
					t.Errorf("Close took %v", took)
				}
			})
		}
	}
}

func TestNothingIsLeftAfterTwentySessions(t *testing.T) {
	s := ios(t, nil)
	d := device(s, nil)
	run := func() {
		c := New()
		if _, err := c.Ask(within(t, testTime), d, "show clock"); err != nil {
			t.Fatal(err)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	run()
	idle := func() bool { return s.Counts().Sessions == 0 }
	eventually(idle)
	fds, routines := descriptors(t), goroutines()
	for range 20 {
		run()
	}
	if !eventually(func() bool { return idle() && descriptors(t) <= fds && goroutines() <= routines }) {
		t.Errorf("descriptors %d before, %d after; goroutines %d before, %d after", fds, descriptors(t), routines, goroutines())
	}
	if n := s.Counts(); n.Exits != 21 {
		t.Errorf("%d of 21 sessions ended with exit", n.Exits)
	}
}

func TestClosedCollectorAsksNothing(t *testing.T) {
	t.Parallel()
	s := ios(t, nil)
	c := New()
	c.Close()
	if _, err := c.Ask(within(t, time.Second), device(s, nil), "show clock"); !errors.Is(err, errClosed) {
		t.Errorf("error %v", err)
	}
}

// TestQuestionAfterTheEndLeavesTheSession: a context that has ended before the question does not cost the session,
// which Close then ends with exit.
func TestQuestionAfterTheEndLeavesTheSession(t *testing.T) {
	t.Parallel()
	s := ios(t, nil)
	c := New()
	d := device(s, nil)
	if _, err := c.Ask(within(t, testTime), d, "show clock"); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := c.Ask(ctx, d, "show clock"); !errors.Is(err, devices.ErrTimeout) || !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	c.Close()
	onlyAllowed(t, s)
	if n := s.Counts(); n.Logins != 1 || n.Exits != 1 {
		t.Errorf("counts %+v", n)
	}
}

// TestExitIsSentBehindACommandThatIsCutOff: the device finds it when it is done.
func TestExitIsSentBehindACommandThatIsCutOff(t *testing.T) {
	t.Parallel()
	asked, answer := make(chan struct{}, 1), make(chan struct{})
	s := ios(t, func(s *clitest.Server) {
		s.Handler = func(string) (string, bool) {
			asked <- struct{}{}
			<-answer
			return "", true
		}
	})
	c := New()
	defer c.Close()
	ctx, cancel := context.WithTimeout(context.Background(), testTime)
	defer cancel()
	go func() {
		<-asked
		cancel()
	}()
	if _, err := c.Ask(ctx, device(s, nil), "show clock"); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	close(answer)
	if !eventually(func() bool { return s.Counts().Exits == 1 }) {
		t.Errorf("counts %+v, commands %q", s.Counts(), s.Commands())
	}
}
