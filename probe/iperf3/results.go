package iperf3

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"whydrop/probe/host"
	"whydrop/probe/tcpinfo"
)

// StreamResult is what one end counted of one stream. What was omitted at the beginning is in no figure but
// OmittedPackets.
type StreamResult struct {
	ID          int    // 1, 3, 4, 5 ... as iperf3 numbers streams
	Sends       bool   // the end that counted is the stream's sender
	Bytes       uint64 // of a sender: taken by its kernel; of a receiver: read
	Retransmits int64  // -1: not given
	Seconds     float64

	Damaged tcpinfo.Opt[uint64] // bytes that were not those sent; only of a receiver that compared them and found some
	Path    string              // how the bytes went through the kernel of this end, e.g. "splice"; "" of a far end

	FileTime tcpinfo.Opt[time.Duration] // that this end spent on [Test.File]; not given if there is none

	// Of UDP. Packets are what a sender's kernel took, or what arrived, without duplicates.
	Packets        uint64
	OmittedPackets uint64
	Lost           tcpinfo.Opt[uint64] // as the receiver saw it: numbers that it missed below the highest it got
	OutOfOrder     tcpinfo.Opt[uint64]
	Duplicates     tcpinfo.Opt[uint64]
	HostDropped    tcpinfo.Opt[uint64]        // of Lost: arrived, and found no room in the receiver's socket
	Jitter         tcpinfo.Opt[time.Duration] // RFC 3550, section 6.4.1; not given if nothing came
}

// Results is what one end counted of a test.
type Results struct {
	Streams    []StreamResult // in order of ID
	CPU        CPUUse
	Congestion string // "" if not given
	// OutputText and OutputJSON are what a far end printed that was asked for it; it gives one or none. They are the
	// far end's own words: not to be shown raw.
	OutputText string
	OutputJSON json.RawMessage
}

// Bytes returns the sum over the streams.
func (r Results) Bytes() uint64 {
	var n uint64
	for _, s := range r.Streams {
		n += s.Bytes
	}
	return n
}

// missing counts as lost what the peer sent and this end never got: what is lost at the end leaves no gap.
func (r Results) missing(sent Results) {
	for i := range r.Streams {
		s := &r.Streams[i]
		if n := sent.Streams[i].Packets; s.Lost.OK && n > s.Packets {
			s.Lost.Value = n - s.Packets
		}
	}
}

// CPUUse is the processor time of the measuring program, in per cent of one core.
type CPUUse struct{ Total, User, System float64 }

// cpuUse returns what this process used since the load was last asked.
func cpuUse(l *host.Load, now time.Time) CPUUse {
	u, _ := l.Process(now)
	return CPUUse{Total: 100 * u.Total(), User: 100 * u.User, System: 100 * u.System}
}

// wireStream is a stream's result on the wire. Stock iperf3 counts omitted datagrams in Packets and Errors; since 3.13
// it says how many those are. What stands behind them is ours, and stock iperf3 reads over it.
type wireStream struct {
	ID             int     `json:"id"`
	Bytes          uint64  `json:"bytes"`
	Retransmits    int64   `json:"retransmits"`
	Jitter         float64 `json:"jitter"` // s
	Errors         uint64  `json:"errors"`
	OmittedErrors  uint64  `json:"omitted_errors"`
	Packets        uint64  `json:"packets"`
	OmittedPackets uint64  `json:"omitted_packets"`
	StartTime      float64 `json:"start_time"`
	EndTime        float64 `json:"end_time"`

	Arrived     *uint64 `json:"whydrop_arrived,omitempty"`
	OutOfOrder  *uint64 `json:"whydrop_out_of_order,omitempty"`
	Duplicates  *uint64 `json:"whydrop_duplicates,omitempty"`
	HostDropped *uint64 `json:"whydrop_host_dropped,omitempty"`
	Damaged     *uint64 `json:"whydrop_damaged,omitempty"`
}

