package rules

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// hostsOfTests finds the busiest of the hosts that anything is told of, and what they lost.
func (sc *scene) hostsOfTests(f *testFacts, ps *pathScene, rs []result) {
	f.CPU, f.HostDrops = nan, total(rs, func(r result) float64 { return r.dropped })
	busier := func(v float64, who string, device bool) {
		if v > orZero(f.CPU) || math.IsNaN(f.CPU) && !math.IsNaN(v) {
			f.CPU, f.CPUHost, f.CPUDevice = v, who, device
		}
	}
	for _, r := range rs {
		if r.offered > 0 && r.rate >= 0.95*r.offered && !(r.loss > 0) {
			continue // its ends did all that was asked of them, however busy
		}
		busier(r.sender, "the sender", false)
		busier(r.receiver, "the receiver", false)
	}
	for _, k := range sc.keys() {
		switch k.Metric {
		case timeline.HostCPU, timeline.HostCoreBusy, timeline.HostSoftirq, timeline.HostProcessCPU:
			for _, x := range sc.snap.Series(k.Subject, k.Metric) {
				busier(x.Value, k.Subject.Name+k.Subject.Device, k.Subject.Kind == timeline.KindDevice)
			}
		case timeline.DeviceCPU: // of the device, also where it was written beside one of its ports
			for _, x := range sc.snap.Series(k.Subject, k.Metric) {
				busier(x.Value, k.Subject.Device, true)
			}
		case timeline.HostUDPDrops:
			f.HostDrops = orZero(f.HostDrops) + correlate.Total(sc.snap.Series(k.Subject, k.Metric), sc.span)
		}
	}
	f.MTUStep, f.MTUEnds = sc.mtuStep(), sc.mtuEnds()
	f.CPUCalm = nan
	if f.CPUDevice && f.Watched == 1 {
		f.CPUCalm = sc.calmCPU(ps, f.CPUHost)
	}
}

// mtuStep returns by how much the MTUs of the ports that anything is told of differ; NaN if fewer than two are told.
func (sc *scene) mtuStep() float64 {
	var all []float64
	for _, k := range sc.keys() {
		if k.Metric == timeline.MTU {
			if xs := sc.snap.Series(k.Subject, k.Metric); len(xs) > 0 {
				all = append(all, xs[len(xs)-1].Value)
			}
		}
	}
	if len(all) < 2 {
		return nan
	}
	return slices.Max(all) - slices.Min(all)
}

// mtuEnds returns by how much the MTUs that hosts are told to have differ; NaN if fewer than two are told.
func (sc *scene) mtuEnds() float64 {
	var all []float64
	for _, s := range sc.tell().settings {
		if v, err := strconv.ParseFloat(s["mtu"], 64); err == nil && v > 0 {
			all = append(all, v)
		}
	}
	if len(all) < 2 {
		return nan
	}
	return slices.Max(all) - slices.Min(all)
}

// calmCPU returns how busy a device was, in the middle, while the path had no trouble; NaN if it was not read then.
func (sc *scene) calmCPU(ps *pathScene, device string) float64 {
	var calm []float64
	for _, x := range sc.snap.Series(timeline.Device(device), timeline.DeviceCPU) {
		if len(ps.touched([]timeline.Span{x.Span})) == 0 {
			calm = append(calm, x.Value)
		}
	}
	return correlate.Quantile(calm, 0.5)
}

// speedStep compares the fastest port of the path with the slowest.
func (sc *scene) speedStep(f *testFacts, ps *pathScene) {
	var slow, fast float64
	for _, sub := range sc.portsOn(ps) {
		if v := sc.port(ps, sub).Speed; v > 0 {
			fast = max(fast, v)
			if slow == 0 || v < slow {
				slow = v
			}
		}
	}
	f.SpeedStep, f.SlowPort, f.AboveLine = nan, nan, nan
	if slow > 0 {
		rs := sc.results(ps.Path.Name)
		f.SpeedStep, f.SlowPort, f.AboveLine = fast/slow, f.Rate/slow, most(rs, rateOf)/fast
		if most(pick(rs, func(r result) bool { return r.early }), rateOf) > fast {
			f.Early, f.Burst = nan, nan // what the sender's own buffer took, not what passed
		}
	}
}

