package app

import (
	"context"
	"fmt"
	"io"
	"slices"

	"whydrop/probe/portsweep"
)

type (
	sweepDoc struct {
		pathHead
		By       string        `json:"by"` // stamp, tcp
		Port     *int          `json:"port"`
		Rounds   int           `json:"rounds"`
		Unusable int           `json:"unusable_ports"`
		Late     *float64      `json:"late_s"` // answers that took longer count as late
		Loss     *sweepCluster `json:"loss_cluster"`
		Delay    *sweepCluster `json:"delay_cluster"`
		Ports    []sweepPort   `json:"ports"`
	}
	sweepCluster struct {
		Found  bool     `json:"found"` // hardly chance
		Ports  []uint16 `json:"ports"`
		Chance float64  `json:"log10_probability_by_chance"` // an upper bound
	}
	sweepPort struct {
		Port     uint16   `json:"port"`
		Sent     int      `json:"sent"`
		Lost     int      `json:"lost"`
		There    *int     `json:"lost_forward"` // null: not known
		Back     *int     `json:"lost_reverse"`
		Late     int      `json:"late"`
		RTT      *float64 `json:"median_rtt_s"`
		NotSent  int      `json:"not_sent"`
		LossHere bool     `json:"in_loss_cluster"`
		SlowHere bool     `json:"in_delay_cluster"`
	}
)

// PortSweep looks for source ports that one bad member of a bundle hurts. The error carries the exit code: nil when
// it measured, ExitNotMeasured when nothing answered.
func PortSweep(ctx context.Context, o PathOptions) error {
	to, err := o.address(ctx)
	if err != nil {
		return err
	}
	c := portsweep.Config{To: to.String(), Means: portsweep.Means(o.By), STAMPPort: o.stampPort(), STAMPKey: []byte(o.Key.Reveal()), TCPPorts: []uint16{o.stampPort(), o.port()}, Ports: o.Ports, First: o.SrcPort, Rounds: o.Rounds}
	if o.Format == "text" {
		fmt.Fprintf(o.Out, "Sweep over source ports to %s\n", to)
	}
	r, err := portsweep.Run(ctx, c)
	doc := sweepDocument(o, r, err)
	doc.Interrupted = ctx.Err() != nil
	return o.finish(ctx, doc, func(w io.Writer) { sweepTable(w, r) }, err == nil, err)
}

func sweepDocument(o PathOptions, r portsweep.Result, err error) sweepDoc {
	d := sweepDoc{pathHead: o.head("port sweep", r.Target, r.Started, r.Seconds, r.Meaning(), err), By: string(r.Means), Port: positive(int(r.Port)), Rounds: r.Rounds,
		Unusable: r.Unusable, Loss: clusterOf(r.Loss), Delay: clusterOf(r.Delay), Ports: []sweepPort{}}
	if r.LateIs > 0 {
		d.Late = secondsPtr(r.LateIs)
	}
	for _, p := range r.Ports {
		x := sweepPort{Port: p.Number, Sent: p.Sent, Lost: p.Lost, Late: p.Late, NotSent: p.Unsent,
			LossHere: r.Loss.Found() && slices.Contains(r.Loss.Ports, p.Number), SlowHere: r.Delay.Found() && slices.Contains(r.Delay.Ports, p.Number)}
		if p.There >= 0 {
			x.There, x.Back = &p.There, &p.Back
		}
		if p.RTT > 0 {
			x.RTT = secondsPtr(p.RTT)
		}
		d.Ports = append(d.Ports, x)
	}
	return d
}

func clusterOf(c portsweep.Cluster) *sweepCluster {
	if len(c.Ports) == 0 {
		return nil
	}
	return &sweepCluster{c.Found(), c.Ports, c.Log10}
}

// sweepTable prints the ports that stand out one by one and the others together.
func sweepTable(w io.Writer, r portsweep.Result) {
	var rows [][]string
	rest := portsweep.Port{}
	var others []uint16
	for _, p := range r.Ports {
		if p.Lost == 0 && p.Unsent == 0 && (p.Late == 0 || !r.Delay.Found()) {
			others = append(others, p.Number)
			rest.Sent += p.Sent
			rest.Late += p.Late
			rest.RTT = max(rest.RTT, p.RTT)
			continue
		}
		there, back := "?", "?"
		if p.There >= 0 {
			there, back = fmt.Sprint(p.There), fmt.Sprint(p.Back)
		}
		mark := ""
		switch {
		case r.Loss.Found() && slices.Contains(r.Loss.Ports, p.Number):
			mark = "loses"
		case r.Delay.Found() && slices.Contains(r.Delay.Ports, p.Number):
			mark = "slow"
		}
		rows = append(rows, []string{fmt.Sprint(p.Number), fmt.Sprint(p.Sent), fmt.Sprint(p.Lost), there, back, fmt.Sprint(p.Late), millis(p.RTT), mark})
	}
	if len(rows) > 0 {
		columns(w, []string{" Port", " Sent", " Lost", " Forward", " Reverse", " Late", " Median", "Stands out"}, rows)
	}
	if len(others) > 0 {
		fmt.Fprintf(w, "%d ports lost nothing of %d packets (%d late), the slowest with a median of %s: %s\n", len(others), rest.Sent, rest.Late, millis(rest.RTT), portsweep.List(others))
	}
	sentences(w, r.Meaning())
}
