package app

import (
	"net/netip"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/probe/experiment"
)

type (
	experimentDoc struct {
		pathHead
		Experiment string           `json:"experiment"`
		Load       experimentLoad   `json:"load"` // what it was to put on the path at most
		Theory     experimentTheory `json:"theory"`
		Rows       []experimentRow  `json:"rows"`
	}
	experimentLoad struct {
		Seconds float64  `json:"seconds"`
		Peak    *float64 `json:"peak_bits_per_second"` // null: not bounded
		Bytes   *uint64  `json:"bytes"`
		Streams int      `json:"streams"`
	}
	experimentTheory struct {
		RTT      *float64 `json:"rtt_s"`
		Link     *float64 `json:"link_bits_per_second"` // this host's own; null: not known
		MTU      *int     `json:"link_mtu"`
		Line     *float64 `json:"most_goodput_bits_per_second"`
		InFlight *float64 `json:"bandwidth_delay_product_bytes"`
	}
	experimentRow struct {
		Step        string   `json:"step"`
		Value       float64  `json:"value"`
		Error       *string  `json:"error"` // not null: nothing was measured
		Started     string   `json:"started"`
		Seconds     float64  `json:"seconds"`
		Proto       string   `json:"proto"`
		Direction   string   `json:"direction"` // forward, reverse, both
		Streams     int      `json:"streams"`
		Asked       *float64 `json:"asked_bits_per_second"` // null: as much as goes
		Sent        *float64 `json:"sent_bits_per_second"`
		Arrived     *float64 `json:"arrived_bits_per_second"` // null: the receiver's count is missing
		Back        *float64 `json:"arrived_back_bits_per_second"`
		Loss        *float64 `json:"loss"` // 0-1, by the path
		BackLoss    *float64 `json:"loss_back"`
		Lost        *uint64  `json:"lost_packets"`
		Total       *uint64  `json:"packets"`
		HostDropped *uint64  `json:"host_dropped_packets"`
		Reordered   *uint64  `json:"out_of_order_packets"`
		Jitter      *float64 `json:"jitter_s"`
		Retransmits *uint64  `json:"retransmits"`
		Window      *int     `json:"window_asked_bytes"`
		Buffer      *int     `json:"send_buffer_got_bytes"`
		Offered     *int     `json:"window_offered_bytes"`
		MSS         *int     `json:"mss_bytes"`
		Datagram    *int     `json:"datagram_bytes"`
		Burst       *int     `json:"burst_packets"`
		WindowLimit *float64 `json:"window_limit_bits_per_second"` // window / round trip
		Mathis      *float64 `json:"mathis_bits_per_second"`       // of the measured loss
		TCPRTT      *float64 `json:"tcp_rtt_s"`
		IdleRTT     *float64 `json:"idle_rtt_s"`
		LoadedRTT   *float64 `json:"loaded_rtt_s"`
		SenderCPU   *float64 `json:"sender_cpu"`
		ReceiverCPU *float64 `json:"receiver_cpu"`
		Disk        bool     `json:"disk"`
		FileTime    *float64 `json:"file_s"` // that this end spent on its file
	}
)

func above(v float64) *float64 {
	if v <= 0 {
		return nil
	}
	return &v
}

// during returns a time in seconds; nil: it is not known.
func during(d time.Duration) *float64 { return above(d.Seconds()) }

func experimentDocument(o PathOptions, p experiment.Plan, rows []experiment.Row, to netip.Addr, started time.Time, err error) experimentDoc {
	t, l := p.Theory(rows), p.Load()
	d := experimentDoc{
		pathHead:   o.head(string(p.Kind)+" sweep", to, started, time.Since(started).Seconds(), experiment.Meaning(p, rows), err),
		Experiment: string(p.Kind),
		Load:       experimentLoad{Seconds: l.Time.Seconds(), Peak: above(l.Peak), Streams: l.Streams},
		Theory:     experimentTheory{RTT: during(t.RTT), Link: above(p.Options.Line), MTU: positive(p.Options.MTU), Line: above(t.Line), InFlight: above(t.BDP)},
		Rows:       []experimentRow{},
	}
	if l.Bytes > 0 {
		d.Load.Bytes = &l.Bytes
	}
	for _, r := range rows {
		d.Rows = append(d.Rows, experimentRowOf(r))
	}
	return d
}

func experimentRowOf(r experiment.Row) experimentRow {
	t := r.Step.Test
	x := experimentRow{
		Step: r.Step.Name, Value: r.Step.Value, Error: notEmpty(report.Clean(r.Reason)), Started: stampText(r.Span.From), Seconds: r.Seconds,
		Proto: "tcp", Direction: directionName(t.Reverse), Streams: max(t.Streams, 1), Asked: above(r.Asked), Disk: t.File != "" || t.Address == "",
		Window: positive(t.Window), Buffer: positive(r.Granted), Offered: positive(int(r.PeerWindow)), MSS: positive(r.MSS), Datagram: positive(r.Size), Burst: positive(t.Burst),
		TCPRTT: during(r.TCPRTT), IdleRTT: during(r.IdleRTT), LoadedRTT: during(r.LoadedRTT), WindowLimit: above(r.WindowLimit()), Mathis: above(r.Mathis()),
		Loss: given(r.Loss), BackLoss: given(r.BackLoss), HostDropped: given(r.HostDrops), Reordered: given(r.Reordered), Jitter: seconds(r.Jitter),
		Retransmits: given(r.Retransmits), SenderCPU: given(r.SenderCPU), ReceiverCPU: given(r.ReceiverCPU), FileTime: seconds(r.FileTime),
	}
	if t.UDP {
		x.Proto = "udp"
	}
	if r.Reason != "" {
		return x
	}
	x.Sent = &r.Sent
	if r.Counted {
		x.Arrived = &r.Arrived
	}
	if t.Bidirectional {
		x.Direction, x.Back = "both", &r.Back
	}
	if r.Loss.OK {
		x.Lost, x.Total = &r.Lost, &r.Total
	}
	return x
}
