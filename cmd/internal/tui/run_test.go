package tui

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"

	"whydrop/cmd/internal/report/reporttest"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// run is a UI that runs on a simulated terminal.
type run struct {
	t      *testing.T
	screen tcell.SimulationScreen
	cancel context.CancelFunc
	done   chan error

	mu   sync.Mutex
	text string
	n    int // how often it was drawn
}

// patience is how long a test waits for something that happens soon.
const patience = 10 * time.Second

func start(t *testing.T, cfg Config) *run {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	r := &run{t: t, screen: tcell.NewSimulationScreen("UTF-8"), cancel: cancel, done: make(chan error, 1)}
	cfg.screen, cfg.drawn = r.screen, r.drawn
	if cfg.Source == nil {
		c := reporttest.Failover()
		cfg.Source, cfg.Topology = c.Store, c.Topology
	}
	if cfg.now == nil {
		cfg.now = func() time.Time { return reporttest.At(90) }
	}
	go func() { r.done <- Run(ctx, cfg) }()
	t.Cleanup(func() { cancel() })
	return r
}

// drawn keeps what was drawn. It is called on the goroutine of the screen.
func (r *run) drawn(s tcell.Screen) {
	var b strings.Builder
	width, height := s.Size()
	for y := range height {
		for x := 0; x < width; x++ {
			text, _, w := s.Get(x, y)
			b.WriteString(text)
			x += max(w, 1) - 1
		}
		b.WriteByte('\n')
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.text, r.n = b.String(), r.n+1
}

func (r *run) shown() (string, int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.text, r.n
}

// until waits until the screen shows the text.
func (r *run) until(want string) {
	r.t.Helper()
	for end := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		text, _ := r.shown()
		if strings.Contains(text, want) {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("the screen never showed %q; it shows\n%s", want, text)
		}
	}
}

func (r *run) press(keys string) {
	for _, k := range keys {
		switch k {
		case '\n':
			r.screen.InjectKey(tcell.KeyEnter, '\r', tcell.ModNone)
		case '\x1b':
			r.screen.InjectKey(tcell.KeyEscape, 0, tcell.ModNone)
		case '\t':
			r.screen.InjectKey(tcell.KeyTab, '\t', tcell.ModNone)
		default:
			r.screen.InjectKey(tcell.KeyRune, k, tcell.ModNone)
		}
	}
}

func (r *run) ends() error {
	r.t.Helper()
	select {
	case err := <-r.done:
		return err
	case <-time.After(patience):
		buf := make([]byte, 1<<20)
		r.t.Fatalf("Run does not return:\n%s", buf[:runtime.Stack(buf, true)])
		return nil
	}
}

func TestPagesAndKeys(t *testing.T) {
	c := reporttest.Failover()
	marked := make(chan string, 1)
	r := start(t, Config{
		Source: c.Store, Topology: c.Topology,
		Diagnose: func(timeline.Snapshot) []rules.Diagnosis { return c.Diagnoses },
		Mark:     func(text string) { marked <- text },
		Report:   func() (string, error) { return "/tmp/why.html", nil },
	})
	r.until("[1 Overview]")
	r.until("Spanning tree moved the path")
	r.press("2")
	r.until("order: path")
	r.press("s")
	r.until("order: health")
	r.press("3")
	r.until("14 of 14")
	r.press("k")
	r.until("13 of 14")
	r.press("g")
	r.until("1 of 14")
	r.press("/outage\n")
	r.until("of 4")
	r.until("filter: outage")
	r.press("\x1b")
	r.until("of 14")
	r.press("4")
	r.until("Certainty")
	r.press("G")
	r.until("Missing    - The path cost")
	r.press("?")
	r.until("quit; so does ctrl-c")
	r.press("\x1b\t")
	r.until("[1 Overview]")
	r.press("mcable moved\n")
	r.until("marked: cable moved")
	if got := <-marked; got != "cable moved" {
		t.Errorf("got the mark %q", got)
	}
	r.press("r")
	r.until("report: /tmp/why.html")
	r.press(" ")
	r.until("FROZEN")
	r.press(" ")
	r.until("LIVE")
	r.press("q")
	if err := r.ends(); err != nil {
		t.Errorf("got %v", err)
	}
}

// tape is a replay that notes what is asked of it.
type tape struct{ asked chan string }

func (p tape) Pause(on bool)        { p.asked <- fmt.Sprint("pause ", on) }
func (p tape) Seek(d time.Duration) { p.asked <- fmt.Sprint("seek ", d) }
func (p tape) Speed(x float64)      { p.asked <- fmt.Sprint("speed ", x) }

