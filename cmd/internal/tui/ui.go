package tui

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"sync/atomic"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/rivo/tview"

	"whydrop/cmd/internal/report"
)

// ui is the screen. Its state and its model belong to the goroutine of the application's loop; what the updater
// shares with it is atomic or a channel.
type ui struct {
	state
	model *Model

	cfg      Config
	app      *tview.Application
	root     *tview.Flex
	board    *board
	held     atomic.Bool // the screen is frozen: the updater shows nothing new
	commands chan func() string
	quit     func()                      // ends the run; may be called more than once
	spawn    func(func(context.Context)) // runs what ends with the run, on a goroutine of its own
	failed   atomic.Pointer[error]
}

func newUI(cfg Config, g glyphs) *ui {
	u := &ui{cfg: cfg, commands: make(chan func() string, 16), quit: func() {}, spawn: func(func(context.Context)) {}}
	u.state = state{glyphs: g, marks: cfg.Mark != nil, reports: cfg.Report != nil, replay: cfg.Replay != nil, speed: normalSpeed, ends: cfg.Ends}
	if cfg.Investigate != nil && cfg.Replay == nil {
		u.inquiry = &inquiry{}
	}
	u.board = &board{Box: tview.NewBox(), ui: u}
	u.root = tview.NewFlex().SetDirection(tview.FlexRow).AddItem(u.board, 0, 1, true)
	return u
}

// board is the one primitive that draws: the canvas, cell by cell.
type board struct {
	*tview.Box
	ui *ui
}

// Draw puts the screen's canvas on the terminal.
func (b *board) Draw(screen tcell.Screen) {
	defer b.ui.guard()
	x0, y0, width, height := b.GetRect()
	c := newCanvas(width, height)
	drawScreen(c, b.ui.model, &b.ui.state)
	for y := range height {
		for x := range width {
			p := c.at(x, y)
			if p.tail {
				continue
			}
			runes := []rune(b.ui.glyphs.spell(p.text))
			if len(runes) == 0 {
				runes = []rune{' '}
			}
			screen.SetContent(x0+x, y0+y, runes[0], runes[1:], styles[p.ink])
		}
	}
}

// styles are the few colours: the terminal's own, by number, so that its theme decides; on top of attributes that
// say the same without colour.
var styles = [...]tcell.Style{
	inkPlain:  tcell.StyleDefault,
	inkBold:   tcell.StyleDefault.Bold(true),
	inkDim:    tcell.StyleDefault.Dim(true),
	inkGood:   tcell.StyleDefault.Foreground(tcell.PaletteColor(2)),
	inkBad:    tcell.StyleDefault.Foreground(tcell.PaletteColor(1)).Bold(true),
	inkWarn:   tcell.StyleDefault.Foreground(tcell.PaletteColor(3)).Bold(true),
	inkCurve:  tcell.StyleDefault.Foreground(tcell.PaletteColor(6)),
	inkBadSay: tcell.StyleDefault.Foreground(tcell.PaletteColor(1)).Bold(true).Reverse(true),
	inkChosen: tcell.StyleDefault.Reverse(true),
}

// InputHandler acts on the keys of the table.
func (b *board) InputHandler() func(*tcell.EventKey, func(tview.Primitive)) {
	return b.WrapInputHandler(func(ev *tcell.EventKey, _ func(tview.Primitive)) { b.ui.press(ev) })
}

func (u *ui) press(ev *tcell.EventKey) {
	defer u.guard()
	u.message = ""
	for _, k := range keyTable() {
		if k.hit(ev) && k.offered(&u.state, u.model) {
			k.do(u, ev)
			return
		}
	}
}

// guard turns a panic while drawing or acting into the end of the run: the terminal is restored, and Run returns
// the error.
func (u *ui) guard() {
	if p := recover(); p != nil {
		u.fail(fmt.Errorf("tui: internal error: %v\n%s", p, debug.Stack()))
	}
}

func (u *ui) fail(err error) {
	u.failed.CompareAndSwap(nil, &err)
	u.quit()
}

// show takes a new model.
func (u *ui) show(m *Model) {
	if u.held.Load() && u.model != nil {
		return // frozen after the model was made
	}
	u.model = m
}

// say shows what a command came to for a while.
func (u *ui) say(text string) {
	u.message, u.until = report.Clean(text), u.clock().Add(6*time.Second)
}

func (u *ui) clock() time.Time {
	if u.cfg.now != nil {
		return u.cfg.now()
	}
	return time.Now()
}

// command hands something that may take a while to the updater. Its words are shown when it is done.
func (u *ui) command(doing string, f func() string) {
	select {
	case u.commands <- f:
		if doing != "" {
			u.say(doing)
		}
	default:
		u.say("still busy with what you asked before")
	}
}

func (u *ui) goPage(ev *tcell.EventKey) {
	if i := int(ev.Rune() - '1'); i >= 0 && i < len(views) {
		u.page, u.over = i, noOverlay
	}
}