type wireResults struct {
	CPUTotal       float64      `json:"cpu_util_total"`
	CPUUser        float64      `json:"cpu_util_user"`
	CPUSystem      float64      `json:"cpu_util_system"`
	HasRetransmits int          `json:"sender_has_retransmits"`
	CongestionUsed string       `json:"congestion_used,omitempty"`
	Output         string       `json:"server_output_text,omitempty"`
	Streams        []wireStream `json:"streams"`
}

// encode returns the results for the wire. Only a sender knows of retransmits: a receiver gives -1, as iperf3 does.
func (r Results) encode() wireResults {
	w := wireResults{
		CPUTotal: r.CPU.Total, CPUUser: r.CPU.User, CPUSystem: r.CPU.System, HasRetransmits: -1, CongestionUsed: r.Congestion,
		Output: r.OutputText, Streams: []wireStream{},
	}
	for _, s := range r.Streams {
		switch {
		case s.Sends && s.Retransmits < 0:
			w.HasRetransmits = 0
		case s.Sends && w.HasRetransmits < 0:
			w.HasRetransmits = 1
		}
		w.Streams = append(w.Streams, s.encode())
	}
	return w
}

func (s StreamResult) encode() wireStream {
	w := wireStream{
		ID: s.ID, Bytes: s.Bytes, Retransmits: s.Retransmits, EndTime: s.Seconds, OmittedPackets: s.OmittedPackets,
		Packets: s.OmittedPackets + s.Packets + s.Lost.Or(0), Errors: s.Lost.Or(0), Jitter: s.Jitter.Or(0).Seconds(),
	}
	w.Damaged = given(s.Damaged)
	if s.Lost.OK {
		w.Arrived, w.OutOfOrder, w.Duplicates = &s.Packets, given(s.OutOfOrder), given(s.Duplicates)
		w.HostDropped = given(s.HostDropped)
	}
	return w
}

func given(v tcpinfo.Opt[uint64]) *uint64 { return ptr(v.Value, v.OK) }

// peerStream is what is known of a stream before the peer says what it counted of it.
type peerStream struct {
	receives bool // the peer is its receiver
	length   int  // of its datagrams; 0: it is TCP
	omit     bool // the beginning does not count
}

// peersOf returns what is known of the peer's side of the streams.
func peersOf(conns []*dataConn, length int, omit bool) []peerStream {
	out := make([]peerStream, len(conns))
	for i, c := range conns {
		out[i] = peerStream{receives: c.sends, omit: omit}
		if c.udp() {
			out[i].length = length
		}
	}
	return out
}

// parseResults checks a peer's results of a test of these streams.
func parseResults(text []byte, peers []peerStream) (Results, error) {
	var w struct {
		CPUTotal   number          `json:"cpu_util_total"`
		CPUUser    number          `json:"cpu_util_user"`
		CPUSystem  number          `json:"cpu_util_system"`
		Congestion *string         `json:"congestion_used"`
		OutputText *string         `json:"server_output_text"`
		OutputJSON json.RawMessage `json:"server_output_json"`
		Streams    givenStreams    `json:"streams"`
	}
	if err := decode(text, &w); err != nil {
		return Results{}, fmt.Errorf("results: %w", err)
	}
	r := Results{CPU: CPUUse{w.CPUTotal.value, w.CPUUser.value, w.CPUSystem.value}, OutputJSON: w.OutputJSON}
	if w.Congestion != nil && len(*w.Congestion) <= 16 {
		r.Congestion = *w.Congestion
	}
	if w.OutputText != nil {
		r.OutputText = *w.OutputText
	}
	byID := map[int]givenStream{}
	for _, s := range w.Streams {
		id, err := s.ID.integer("id", -1, 1, 1<<20)
		if err != nil || id < 0 {
			return Results{}, fmt.Errorf("results: a stream without a number: %w", err)
		}
		byID[int(id)] = s
	}
	for i, p := range peers {
		s, ok := byID[streamID(i)]
		if !ok {
			return Results{}, fmt.Errorf("results: stream %d is missing", streamID(i))
		}
		v, err := s.check(streamID(i), p)
		if err != nil {
			return Results{}, fmt.Errorf("results: stream %d: %w", streamID(i), err)
		}
		r.Streams = append(r.Streams, v)
	}
	return r, nil
}

