package iperf3

import (
	"time"

	"whydrop/probe/tcpinfo"
)

// report is what a far end of ours tells once a second while a test runs; what it counts of datagrams it tells ten
// times a second. A field that is missing is not known.
type report struct {
	Seconds    float64        `json:"seconds"` // since the test began
	Streams    []reportStream `json:"streams"`
	CPU        *float64       `json:"cpu,omitempty"`         // busy share of all cores in the last second, 0-1
	ProcessCPU *float64       `json:"process_cpu,omitempty"` // processor seconds per second of the far end's process
	CPUWait    *float64       `json:"cpu_wait,omitempty"`    // seconds per second that threads of that process waited for a processor
	Throttled  *float64       `json:"throttled,omitempty"`   // seconds per second that the CPU quota of its control group was used up
	ReadStall  *float64       `json:"read_stall,omitempty"`  // share of the last second that its readers did not wait for data
	TCP        *reportTCP     `json:"tcp,omitempty"`         // the far end is the sender: what its TCP knows
}

// reportStream is what the far end has counted of a stream since the test began. Bytes are always given; the others
// are of datagrams that it receives.
type reportStream struct {
	ID          int      `json:"id"`
	Bytes       uint64   `json:"bytes"`
	Packets     *uint64  `json:"packets,omitempty"`
	Lost        *uint64  `json:"lost,omitempty"`
	OutOfOrder  *uint64  `json:"out_of_order,omitempty"`
	HostDropped *uint64  `json:"host_dropped,omitempty"` // of Lost, by the far end's own socket
	Jitter      *float64 `json:"jitter_s,omitempty"`
}

// reportOf returns what this end has counted of a stream.
func reportOf(c *dataConn) reportStream {
	if c.in == nil {
		return reportStream{ID: c.id, Bytes: c.bytes()}
	}
	a := c.in.Counts()
	s := reportStream{ID: c.id, Bytes: a.Bytes, Packets: &a.Datagrams, Lost: &a.Lost, OutOfOrder: &a.Reordered}
	if a.HostDropped > 0 {
		s.HostDropped = &a.HostDropped
	}
	if a.Datagrams > 1 {
		s.Jitter = secondsOf(a.Jitter, true)
	}
	return s
}

// reportTCP is the sum over the streams; times are totals since the test began.
type reportTCP struct {
	RTT           *float64 `json:"rtt_s,omitempty"` // mean
	Retransmits   *uint64  `json:"retransmits,omitempty"`
	Cwnd          *uint64  `json:"cwnd_bytes,omitempty"`
	SendWindow    *uint64  `json:"send_window_bytes,omitempty"`
	DeliveryRate  *float64 `json:"delivery_rate_bps,omitempty"`
	Busy          *float64 `json:"busy_s,omitempty"`
	RwndLimited   *float64 `json:"rwnd_limited_s,omitempty"`
	SndbufLimited *float64 `json:"sndbuf_limited_s,omitempty"`
}

// sane drops figures that cannot be: a far end is not trusted.
func (r *report) sane() {
	r.CPU = within(r.CPU, 1)
	r.ProcessCPU = within(r.ProcessCPU, 4096)
	r.CPUWait, r.Throttled = within(r.CPUWait, 4096), within(r.Throttled, 4096)
	r.ReadStall = within(r.ReadStall, 1)
}

func within(v *float64, most float64) *float64 {
	if v == nil || !(*v >= 0) || *v > most {
		return nil
	}
	return v
}

// gather reads the connections' TCP_INFO; a connection that tells nothing makes the result nil.
func gather(conns []*dataConn) []tcpinfo.Info {
	out := make([]tcpinfo.Info, len(conns))
	for i, c := range conns {
		info, err := tcpinfo.Get(c.conn)
		if err != nil {
			return nil
		}
		out[i] = info
	}
	return out
}

// total adds up one field over the streams; it is not given unless every stream gives it.
func total[T int | uint64 | float64 | time.Duration](infos []tcpinfo.Info, f func(tcpinfo.Info) tcpinfo.Opt[T]) (sum T, ok bool) {
	for _, i := range infos {
		v := f(i)
		if !v.OK {
			return 0, false
		}
		sum += v.Value
	}
	return sum, len(infos) > 0
}

func ptr[T any](v T, ok bool) *T {
	if !ok {
		return nil
	}
	return &v
}

func secondsOf(d time.Duration, ok bool) *float64 { return ptr(d.Seconds(), ok) }

func tcpReport(infos []tcpinfo.Info) *reportTCP {
	if len(infos) == 0 {
		return nil
	}
	rtt, ok := total(infos, func(i tcpinfo.Info) tcpinfo.Opt[time.Duration] { return i.RTT })
	return &reportTCP{
		RTT:           secondsOf(rtt/time.Duration(len(infos)), ok),
		Retransmits:   ptr(total(infos, func(i tcpinfo.Info) tcpinfo.Opt[uint64] { return i.Retransmitted })),
		Cwnd:          ptr(total(infos, func(i tcpinfo.Info) tcpinfo.Opt[uint64] { return i.Cwnd })),
		SendWindow:    ptr(total(infos, func(i tcpinfo.Info) tcpinfo.Opt[uint64] { return i.SendWindow })),
		DeliveryRate:  ptr(total(infos, func(i tcpinfo.Info) tcpinfo.Opt[float64] { return i.DeliveryRate })),
		Busy:          secondsOf(total(infos, func(i tcpinfo.Info) tcpinfo.Opt[time.Duration] { return i.Busy })),
		RwndLimited:   secondsOf(total(infos, func(i tcpinfo.Info) tcpinfo.Opt[time.Duration] { return i.RwndLimited })),
		SndbufLimited: secondsOf(total(infos, func(i tcpinfo.Info) tcpinfo.Opt[time.Duration] { return i.SndbufLimited })),
	}
}