func (u *ui) turn(by int) {
	u.page, u.over = (u.page+by+len(views))%len(views), noOverlay
}

func (u *ui) freeze(*tcell.EventKey) {
	u.frozen = !u.frozen
	u.held.Store(u.frozen)
}

func (u *ui) move(ev *tcell.EventKey) {
	_, _, _, height := u.board.GetRect()
	by := map[tcell.Key]int{tcell.KeyDown: 1, tcell.KeyUp: -1, tcell.KeyPgDn: max(1, height-8), tcell.KeyPgUp: -max(1, height-8)}[ev.Key()]
	switch ev.Rune() {
	case 'j':
		by = 1
	case 'k':
		by = -1
	}
	u.moveTo(u.place().cursor+by, u.place().top+by)
}

func (u *ui) jump(ev *tcell.EventKey) {
	const end = 1 << 30
	to := 0
	if ev.Key() == tcell.KeyEnd || ev.Rune() == 'G' {
		to = end
	}
	u.moveTo(to, to)
}

// moveTo moves the cursor where the page has one, else the page. The last row of the events is followed again.
func (u *ui) moveTo(cursor, top int) {
	p, v := u.place(), u.view()
	if v.rows == nil || u.model == nil {
		p.top, p.moved = max(0, top), true // drawing keeps it within the page
		return
	}
	n := v.rows(u.model, &u.state)
	p.cursor = max(0, min(cursor, n-1))
	p.moved = p.cursor < n-1
}

func (u *ui) back(*tcell.EventKey) {
	switch {
	case u.over != noOverlay:
		u.over = noOverlay
	default:
		u.filter = ""
	}
}

func (u *ui) askFilter(*tcell.EventKey) {
	before := u.filter
	u.ask("filter: ", before, func(text string) { u.filter = text }, func(text string, ok bool) {
		if !ok {
			u.filter = before
		}
	})
}

func (u *ui) askMark(*tcell.EventKey) {
	u.ask("mark this moment: ", "", nil, func(text string, ok bool) {
		if !ok {
			return
		}
		if text = strings.TrimSpace(text); text == "" {
			text = "mark"
		}
		u.command("", func() string { u.cfg.Mark(text); return "marked: " + text })
	})
}

// ask opens a line at the bottom of the screen. changed is called with every change, done at the end; ok is false
// if the user left with escape.
func (u *ui) ask(label, text string, changed func(string), done func(text string, ok bool)) {
	in := tview.NewInputField().SetLabel(label).SetText(text)
	in.SetFieldStyle(tcell.StyleDefault).SetLabelStyle(tcell.StyleDefault.Bold(true)).SetBackgroundColor(tcell.ColorDefault)
	if changed != nil {
		in.SetChangedFunc(changed)
	}
	in.SetDoneFunc(func(k tcell.Key) {
		u.root.RemoveItem(in)
		u.focus(u.board)
		done(in.GetText(), k == tcell.KeyEnter)
	})
	u.root.AddItem(in, 1, 0, true)
	u.focus(in)
}

func (u *ui) focus(p tview.Primitive) {
	if u.app != nil {
		u.app.SetFocus(p)
	}
}

func (u *ui) report(*tcell.EventKey) {
	u.command("writing the report", func() string {
		path, err := u.cfg.Report()
		if err != nil {
			return "report: " + err.Error()
		}
		return "report: " + path
	})
}

// open lays an overlay over the page, or takes it away.
func (u *ui) open(o overlay) {
	if u.over == o {
		o = noOverlay
	}
	u.over = o
}

// beginInquiry investigates the path that is shown.
func (u *ui) beginInquiry(*tcell.EventKey) {
	if p := u.shown(u.model); p != nil && !u.inquiry.now().running() {
		*u.place() = place{}
		u.spawn(func(ctx context.Context) { u.inquiry.run(ctx, u.cfg, p.subject.Name, u.clock) })
	}
}

// openPort shows the details of the port under the cursor.
func (u *ui) openPort(*tcell.EventKey) {
	ports := sortedPorts(u.model.Ports, u.column, u.reverse, u.filter)
	if i := u.place().cursor; i < len(ports) {
		u.port = ports[i].subject
		u.open(portOverlay)
		*u.place() = place{}
	}
}

func (u *ui) pause(*tcell.EventKey) {
	u.paused = !u.paused
	paused := u.paused
	u.command("", func() string { u.cfg.Replay.Pause(paused); return "" })
}

func (u *ui) seek(ev *tcell.EventKey) {
	d := 10 * time.Second
	if ev.Rune() == '[' {
		d = -d
	}
	u.frozen = false
	u.held.Store(false)
	u.command("", func() string { u.cfg.Replay.Seek(d); return "" })
}

func (u *ui) changeSpeed(ev *tcell.EventKey) {
	by := 1
	if ev.Rune() == '-' {
		by = -1
	}
	u.speed = max(0, min(u.speed+by, len(speeds)-1))
	x := speeds[u.speed]
	u.command("", func() string { u.cfg.Replay.Speed(x); return "" })
}
