package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"whydrop/cmd/internal/app"
	"whydrop/cmd/internal/sim"
	"whydrop/correlate/timeline"
	"whydrop/devices/intake"
	"whydrop/devices/poll"
	"whydrop/devices/syslog"
	"whydrop/devices/trap"
)

// datingVariable makes the command poll the devices of the site file that it names, print their events and do nothing
// else. It is how the devices are asked from inside the laboratory's network.
const datingVariable = "WHYDROP_FIGURES_DATING"

// The laboratory's flaps: a cable is pulled and put back a few times.
var (
	datingFlaps = []string{"fault", "linkflap", "link=L2", "count=4", "down=2", "gap=4"}
	datingTime  = 50 * time.Second // to poll, with some peace before and after
	datingEnds  = []timeline.Subject{timeline.Port("acc", "GigabitEthernet1/0/24"), timeline.Port("swA", "GigabitEthernet1/0/1")}
)

// pulling is how long the laboratory takes to pull a cable or to put it back: it notes the moment before the one and
// after the other.
const pulling = 40 * time.Millisecond

func init() {
	path := os.Getenv(datingVariable)
	if path == "" {
		return
	}
	plan, err := app.LoadSite(path, &app.Secrets{})
	if err == nil {
		err = listenAndPoll(plan)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// listenAndPoll polls the devices of a plan, takes in what they tell by themselves, and prints the events.
func listenAndPoll(plan app.Plan) error {
	ctx, cancel := context.WithTimeout(context.Background(), datingTime)
	defer cancel()
	var store timeline.Store
	var known intake.Known
	logs, traps := plan.Receivers.Syslog, plan.Receivers.Traps
	logs.Devices, logs.Known, logs.Out = plan.Senders, &known, &store
	traps.Devices, traps.Known, traps.Out = plan.Senders, &known, &store
	fromLogs, err := syslog.Open(logs)
	if err != nil {
		return err
	}
	fromTraps, err := trap.Open(traps)
	if err != nil {
		fromLogs.Close()
		return err
	}
	var g errgroup.Group
	g.Go(func() error { return fromLogs.Serve(ctx) })
	g.Go(func() error { return fromTraps.Serve(ctx) })
	g.Go(func() error {
		return poll.Run(ctx, poll.Config{Devices: plan.Devices, Interval: time.Second, Out: &store, Known: &known})
	})
	if err := g.Wait(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(store.Snapshot().Events())
}

// laboratory takes the flaps of a real cable between two switches.
func (t *datingTally) laboratory(ctx context.Context) error {
	l, err := openLaboratory(ctx)
	if err != nil {
		return err
	}
	defer l.close()
	text, err := labSite("")
	if err != nil {
		return err
	}
	if err := endListeners(); err != nil {
		return err
	}
	text += labReceivers
	site, base := filepath.Join(l.dir, "site.yaml"), filepath.Join(l.keep, "dating")
	if err := os.WriteFile(site, []byte(text), 0o600); err != nil {
		return err
	}
	self, err := os.Executable()
	if err != nil {
		return err
	}
	c, err := l.start(ctx, nearNode, base, "env", datingVariable+"="+site, self)
	if err != nil {
		return err
	}
	defer c.end()
	if err := c.pause(ctx, labLead); err != nil {
		return l.said(base, err)
	}
	if err := l.lab(ctx, datingFlaps...); err != nil {
		return err
	}
	select {
	case <-c.done:
	case <-ctx.Done():
		return ctx.Err()
	}
	var events []timeline.Event
	if text, err := os.ReadFile(base + ".out"); err != nil {
		return err
	} else if err := json.Unmarshal(text, &events); err != nil {
		return l.said(base, err)
	}
	return t.flaps(events)
}

// labReceivers is where the laboratory's devices send their traps and log lines to.
const labReceivers = "receivers:\n  syslog: {listen: 'udp://0.0.0.0:514'}\n  traps: {listen: '0.0.0.0:162', community: env:WHYDROP_LAB_COMMUNITY}\n"

// endListeners ends the laboratory's own receivers of traps and log lines, so that ours can listen instead.
func endListeners() error {
	for _, name := range []string{"hostA-snmptrapd", "hostA-logd"} {
		b, err := os.ReadFile(filepath.Join(filepath.Dir(labTruthFile), "pids", name))
		if err != nil {
			return fmt.Errorf("laboratory: %s: %w", name, err)
		}
		var noted []json.RawMessage // its number, and when it was started
		var pid int
		if err = json.Unmarshal(b, &noted); err == nil && len(noted) > 0 {
			err = json.Unmarshal(noted[0], &pid)
		}
		if err != nil || pid <= 1 {
			return fmt.Errorf("laboratory: %s: %q is no process: %w", name, b, err)
		}
		p, err := os.FindProcess(pid)
		if err == nil {
			err = p.Signal(syscall.SIGTERM)
		}
		if err != nil {
			return fmt.Errorf("laboratory: %s: %w", name, err)
		}
	}
	return nil
}

// said adds what the program complained of to an error.
func (l *laboratory) said(base string, err error) error {
	text, rerr := os.ReadFile(base + ".err")
	return errors.Join(fmt.Errorf("laboratory: polling: %w: %s", err, strings.TrimSpace(string(text))), rerr)
}

// flaps compares events with what the laboratory noted.
func (t *datingTally) flaps(events []timeline.Event) error {
	var all []struct {
		Events []struct {
			T    float64 // seconds since 1970
			What string
		}
	}
	text, err := os.ReadFile(labTruthFile)
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err != nil || len(all) == 0 {
		return fmt.Errorf("%s: %w", labTruthFile, errors.Join(err, errors.New("no fault is noted")))
	}
	story := &sim.Story{Name: "laboratory"}
	for _, e := range all[len(all)-1].Events {
		to, found := strings.CutPrefix(e.What, "link ")
		if !found {
			continue
		}
		at := time.Duration(e.T * float64(time.Second))
		if to == "down" {
			at += pulling / 2
		} else {
			at -= pulling / 2
		}
		for _, end := range datingEnds {
			story.Truth.Events = append(story.Truth.Events, sim.Moment{Device: end.Device, Port: end.Name, Type: timeline.EventOper, To: to, At: at})
		}
	}
	snap := timeline.Store{}
	for _, e := range events {
		snap.Put(e)
	}
	t.loose, t.refresh = pulling/2, time.Second // of net-snmp
	t.add(story, time.Unix(0, 0).UTC(), snap.Snapshot())
	return nil
}
