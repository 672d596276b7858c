package app

import (
	"fmt"
	"io"
	"strings"

	"whydrop/cmd/internal/report"
	"whydrop/probe/experiment"
)

// column is one column of an experiment's table; a head that begins with a blank is set flush right.
type column struct {
	head string
	cell func(r experiment.Row, p experiment.Plan, all []experiment.Row) string
}

// say makes a column of what a row alone says.
func say(head string, f func(r experiment.Row) string) column {
	return column{head, func(r experiment.Row, _ experiment.Plan, _ []experiment.Row) string { return f(r) }}
}

func bits(v float64) string {
	if v <= 0 {
		return "-"
	}
	return experiment.Bits(v)
}

func sizeOf(n float64) string {
	if n <= 0 {
		return "-"
	}
	return experiment.Bytes(n)
}

var (
	colStep    = say("Step", func(r experiment.Row) string { return r.Step.Name })
	colArrived = say(" Goodput", func(r experiment.Row) string { return bits(r.Arrived) })
	colSent    = say(" Sent", func(r experiment.Row) string { return bits(r.Sent) })
	colAsked   = say(" Asked", func(r experiment.Row) string { return bits(r.Asked) })
	colLoss    = say(" Loss", func(r experiment.Row) string {
		if !r.Loss.OK {
			return "?"
		}
		return shareText(r.Loss.Value)
	})
	colRTT = say(" Round trip", func(r experiment.Row) string {
		if r.LoadedRTT > 0 {
			return millis(r.LoadedRTT)
		}
		return millis(r.TCPRTT)
	})
	colAgain  = say(" Sent again", func(r experiment.Row) string { return count(r.Retransmits) })
	colJitter = say(" Jitter", func(r experiment.Row) string { return millis(r.Jitter.Or(0)) })
)

// experimentColumns are the tables of the kinds.
var experimentColumns = map[experiment.Kind][]column{
	experiment.Window: {
		say("Window asked", func(r experiment.Row) string { return r.Step.Name }),
		say(" Buffer got", func(r experiment.Row) string { return sizeOf(float64(r.Granted)) }),
		say(" Offered", func(r experiment.Row) string { return sizeOf(float64(r.PeerWindow)) }),
		colArrived, colRTT,
		say(" Window/RTT", func(r experiment.Row) string { return bits(r.WindowLimit()) }),
		colAgain,
	},
	experiment.Rate: {colAsked, colSent, colArrived, colLoss, colRTT, colJitter},
	experiment.Size: {colStep, colSent, colArrived, colLoss, colRTT},
	experiment.Streams: {
		colStep, colArrived,
		column{" Times one", func(r experiment.Row, _ experiment.Plan, all []experiment.Row) string {
			if all[0].Step.Value != 1 || all[0].Arrived <= 0 {
				return "-"
			}
			return fmt.Sprintf("%.2f", r.Arrived/all[0].Arrived)
		}},
		say(" Each", func(r experiment.Row) string { return bits(r.Arrived / max(r.Step.Value, 1)) }),
		colAgain, colRTT,
	},
	experiment.Direction: {
		say("Test", func(r experiment.Row) string { return r.Step.Name }),
		colAsked, colArrived,
		say(" Back", func(r experiment.Row) string { return bits(r.Back) }),
		say(" Loss", func(r experiment.Row) string {
			if !r.Step.Test.UDP {
				return "-"
			}
			if !r.Loss.OK {
				return "?"
			}
			text := shareText(r.Loss.Value)
			if r.BackLoss.OK {
				text += ", back " + shareText(r.BackLoss.Value)
			}
			return text
		}),
		say(" Sent again", func(r experiment.Row) string {
			if r.Step.Test.UDP {
				return "-"
			}
			return count(r.Retransmits)
		}),
		colRTT,
	},
	experiment.Pacing: {
		colStep,
		say(" Burst", func(r experiment.Row) string { return sizeOf(r.Step.Value * float64(r.Size)) }),
		colSent, colArrived,
		say(" Loss", func(r experiment.Row) string {
			if !r.Step.Test.UDP {
				return "-"
			}
			return colLoss.cell(r, experiment.Plan{}, nil)
		}),
		colRTT, colJitter,
	},
	experiment.Disk: {
		say("From", func(r experiment.Row) string { return r.Step.Name }),
		colArrived,
		say(" Time on the file", func(r experiment.Row) string {
			if !r.FileTime.OK || r.Seconds <= 0 {
				return "-"
			}
			return fmt.Sprintf("%.2f s of %.1f s", r.FileTime.Value.Seconds(), r.Seconds)
		}),
		say(" CPU here", func(r experiment.Row) string {
			cpu := r.SenderCPU
			if r.Step.Test.Reverse {
				cpu = r.ReceiverCPU
			}
			if !cpu.OK {
				return "-"
			}
			return shareText(cpu.Value)
		}),
	},
}

// experimentTable prints a row for each step, and below them why one measured nothing.
func experimentTable(w io.Writer, p experiment.Plan, rows []experiment.Row) {
	cols := experimentColumns[p.Kind]
	var head []string
	for _, c := range cols {
		head = append(head, c.head)
	}
	var cells [][]string
	var failed []string
	for _, r := range rows {
		var line []string
		for i, c := range cols {
			text := ""
			switch {
			case r.Reason == "":
				text = c.cell(r, p, rows)
			case i == 0:
				text = r.Step.Name
			case i == 1:
				text = "failed"
			}
			line = append(line, text)
		}
		cells = append(cells, line)
		if r.Reason != "" {
			failed = append(failed, r.Step.Name+": "+report.Clean(r.Reason))
		}
	}
	columns(w, head, cells)
	if len(failed) > 0 {
		fmt.Fprintln(w, strings.Join(failed, "\n"))
	}
}
