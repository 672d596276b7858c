package iperf3

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// StreamResult is what one end counted of one stream.
type StreamResult struct {
	ID          int    // 1, 3, 4, 5 ... as iperf3 numbers streams
	Bytes       uint64 // of a sender: taken by its kernel; of a receiver: read
	Retransmits int64  // -1: not given
	Seconds     float64
}

// Results is what one end counted of a test.
type Results struct {
	Streams    []StreamResult // in order of ID
	CPU        CPUUse
	Congestion string // "" if not given
}

// Bytes returns the sum over the streams.
func (r Results) Bytes() uint64 {
	var n uint64
	for _, s := range r.Streams {
		n += s.Bytes
	}
	return n
}

// CPUUse is the processor time of the measuring program, in per cent of one core.
type CPUUse struct{ Total, User, System float64 }

type wireStream struct {
	ID          int     `json:"id"`
	Bytes       uint64  `json:"bytes"`
	Retransmits int64   `json:"retransmits"`
	Jitter      float64 `json:"jitter"`
	Errors      int     `json:"errors"`
	Packets     int     `json:"packets"`
	StartTime   float64 `json:"start_time"`
	EndTime     float64 `json:"end_time"`
}

type wireResults struct {
	CPUTotal       float64      `json:"cpu_util_total"`
	CPUUser        float64      `json:"cpu_util_user"`
	CPUSystem      float64      `json:"cpu_util_system"`
	HasRetransmits int          `json:"sender_has_retransmits"`
	CongestionUsed string       `json:"congestion_used,omitempty"`
	Streams        []wireStream `json:"streams"`
}

// encode returns the results for the wire. Only a sender knows of retransmits: a receiver gives -1, as iperf3 does.
func (r Results) encode(sender bool) wireResults {
	w := wireResults{CPUTotal: r.CPU.Total, CPUUser: r.CPU.User, CPUSystem: r.CPU.System, HasRetransmits: -1, CongestionUsed: r.Congestion, Streams: []wireStream{}}
	if sender {
		w.HasRetransmits = 1
	}
	for _, s := range r.Streams {
		if sender && s.Retransmits < 0 {
			w.HasRetransmits = 0
		}
		w.Streams = append(w.Streams, wireStream{ID: s.ID, Bytes: s.Bytes, Retransmits: s.Retransmits, EndTime: s.Seconds})
	}
	return w
}

// parseResults checks a peer's results of a test of so many streams.
func parseResults(text []byte, streams int) (Results, error) {
	var w struct {
		CPUTotal   number       `json:"cpu_util_total"`
		CPUUser    number       `json:"cpu_util_user"`
		CPUSystem  number       `json:"cpu_util_system"`
		Congestion *string      `json:"congestion_used"`
		Streams    givenStreams `json:"streams"`
	}
	if err := decode(text, &w); err != nil {
		return Results{}, fmt.Errorf("results: %w", err)
	}
	r := Results{CPU: CPUUse{w.CPUTotal.value, w.CPUUser.value, w.CPUSystem.value}}
	if w.Congestion != nil && len(*w.Congestion) <= 16 {
		r.Congestion = *w.Congestion
	}
	byID := map[int]StreamResult{}
	for _, s := range w.Streams {
		v, err := s.check()
		if err != nil {
			return Results{}, fmt.Errorf("results: %w", err)
		}
		byID[v.ID] = v
	}
	for i := range streams {
		s, ok := byID[streamID(i)]
		if !ok {
			return Results{}, fmt.Errorf("results: stream %d is missing", streamID(i))
		}
		r.Streams = append(r.Streams, s)
	}
	return r, nil
}

type givenStream struct {
	ID          number `json:"id"`
	Bytes       number `json:"bytes"`
	Retransmits number `json:"retransmits"`
	Start       number `json:"start_time"`
	End         number `json:"end_time"`
}

func (g givenStream) check() (StreamResult, error) {
	id, err1 := g.ID.integer("id", -1, 1, 1<<20)
	n, err2 := g.Bytes.integer("bytes", -1, 0, maxCount)
	if err := errors.Join(err1, err2); err != nil {
		return StreamResult{}, err
	}
	if id < 0 || n < 0 {
		return StreamResult{}, errors.New("a stream without id or bytes")
	}
	s := StreamResult{ID: int(id), Bytes: uint64(n), Retransmits: -1}
	// Stock iperf3 prints -1 as 2^64-1.
	if g.Retransmits.isInt && g.Retransmits.whole >= 0 {
		s.Retransmits = g.Retransmits.whole
	}
	if d := g.End.value - g.Start.value; g.End.ok && d > 0 && d < maxTime+maxOmit {
		s.Seconds = d
	}
	return s, nil
}

// givenStreams is a list that ends at the number of streams a test can have: a small text can hold millions of
// empty ones.
type givenStreams []givenStream

// UnmarshalJSON reads an array of objects.
func (g *givenStreams) UnmarshalJSON(b []byte) error {
	dec := json.NewDecoder(bytes.NewReader(b))
	if t, err := dec.Token(); err != nil || t != json.Delim('[') {
		return errors.New("a list of streams was expected")
	}
	for dec.More() {
		if len(*g) == maxStreams {
			return fmt.Errorf("more than %d streams", maxStreams)
		}
		var s givenStream
		if err := dec.Decode(&s); err != nil {
			return err
		}
		*g = append(*g, s)
	}
	return nil
}
