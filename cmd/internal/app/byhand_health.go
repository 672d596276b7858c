package app

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/snmp"
)

// healthSchema is the version of the lines of a poll by hand. Keys may be added; a change of meaning raises it.
const healthSchema = 1

// portHealth is a port as it stands. What is not known is null, never 0.
type portHealth struct {
	SchemaVersion int                    `json:"schema_version"`
	Time          string                 `json:"time"`
	Device        string                 `json:"device"`
	Port          string                 `json:"port"`
	End           string                 `json:"end"` // near, far
	Error         *string                `json:"error"`
	Description   *string                `json:"description"`
	Admin         *string                `json:"admin"`
	Oper          *string                `json:"oper"`
	ErrDisabled   *string                `json:"err_disabled"`
	SpeedBits     *uint64                `json:"speed_bps"`
	Duplex        *string                `json:"duplex"`
	Autoneg       *bool                  `json:"autonegotiation"`
	MTU           *uint32                `json:"mtu"`
	LastChangeS   *float64               `json:"last_change_s"` // how long ago
	STPState      *string                `json:"stp_state"`
	STPRole       *string                `json:"stp_role"`
	CountedFrom   *string                `json:"counted_from"` // when the counters were read that rates and counts are between
	CountedTo     *string                `json:"counted_to"`
	Rates         map[string]float64     `json:"rates"` // by metric, in its unit
	Counts        map[string]healthCount `json:"counts"`
	Optics        []healthSensor         `json:"optics"`
	Neighbour     *healthNeighbour       `json:"neighbour"`
}

// healthCount is an error or drop counter between the last two refreshes of the agent, and since the first reading.
type healthCount struct {
	Delta *float64 `json:"delta"` // null: there was no refresh yet
	Rate  *float64 `json:"per_second"`
	Total *float64 `json:"since_start"`
}

type healthSensor struct {
	Name  string   `json:"name"`
	Value *float64 `json:"value"`
	Unit  string   `json:"unit"`
}

type healthNeighbour struct {
	Protocol string `json:"protocol"`
	System   string `json:"system"`
	Port     string `json:"port"`
}

// rateMetrics are shown as rates; every other counter of a port is an error or a drop.
var rateMetrics = []timeline.Metric{
	timeline.InBits, timeline.OutBits, timeline.InPackets, timeline.OutPackets, timeline.Utilisation,
	timeline.InBroadcasts, timeline.OutBroadcasts, timeline.InMulticasts, timeline.OutMulticasts,
}

// countedOf lists the error and drop counters that the device gives of a port.
func countedOf(i devices.Interface) []timeline.Metric {
	var out []timeline.Metric
	for _, c := range []struct {
		given  bool
		metric timeline.Metric
	}{
		{i.InErrors.OK, timeline.InErrors}, {i.OutErrors.OK, timeline.OutErrors}, {i.InDrops.OK, timeline.InDrops}, {i.OutDrops.OK, timeline.OutDrops},
		{i.FCS.OK, timeline.InFCS}, {i.Alignment.OK, timeline.InAlignment}, {i.Symbol.OK, timeline.InSymbol}, {i.Runts.OK, timeline.InRunts},
		{i.Giants.OK, timeline.InGiants}, {i.Overrun.OK, timeline.InOverrun}, {i.LateCollisions.OK, timeline.LateCollisions},
		{i.Collisions.OK, timeline.Collisions}, {i.InPause.OK, timeline.InPause}, {i.OutPause.OK, timeline.OutPause},
		{i.UnknownProtos.OK, timeline.InUnknownProtos}, {i.InputQueueDrop.OK, timeline.InQueueDrops},
		{i.Fragments.OK, timeline.InFragments}, {i.Jabbers.OK, timeline.InJabbers}, {i.Stomped.OK, timeline.InStomped}, {i.Ignored.OK, timeline.InIgnored},
		{i.NoBuffer.OK, timeline.InNoBuffer}, {i.Throttles.OK, timeline.InThrottles}, {i.Underruns.OK, timeline.OutUnderruns},
		{i.MACIn.OK, timeline.InMACErrors}, {i.MACOut.OK, timeline.OutMACErrors}, {i.CarrierSense.OK, timeline.CarrierSense}, {i.Deferred.OK, timeline.Deferred},
		{i.ExcessiveCollisions.OK, timeline.ExcessiveCollisions}, {i.CarrierTransitions.OK, timeline.CarrierTransitions}, {i.MTUExceeded.OK, timeline.MTUExceeded},
		{i.StormDrops.OK, timeline.StormDrops}, {i.PolicerDrops.OK, timeline.PolicerDrops}, {i.ACLDrops.OK, timeline.ACLDrops}, {i.Resets.OK, timeline.Resets},
	} {
		if c.given {
			out = append(out, c.metric)
		}
	}
	return out
}

