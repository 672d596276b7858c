package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"whydrop/cmd/internal/app"
	"whydrop/cmd/internal/sim"
	"whydrop/correlate/timeline"
	"whydrop/devices/poll"
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
		var store timeline.Store
		ctx, cancel := context.WithTimeout(context.Background(), datingTime)
		if err = poll.Run(ctx, poll.Config{Devices: plan.Devices, Interval: time.Second, Out: &store}); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(store.Snapshot().Events())
		}
		cancel()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
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