// otherPaths compares with the tests of other paths.
func (sc *scene) otherPaths(f *testFacts, ps *pathScene) {
	f.Elsewhere, f.Unwrapped, f.Wrapped = nan, nan, nan
	for _, p := range sc.topo.PathsIn(sc.snap) {
		rs := sc.results(p.Name)
		if len(rs) == 0 {
			continue
		}
		f.Paths++
		if p.Name == ps.Path.Name {
			continue
		}
		if v := most(pick(rs, func(r result) bool { return r.tcp() && !r.early }), rateOf); v > orZero(f.Elsewhere) {
			f.Elsewhere = v
		}
		wrapped := slices.ContainsFunc(rs, func(r result) bool { return topics["overlay"].MatchString(r.words) })
		if v := most(pick(rs, func(r result) bool { return r.tcp() && !r.early }), rateOf); v > 0 && wrapped {
			f.Wrapped = max(v, orZero(f.Wrapped))
		} else if v > 0 {
			f.Unwrapped = max(v, orZero(f.Unwrapped))
		}
		switch loss := most(pick(rs, func(r result) bool { return !r.ofHop() }), lossOf); {
		case loss >= lossyFrom:
			f.PathsLossy++
		case loss <= cleanTo:
			f.PathsClean++
		}
	}
}

// words gives the facts that are asked about a topic.
func (sc *scene) words(f *testFacts, own []result) {
	t := sc.tell()
	all := own
	if len(sc.paths) > 1 || len(sc.topo.Paths) > 1 { // bypassing a box may be another path
		all = nil
		for _, p := range sc.topo.PathsIn(sc.snap) {
			all = append(all, sc.results(p.Name)...)
		}
	}
	f.Owners, f.Gap = t.owners(), nan
	for _, r := range own {
		if r.loss >= nothing && r.duration > 0 && !(r.duration <= f.Gap) {
			f.Gap = r.duration
		}
	}
	f.Beat, f.LeaseBeat = t.leaseBeat(own)
	cured := map[string]cure{}
	cureOf := func(name string) cure {
		if _, ok := cured[name]; !ok {
			cured[name] = cure{factor: nan}
			if topics[name] != nil {
				cured[name] = t.cureOf(name, own)
				if math.IsNaN(cured[name].factor) && name == "middlebox" && len(own) > 0 {
					if c := t.cureOf(name, all); c.worse.path == own[0].path { // told once, for the path that is worse off
						cured[name] = c
					}
				}
			}
		}
		return cured[name]
	}
	f.Says = func(name string) bool { re, ok := topics[name]; return ok && t.says(re, own) }
	f.Tells = func(name string) bool { _, ok := t.toldOf(name, own); return ok }
	f.tellerOf = func(name string) timeline.Subject { x, _ := t.toldOf(name, nil); return x.subject }
	f.Quote = func(name string) string { x, _ := t.toldOf(name, own); return quoted(x.words) }
	f.Teller = func(name string) string {
		if about := f.tellerOf(name); about != (timeline.Subject{}) && about.Kind != timeline.KindPath {
			return about.String()
		}
		return "a device of the path"
	}
	f.Ran = func(name string) bool {
		re, ok := topics[name]
		return ok && slices.ContainsFunc(own, func(r result) bool { return re.MatchString(r.words) })
	}
	f.Cure = func(name string) float64 { return cureOf(name).factor }
	f.Alone = func(name string) bool { return cureOf(name).alone(name) }
	f.Better = func(name string) string { return cureOf(name).better }
	f.Helped = func(name string) float64 { return t.helped(name, own) }
	f.settings(t)
}

// settings makes what hosts and devices are told to be set to askable by topic.
func (f *testFacts) settings(t *hearsay) {
	setting := func(name string) (host, key, value string) {
		if re, ok := topics[name]; ok {
			return t.setting(re)
		}
		return "", "", ""
	}
	f.Setting = func(name string) string { _, _, v := setting(name); return v }
	f.SetOn = func(name string) string { h, _, _ := setting(name); return h }
	f.SizeOf = func(name string) float64 {
		_, _, v := setting(name)
		n, err := strconv.ParseFloat(strings.TrimSpace(v), 64)
		if err != nil {
			return nan
		}
		return n
	}
}

// nothing is the loss of a test of which nothing came through, its first or last packet perhaps.
const nothing = 0.98
