package iperf3

import (
	"math"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/stream"
	"whydrop/probe/tcpinfo"
)

// How often a watch writes samples.
const (
	goodputEvery = 100 * time.Millisecond
	tcpEvery     = time.Second
)

// sampler turns readings and reports into samples.
type sampler struct {
	w *watch

	from      reading // where the goodput sample that goes on began
	tcp       reading // where the second that goes on began
	running   bool
	maxWindow uint64 // of the second that goes on
	sampledTo time.Time
	waited    time.Duration // of all streams, at the last second

	reported  time.Time // when the far end last told how it reads
	readStall float64
	farTCP    *reportTCP
	farAt     time.Time
}

func (s *sampler) goodput() timeline.Metric {
	if s.w.c.Reverse {
		return timeline.GoodputReverse
	}
	return timeline.GoodputForward
}

func (s *sampler) put(sub timeline.Subject, m timeline.Metric, from, to time.Time, v float64) {
	if math.IsNaN(v) || math.IsInf(v, 0) || !to.After(from) {
		return
	}
	s.w.out.Put(timeline.Sample{Subject: sub, Metric: m, Span: timeline.Span{From: from, To: to}, Value: v, Origin: s.w.origin()})
}

// begin starts the samples of a new flow.
func (s *sampler) begin(r reading) {
	s.from, s.tcp, s.running, s.maxWindow, s.waited = r, r, true, 0, 0
	s.farTCP, s.farAt = nil, r.at
}

func (s *sampler) end() { s.running = false }

// tick takes in a reading; counted says whether the flow is meant to carry data.
func (s *sampler) tick(now time.Time, r reading, counted bool) {
	if window, ok := total(r.infos, func(i tcpinfo.Info) tcpinfo.Opt[uint64] { return i.SendWindow }); ok {
		s.maxWindow = max(s.maxWindow, window)
	}
	if !counted {
		s.running = false
		return
	}
	if !s.running {
		s.from, s.running = r, true
	}
	if d := now.Sub(s.from.at); d >= goodputEvery-stream.Tick/2 {
		s.put(s.w.path, s.goodput(), s.from.at, now, float64(r.moved-s.from.moved)*8/d.Seconds())
		s.from, s.sampledTo = r, now
	}
	if now.Sub(s.tcp.at) >= tcpEvery-stream.Tick/2 {
		s.second(now, r)
		s.tcp, s.maxWindow = r, 0
	}
}

// nothing writes the measured 0 of a stall that has no flow.
func (s *sampler) nothing(now, progress time.Time) {
	from := s.sampledTo
	if progress.After(from) {
		from = progress
	}
	if now.Sub(from) >= goodputEvery {
		s.put(s.w.path, s.goodput(), from, now, 0)
		s.sampledTo = now
	}
}

// second writes what TCP and the own host tell of the last second.
func (s *sampler) second(now time.Time, r reading) {
	from := s.tcp.at
	if s.w.c.Rate > 0 && !s.w.c.Reverse {
		s.put(s.w.path, timeline.OfferedForward, from, now, s.w.c.Rate)
	}
	if s.w.c.Reverse {
		var waited time.Duration
		for _, c := range s.w.flow.conns {
			waited += c.count.Waited()
		}
		share := float64(waited-s.waited) / float64(now.Sub(from)) / float64(len(s.w.flow.conns))
		s.put(timeline.Host(timeline.LocalHost), timeline.HostReadStall, from, now, min(1, max(0, 1-share)))
		s.waited = waited
		return // the far end is the sender, whose TCP is told of in its reports
	}
	s.tcpSamples(from, now, tcpReport(s.tcp.infos), tcpReport(r.infos))
	if s.maxWindow > 0 {
		s.put(s.w.path, timeline.TCPSendWindow, from, now, float64(s.maxWindow))
	}
}

// tcpSamples writes what a sender's TCP tells, between two readings of it.
func (s *sampler) tcpSamples(from, to time.Time, a, b *reportTCP) {
	if a == nil || b == nil {
		return
	}
	d := to.Sub(from).Seconds()
	put := func(m timeline.Metric, v float64) { s.put(s.w.path, m, from, to, v) }
	if b.RTT != nil {
		put(timeline.TCPRTT, *b.RTT)
	}
	if a.Retransmits != nil && b.Retransmits != nil && *b.Retransmits >= *a.Retransmits {
		put(timeline.TCPRetransmits, float64(*b.Retransmits-*a.Retransmits)/d)
	}
	if b.Cwnd != nil {
		put(timeline.TCPCwnd, float64(*b.Cwnd))
	}
	if b.DeliveryRate != nil {
		put(timeline.TCPDeliveryRate, *b.DeliveryRate)
	}
	share := func(m timeline.Metric, a, b *float64) {
		if a != nil && b != nil && *b >= *a {
			put(m, min(1, (*b-*a)/d/float64(max(s.w.c.Streams, 1))))
		}
	}
	share(timeline.TCPBusy, a.Busy, b.Busy)
	share(timeline.TCPRwndLimited, a.RwndLimited, b.RwndLimited)
	share(timeline.TCPSndbufLimited, a.SndbufLimited, b.SndbufLimited)
}

// report takes in what a far end of ours tells once a second.
func (s *sampler) report(now time.Time, text []byte) {
	var r report
	if decode(text, &r) != nil {
		return
	}
	r.sane()
	from := s.farAt // a far end that heard nothing is late, and tells of the whole time
	put := func(m timeline.Metric, v *float64) {
		if v != nil {
			s.put(s.w.far, m, from, now, *v)
		}
	}
	put(timeline.HostCPU, r.CPU)
	put(timeline.HostProcessCPU, r.ProcessCPU)
	put(timeline.HostCPUWait, r.CPUWait)
	put(timeline.HostThrottled, r.Throttled)
	put(timeline.HostReadStall, r.ReadStall)
	if r.ReadStall != nil {
		s.reported, s.readStall = now, *r.ReadStall
	}
	if s.w.c.Reverse && r.TCP != nil {
		s.tcpSamples(from, now, s.farTCP, r.TCP)
		if r.TCP.SendWindow != nil {
			s.put(s.w.path, timeline.TCPSendWindow, from, now, float64(*r.TCP.SendWindow))
		}
	}
	s.farTCP, s.farAt = r.TCP, now
}
