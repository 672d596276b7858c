package iperf3

import (
	"errors"
	"fmt"
	"time"
)

// params is what a client asks for, checked.
type params struct {
	time       time.Duration // 0: until bytes are sent, or for ever
	omit       time.Duration // not counted at the beginning
	bytes      uint64        // 0: not bounded
	total      uint64        // bytes if they were asked for as such; a client that asks for blocks counts those
	streams    int
	reverse    bool
	window     int
	mss        int
	length     int
	rate       float64 // bit/s per stream; 0 unlimited
	congestion string
	nodelay    bool

	udp           bool
	bidirectional bool
	burst         int // blocks; 0: not given
	tos           int
	dontFragment  bool
	counters64    bool
	serverOutput  bool
	zeroCopy      bool
	title         string

	ours *greeting // nil: the peer is not ours

	other string // what the client wants and this server has not: "SCTP"
}

// greeting is our own key in the parameters.
type greeting struct {
	Version  int    `json:"version"`
	Nonce    string `json:"nonce,omitempty"`    // the client's, 32 hexadecimal digits
	Auth     bool   `json:"auth,omitempty"`     // the client wants to show the token
	Verify   bool   `json:"verify,omitempty"`   // compare every byte
	Replaces string `json:"replaces,omitempty"` // cookie of a test of the same client that is dead
}

// wireParams is the text as it crosses the wire. Keys and order are those of iperf 3.12.
type wireParams struct {
	TCP           bool      `json:"tcp,omitempty"`
	UDP           bool      `json:"udp,omitempty"`
	Omit          int64     `json:"omit"`
	Time          int64     `json:"time"`
	Num           uint64    `json:"num"`
	BlockCount    uint64    `json:"blockcount"`
	MSS           int       `json:"MSS,omitempty"`
	NoDelay       bool      `json:"nodelay,omitempty"`
	Parallel      int       `json:"parallel"`
	Reverse       bool      `json:"reverse,omitempty"`
	Bidirectional bool      `json:"bidirectional,omitempty"`
	Window        int       `json:"window,omitempty"`
	Len           int       `json:"len"`
	Bandwidth     uint64    `json:"bandwidth,omitempty"`
	PacingTimer   int       `json:"pacing_timer"`
	Burst         int       `json:"burst,omitempty"`
	TOS           int       `json:"TOS,omitempty"`
	Title         string    `json:"title,omitempty"`
	Congestion    string    `json:"congestion,omitempty"`
	ServerOutput  int       `json:"get_server_output,omitempty"`
	Counters64    int       `json:"udp_counters_64bit,omitempty"`
	ZeroCopy      int       `json:"zerocopy,omitempty"`
	DontFragment  int       `json:"dont_fragment,omitempty"`
	ClientVersion string    `json:"client_version"`
	Ours          *greeting `json:"whydrop,omitempty"`
}

// encode returns the parameters for the wire. Times are rounded up to whole seconds: the client ends the test.
func (p params) encode() wireParams {
	one := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	return wireParams{
		TCP: !p.udp, UDP: p.udp, Omit: int64((p.omit + time.Second - 1) / time.Second), Time: int64((p.time + time.Second - 1) / time.Second), Num: p.bytes,
		MSS: p.mss, NoDelay: p.nodelay, Parallel: p.streams, Reverse: p.reverse, Window: p.window, Len: p.length,
		Bidirectional: p.bidirectional, Burst: p.burst, TOS: p.tos, Title: p.title, ServerOutput: one(p.serverOutput),
		Counters64: one(p.counters64), ZeroCopy: one(p.zeroCopy), DontFragment: one(p.dontFragment),
		Bandwidth: uint64(p.rate), PacingTimer: 1000, Congestion: p.congestion, ClientVersion: "whydrop", Ours: p.ours,
	}
}

// Bounds of parameters: iperf.h's MAX_TIME, MAX_OMIT_TIME, MAX_TCP_BUFFER, MAX_MSS, MAX_BLOCKSIZE.
const (
	maxTime   = 86400
	maxOmit   = 600
	maxWindow = 512 << 20
	maxMSS    = 9216
	maxLength = 1 << 20
	maxBurst  = 1000 // MAX_BURST
	// A UDP datagram over IPv4 carries at most 65507 bytes (RFC 768, RFC 791).
	maxDatagram = 65507
	maxTitle    = 1024
	maxCount    = 1 << 60
)