func TestReplayIsSteered(t *testing.T) {
	p := tape{make(chan string, 16)}
	r := start(t, Config{Replay: p})
	r.until("REPLAY x1")
	for _, step := range []struct{ key, want string }{{"p", "pause true"}, {"p", "pause false"}, {"[", "seek -10s"}, {"]", "seek 10s"}, {"+", "speed 2"}, {"-", "speed 1"}} {
		r.press(step.key)
		select {
		case got := <-p.asked:
			if got != step.want {
				t.Errorf("%s: got %s, want %s", step.key, got, step.want)
			}
		case <-time.After(patience):
			t.Fatalf("%s: nothing was asked", step.key)
		}
	}
	r.press("m") // a recording can't be marked
	r.press("q")
	if err := r.ends(); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestFrozenMeansStill(t *testing.T) {
	store := &timeline.Store{}
	put := func(v float64) {
		store.Put(timeline.Sample{Subject: timeline.Path("p"), Metric: timeline.GoodputForward, Span: timeline.Span{From: reporttest.At(89), To: reporttest.At(90)}, Value: v})
	}
	put(1e6)
	r := start(t, Config{Source: store})
	r.until("1.0 Mbit/s")
	r.press(" ")
	r.until("FROZEN")
	put(9e6)
	_, before := r.shown()
	for { // some frames later
		if _, n := r.shown(); n > before+3 {
			break
		}
		time.Sleep(5 * time.Millisecond)
	}
	if text, _ := r.shown(); !strings.Contains(text, "1.0 Mbit/s") {
		t.Errorf("the frozen screen changed:\n%s", text)
	}
	r.press(" ")
	r.until("5.0 Mbit/s") // both samples are of the last second
}

func TestRunEndsWhateverHappens(t *testing.T) {
	tests := []struct {
		name string
		end  func(*run)
	}{
		{"by the key", func(r *run) { r.press("q") }},
		{"by ctrl-c", func(r *run) { r.screen.InjectKey(tcell.KeyCtrlC, 3, tcell.ModCtrl) }},
		{"by ctrl-c in the middle of a question", func(r *run) { r.press("/abc"); r.screen.InjectKey(tcell.KeyCtrlC, 3, tcell.ModCtrl) }},
		{"by its context", func(r *run) { r.cancel() }},
		{"by its context and the key at once", func(r *run) { r.press("qq"); r.cancel(); r.press("q") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t, Config{})
			r.until("[1 Overview]")
			tt.end(r)
			if err := r.ends(); err != nil {
				t.Errorf("got %v", err)
			}
		})
	}
	t.Run("before it began", func(t *testing.T) {
		r := start(t, Config{})
		r.cancel()
		if err := r.ends(); err != nil {
			t.Errorf("got %v", err)
		}
	})
}

func TestRunEndsWhileUpdatesAreQueued(t *testing.T) {
	before := runtime.NumGoroutine()
	rounds := 30
	if testing.Short() {
		rounds = 8
	}
	for i := range rounds {
		store := reporttest.Healthy().Store
		stop := make(chan struct{})
		var writers sync.WaitGroup
		writers.Go(func() {
			for n := 0.0; ; n++ {
				select {
				case <-stop:
					return
				default:
					store.Put(timeline.Sample{Subject: timeline.Path("a-b"), Metric: timeline.RTT, Span: timeline.At(reporttest.At(90 + n/1e4)), Value: 1})
					time.Sleep(50 * time.Microsecond)
				}
			}
		})
		r := start(t, Config{Source: store, Topology: reporttest.Healthy().Topology})
		if i%2 == 0 {
			r.until("Overview")
		}
		time.Sleep(time.Duration(rand.IntN(20)) * time.Millisecond)
		r.cancel()
		if err := r.ends(); err != nil {
			t.Errorf("got %v", err)
		}
		close(stop)
		writers.Wait()
	}
	for end := time.Now().Add(patience); runtime.NumGoroutine() > before+2; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			t.Fatalf("%d goroutines before, %d after:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
		}
	}
}

func TestALostTerminalEndsTheRunWithAnError(t *testing.T) {
	r := start(t, Config{})
	r.until("[1 Overview]")
	if err := r.screen.PostEvent(tcell.NewEventError(errors.New("the line went dead"))); err != nil {
		t.Fatal(err)
	}
	if err := r.ends(); err == nil || !strings.Contains(err.Error(), "the line went dead") {
		t.Errorf("got %v", err)
	}
}