// healthOf gathers what is known of a port.
func healthOf(x *polledDevice, port string) portHealth {
	h := portHealth{SchemaVersion: healthSchema, Time: stampText(time.Now()), Device: report.Clean(x.device.Name), Port: report.Clean(port), End: "near",
		Rates: map[string]float64{}, Counts: map[string]healthCount{}, Optics: []healthSensor{}}
	if !x.last.Span.To.IsZero() {
		h.Time = stampText(x.last.Span.To)
	}
	n := slices.IndexFunc(x.last.Interfaces, func(i devices.Interface) bool { return devices.PortKey(i.Name) == devices.PortKey(port) })
	if x.err != nil && !(n >= 0 && ofPorts(x.err)) {
		h.Error = notEmpty(report.Clean(wordsOf(x.err.Error(), port)))
	}
	if n < 0 {
		return h
	}
	i := x.last.Interfaces[n]
	word := func(o devices.Opt[string]) *string { return notEmpty(report.Clean(o.Value)) }
	h.Description, h.ErrDisabled = notEmpty(report.Clean(i.Alias)), notEmpty(report.Clean(i.ErrDisabled))
	h.Admin, h.Oper, h.Duplex, h.STPState, h.STPRole = word(i.Admin), word(i.Oper), word(i.Duplex), word(i.STPState), word(i.STPRole)
	h.SpeedBits, h.Autoneg, h.MTU = asGiven(i.Speed), asGiven(i.Autoneg), asGiven(i.MTU)
	if c := x.last.Clock; i.LastChange.OK && c.OK {
		if at, ok := c.Value.At(i.LastChange.Value); ok {
			s := math.Round(time.Since(at.Mid()).Seconds()*10) / 10
			h.LastChangeS = &s
		}
	}
	sub := timeline.Port(x.device.Name, i.Name)
	for _, m := range rateMetrics {
		if s, ok := x.samples[timeline.Key{Subject: sub, Metric: m}]; ok {
			h.Rates[string(m)] = s.Value
			h.CountedFrom, h.CountedTo = notEmpty(stampText(s.Span.From)), notEmpty(stampText(s.Span.To))
		}
	}
	for _, m := range countedOf(i) {
		k := timeline.Key{Subject: sub, Metric: m}
		var c healthCount
		if s, ok := x.samples[k]; ok {
			delta, total := math.Round(s.Value*s.Span.Width().Seconds()), math.Round(x.totals[k])
			c = healthCount{&delta, &s.Value, &total}
		}
		h.Counts[string(m)] = c
	}
	for _, s := range x.last.Sensors {
		if s.Port != "" && devices.PortKey(s.Port) == devices.PortKey(port) {
			h.Optics = append(h.Optics, healthSensor{report.Clean(cmp.Or(s.Name, s.Kind)), asGiven(s.Value), report.Clean(s.Unit)})
		}
	}
	for _, nb := range x.last.Neighbours {
		if devices.PortKey(nb.Port) == devices.PortKey(port) {
			h.Neighbour = &healthNeighbour{nb.Protocol, report.Clean(cmp.Or(nb.System, nb.Chassis)), report.Clean(nb.PortID)}
			break
		}
	}
	return h
}

// ofPorts says whether a device's error is that it has no port of some name: what was read all the same is none of those.
func ofPorts(err error) bool {
	var e *snmp.Error
	return errors.As(err, &e) && slices.Contains(e.Keys, "ports")
}

// wordsOf returns what an error of several ports says of one, or all of it.
func wordsOf(text, port string) string {
	const head = `port "`
	_, own, ok := strings.Cut(text, head+port+`"`)
	if !ok {
		return text
	}
	own, _, _ = strings.Cut(own, "; "+head)
	return head + port + `"` + own
}

// asGiven returns a value that was given, or nil.
func asGiven[T any](o devices.Opt[T]) *T {
	if !o.OK {
		return nil
	}
	return &o.Value
}

// line writes the port as one line of JSON.
func (h portHealth) line(w io.Writer) error { return json.NewEncoder(w).Encode(h) }

