package app

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/cmd/internal/app/ingest"
	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// shownBeyond adds to what was said what the catalogue finds in what devices of any platform printed and in single pings. What
// was measured is laid out as tests that ended, as facts by hand are. Nothing tells when it was or which came first, so it is
// suspected at most.
func shownBeyond(got ingest.Result, said []rules.Diagnosis) []rules.Diagnosis {
	pinged := slices.ContainsFunc(got.Pings, func(p ingest.Ping) bool { return p.DF || p.TooBig != "" || p.Loss != nil && *p.Loss > 0 })
	const several = 3 // tests, of which the rules of texts make nothing for sure
	unsure := len(got.Pasted.Runs) >= several && !slices.ContainsFunc(said, func(d rules.Diagnosis) bool { return d.Confidence >= sure })
	if !got.Shown && !pinged && !unsure && len(got.Hops)+len(got.Told)+len(got.Pasted.Events)+len(got.Pasted.Hosts) == 0 {
		return said
	}
	var records []timeline.Record
	for _, r := range got.Records {
		if s := r.About(); s.Kind == timeline.KindDevice || s.Kind == timeline.KindPort || s.Kind == timeline.KindHost {
			records = append(records, r)
		}
	}
	all := timeline.Span{From: report.NoDay, To: report.NoDay.Add(time.Minute)}
	if len(records) > 0 {
		all = timeline.NewSnapshot(records...).Span()
	}
	results := shownResults(got, all)
	if len(results) == 0 {
		records = asTold(records)
	}
	records = append(records, results...)
	for _, e := range got.Told {
		e.Span = all
		records = append(records, e)
	}
	s := timeline.NewSnapshot(records...)
	out := slices.Clone(said)
	for _, d := range rules.Evaluate(Catalogue(), s, shownTopology(s)) {
		if d.Verdict != rules.CannotTell && !slices.ContainsFunc(said, func(o rules.Diagnosis) bool { return o.ID() == d.ID() && o.Verdict != rules.CannotTell }) {
			out = withShown(out, d)
		}
	}
	if slices.ContainsFunc(out, func(d rules.Diagnosis) bool { return d.Fault && d.Verdict != rules.CannotTell }) {
		out = slices.DeleteFunc(out, func(d rules.Diagnosis) bool { return d.Verdict == rules.CannotTell })
	}
	slices.SortStableFunc(out, func(a, b rules.Diagnosis) int { // beside a fault, what is none comes last
		return cmp.Or(cmp.Compare(harmless(a), harmless(b)), cmp.Compare(b.Confidence, a.Confidence))
	})
	return out
}

// withShown adds a finding of the catalogue to the others, as suspected at most, in the place of one of its cause that could not be
// told. What a port shows says more than what only the path does.
func withShown(found []rules.Diagnosis, d rules.Diagnosis) []rules.Diagnosis {
	found = slices.DeleteFunc(found, func(o rules.Diagnosis) bool { return o.ID() == d.ID() && o.Verdict == rules.CannotTell })
	if slices.ContainsFunc(found, func(o rules.Diagnosis) bool {
		return o.ID() == d.ID() && (o.Subject == d.Subject || d.Subject.Kind == timeline.KindPath)
	}) {
		return found
	}
	if d.Verdict == rules.Holds {
		d.Verdict, d.Confidence = rules.Suspected, min(d.Confidence, undatedMost)
	}
	d = undated(d)
	for i := range d.Evidence {
		d.Evidence[i].Source = strings.TrimPrefix(d.Evidence[i].Source, factsSource)
	}
	return append(found, d)
}

// asTold makes events those of a person's account: who pastes what a device says and no measurement has a trouble, and does
// not say how large it is.
func asTold(records []timeline.Record) []timeline.Record {
	out := slices.Clone(records)
	for i := range out {
		if e, ok := out[i].(timeline.Event); ok {
			e.Origin.Collector = factsSource + e.Origin.Collector
			out[i] = e
		}
	}
	return out
}

