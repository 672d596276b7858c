package poll

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"time"

	"whydrop/devices"
)

// Result is one step of Check.
type Result struct {
	Device string
	Step   string // address, snmp, ports, reads, poll time, refresh, ssh, ssh reads, log, clock
	OK     bool
	Text   string // what was found, or what is wrong in words that are safe to show
	Key    string // the key of the site file to change; "" if none is suspected
	Took   time.Duration
	Cut    bool // ctx ended before the step did: that it is not OK says nothing
}

// errCut is wrapped by the error of a question that was cut off by the end of the check.
var errCut = errors.New("interrupted")

// fail says what went wrong with the step, and which keys are suspected.
func (r *Result) fail(d devices.Device, err error, key string) {
	r.OK, r.Text, r.Key, r.Cut = false, words(d, err), siteKeys(err, key), errors.Is(err, errCut)
}

// Check tries what Run will do with a device: that it is reached, lets us in, shows the wanted ports, and how
// quickly; how often it refreshes its counters, and how far its clock is off. It takes up to some ten seconds, and
// no step takes longer than stepTime unless the site file wants it, whatever the device does. It returns soon after
// ctx ends. It changes nothing on the device.
func Check(ctx context.Context, d devices.Device) []Result {
	c := newCollectors(Config{})
	defer c.close()
	var bySNMP, bySSH []Result
	first := checkAddress(ctx, d)
	if !first.OK {
		return []Result{first}
	}
	var wg sync.WaitGroup
	if d.SNMP != nil {
		wg.Go(func() { bySNMP = checkSNMP(ctx, d, c.snmp) })
	}
	if d.SSH != nil {
		wg.Go(func() { bySSH = checkSSH(ctx, d, c) })
	}
	wg.Wait()
	out := append([]Result{first}, append(bySNMP, bySSH...)...)
	if d.SNMP == nil && d.SSH == nil {
		out = append(out, Result{Device: d.Name, Step: "snmp", Text: "the site file says neither snmp nor ssh", Key: "snmp"})
	}
	return out
}

func checkAddress(ctx context.Context, d devices.Device) Result {
	r := Result{Device: d.Name, Step: "address", Key: "address"}
	if a, err := netip.ParseAddr(d.Address); err == nil {
		r.OK, r.Text, r.Key = true, a.String(), ""
		return r
	}
	began := time.Now()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", d.Address)
	r.Took = time.Since(began)
	if err != nil || len(addrs) == 0 {
		r.Text, r.Cut = fmt.Sprintf("the name %q is not known", d.Address), errors.Is(ctx.Err(), context.Canceled)
		return r
	}
	r.OK, r.Key, r.Text = true, "", fmt.Sprintf("%s is %s", d.Address, addrs[0].Unmap())
	return r
}

// stepTime is how long one step of Check may take.
const stepTime = 15 * time.Second

// asked is Collect with a limit of its own. An error says so if the limit was met.
func asked(ctx context.Context, limit time.Duration, c devices.Collector, d devices.Device) (devices.Reading, error) {
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	r, err := c.Collect(limited, d)
	switch {
	case err != nil && ctx.Err() != nil:
		err = fmt.Errorf("%w; %w", err, errCut)
	case err != nil && limited.Err() != nil:
		err = fmt.Errorf("%w; given up after %s", err, limit)
	}
	return r, err
}

// snmpTime returns the limit of a step by SNMP: longer than stepTime if the site file wants to wait so long.
func snmpTime(d devices.Device) time.Duration {
	tries := time.Duration(max(d.SNMP.Retries, 1) + 1)
	return max(stepTime, 3*tries*d.SNMP.Timeout)
}

// sshTime is the same of a step by SSH.
func sshTime(d devices.Device) time.Duration { return max(stepTime, 2*d.SSH.Timeout) }