func TestAPanicRestoresTheTerminalAndIsAnError(t *testing.T) {
	tests := []struct {
		name string
		cfg  Config
		do   func(*run)
	}{
		{"while diagnosing", Config{Diagnose: func(timeline.Snapshot) []rules.Diagnosis { panic("a bad rule") }}, func(*run) {}},
		{"while marking", Config{Mark: func(string) { panic("a bad rule") }}, func(r *run) { r.until("[1 Overview]"); r.press("mx\n") }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := start(t, tt.cfg)
			tt.do(r)
			if err := r.ends(); err == nil || !strings.Contains(err.Error(), "a bad rule") {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestSlowDiagnosisDoesNotHoldUpTheKeys(t *testing.T) {
	release, diagnosing := make(chan struct{}), make(chan struct{}, 100)
	r := start(t, Config{Diagnose: func(timeline.Snapshot) []rules.Diagnosis {
		diagnosing <- struct{}{}
		<-release
		return nil
	}})
	<-diagnosing
	r.press("3")
	r.until("[3 Events]")
	close(release)
	r.press("q")
	if err := r.ends(); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestDiagnoseIsCalledAtMostOnceASecondAndOnlyForSomethingNew(t *testing.T) {
	now, calls := reporttest.At(0), 0
	cost := time.Duration(0)
	store := &timeline.Store{}
	put := func() {
		store.Put(timeline.Event{Subject: timeline.Path("p"), Type: timeline.EventMark, Span: timeline.At(now)})
	}
	f := &feed{cfg: Config{Source: store, Diagnose: func(timeline.Snapshot) []rules.Diagnosis { calls++; now = now.Add(cost); return nil }}, clock: func() time.Time { return now }}
	step := func(name string, ahead time.Duration, want int) {
		t.Helper()
		now = now.Add(ahead)
		f.diagnose(t.Context())
		if calls != want {
			t.Errorf("%s: got %d calls, want %d", name, calls, want)
		}
	}
	step("nothing is there", 0, 0)
	put()
	step("something is there", 0, 1)
	step("nothing is new", 5*time.Second, 1)
	put()
	step("something new", 0, 2)
	put()
	step("too soon", 900*time.Millisecond, 2)
	step("late enough", 100*time.Millisecond, 3)
	cost = 2 * time.Second
	put()
	step("it takes long", time.Second, 4)
	store.Put(timeline.Sample{Subject: timeline.Path("p"), Metric: timeline.RTT, Span: timeline.At(now), Value: 1})
	step("so it comes rarely", 7*time.Second, 4)
	step("but it comes", 3*time.Second, 5) // and takes two seconds
	put()
	step("an event is too soon as well", time.Second, 5)
	step("but does not wait as long", time.Second, 6)
}

func TestResizeStorm(t *testing.T) {
	r := start(t, Config{})
	r.until("[1 Overview]")
	for i := range 400 {
		w, h := rand.IntN(200), rand.IntN(70)
		r.screen.SetSize(w, h)
		_ = r.screen.PostEvent(tcell.NewEventResize(w, h)) // a full queue is part of the storm
		if i%10 == 0 {
			r.press("1234?\tjk"[rand.IntN(8):][:1])
			time.Sleep(time.Millisecond)
		}
	}
	r.screen.SetSize(100, 30)
	_ = r.screen.PostEvent(tcell.NewEventResize(100, 30))
	r.press("\x1b1")
	r.until("[1 Overview]")
	r.press("q")
	if err := r.ends(); err != nil {
		t.Errorf("got %v", err)
	}
}

func TestEverySizeCanBeDrawn(t *testing.T) {
	finer := 4
	if testing.Short() {
		finer = 2
	}
	for _, story := range []func() reporttest.Case{reporttest.Failover, reporttest.Hostile, reporttest.Nothing} {
		m := at(story(), 60)
		for page := range views {
			for w := 0; w <= 130; w += 1 + w/finer {
				for h := 0; h <= 50; h += 1 + h/finer {
					s := &state{glyphs: fancy, page: page}
					drawScreen(newCanvas(w, h), m, s)
					s.glyphs, s.inquiry, s.port = plain, &inquiry{course: asking}, timeline.Port("dist-a", "Gi1/0/9")
					for s.over = range overlayCount {
						if page > 0 && s.over > helpOverlay {
							break // they hide the page
						}
						drawScreen(newCanvas(w, h), m, s)
					}
				}
			}
		}
	}
}

func TestAPanicWhileDrawingEndsTheRun(t *testing.T) {
	ended := false
	u := newUI(Config{}, fancy)
	u.quit = func() { ended = true }
	u.model, u.page = at(reporttest.Failover(), 60), len(views) // a page there is not
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	defer screen.Fini()
	u.board.SetRect(0, 0, 80, 24)
	u.board.Draw(screen)
	if p := u.failed.Load(); !ended || p == nil || !strings.Contains((*p).Error(), "internal error") {
		t.Errorf("ended %v, error %v", ended, p)
	}
}
