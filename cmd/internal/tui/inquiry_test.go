package tui

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whydrop/cmd/internal/report/reporttest"
)

// asking is an investigation that waits for an answer, over one that is over: the words are those of a real one.
var (
	asking = course{
		Path: "a-b", Began: reporttest.At(20), Asks: "Experiment 2, rate: 30 s.",
		Said: []string{
			"  unexplained-loss, suspected (40 %)",
			"  still possible: bad-cable, optics-low-power, policer, oversubscription and 6 more",
			"Experiment 1, direction: 8.0 s, sends up to 11.2 MB. It would show: one direction loses: bad-cable or optics-low-power.",
			"You said yes.", "",
			"To the far end 1.2 % of the packets were sent again, from it none: one direction loses.",
			"  bad-cable, suspected (60 %)",
			"  still possible: bad-cable, policer",
			"Experiment 2, rate: 30 s, sends up to 20.0 MB. It would show: as much is lost at every rate: bad-cable; loss above a rate, while the delay did not rise: policer.",
		},
	}
	over = course{Path: "a-b", Began: reporttest.At(20), Ended: reporttest.At(58), Said: append(asking.Said[:len(asking.Said):len(asking.Said)],
		"You said yes.", "As much is lost at every rate.", "  bad-cable, holds (91 %)", "One cause is left: bad-cable.")}
)

func TestWhatTheLastLineAsks(t *testing.T) {
	began, ended := reporttest.At(0), reporttest.At(34)
	for _, tt := range []struct {
		name string
		in   course
		want string
	}{
		{"nothing before it begins", course{}, ""},
		{"it waits for an answer", course{Began: began, Asks: "Experiment 1"}, "Run this experiment?  y: yes   n: no, another   x: end the investigation"},
		{"it works", course{Began: began}, "working; watching goes on, on the same path   x: end   esc: leave it to itself"},
		{"it was told to end and has not yet", course{Began: began, Stopping: true}, "ending"},
		{"it was ended", course{Began: began, Ended: ended, Stopping: true}, "You ended it after 34 s.   enter: anew   esc: leave"},
		{"it could not go on", course{Began: began, Ended: ended, Failure: "far end: refused"}, "It ended early: far end: refused"},
		{"it is over", course{Began: began, Ended: ended}, "It is over, after 34 s.   enter: anew   esc: leave"},
	} {
		if got := promptOf(tt.in).text; got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestAnInvestigationAsksAndIsAnswered(t *testing.T) {
	began := make(chan string, 1)
	answers := make(chan bool, 2)
	c := reporttest.BadCable()
	r := start(t, Config{
		Source: c.Store, Topology: c.Topology,
		Investigate: func(ctx context.Context, path string, ask func(string) bool, say func(string)) error {
			began <- path
			say("  still possible: bad-cable, policer")
			for _, n := range []string{"1", "2"} {
				say("Experiment " + n + ", rate: 8 s")
				answers <- ask("Experiment " + n + ", rate: 8 s")
			}
			say("One cause is left: bad-cable.")
			return errors.New("\x1b[31mthe far end hung up")
		},
	})
	r.until("[1 Overview]")
	r.press("i")
	r.until("Investigate path a-b")
	r.press("\n")
	if got := <-began; got != "a-b" {
		t.Errorf("it began for the path %q", got)
	}
	r.until("Run this experiment?")
	r.press("\x1b")
	r.until("experiment asks: i")
	r.press("i")
	r.until("Run this experiment?")
	r.press("n")
	if <-answers {
		t.Error("n was taken for a yes")
	}
	r.until("Experiment 2")
	r.until("Run this experiment?")
	r.press("y")
	if !<-answers {
		t.Error("y was taken for a no")
	}
	r.until("One cause is left: bad-cable.")
	r.until(`It ended early: \x1b[31mthe far end hung up`)
	r.press("q")
	if err := r.ends(); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestAnInvestigationEndsWithTheKeyAndWithTheRun(t *testing.T) {
	ended := make(chan bool, 2)
	investigate := func(ctx context.Context, _ string, ask func(string) bool, _ func(string)) error {
		ended <- ask("Experiment 1")
		return ctx.Err()
	}
	for _, tt := range []struct {
		name string
		do   func(r *run)
	}{
		{"x", func(r *run) { r.press("x"); r.until("You ended it after"); r.press("q") }},
		{"quit", func(r *run) { r.press("q") }},
		{"the end of the run", func(r *run) { r.cancel() }},
	} {
		r := start(t, Config{Investigate: investigate})
		r.until("[1 Overview]")
		r.press("i\n")
		r.until("Run this experiment?")
		tt.do(r)
		select {
		case yes := <-ended:
			if yes {
				t.Errorf("%s: taken for a yes", tt.name)
			}
		case <-time.After(patience):
			t.Errorf("%s: the investigation goes on", tt.name)
		}
		if err := r.ends(); err != nil {
			t.Errorf("%s: got %v", tt.name, err)
		}
	}
}

func TestAReplayCannotBeInvestigated(t *testing.T) {
	u := newUI(Config{Investigate: noExperiments, Replay: tape{}}, fancy)
	for _, k := range keyTable() {
		if k.runes == "i" && k.offered(&u.state, u.model) {
			t.Error("the key is offered")
		}
	}
}

func TestTheCourseIsWrappedAndCleaned(t *testing.T) {
	q := &inquiry{}
	q.say("  still possible: \x1b]0;x\x07 " + strings.Repeat("word ", 20))
	var got []string
	for _, l := range courseLines(course{Path: "p", Said: q.now().Said}, 40) {
		got = append(got, l.text)
	}
	want := []string{
		"Investigation of path p", `  still possible: \x1b]0;x\x07 word`, "  word word word word word word word",
		"  word word word word word word word", "  word word word word word",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
