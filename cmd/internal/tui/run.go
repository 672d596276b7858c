package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"whydrop/rules"
)

// Run shows the UI until ctx ends or the user quits; both are no error. When it returns, the terminal is as it
// was and its goroutines are gone. An error that is [ErrTerminal] means that nothing could be shown; any other
// that the UI ended for a reason of its own.
func Run(ctx context.Context, cfg Config) error {
	screen, err := openScreen(cfg)
	if err != nil {
		return err
	}
	set := plain
	if screen.CharacterSet() == "UTF-8" {
		set = fancy
	}
	u := newUI(cfg, set)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	u.quit = cancel
	var others sync.WaitGroup
	u.spawn = func(f func(context.Context)) {
		others.Go(func() {
			defer u.guard()
			f(ctx)
		})
	}
	u.app = tview.NewApplication().SetScreen(screen).SetRoot(u.root, true).SetFocus(u.board)
	u.app.SetInputCapture(func(ev *tcell.EventKey) *tcell.EventKey {
		if ev.Key() == tcell.KeyCtrlC { // tview would stop the application under the updater's feet
			cancel()
			return nil
		}
		return ev
	})

	if cfg.drawn != nil {
		u.app.SetAfterDrawFunc(cfg.drawn)
	}

	updated, closed := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(updated)
		u.update(ctx)
	}()
	go func() {
		defer close(closed)
		<-ctx.Done()
		<-updated // an update that is queued after Stop would wait for ever
		u.app.Stop()
	}()
	err = u.loop()
	cancel()
	others.Wait()
	select {
	case <-closed:
	case <-time.After(stuck):
		// The application ended by itself (the terminal went away) while an update waited for it: tview leaves
		// that waiting for ever.
	}
	if p := u.failed.Load(); p != nil {
		return *p
	}
	return err
}

// stuck is how long Run waits for its goroutines when the terminal has gone away.
const stuck = 2 * time.Second

// loop runs the application and returns a panic of it as an error; tview has restored the terminal then.
func (u *ui) loop() (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("tui: internal error: %v\n%s", p, debug.Stack())
		}
	}()
	if err := u.app.Run(); err != nil {
		return fmt.Errorf("tui: terminal: %w", err)
	}
	return nil
}

// openScreen opens the terminal before anything else is started, so that a failure needs no clearing up.
func openScreen(cfg Config) (tcell.Screen, error) {
	screen := cfg.screen
	if screen == nil {
		var err error
		if screen, err = tcell.NewScreen(); err != nil {
			return nil, fmt.Errorf("tui: %w: %w", ErrTerminal, err)
		}
	}
	if err := screen.Init(); err != nil {
		return nil, fmt.Errorf("tui: %w: %w", ErrTerminal, err)
	}
	return opened{screen}, nil
}

// opened is a screen that has been initialised: tview does so again and would not tell an error.
type opened struct{ tcell.Screen }

// Init does nothing more.
func (opened) Init() error { return nil }

// The pace of the updater: a screen four times a second is calm and quick enough; diagnosing costs more.
const (
	frame         = 250 * time.Millisecond
	diagnoseEvery = time.Second
)

// update builds models and queues them until ctx ends. It alone queues updates. Its first one waits until the
// application's loop runs: before that the application can't be stopped.
func (u *ui) update(ctx context.Context) {
	defer u.guard()
	u.app.QueueUpdate(func() {})
	f := &feed{cfg: u.cfg, clock: u.clock}
	tick := time.NewTicker(frame)
	defer tick.Stop()
	for ctx.Err() == nil {
		held := u.held.Load()
		var m *Model
		if !held {
			m = f.next()
		}
		now := u.clock()
		u.app.QueueUpdateDraw(func() {
			if m != nil {
				u.show(m)
			}
			if u.message != "" && now.After(u.until) {
				u.message = ""
			}
		})
		if !held {
			f.diagnose(ctx)
		}
		select {
		case <-ctx.Done():
		case do := <-u.commands:
			text := do()
			u.app.QueueUpdate(func() {
				if text != "" {
					u.say(text)
				}
			})
		case <-tick.C:
		}
	}
}

// feed makes models of what the source knows.
type feed struct {
	cfg   Config
	clock func() time.Time

	diagnoses []rules.Diagnosis
	seen      uint64    // the version that was diagnosed
	events    int       // how many it had
	soon      time.Time // not diagnosed again before
	after     time.Time // nor before this without a new event
	began     bool
	known     uint64 // the version of the last model
	built     time.Time
	fresh     bool // there are new diagnoses
}

// next returns the model of now, or nil if nothing has changed since the last one.
func (f *feed) next() *Model {
	v, now := f.cfg.Source.Version(), f.clock()
	if f.began && v == f.known && !f.fresh && now.Sub(f.built) < time.Second {
		return nil
	}
	f.known, f.built, f.began, f.fresh = v, now, true, false
	s := f.cfg.Source.Snapshot()
	if f.cfg.Replay != nil {
		if now = s.Span().To; now.IsZero() {
			return nil // before the first record there is no time to show
		}
	}
	t := f.cfg.Topology
	if t.Site == "" {
		t.Site = f.cfg.Site
	}
	return NewModel(s, t, f.diagnoses, now)
}

// diagnose evaluates the source anew if it changed and the last time is long enough ago: a second, or five times as long
// as it takes, which is more than a second in recordings of a day. Something that happened is not kept waiting so long.
func (f *feed) diagnose(ctx context.Context) {
	v, now := f.cfg.Source.Version(), f.clock()
	if f.cfg.Diagnose == nil || ctx.Err() != nil || f.seen == v || now.Before(f.soon) {
		return
	}
	s := f.cfg.Source.Snapshot()
	if now.Before(f.after) && len(s.Events()) == f.events {
		return
	}
	f.diagnoses, f.seen, f.events, f.fresh = f.cfg.Diagnose(s), v, len(s.Events()), true
	took := f.clock().Sub(now)
	f.soon, f.after = now.Add(max(diagnoseEvery, 2*took)), now.Add(max(diagnoseEvery, 5*took))
}
