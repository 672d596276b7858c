package app

import (
	"context"
	"fmt"
	"io"
	"strings"

	"whydrop/probe/pmtu"
)

type (
	pmtuDoc struct {
		pathHead
		By       string       `json:"by"` // stamp, icmp, udp
		OwnMTU   *int         `json:"own_mtu"`
		Believed *int         `json:"kernel_mtu"` // what the kernel took for the path's
		Forward  pmtuForward  `json:"forward"`
		Reverse  *pmtuReverse `json:"reverse"` // null: not measured
		Packets  int          `json:"packets"`
		Steps    []pmtuStep   `json:"steps"`
	}
	pmtuForward struct {
		MTU    *int      `json:"mtu"`
		Ends   *string   `json:"ends"` // own link, router, black hole, unclear
		Router *pmtuSaid `json:"router"`
		Behind *pmtuHop  `json:"behind"` // of a black hole: the last hop that large packets reach
		Before *pmtuHop  `json:"before"` // and the next one
	}
	pmtuReverse struct {
		MTU  int     `json:"mtu"`  // the largest packet that is known to have come back whole
		Ends *string `json:"ends"` // own link: no larger one was tried
	}
	pmtuSaid struct {
		Address *string `json:"address"`
		MTU     int     `json:"mtu"` // 0: it does not say
		Times   int     `json:"times"`
	}
	pmtuHop struct {
		TTL     int    `json:"ttl"`
		Address string `json:"address"`
	}
	pmtuStep struct {
		Size     int        `json:"size"`
		Sent     int        `json:"sent"`
		Answered int        `json:"answered"`
		Arrived  *int       `json:"arrived"` // null: the far end does not say
		Said     []pmtuSaid `json:"said"`
	}
)

// PMTU finds the path's MTU in both directions. The error carries the exit code: nil when it is found, ExitNotMeasured
// when not.
func PMTU(ctx context.Context, o PathOptions) error {
	to, err := o.address(ctx)
	if err != nil {
		return err
	}
	c := pmtu.Config{To: to.String(), Means: pmtu.Means(o.By), STAMPPort: o.stampPort(), STAMPKey: []byte(o.Key.Reveal()), Max: o.Max}
	if o.Format == "text" {
		fmt.Fprintf(o.Out, "Path MTU to %s, up to a minute\n", to)
	}
	r, err := pmtu.Run(ctx, c)
	doc := pmtuDocument(o, r, err)
	return o.finish(ctx, doc, func(w io.Writer) { pmtuTable(w, r) }, r.MTU > 0, err)
}

func pmtuDocument(o PathOptions, r pmtu.Result, err error) pmtuDoc {
	d := pmtuDoc{pathHead: o.head("pmtu", r.Target, r.Started, r.Seconds, r.Meaning(), err), By: string(r.Means), OwnMTU: positive(r.OwnMTU), Believed: positive(r.Believed),
		Packets: r.Sent, Steps: []pmtuStep{}, Forward: pmtuForward{MTU: positive(r.MTU), Ends: notEmpty(string(r.Ends)), Behind: hopOf(r.Behind), Before: hopOf(r.Before)}}
	d.Interrupted = r.Interrupted
	if r.Ends == pmtu.Router {
		said := saidOf(r.Said)
		d.Forward.Router = &said
	}
	if r.Back > 0 {
		d.Reverse = &pmtuReverse{r.Back, notEmpty(string(r.BackEnds))}
	}
	for _, s := range r.Steps {
		x := pmtuStep{Size: s.Size, Sent: s.Sent, Answered: s.Answered, Said: []pmtuSaid{}}
		if s.Arrived >= 0 {
			x.Arrived = &s.Arrived
		}
		for _, said := range s.Said {
			x.Said = append(x.Said, saidOf(said))
		}
		d.Steps = append(d.Steps, x)
	}
	return d
}

func saidOf(s pmtu.Said) pmtuSaid {
	out := pmtuSaid{MTU: s.MTU, Times: s.Times}
	if s.By.IsValid() {
		out.Address = notEmpty(s.By.String())
	}
	return out
}

func hopOf(h pmtu.Hop) *pmtuHop {
	if h.TTL == 0 {
		return nil
	}
	return &pmtuHop{h.TTL, h.Addr.String()}
}

func pmtuTable(w io.Writer, r pmtu.Result) {
	var rows [][]string
	for _, s := range r.Steps {
		arrived := "?"
		if s.Arrived >= 0 {
			arrived = fmt.Sprint(s.Arrived)
		}
		var said []string
		for _, x := range s.Said {
			by := "a router"
			if x.By.IsValid() {
				by = x.By.String()
			}
			said = append(said, fmt.Sprintf("%s: too large, %d at most", by, x.MTU))
		}
		if s.Sent == 0 {
			said = append(said, "larger than the own link takes")
		}
		rows = append(rows, []string{fmt.Sprint(s.Size), fmt.Sprint(s.Sent), arrived, fmt.Sprint(s.Answered), strings.Join(said, "; ")})
	}
	columns(w, []string{" Size", " Sent", " Arrived", " Answered", "Said"}, rows)
	sentences(w, r.Meaning())
}