// siteKeys returns the keys that an error suspects, or otherwise.
func siteKeys(err error, otherwise string) string {
	var k interface{ SiteKeys() string }
	if errors.As(err, &k) && k.SiteKeys() != "" {
		return k.SiteKeys()
	}
	return otherwise
}

// words returns an error's text without the collector and the device, which stand beside it.
func words(d devices.Device, err error) string {
	text := err.Error()
	for _, c := range []string{"snmp: ", "cli: "} {
		text = strings.TrimPrefix(text, c)
	}
	return strings.TrimPrefix(strings.TrimPrefix(text, d.Name+": "), d.Name+" at ")
}

func checkSNMP(ctx context.Context, d devices.Device, c devices.Collector) []Result {
	began := time.Now()
	r, err := asked(ctx, snmpTime(d), c, d)
	in := Result{Device: d.Name, Step: "snmp", Took: time.Since(began)}
	if err != nil && !r.Clock.OK {
		in.fail(d, err, "snmp")
		return []Result{in}
	}
	in.OK, in.Text = true, "answers"
	if r.SysName.OK {
		in.Text = fmt.Sprintf("answers as %q", r.SysName.Value)
	}
	if d.SNMP.Version != "3" {
		in.Text += " (v2c: the community and all answers are sent in clear text)"
	}
	out := []Result{in, checkPorts(d, r, err)}
	if len(r.Interfaces) == 0 {
		return out
	}
	out = append(out, Result{Device: d.Name, Step: "reads", OK: true, Text: reads(r)})
	return append(out, checkPace(ctx, d, c)...)
}

func checkPorts(d devices.Device, r devices.Reading, err error) Result {
	out := Result{Device: d.Name, Step: "ports"}
	var found []string
	for _, i := range r.Interfaces {
		found = append(found, i.Name)
	}
	var missing []string
	for _, p := range d.Watched() {
		if !slices.Contains(found, p) {
			missing = append(missing, p)
		}
	}
	switch {
	case len(missing) > 0 && err != nil:
		out.fail(d, err, "ports")
	case len(d.Watched()) == 0:
		out.OK, out.Text = true, "none to read: the site file names none, and none was found on a path"
	case len(missing) > 0:
		out.Text, out.Key = "not found: "+strings.Join(missing, ", "), "ports"
	default:
		out.OK, out.Text = true, fmt.Sprintf("%d found: %s", len(found), strings.Join(found, ", "))
	}
	return out
}

// readable lists what may be read of a port, in the words of the check.
var readable = []struct {
	name string
	has  func(devices.Interface) bool
}{
	{"octets", func(i devices.Interface) bool { return i.InOctets.OK && i.OutOctets.OK }},
	{"packets", func(i devices.Interface) bool { return i.InPackets.OK && i.OutPackets.OK }},
	{"errors", func(i devices.Interface) bool { return i.InErrors.OK && i.OutErrors.OK }},
	{"drops", func(i devices.Interface) bool { return i.OutDrops.OK }},
	{"FCS errors", func(i devices.Interface) bool { return i.FCS.OK }},
	{"collisions", func(i devices.Interface) bool { return i.LateCollisions.OK }},
	{"pause frames", func(i devices.Interface) bool { return i.InPause.OK }},
	{"state", func(i devices.Interface) bool { return i.Oper.OK }},
	{"speed", func(i devices.Interface) bool { return i.Speed.OK }},
	{"duplex", func(i devices.Interface) bool { return i.Duplex.OK && i.Duplex.Value != "unknown" }},
	{"time of last change", func(i devices.Interface) bool { return i.LastChange.OK }},
	{"spanning-tree state", func(i devices.Interface) bool { return i.STPState.OK }},
	{"spanning-tree role", func(i devices.Interface) bool { return i.STPRole.OK }},
}