// healthText prints the ends of a link beside each other.
func healthText(w io.Writer, ends []portHealth) {
	var rows [][]string
	row := func(label string, cell func(portHealth) string) {
		cells := []string{label}
		empty := true
		for _, h := range ends {
			c := cell(h)
			empty = empty && c == ""
			cells = append(cells, c)
		}
		if !empty {
			rows = append(rows, cells)
		}
	}
	head := []string{ends[0].Time[11:23]}
	for _, h := range ends {
		head = append(head, h.Device+" "+h.Port)
	}
	row("description", func(h portHealth) string { return text(h.Description) })
	row("state", stateText)
	row("speed", speedText)
	row("last change", func(h portHealth) string {
		if h.LastChangeS == nil {
			return "?"
		}
		return report.RoundLength(time.Duration(*h.LastChangeS*float64(time.Second))) + " ago"
	})
	row("spanning tree", func(h portHealth) string { return strings.TrimSpace(text(h.STPState) + " " + text(h.STPRole)) })
	row("neighbour", func(h portHealth) string {
		if h.Neighbour == nil {
			return ""
		}
		return fmt.Sprintf("%s %s (%s)", h.Neighbour.System, h.Neighbour.Port, h.Neighbour.Protocol)
	})
	for _, way := range [][2]timeline.Metric{{timeline.InBits, timeline.InPackets}, {timeline.OutBits, timeline.OutPackets}} {
		label := "in"
		if way[0] == timeline.OutBits {
			label = "out"
		}
		row(label, func(h portHealth) string { return h.rateText(way) })
	}
	row("counted", func(h portHealth) string {
		if h.CountedFrom == nil {
			return ""
		}
		return (*h.CountedFrom)[11:23] + " to " + (*h.CountedTo)[11:23]
	})
	for n := range opticsOf(ends) {
		row("optics", func(h portHealth) string {
			if n >= len(h.Optics) || h.Optics[n].Value == nil {
				return ""
			}
			return fmt.Sprintf("%s %.2f %s", h.Optics[n].Name, *h.Optics[n].Value, h.Optics[n].Unit)
		})
	}
	for _, m := range countersOf(ends) {
		row(report.MetricName(m), func(h portHealth) string { return h.countText(m) })
	}
	row("not read", func(h portHealth) string { return text(h.Error) })
	columns(w, head, rows)
	fmt.Fprintln(w)
}

func text(s *string) string {
	if s == nil {
		return ""
	}
	return *s
}

func stateText(h portHealth) string {
	if h.Oper == nil && h.Admin == nil {
		return "?"
	}
	s := cmp.Or(text(h.Oper), "?")
	if a := text(h.Admin); a != "" && a != "up" {
		s += ", set " + a
	}
	if h.ErrDisabled != nil {
		s += ", err-disabled: " + *h.ErrDisabled
	}
	return s
}

func speedText(h portHealth) string {
	s := "?"
	if h.SpeedBits != nil {
		s = report.Speed(float64(*h.SpeedBits))
	}
	if h.Duplex != nil && *h.Duplex != "unknown" {
		s += " " + *h.Duplex + " duplex"
	}
	if h.MTU != nil {
		s += fmt.Sprintf(", MTU %d", *h.MTU)
	}
	return s
}

// rateText is a direction's rate, how much of the speed it is, and its packets.
func (h portHealth) rateText(way [2]timeline.Metric) string {
	bits, ok := h.Rates[string(way[0])]
	if !ok {
		return "?"
	}
	s := report.Rate(bits)
	if h.SpeedBits != nil && *h.SpeedBits > 0 {
		s += ", " + report.Percent(bits/float64(*h.SpeedBits))
	}
	if p, ok := h.Rates[string(way[1])]; ok {
		s += fmt.Sprintf(", %.0f packet/s", p)
	}
	return s
}

func (h portHealth) countText(metric string) string {
	c, ok := h.Counts[metric]
	switch {
	case !ok:
		return ""
	case c.Delta == nil:
		return "?"
	case *c.Total == 0:
		return "0"
	}
	return fmt.Sprintf("+%.0f (%.1f/s), %.0f since the start", *c.Delta, *c.Rate, *c.Total)
}

func opticsOf(ends []portHealth) []healthSensor {
	var most []healthSensor
	for _, h := range ends {
		if len(h.Optics) > len(most) {
			most = h.Optics
		}
	}
	return most
}

// countersOf lists the counters of the ends: those of every kind of error and drop first, then by name.
func countersOf(ends []portHealth) []string {
	first := []string{string(timeline.InErrors), string(timeline.OutErrors), string(timeline.InDrops), string(timeline.OutDrops)}
	var rest []string
	for _, h := range ends {
		for m := range h.Counts {
			if !slices.Contains(first, m) && !slices.Contains(rest, m) {
				rest = append(rest, m)
			}
		}
	}
	slices.Sort(rest)
	return append(first, rest...)
}
