package app

import (
	"context"
	"fmt"
	"io"

	"whydrop/cmd/internal/report"
	"whydrop/probe/connectrate"
)

type (
	connectDoc struct {
		pathHead
		Port        *int              `json:"port"`
		Rate        float64           `json:"asked_per_second"`
		Slow        connectTurn       `json:"slow_turns"` // at a quarter of the rate
		Fast        connectTurn       `json:"fast_turns"`
		Established []connectSession  `json:"established"`
		Own         *connectTable     `json:"own_table"` // null: not known
		Attempts    []connectAttempts `json:"by_second"`
	}
	connectTurn struct {
		Seconds  float64        `json:"seconds"`
		Tried    int            `json:"tried"`
		Failed   int            `json:"failed"`
		Outcomes map[string]int `json:"outcomes"`
	}
	connectSession struct {
		Kind    string   `json:"kind"` // stamp, tcp
		Known   bool     `json:"known"`
		WentOn  bool     `json:"went_on"`
		Silence float64  `json:"longest_silence_s"`
		Lost    *float64 `json:"loss_ratio"` // null: TCP repairs it
		Closed  bool     `json:"closed_by_far_end"`
	}
	connectTable struct {
		Used int `json:"used"`
		Size int `json:"size"`
	}
	connectAttempts struct {
		From     float64        `json:"from"` // seconds since the start
		Outcomes map[string]int `json:"outcomes"`
	}
)

// ConnectRate finds out whether the path admits new sessions. The error carries the exit code: nil when it measured,
// ExitNotMeasured when nothing answered.
func ConnectRate(ctx context.Context, o PathOptions) error {
	to, err := o.address(ctx)
	if err != nil {
		return err
	}
	// The port beside the reflector's has no program's queue that would fill; a firewall may not let it through.
	c := connectrate.Config{To: to.String(), Ports: []uint16{o.stampPort(), o.port()}, STAMPPort: o.stampPort(), STAMPKey: []byte(o.Key.Reveal()), Rate: o.Rate, Time: o.Time}
	if o.Port != 0 {
		c.Ports = []uint16{o.Port}
	}
	if o.Format == "text" {
		fmt.Fprintf(o.Out, "New connections to %s, up to %.0f a second\n", to, o.Rate)
	}
	r, err := connectrate.Run(ctx, c)
	doc := connectDocument(o, r, err)
	doc.Interrupted = ctx.Err() != nil
	return o.finish(ctx, doc, func(w io.Writer) { connectRows(w, r) }, err == nil, err)
}

func connectDocument(o PathOptions, r connectrate.Result, err error) connectDoc {
	d := connectDoc{pathHead: o.head("connect rate", r.Target, r.Started, r.Seconds, r.Meaning(), err), Port: positive(int(r.Port)), Rate: r.Rate,
		Slow:        connectTurn{r.SlowTime.Seconds(), r.Slow.All(), r.Failed(r.Slow), outcomes(r.Slow)},
		Fast:        connectTurn{r.FastTime.Seconds(), r.Fast.All(), r.Failed(r.Fast), outcomes(r.Fast)},
		Established: []connectSession{}, Attempts: []connectAttempts{}}
	for _, e := range r.Established {
		s := connectSession{Kind: e.Kind, Known: e.Known, WentOn: e.Fine(), Silence: e.Silence.Seconds(), Closed: e.Closed}
		if e.Kind == "stamp" {
			s.Lost = &e.Lost
		}
		d.Established = append(d.Established, s)
	}
	if r.Own.Size > 0 {
		d.Own = &connectTable{r.Own.Used, r.Own.Size}
	}
	for _, s := range r.BySecond() {
		d.Attempts = append(d.Attempts, connectAttempts{s.From.Seconds(), outcomes(s.Counts)})
	}
	return d
}

func outcomes(c connectrate.Counts) map[string]int {
	out := map[string]int{}
	for f, n := range c {
		out[string(f)] = n
	}
	return out
}

var connectFates = []connectrate.Fate{connectrate.Accepted, connectrate.Refused, connectrate.Silent, connectrate.Rejected, connectrate.Host}

func connectRows(w io.Writer, r connectrate.Result) {
	var rows [][]string
	for _, s := range r.BySecond() {
		row := []string{fmt.Sprintf("%.0f", s.From.Seconds()), fmt.Sprint(s.Counts.All())}
		for _, f := range connectFates {
			row = append(row, fmt.Sprint(s.Counts[f]))
		}
		rows = append(rows, row)
	}
	columns(w, []string{" Second", " Begun", " Accepted", " Refused", " No answer", " Rejected", " Not tried"}, rows)
	for _, e := range r.Established {
		fmt.Fprintln(w, report.Clean(established(e)))
	}
	sentences(w, r.Meaning())
}

// established says what became of a session that was there before.
func established(e connectrate.Established) string {
	name := map[string]string{"stamp": "Heartbeats from one port", "tcp": "A connection with keep-alives"}[e.Kind]
	switch {
	case !e.Known:
		return name + ": this system does not say how it went."
	case e.Silence > 0:
		return fmt.Sprintf("%s: nothing came for %.1f s at the longest.", name, e.Silence.Seconds())
	case e.Closed:
		return name + ": went on until the far end closed it."
	case e.Kind == "stamp":
		return fmt.Sprintf("%s: went on, %s lost.", name, shareText(e.Lost))
	}
	return name + ": went on."
}
