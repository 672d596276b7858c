package session

import (
	"errors"
	"fmt"
	"slices"

	"github.com/klauspost/compress/zstd"

	"whydrop/correlate/timeline"
)

var errLarge = errors.New("batch is too large for a frame")

// frame appends the batch to dst as one frame. The header's lengths and counts are filled in.
func (b *batch) frame(dst []byte, h header, enc *zstd.Encoder) ([]byte, error) {
	raw := b.encode()
	if len(raw) > maxPayload {
		return dst, fmt.Errorf("%w: %d bytes", errLarge, len(raw))
	}
	h.version, h.raw, h.records, h.from, h.to = Version, uint32(len(raw)), uint32(b.records), b.from, b.to
	return appendFrame(dst, h, enc.EncodeAll(raw, nil)), nil
}

func (b *batch) encode() []byte {
	w := &writer{}
	w.uint(uint64(len(b.groups)))
	for _, g := range b.groups {
		g.sort()
		w.group(g)
	}
	w.uint(uint64(len(b.events)))
	var clock int64
	for _, e := range b.events {
		w.subject(e.Subject)
		w.text(string(e.Type))
		clock = w.span(clock, e.Span)
		w.text(e.Text)
		w.attrs(e.Attrs)
		w.origin(e.Origin)
	}
	w.uint(uint64(len(b.gaps)))
	for _, g := range b.gaps {
		w.subject(g.Subject)
		w.text(string(g.Metric))
		clock = w.span(clock, g.Span)
		w.text(string(g.Reason))
		w.text(g.Text)
		w.origin(g.Origin)
	}
	w.uint(uint64(len(b.exchanges)))
	for _, x := range b.exchanges {
		w.subject(x.Subject)
		clock = w.span(clock, x.Span)
		w.text(x.Request)
		w.blob(x.Reply)
		w.origin(x.Origin)
	}
	w.uint(uint64(len(b.notes)))
	for _, n := range b.notes {
		w.text(n)
	}
	return w.bytes()
}

func (w *writer) group(g *group) {
	w.text(g.collector)
	w.uint(uint64(len(g.rows)))
	// Readings follow each other at an even pace and begin where the one before ended: second differences of the
	// end, and the beginning from the end before, are small.
	var to, pace int64
	for _, r := range g.rows {
		step := r.to - to
		w.int(step - pace)
		to, pace = r.to, step
	}
	to = 0
	for _, r := range g.rows {
		w.int(r.from - to)
		to = r.to
	}
	var exchange uint64
	for _, r := range g.rows {
		w.int(int64(r.exchange - exchange))
		exchange = r.exchange
	}
	w.uint(uint64(len(g.cols)))
	for _, c := range g.cols {
		w.subject(c.key.Subject)
		w.text(string(c.key.Metric))
	}
	for _, c := range g.cols {
		w.places(g, c)
	}
	for _, c := range g.cols {
		w.values(g, c)
	}
}

// span writes a span against a moment before it and returns its end, for the next one.
func (w *writer) span(clock int64, sp timeline.Span) int64 {
	from, _ := stamp(sp.From) // checked by batch.add
	to, _ := stamp(sp.To)
	w.int(to - clock)
	w.int(from - to)
	return to
}

// attrs writes the attributes in the order of their keys, so that equal batches give equal bytes.
func (w *writer) attrs(m map[string]string) {
	if m == nil {
		w.uint(0)
		return
	}
	w.uint(uint64(len(m)) + 1)
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	for _, k := range keys {
		w.text(k)
		w.text(m[k])
	}
}