// parseParams checks a client's parameters.
func parseParams(text []byte) (params, error) {
	var w struct {
		UDP, SCTP, Reverse, Bidirectional, NoDelay flag
		Omit, Time, Num, BlockCount, MSS           number
		Parallel, Window, Len, Bandwidth           number
		Burst, TOS                                 number
		ZeroCopy                                   flag
		ServerOutput                               flag `json:"get_server_output"`
		Counters64                                 flag `json:"udp_counters_64bit"`
		DontFragment                               flag `json:"dont_fragment"`
		Congestion, Title                          string
		Ours                                       *greeting `json:"whydrop"`
	}
	if err := decode(text, &w); err != nil {
		return params{}, fmt.Errorf("parameters: %w", err)
	}
	p := params{
		reverse: bool(w.Reverse), nodelay: bool(w.NoDelay), congestion: w.Congestion, ours: w.Ours, udp: bool(w.UDP),
		bidirectional: bool(w.Bidirectional), zeroCopy: bool(w.ZeroCopy), serverOutput: bool(w.ServerOutput),
		counters64: bool(w.Counters64), dontFragment: bool(w.DontFragment), title: w.Title[:min(len(w.Title), maxTitle)],
	}
	if w.SCTP {
		p.other = "SCTP"
	}
	var err error
	whole := func(field string, n number, def, least, most int64) int64 {
		v, e := n.integer(field, def, least, most)
		err = errors.Join(err, e)
		return v
	}
	p.time = time.Duration(whole("time", w.Time, 0, 0, maxTime)) * time.Second
	p.omit = time.Duration(whole("omit", w.Omit, 0, 0, maxOmit)) * time.Second
	p.streams = int(whole("parallel", w.Parallel, 1, 1, maxStreams))
	p.window = int(whole("window", w.Window, 0, 0, maxWindow))
	p.mss = int(whole("MSS", w.MSS, 0, 0, maxMSS))
	p.length = int(whole("len", w.Len, 0, 0, maxLength))
	p.bytes = uint64(whole("num", w.Num, 0, 0, maxCount))
	p.burst = int(whole("burst", w.Burst, 0, 0, maxBurst))
	p.tos = int(whole("TOS", w.TOS, 0, 0, 255))
	p.total = p.bytes
	if blocks := whole("blockcount", w.BlockCount, 0, 0, maxCount/maxLength); blocks > 0 && p.bytes == 0 {
		p.bytes = uint64(blocks) * uint64(max(p.length, 1))
	}
	rate, e := w.Bandwidth.real("bandwidth", HighestRate)
	p.rate, err = rate, errors.Join(err, e)
	if p.udp && p.length == 0 {
		p.length = defaultDatagram
	}
	if p.udp && (p.length > maxDatagram || p.length < p.headerSize()) {
		err = errors.Join(err, fmt.Errorf("len is %d, want %d to %d of a datagram", p.length, p.headerSize(), maxDatagram))
	}
	if p.reverse && p.bidirectional {
		err = errors.Join(err, errors.New("reverse and bidirectional exclude each other"))
	}
	if len(p.congestion) > 16 { // TCP_CA_NAME_MAX of linux/tcp.h
		err = errors.Join(err, errors.New("congestion is longer than any name"))
	}
	if err != nil {
		return params{}, fmt.Errorf("parameters: %w", err)
	}
	return p, nil
}

// receives says whether the server receives on the i-th stream, counted from 0.
func (p params) receives(i int) bool { return !p.reverse && (!p.bidirectional || i < p.streams) }

// conns returns how many data streams there are, both directions together.
func (p params) conns() int {
	if p.bidirectional {
		return 2 * p.streams
	}
	return p.streams
}

// verify says whether every byte is compared.
func (p params) verify() bool { return p.ours != nil && p.ours.Verify && !p.udp }

func (p params) headerSize() int { return Test{Counters64: p.counters64}.headerSize() }