// reads says what can be read and what can't.
func reads(r devices.Reading) string {
	var have, lack []string
	for _, f := range readable {
		n := 0
		for _, i := range r.Interfaces {
			if f.has(i) {
				n++
			}
		}
		switch {
		case n == len(r.Interfaces):
			have = append(have, f.name)
		case n > 0:
			have = append(have, fmt.Sprintf("%s (%d of %d ports)", f.name, n, len(r.Interfaces)))
		default:
			lack = append(lack, f.name)
		}
	}
	if b := r.Bridge; b != nil && b.TopologyChanges.OK {
		have = append(have, "topology changes")
	} else {
		lack = append(lack, "topology changes")
	}
	for _, i := range r.Interfaces {
		if i.InOctets.OK && i.InOctets.Value.Bits == 32 {
			have[0] += " (32 bits on " + i.Name + ")"
			break
		}
	}
	out := strings.Join(have, ", ")
	if len(lack) > 0 {
		out += "; not: " + strings.Join(lack, ", ")
	}
	return out
}

// Pace of the check of how often counters are refreshed.
const (
	paceEvery = 250 * time.Millisecond
	paceFor   = 8 * time.Second
	paceStill = 3 * time.Second // without any traffic the check ends sooner
	paceSteps = 12              // so many steps are enough, and fewer after some time
	paceSlow  = 4
)

// checkPace polls quickly for some seconds and says how long a poll takes and how often counters move.
func checkPace(ctx context.Context, d devices.Device, c devices.Collector) []Result {
	var took []time.Duration
	var steps []time.Duration
	var moved time.Time
	var last map[string]uint64
	began := time.Now()
	var err error
	for ctx.Err() == nil && time.Since(began) < paceFor {
		t := time.Now()
		var r devices.Reading
		if r, err = asked(ctx, snmpTime(d), c, d); err != nil && !errors.Is(err, devices.ErrPartial) {
			break
		}
		took = append(took, time.Since(t))
		now := octets(r)
		if last != nil && differs(last, now) {
			if !moved.IsZero() {
				steps = append(steps, t.Sub(moved))
			}
			moved = t
		}
		last = now
		if moved.IsZero() && time.Since(began) > paceStill || len(steps) >= paceSteps || len(steps) >= paceSlow && t.Sub(began) > paceStill {
			break
		}
		if !wait(ctx, paceEvery-time.Since(t)) {
			break
		}
	}
	pace := Result{Device: d.Name, Step: "poll time", OK: len(took) > 0}
	if len(took) > 0 {
		slices.Sort(took)
		pace.Text = fmt.Sprintf("%s per poll (median of %d, longest %s)", took[len(took)/2].Round(100*time.Microsecond), len(took), took[len(took)-1].Round(100*time.Microsecond))
		pace.Took = took[len(took)/2]
	}
	if err != nil && !errors.Is(err, devices.ErrPartial) {
		pace.fail(d, err, "")
		return []Result{pace}
	}
	refresh := Result{Device: d.Name, Step: "refresh", OK: true}
	switch {
	case len(steps) == 0:
		refresh.Text = "cannot tell how often counters are refreshed: too little traffic on the watched ports just now"
	default:
		var p time.Duration
		for _, step := range steps {
			p += step / time.Duration(len(steps))
		}
		refresh.Text = fmt.Sprintf("counters are refreshed every %s", p.Round(50*time.Millisecond))
		if p < 2*paceEvery {
			refresh.Text = fmt.Sprintf("counters are refreshed at least every %s", (2 * paceEvery).String())
		}
	}
	return []Result{pace, refresh}
}

// octets returns the octet counters of the ports.
func octets(r devices.Reading) map[string]uint64 {
	out := map[string]uint64{}
	for _, i := range r.Interfaces {
		out[i.Name+" in"], out[i.Name+" out"] = i.InOctets.Value.Value, i.OutOctets.Value.Value
	}
	return out
}

func differs(a, b map[string]uint64) bool {
	for k, v := range b {
		if a[k] != v {
			return true
		}
	}
	return false
}