// harmless is 1 for what explains something and is no fault.
func harmless(d rules.Diagnosis) int {
	if d.Fault {
		return 0
	}
	return 1
}

// sure is from which confidence on the rules of texts need no second opinion.
const sure = 0.4

// shownTopology makes the topology that texts of devices imply: whoever shows a device's port means that it is on the path.
func shownTopology(s timeline.Snapshot) correlate.Topology {
	t := correlate.Topology{Paths: []correlate.Path{{Name: defaultPath}}}
	for _, sub := range s.Subjects() {
		if sub.Kind != timeline.KindDevice && sub.Kind != timeline.KindPort {
			continue
		}
		i := slices.IndexFunc(t.Devices, func(d correlate.Device) bool { return d.Name == sub.Device })
		if i < 0 {
			i = len(t.Devices)
			t.Devices = append(t.Devices, correlate.Device{Name: sub.Device})
			t.Paths[0].Hops = append(t.Paths[0].Hops, []string{sub.Device})
		}
		if sub.Kind == timeline.KindPort {
			t.Devices[i].Ports = append(t.Devices[i].Ports, sub.Name)
		}
	}
	return t
}

// shownResults lays out runs and pings as tests that ended within a time.
func shownResults(got ingest.Result, all timeline.Span) (out []timeline.Record) {
	put := func(attrs map[string]string) {
		out = append(out, timeline.Event{Subject: timeline.Path(defaultPath), Type: timeline.EventResult, Span: all, Attrs: attrs,
			Origin: timeline.Origin{Collector: "text"}})
	}
	text := func(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }
	for _, r := range got.Pasted.Runs {
		attrs := map[string]string{"proto": cmp.Or(r.Protocol, "tcp"), "rate_bps": text(r.Rate), "duration_s": text(r.Seconds)}
		if r.Streams > 1 {
			attrs["streams"] = strconv.Itoa(r.Streams)
		}
		if r.Offered != nil && *r.Offered > 0 {
			attrs["offered_bps"] = text(*r.Offered)
		}
		if r.Offered == nil && r.Protocol == "udp" && r.Lost != nil && r.Total != nil && *r.Lost < *r.Total {
			attrs["offered_bps"] = text(r.Rate * float64(*r.Total) / float64(*r.Total-*r.Lost))
		}
		if r.Retransmits != nil {
			attrs["retransmits"] = strconv.FormatInt(*r.Retransmits, 10)
		}
		if r.Lost != nil && r.Total != nil && *r.Total > 0 {
			attrs["loss_ratio"] = text(float64(*r.Lost) / float64(*r.Total))
		}
		if r.RTT != nil {
			attrs["rtt_ms"] = text(*r.RTT * 1e3)
		}
		put(attrs)
	}
	for _, p := range got.Pings {
		attrs := map[string]string{"proto": "icmp"}
		if p.Host != "" {
			attrs["note"] = "ping to " + p.Host
		}
		if p.Size > 0 {
			attrs["size_bytes"] = strconv.Itoa(p.Size)
		}
		if p.DF {
			attrs["note"] += " with DF set"
		}
		if p.TooBig != "" {
			attrs["note"] += "; " + p.TooBig
		}
		if p.Loss != nil {
			attrs["loss_ratio"] = text(*p.Loss)
		}
		if p.RTT > 0 {
			attrs["rtt_ms"] = text(p.RTT * 1e3)
		}
		if p.Spread > 0 {
			attrs["jitter_ms"] = text(p.Spread * 1e3)
		}
		put(attrs)
	}
	for _, h := range got.Hops {
		attrs := map[string]string{"proto": "icmp", "loss_ratio": text(h.Loss), "rtt_ms": text(h.RTT * 1e3), "note": fmt.Sprintf("mtr: hop %d, %s", h.Number, h.Host)}
		if h.Target {
			attrs["note"] = "the target, " + h.Host
		}
		put(attrs)
	}
	return out
}
