package tui

import (
	"strings"
	"testing"
	"unicode"

	"github.com/gdamore/tcell/v2"

	"whydrop/cmd/internal/report/reporttest"
	"whydrop/correlate/timeline"
)

func TestHostileTextIsShownAndDoesNothing(t *testing.T) {
	m := at(reporttest.Hostile(), 20)
	for page := range views {
		for _, size := range [][2]int{{80, 24}, {120, 40}, {300, 80}} {
			screen := tcell.NewSimulationScreen("UTF-8")
			if err := screen.Init(); err != nil {
				t.Fatal(err)
			}
			screen.SetSize(size[0], size[1])
			u := newUI(Config{}, fancy)
			u.model, u.page = m, page
			u.say(reporttest.Evil)
			u.root.SetRect(0, 0, size[0], size[1])
			u.root.Draw(screen)
			screen.Show()
			cells, _, _ := screen.GetContents()
			for i, c := range cells {
				for _, r := range c.Runes {
					if !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) {
						t.Errorf("page %d, %dx%d: cell %d holds %U", page, size[0], size[1], i, r)
					}
				}
				if fg, _, _ := c.Style.Decompose(); fg == tcell.ColorRed || fg == tcell.PaletteColor(9) {
					t.Errorf("page %d: cell %d was painted by a tag", page, i)
				}
			}
			text := textOf(screen)
			if page != 1 && !strings.Contains(text, `\x1b[31m[red]`) {
				t.Errorf("page %d, %dx%d does not show the text as it is:\n%s", page, size[0], size[1], text)
			}
			screen.Fini()
		}
	}
}

func TestThePlainSetIsPlain(t *testing.T) {
	for page := range views {
		for over := range overlayCount {
			c := newCanvas(120, 40)
			s := &state{glyphs: plain, page: page, over: over, inquiry: &inquiry{course: asking}, port: timeline.Port("dist-a", "Gi1/0/9")}
			drawScreen(c, at(reporttest.Failover(), 60), s)
			for _, p := range c.cells {
				if spelled := plain.spell(p.text); len(spelled) > 1 {
					t.Errorf("page %d: %q needs more than ASCII", page, spelled)
				}
			}
		}
	}
}

func TestNothingIsSaidByColourAlone(t *testing.T) {
	// The same screens in one ink must differ where the colours did: a port that is down, blind, faulty or well.
	words := map[Health]string{}
	for _, h := range []Health{HealthOK, HealthWarn, HealthDown, HealthUnknown} {
		for _, g := range []glyphs{fancy, plain} {
			sign, _ := g.health(h)
			if other, ok := words[h]; ok && other == "" || sign == "" {
				t.Errorf("health %d has no sign", h)
			}
			words[h] = sign
		}
	}
	seen := map[string]Health{}
	for h, sign := range words {
		if other, ok := seen[sign]; ok {
			t.Errorf("health %d and %d have the same sign %q", h, other, sign)
		}
		seen[sign] = h
	}
	for st, word := range stateWords {
		for other, w := range stateWords {
			if st != other && w == word {
				t.Errorf("states %d and %d have the same word", st, other)
			}
		}
	}
}

func BenchmarkNewModel(b *testing.B) {
	c := reporttest.Failover()
	s, now := c.Snapshot(), reporttest.At(90)
	for b.Loop() {
		NewModel(s, c.Topology, c.Diagnoses, now)
	}
}

func BenchmarkDrawScreen(b *testing.B) {
	m := at(reporttest.Failover(), 90)
	for b.Loop() {
		drawScreen(newCanvas(120, 40), m, &state{glyphs: fancy})
	}
}
