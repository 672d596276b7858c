package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/gdamore/tcell/v2"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Config is what the terminal UI needs. Source and Diagnose must be given; their methods are called from the
// updater's goroutine alone, one at a time.
type Config struct {
	Site     string
	Topology correlate.Topology
	// Source gives what is known; *timeline.Store satisfies it. Two snapshots of equal version are equal.
	Source interface {
		Snapshot() timeline.Snapshot
		Version() uint64
	}
	// Diagnose is called at most once a second, and only when the source has changed.
	Diagnose func(timeline.Snapshot) []rules.Diagnosis
	// Mark, if not nil, marks the present moment with the user's words.
	Mark func(text string)
	// Report, if not nil, writes a report and returns where it lies.
	Report func() (path string, err error)
	// Investigate, if not nil, tells the causes that still fit on a path apart by experiment, while the run goes on. It
	// asks before each experiment and waits for the answer, says in lines what comes of it, and returns soon after ctx
	// ended. It is called from a goroutine of its own, one call at a time; ask answers no once ctx has ended.
	Investigate func(ctx context.Context, path string, ask func(question string) bool, say func(line string)) error
	// Ends is when the run ends by itself, for the display; zero if it runs until the user quits.
	Ends time.Time
	// Replay, if not nil, says that a recording is shown and steers it. Without it time goes by with the clock.
	Replay Replay

	screen tcell.Screen       // for tests: used instead of the terminal
	now    func() time.Time   // for tests: used instead of time.Now
	drawn  func(tcell.Screen) // for tests: called after each drawing, on the goroutine of the screen
}

// Replay steers a recording that is played back.
type Replay interface {
	Pause(bool)           // holds the playback, or lets it go on
	Seek(d time.Duration) // moves by d, to the past if it is negative; the ends of the recording hold
	Speed(x float64)      // how many seconds of the recording pass in one
}

// ErrTerminal means that the terminal can't show the UI: it is no terminal, or TERM names none that can place
// text. The caller goes on without the UI.
var ErrTerminal = errors.New("this terminal can't be drawn on")

// Drawable returns an error that wraps ErrTerminal if TERM names no terminal that the UI could be shown on. It neither
// opens the terminal nor writes to it.
func Drawable() error {
	if _, err := tcell.NewScreen(); err != nil {
		return fmt.Errorf("%w: %w", ErrTerminal, err)
	}
	return nil
}
