package devices

import (
	"maps"
	"math"
	"slices"
	"strconv"

	"whydrop/correlate/timeline"
)

// optics lists the figures that come from a module's sensors. A module with several lanes is as good as its worst.
var optics = []struct {
	kind   string
	metric timeline.Metric
	get    func(Sensor) Opt[float64]
	worst  func(a, b float64) float64
}{
	{"rx_power", timeline.RxPower, func(s Sensor) Opt[float64] { return s.Value }, math.Min},
	{"rx_power", timeline.RxLowWarn, func(s Sensor) Opt[float64] { return s.LowWarn }, math.Max},
	{"rx_power", timeline.RxLowAlarm, func(s Sensor) Opt[float64] { return s.LowAlarm }, math.Max},
	{"tx_power", timeline.TxPower, func(s Sensor) Opt[float64] { return s.Value }, math.Min},
	{"tx_power", timeline.TxLowWarn, func(s Sensor) Opt[float64] { return s.LowWarn }, math.Max},
	{"temperature", timeline.OpticsTemperature, func(s Sensor) Opt[float64] { return s.Value }, math.Max},
}

// sensors writes the figures of optics and tells when a module's own threshold is crossed.
func (w *writer) sensors() {
	worst := map[timeline.Key]float64{}
	for _, s := range w.reading.Sensors {
		sub := w.device
		if s.Port != "" {
			sub = timeline.Port(w.reading.Device, s.Port)
			for _, o := range optics {
				v := o.get(s)
				if o.kind != s.Kind || !v.OK || !believable(v.Value) || s.Kind != "temperature" && s.Unit != "dBm" {
					continue
				}
				k := timeline.Key{Subject: sub, Metric: o.metric}
				if before, ok := worst[k]; ok {
					v.Value = o.worst(before, v.Value)
				}
				worst[k] = v.Value
			}
		}
		w.threshold(s, sub)
	}
	keys := slices.SortedFunc(maps.Keys(worst), func(a, b timeline.Key) int {
		if c := a.Subject.Compare(b.Subject); c != 0 {
			return c
		}
		return slices.Compare([]byte(a.Metric), []byte(b.Metric))
	})
	for _, k := range keys {
		w.sample(k.Subject, k.Metric, w.now, worst[k])
	}
}

func believable(v float64) bool { return !math.IsNaN(v) && math.Abs(v) < 1e6 }

// threshold tells that a sensor's value is beyond another of the module's thresholds than before. To count as
// better it must be so by a margin: a value that trembles at a threshold makes one event.
func (w *writer) threshold(s Sensor, sub timeline.Subject) {
	if !s.Value.OK || !believable(s.Value.Value) || !s.LowAlarm.OK && !s.LowWarn.OK && !s.HighWarn.OK && !s.HighAlarm.OK {
		return
	}
	what := "sensor " + s.Kind + " " + s.Name + " " + strconv.Itoa(s.Lane)
	now := zone(s, 0)
	if before, ok := w.side.tables.states[tableKey{sub, what}]; ok && severity[now] < severity[before.value] {
		if again := zone(s, margin(s)); severity[again] >= severity[before.value] {
			now = before.value
		} else {
			now = again
		}
	}
	if _, between, news := w.turned(sub, what, now); news {
		value := strconv.FormatFloat(s.Value.Value, 'f', 2, 64) + " " + s.Unit
		w.event(sub, timeline.EventOptics, between, firstOf(s.Name, s.Kind)+" is "+value+": "+now, map[string]string{"sensor": s.Kind, "to": now})
	}
}

// severity orders the zones that a module's thresholds make.
var severity = map[string]int{"ok": 0, "low-warn": 1, "high-warn": 1, "low-alarm": 2, "high-alarm": 2}

// zone returns where a value lies between thresholds that are tightened by margin.
func zone(s Sensor, margin float64) string {
	v := s.Value.Value
	switch {
	case s.LowAlarm.OK && v < s.LowAlarm.Value+margin:
		return "low-alarm"
	case s.HighAlarm.OK && v > s.HighAlarm.Value-margin:
		return "high-alarm"
	case s.LowWarn.OK && v < s.LowWarn.Value+margin:
		return "low-warn"
	case s.HighWarn.OK && v > s.HighWarn.Value-margin:
		return "high-warn"
	}
	return "ok"
}

// margin is by how much a value must be better: what optics tremble by in rest.
func margin(s Sensor) float64 {
	switch s.Unit {
	case "dBm":
		return 0.2
	case "degC":
		return 1
	}
	return 0.01 * math.Abs(s.Value.Value)
}
