package app

import (
	"fmt"
	"math"
	"strings"
	"unicode/utf8"

	"whydrop/probe/experiment"
)

// The columns of a chart: 80 in all.
const (
	chartLabel = 14
	chartBar   = 48
)

// eighths are the ends of bars.
var eighths = []rune(" ▏▎▍▌▋▊▉")

// chartRow is one bar: how long it is, up to where it is hollow, and where theory puts its end; shares of the whole.
type chartRow struct {
	label, value         string
	full, hollow, theory float64 // 0-1; hollow and theory 0: none
}

// draw draws bars under each other; no colour, so that nothing is lost without it.
func draw(rows []chartRow) string {
	var b strings.Builder
	for _, r := range rows {
		cells := []rune(strings.Repeat(" ", chartBar))
		for i := range int(math.Round(clamp(r.hollow) * chartBar)) {
			cells[i] = '░'
		}
		n := clamp(r.full) * chartBar
		for i := range int(n) {
			cells[i] = '█'
		}
		if part := eighths[int((n-math.Floor(n))*8)]; part != ' ' {
			cells[int(n)] = part
		}
		if r.theory > 0 {
			cells[min(int(clamp(r.theory)*chartBar), chartBar-1)] = '│'
		}
		label := []rune(r.label)
		if len(label) > chartLabel {
			label = label[:chartLabel]
		}
		line := string(label) + strings.Repeat(" ", chartLabel-utf8.RuneCountInString(string(label))) + " " + string(cells) + " " + r.value
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	return b.String()
}

func clamp(x float64) float64 { return min(1, max(0, x)) }

// experimentChart returns the chart of an experiment with its legend; "" if there is nothing to draw.
func experimentChart(p experiment.Plan, rows []experiment.Row) string {
	if p.Kind == experiment.Size || p.Kind == experiment.Pacing {
		return lossChart(rows)
	}
	return rateChart(p, rows)
}

// lossChart draws the share that was lost.
func lossChart(rows []experiment.Row) string {
	var out []chartRow
	most := 0.01
	for _, r := range rows {
		if r.Loss.OK {
			most = max(most, r.Loss.Value)
		}
	}
	for _, r := range rows {
		switch {
		case r.Reason != "":
			out = append(out, chartRow{label: r.Step.Name, value: "failed"})
		case r.Loss.OK:
			out = append(out, chartRow{label: r.Step.Name, value: shareText(r.Loss.Value) + " lost", full: r.Loss.Value / most})
		}
	}
	if len(out) == 0 {
		return ""
	}
	return draw(out) + fmt.Sprintf("%*s█ lost, the whole width is %s\n", chartLabel+1, "", shareText(most))
}

// rateChart draws what arrived; of datagrams also what was sent, and of a window what it allows.
func rateChart(p experiment.Plan, rows []experiment.Row) string {
	most := 0.0
	for _, r := range rows {
		if r.Reason == "" {
			most = max(most, r.Arrived, r.Back)
			if r.Step.Test.UDP {
				most = max(most, r.Sent)
			}
		}
	}
	if most == 0 {
		return ""
	}
	line := p.Theory(rows).Line
	legend := "█ arrived"
	if line > 0 && line < 3*most {
		most = max(most, line)
		legend += fmt.Sprintf(" (full width: %s)", experiment.Bits(most))
	}
	var out []chartRow
	lost, theory := false, false
	for _, r := range rows {
		c := chartRow{label: r.Step.Name, value: "failed"}
		if r.Reason == "" {
			c.value, c.full = experiment.Bits(r.Arrived), r.Arrived/most
			if r.Step.Test.UDP && r.Sent > r.Arrived*1.005 {
				c.hollow, lost = r.Sent/most, true
			}
			if limit := r.WindowLimit(); p.Kind == experiment.Window && limit > 0 && limit <= most {
				c.theory, theory = limit/most, true
			}
		}
		out = append(out, c)
		if r.Reason == "" && r.Back > 0 {
			out = append(out, chartRow{label: "   back", value: experiment.Bits(r.Back), full: r.Back / most})
		}
	}
	if lost {
		legend += ", ░ lost"
	}
	if theory {
		legend += ", │ the limit of the window"
	}
	return draw(out) + strings.Repeat(" ", chartLabel+1) + legend + "\n"
}
