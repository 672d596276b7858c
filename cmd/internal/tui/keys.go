package tui

import (
	"slices"

	"github.com/gdamore/tcell/v2"
)

// key is one thing a user can do. Its help stands beside its action.
type key struct {
	label  string // as a person reads it
	short  string // one word for the footer; "" leaves it out there
	help   string
	always bool        // in the footer of the narrowest screen
	codes  []tcell.Key // which keys; runes are in runes
	runes  string
	when   func(s *state, m *Model) bool // nil: always
	do     func(u *ui, ev *tcell.EventKey)
}

func (k key) offered(s *state, m *Model) bool { return k.when == nil || k.when(s, m) }

func (k key) hit(ev *tcell.EventKey) bool {
	if ev.Key() == tcell.KeyRune {
		for _, r := range k.runes {
			if r == ev.Rune() {
				return true
			}
		}
		return false
	}
	return slices.Contains(k.codes, ev.Key())
}

// keyTable is every key there is: the footer, the help and the keyboard are made of it. A new key is one line here.
func keyTable() []key {
	onPorts := func(s *state, _ *Model) bool { return s.view().name == "Ports" }
	replayed := func(s *state, _ *Model) bool { return s.replay }
	inquires := func(s *state, _ *Model) bool { return s.inquiry != nil }
	begins := func(s *state, m *Model) bool {
		return s.over == inquiryOverlay && m != nil && !s.inquiry.now().running()
	}
	asked := func(s *state, _ *Model) bool { return s.over == inquiryOverlay && s.inquiry.now().Asks != "" }
	inquiring := func(s *state, _ *Model) bool { return s.over == inquiryOverlay && s.inquiry.now().running() }
	severalPaths := func(_ *state, m *Model) bool { return m != nil && len(m.Paths) > 1 }
	return []key{
		{label: "enter", short: "begin", codes: []tcell.Key{tcell.KeyEnter}, when: begins, do: (*ui).beginInquiry},
		{label: "y", short: "run it", runes: "y", when: asked, do: func(u *ui, _ *tcell.EventKey) { u.inquiry.reply(true) }},
		{label: "n", short: "another", runes: "n", when: asked, do: func(u *ui, _ *tcell.EventKey) { u.inquiry.reply(false) }},
		{label: "x", short: "end it", runes: "x", when: inquiring, do: func(u *ui, _ *tcell.EventKey) { u.inquiry.stop() }},
		{label: "1-4", short: "page", help: "go to a page", runes: "1234", do: (*ui).goPage},
		{label: "tab", help: "next page; shift-tab, h and left: the one before; l and right: next", codes: []tcell.Key{tcell.KeyTab, tcell.KeyRight}, runes: "l", do: func(u *ui, _ *tcell.EventKey) { u.turn(1) }},
		{label: "shift-tab", codes: []tcell.Key{tcell.KeyBacktab, tcell.KeyLeft}, runes: "h", do: func(u *ui, _ *tcell.EventKey) { u.turn(-1) }},
		{label: "p", short: "pause", help: "pause the replay, or go on", runes: "p", when: replayed, do: (*ui).pause},
		{label: "[ ]", short: "10 s", help: "10 s back, 10 s ahead", runes: "[]", when: replayed, do: (*ui).seek},
		{label: "- +", short: "speed", help: "slower, faster", runes: "-+=", when: replayed, do: (*ui).changeSpeed},
		{label: "/", short: "filter", help: "filter ports, events and findings by words; !word leaves out; esc clears", runes: "/", do: (*ui).askFilter},
		{label: "space", short: "freeze", help: "hold the screen still, or let it go on; measuring goes on", runes: " ", do: (*ui).freeze},
		{label: "m", short: "mark", help: "mark this moment, in your words", runes: "m", when: func(s *state, _ *Model) bool { return s.marks }, do: (*ui).askMark},
		{label: "r", short: "report", help: "write a report now", runes: "r", when: func(s *state, _ *Model) bool { return s.reports }, do: (*ui).report},
		{label: "i", short: "why?", help: "tell the causes that still fit apart by experiment; it asks first", runes: "i", when: inquires, do: func(u *ui, _ *tcell.EventKey) { u.open(inquiryOverlay) }},
		{label: "enter", short: "details", help: "all that is known of the port", codes: []tcell.Key{tcell.KeyEnter}, when: onPorts, do: (*ui).openPort},
		{label: "s", short: "sort", help: "sort the ports by the next column", runes: "s", when: onPorts, do: func(u *ui, _ *tcell.EventKey) { u.column = (u.column + 1) % len(portColumns) }},
		{label: "S", help: "turn the order around", runes: "S", when: onPorts, do: func(u *ui, _ *tcell.EventKey) { u.reverse = !u.reverse }},
		{label: "z", short: "zoom", help: "how much time the chart shows: 2 min, 10 min, 1 h, all, 30 s", runes: "z", do: func(u *ui, _ *tcell.EventKey) { u.zoom = (u.zoom + 1) % len(windows) }},
		{label: "n", short: "next path", help: "show the next path", runes: "n", when: severalPaths, do: func(u *ui, _ *tcell.EventKey) { u.path++ }},
		{label: "j k", help: "down, up; the arrows do the same; pgdn, pgup: a page", codes: []tcell.Key{tcell.KeyDown, tcell.KeyUp, tcell.KeyPgDn, tcell.KeyPgUp}, runes: "jk", do: (*ui).move},
		{label: "g G", help: "first, last; home, end", codes: []tcell.Key{tcell.KeyHome, tcell.KeyEnd}, runes: "gG", do: (*ui).jump},
		{label: "esc", help: "close what lies over the page; clear the filter", codes: []tcell.Key{tcell.KeyEscape}, do: (*ui).back},
		{label: "?", short: "help", help: "this help", always: true, runes: "?", do: func(u *ui, _ *tcell.EventKey) { u.open(helpOverlay) }},
		{label: "q", short: "quit", help: "quit; so does ctrl-c", always: true, codes: []tcell.Key{tcell.KeyCtrlC}, runes: "q", do: func(u *ui, _ *tcell.EventKey) { u.quit() }},
	}
}