type givenStream struct {
	ID             number `json:"id"`
	Bytes          number `json:"bytes"`
	Retransmits    number `json:"retransmits"`
	Start          number `json:"start_time"`
	End            number `json:"end_time"`
	Jitter         number `json:"jitter"`
	Errors         number `json:"errors"`
	OmittedErrors  number `json:"omitted_errors"`
	Packets        number `json:"packets"`
	OmittedPackets number `json:"omitted_packets"`
	Arrived        number `json:"whydrop_arrived"`
	OutOfOrder     number `json:"whydrop_out_of_order"`
	Duplicates     number `json:"whydrop_duplicates"`
	HostDropped    number `json:"whydrop_host_dropped"`
	Damaged        number `json:"whydrop_damaged"`
}

func (g givenStream) check(id int, p peerStream) (StreamResult, error) {
	n, err := g.Bytes.integer("bytes", -1, 0, maxCount)
	if err != nil {
		return StreamResult{}, err
	}
	if n < 0 {
		return StreamResult{}, errors.New("its bytes are missing")
	}
	s := StreamResult{ID: id, Sends: !p.receives, Bytes: uint64(n), Retransmits: -1}
	// Stock iperf3 prints -1 as 2^64-1.
	if g.Retransmits.isInt && g.Retransmits.whole >= 0 {
		s.Retransmits = g.Retransmits.whole
	}
	if d := g.End.value - g.Start.value; g.End.ok && d > 0 && d < maxTime+maxOmit {
		s.Seconds = d
	}
	if g.Damaged.isInt && g.Damaged.whole > 0 {
		s.Damaged = some(uint64(g.Damaged.whole))
	}
	if p.length > 0 {
		g.datagrams(&s, p)
	}
	return s, nil
}

// datagrams reads what is about UDP. Figures that cannot be count as not given: older peers print negative losses and
// numbers that ran over.
func (g givenStream) datagrams(s *StreamResult, p peerStream) {
	count := func(n number) tcpinfo.Opt[uint64] {
		if !n.isInt || n.whole < 0 || n.whole > maxCount {
			return tcpinfo.Opt[uint64]{}
		}
		return some(uint64(n.whole))
	}
	// All datagrams of a stream have one length: bytes tell how many there were, where numbers ran over or count
	// what never went.
	s.Packets = s.Bytes / uint64(p.length)
	packets, omitted := count(g.Packets), count(g.OmittedPackets)
	s.OmittedPackets = omitted.Or(0)
	if !p.receives {
		return
	}
	if a := count(g.Arrived); a.OK {
		s.Packets = a.Value
	}
	lost, omittedLost := count(g.Errors), count(g.OmittedErrors)
	switch {
	case !lost.OK || !packets.OK || lost.Value > packets.Value:
	case !p.omit:
		s.Lost = lost
	case omittedLost.OK && omittedLost.Value <= lost.Value: // it does not say how many of its losses are omitted, if not
		s.Lost = some(lost.Value - omittedLost.Value)
	case lost.Value == 0:
		s.Lost = some(0)
	}
	s.OutOfOrder, s.Duplicates, s.HostDropped = count(g.OutOfOrder), count(g.Duplicates), count(g.HostDropped)
	if j := g.Jitter.value; g.Jitter.ok && j >= 0 && j < maxTime && s.Packets > 1 {
		s.Jitter = tcpinfo.Opt[time.Duration]{Value: time.Duration(j * float64(time.Second)), OK: true}
	}
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
