package devices

import (
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// ownership says which collector gives a figure. Those who write a figure often keep the pointer.
type ownership struct {
	collector string // "" while none gave it
	at        time.Time
	lacks     bool // it is in Differ.lacks
}

// ownerSilence is how long the collector that gives a figure may be silent before another's is taken instead.
const ownerSilence = 15 * time.Second

// owned returns who gives a figure.
func (d *Differ) owned(sub timeline.Subject, m timeline.Metric) *ownership {
	k := timeline.Key{Subject: sub, Metric: m}
	o := d.owner[k]
	if o == nil {
		o = &ownership{}
		d.owner[k] = o
	}
	return o
}

// given says whether any collector ever gave a figure.
func (d *Differ) given(sub timeline.Subject, m timeline.Metric) bool {
	o := d.owner[timeline.Key{Subject: sub, Metric: m}]
	return o != nil && o.collector != ""
}

// lack notes that a figure worth having is not there.
func (d *Differ) lack(sub timeline.Subject, m timeline.Metric, o *ownership) {
	if o.collector == "" && !o.lacks {
		o.lacks = true
		d.lacks[timeline.Key{Subject: sub, Metric: m}] = true
	}
}

// had notes that a figure is there, although it gives no sample yet.
func (d *Differ) had(sub timeline.Subject, m timeline.Metric, o *ownership) {
	if o.lacks {
		o.lacks = false
		delete(d.lacks, timeline.Key{Subject: sub, Metric: m})
	}
}

// owns says whether this collector is the one whose figures of the metric are kept, and notes that it gave one.
func (w *writer) owns(sub timeline.Subject, m timeline.Metric) bool {
	return w.takes(sub, m, w.differ.owned(sub, m))
}

// takes is owns for who keeps the pointer.
func (w *writer) takes(sub timeline.Subject, m timeline.Metric, o *ownership) bool {
	w.differ.had(sub, m, o)
	if me := w.reading.Origin.Collector; o.collector != me {
		if o.collector != "" && w.now.To.Sub(o.at) < ownerSilence && (isSNMP(o.collector) || !isSNMP(me)) {
			return false
		}
		o.collector = me
	}
	o.at = w.now.To
	return true
}

func isSNMP(collector string) bool { return strings.HasPrefix(collector, "snmp") }

// portOwner is who gives one figure of a port; there are few beside the counters.
type portOwner struct {
	metric timeline.Metric
	*ownership
}

// portOwned returns who gives a figure of the port.
func (w *writer) portOwned(p *portState, sub timeline.Subject, m timeline.Metric) *ownership {
	for n := range p.owners {
		if p.owners[n].metric == m {
			return p.owners[n].ownership
		}
	}
	o := w.differ.owned(sub, m)
	p.owners = append(p.owners, portOwner{m, o})
	return o
}

// portSample is sample for a figure of the port.
func (w *writer) portSample(p *portState, sub timeline.Subject, m timeline.Metric, sp timeline.Span, value float64) {
	w.sampleOf(sub, m, w.portOwned(p, sub, m), sp, value)
}

// portOwns is owns for a figure of the port.
func (w *writer) portOwns(p *portState, sub timeline.Subject, m timeline.Metric) bool {
	return w.takes(sub, m, w.portOwned(p, sub, m))
}
