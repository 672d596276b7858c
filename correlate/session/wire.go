package session

import (
	"encoding/binary"
	"errors"

	"whydrop/correlate/timeline"
)

// writer builds a batch's bytes: numbers as varints, texts as indexes into a table that stands in front.
type writer struct {
	body  []byte
	texts []string
	at    map[string]uint64
}

func (w *writer) uint(v uint64) { w.body = binary.AppendUvarint(w.body, v) }
func (w *writer) int(v int64)   { w.body = binary.AppendVarint(w.body, v) } // zigzag
func (w *writer) byte(b byte)   { w.body = append(w.body, b) }

func (w *writer) text(s string) {
	i, ok := w.at[s]
	if !ok {
		if w.at == nil {
			w.at = map[string]uint64{}
		}
		i = uint64(len(w.texts))
		w.at[s] = i
		w.texts = append(w.texts, s)
	}
	w.uint(i)
}

func (w *writer) blob(b []byte) {
	w.uint(uint64(len(b)))
	w.body = append(w.body, b...)
}

func (w *writer) subject(s timeline.Subject) {
	w.byte(byte(s.Kind))
	w.text(s.Device)
	w.text(s.Name)
}

func (w *writer) origin(o timeline.Origin) {
	w.text(o.Collector)
	w.uint(o.Exchange)
}

// bytes returns the table of texts and the body.
func (w *writer) bytes() []byte {
	size := 0
	for _, t := range w.texts {
		size += len(t) + 2
	}
	out := make([]byte, 0, size+len(w.body)+10)
	out = binary.AppendUvarint(out, uint64(len(w.texts)))
	for _, t := range w.texts {
		out = binary.AppendUvarint(out, uint64(len(t)))
		out = append(out, t...)
	}
	return append(out, w.body...)
}

var errBatch = errors.New("batch does not decode")

// reader reads what writer wrote. After the first fault every read gives zero and err is set; nothing is
// allocated beyond what the bytes at hand can hold.
type reader struct {
	b     []byte
	texts []string
	err   error
	visit *visitor // nil: columns are kept
}

func newReader(b []byte) *reader {
	r := &reader{b: b}
	n := r.count(1)
	r.texts = make([]string, 0, n)
	for range n {
		r.texts = append(r.texts, string(r.blob()))
	}
	return r
}

func (r *reader) fail() {
	r.err = errBatch
	r.b = nil
}

func (r *reader) uint() uint64 {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) int() int64 {
	switch b := r.b; { // most are short
	case len(b) > 0 && b[0] < 0x80:
		u := int64(b[0])
		r.b = b[1:]
		return u>>1 ^ -(u & 1)
	case len(b) > 1 && b[1] < 0x80:
		u := int64(b[0]&0x7f) | int64(b[1])<<7
		r.b = b[2:]
		return u>>1 ^ -(u & 1)
	}
	v, n := binary.Varint(r.b)
	if n <= 0 {
		r.fail()
		return 0
	}
	r.b = r.b[n:]
	return v
}

func (r *reader) byte() byte {
	if len(r.b) == 0 {
		r.fail()
		return 0
	}
	v := r.b[0]
	r.b = r.b[1:]
	return v
}

// count reads how many things of at least size bytes follow.
func (r *reader) count(size int) int {
	n := r.uint()
	if n > uint64(len(r.b)/size) {
		r.fail()
		return 0
	}
	return int(n)
}

func (r *reader) take(n int) []byte {
	if n > len(r.b) {
		r.fail()
		return nil
	}
	v := r.b[:n]
	r.b = r.b[n:]
	return v
}

func (r *reader) blob() []byte { return r.take(r.count(1)) }

func (r *reader) text() string {
	i := r.uint()
	if i >= uint64(len(r.texts)) {
		r.fail()
		return ""
	}
	return r.texts[i]
}

func (r *reader) subject() timeline.Subject {
	return timeline.Subject{Kind: timeline.Kind(r.byte()), Device: r.text(), Name: r.text()}
}

func (r *reader) origin() timeline.Origin {
	return timeline.Origin{Collector: r.text(), Exchange: r.uint()}
}
