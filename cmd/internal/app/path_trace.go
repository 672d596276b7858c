package app

import (
	"context"
	"fmt"
	"io"

	"whydrop/probe/trace"
)

type (
	traceDoc struct {
		pathHead
		Method     string     `json:"method"`
		Port       *int       `json:"port"`        // null: ICMP has none
		SourcePort *int       `json:"source_port"` // null: ICMP has none
		Rounds     int        `json:"rounds"`
		Reached    bool       `json:"reached"` // the target itself answered
		Refused    *string    `json:"refused"` // what somebody on the way said
		Guessed    int        `json:"guessed"` // answers that did not say which packet they were for
		Hops       []traceHop `json:"hops"`
	}
	traceHop struct {
		TTL       int           `json:"ttl"`
		Target    bool          `json:"target"`
		Addresses []traceAnswer `json:"addresses"` // the most frequent first; empty: nobody answered
		Sent      int           `json:"sent"`
		Answered  int           `json:"answered"`
		Loss      float64       `json:"loss_ratio"`
		Counted   *float64      `json:"counted_loss_ratio"` // what of it reaches the target; null: not known
		Best      *float64      `json:"best_s"`
		Median    *float64      `json:"median_s"`
		Worst     *float64      `json:"worst_s"`
		Said      *string       `json:"said"`
	}
	traceAnswer struct {
		Address string `json:"address"`
		Times   int    `json:"times"`
	}
)

// Trace finds the hops of a path and what each of them loses. The error carries the exit code: nil when a hop
// answered, ExitNotMeasured when none did.
func Trace(ctx context.Context, o PathOptions) error {
	to, err := o.address(ctx)
	if err != nil {
		return err
	}
	c := trace.Config{To: to.String(), Method: trace.Method(o.Method), SrcPort: o.SrcPort, Rounds: o.Rounds, Hops: o.Hops, Port: o.Port}
	if o.Format == "text" {
		port := ""
		if p := c.PortOf(); p != 0 {
			port = fmt.Sprintf(" to port %d", p)
		}
		fmt.Fprintf(o.Out, "Trace to %s by %s%s, a packet a second to each hop\n", to, o.Method, port)
	}
	r, err := trace.Run(ctx, c)
	if ctx.Err() != nil && r.Sent() == 0 {
		return Exit{Code: ExitInterrupted}
	}
	doc := traceDocument(o, r, err)
	doc.Interrupted = ctx.Err() != nil
	doc.Measured = doc.Measured && len(r.Hops) > 0
	return o.finish(ctx, doc, func(w io.Writer) { traceTable(w, r) }, len(r.Hops) > 0, err)
}

func traceDocument(o PathOptions, r trace.Result, err error) traceDoc {
	d := traceDoc{pathHead: o.head("trace", r.Target, r.Started, r.Seconds, r.Meaning(), err), Method: o.Method, Rounds: r.Rounds, Reached: r.Reached,
		Refused: notEmpty(r.Refused), Guessed: r.Guessed, Hops: []traceHop{}, SourcePort: positive(int(r.SrcPort))}
	if r.Method != trace.ICMP {
		d.Port = positive(int(r.Port))
	}
	for _, h := range r.Hops {
		x := traceHop{TTL: h.TTL, Target: h.Target, Addresses: []traceAnswer{}, Sent: h.Sent, Answered: h.Answered, Loss: h.Loss(), Said: notEmpty(h.Said)}
		if h.CountedOK {
			x.Counted = &h.Counted
		}
		if h.Answered > 0 {
			x.Best, x.Median, x.Worst = secondsPtr(h.Best), secondsPtr(h.Median), secondsPtr(h.Worst)
		}
		for _, a := range h.From {
			x.Addresses = append(x.Addresses, traceAnswer{a.Addr.String(), a.Times})
		}
		d.Hops = append(d.Hops, x)
	}
	return d
}

func traceTable(w io.Writer, r trace.Result) {
	var rows [][]string
	for _, h := range r.Hops {
		counted := "?"
		if h.CountedOK {
			counted = shareText(h.Counted)
		}
		said := h.Said
		if h.Target {
			said = "target"
		}
		rows = append(rows, []string{fmt.Sprint(h.TTL), h.Name(), fmt.Sprintf("%d/%d", h.Answered, h.Sent), shareText(h.Loss()), counted, millis(h.Best), millis(h.Median), millis(h.Worst), said})
		for _, a := range h.From[min(1, len(h.From)):] {
			rows = append(rows, []string{"", a.Addr.String(), fmt.Sprintf("%d", a.Times), "", "", "", "", "", ""})
		}
	}
	if len(rows) > 0 {
		columns(w, []string{" Hop", "Address", " Answered", " Unanswered", " Counts", " Best", " Median", " Worst", "Says"}, rows)
	}
	sentences(w, r.Meaning())
}
