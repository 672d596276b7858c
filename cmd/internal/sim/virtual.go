package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/parse"
	"whydrop/devices/snmp"
	"whydrop/devices/snmp/snmptest"
)

// Virtual is a story told without waiting: its clock stands still while somebody asks and jumps while nobody does.
// The devices' agents are real ones on loopback, asked by the real SNMP collector; what the command line prints goes
// to the parsers without a session around it; heartbeats are entered into the real book of a heartbeat. Only the path
// and TCP are a model. It tells a minute in some tenths of a second.
type Virtual struct {
	story   *Story
	begun   time.Time
	now     atomic.Int64 // nanoseconds since begun
	devices []*running
}

// StartVirtual opens the agents of a story that begins at the given time, by everybody's clock. The caller must Close
// it.
func StartVirtual(story *Story, begun time.Time) (*Virtual, error) {
	v := &Virtual{story: story, begun: begun.Round(0).UTC()}
	for _, d := range story.campus.devices() {
		r := &running{device: d, agent: d.newAgent()}
		v.devices = append(v.devices, r)
		d.fill(r.agent, v.offset)
		var err error
		if r.snmp, err = r.agent.Listen("127.0.0.1:0"); err != nil {
			return nil, errors.Join(fmt.Errorf("%s: %w", d.name, err), v.Close())
		}
	}
	return v, nil
}

// Close ends the agents.
func (v *Virtual) Close() error {
	var errs []error
	for _, d := range v.devices {
		errs = append(errs, d.agent.Close())
	}
	return errors.Join(errs...)
}

func (v *Virtual) offset() time.Duration { return time.Duration(v.now.Load()) }

// Begun returns when the story begins: its moments count from there.
func (v *Virtual) Begun() time.Time { return v.begun }

// FarName is the name of the host at the far end, as the truth uses it.
func (v *Virtual) FarName() string { return v.story.hostBName }

// Secret resolves the labels of the prompt: references in the site file.
func (v *Virtual) Secret(label string) (string, error) { return secretOf(v.devices, label) }

// YAML returns the site file for the site. Its secrets are prompt: references that Secret resolves; nothing listens at
// the ports of its probe and its command lines.
func (v *Virtual) YAML() []byte {
	at := sockets{tcp: 5201, udp: 5202}
	for _, d := range v.devices {
		at.devices = append(at.devices, deviceSockets{d.snmp.Port(), 22, ""})
	}
	return v.story.yaml(at)
}

// How often the devices are asked, as watch does it.
const (
	stepTime   = 100 * time.Millisecond
	snmpEvery  = time.Second
	logEvery   = 2 * time.Second
	portsEvery = 5 * time.Second
)

// Run tells the story from its beginning to its end and writes what probe and collectors make of it. The devices are
// those of the plan that the site file comes to.
func (v *Virtual) Run(ctx context.Context, list []devices.Device, out timeline.Sink) error {
	collector := snmp.New()
	collector.Now = func() time.Time { return v.begun.Add(v.offset()) }
	defer collector.Close()
	asked := make([]*asked, len(list))
	for i, d := range list {
		asked[i] = newAsked(v, d, collector, out)
	}
	probe := newVirtualProbe(v, out)
	for at := stepTime; at <= v.story.Length; at += stepTime {
		if err := ctx.Err(); err != nil {
			return err
		}
		probe.until(at)
		v.now.Store(int64(at))
		for _, a := range asked {
			if err := a.step(ctx, at); err != nil {
				return err
			}
		}
	}
	probe.close()
	return nil
}

// asked is one device that is asked.
type asked struct {
	v         *Virtual
	device    devices.Device
	model     *device
	collector devices.Collector
	differ    devices.Differ
	out       timeline.Sink

	snmp, log, ports time.Duration // when next
	dice             *rand.Rand
	seen             time.Time // the last answer
}

func newAsked(v *Virtual, d devices.Device, c devices.Collector, out timeline.Sink) *asked {
	a := &asked{v: v, device: d, collector: c, out: out, seen: v.begun}
	for _, r := range v.devices {
		if r.name == d.Name {
			a.model = r.device
		}
	}
	phase := newDraw(d.Name, v.story.Seed).Rand // not all at one moment
	a.dice = phase
	start := func(every time.Duration) time.Duration {
		return stepTime * time.Duration(1+phase.IntN(int(min(every, time.Second)/stepTime)))
	}
	a.snmp, a.log, a.ports = start(snmpEvery), start(logEvery), start(portsEvery)
	return a
}

// late is how much later than planned the next poll comes.
func (a *asked) late() time.Duration {
	if a.v.story.unpunctual == 0 {
		return 0
	}
	return stepTime * time.Duration(a.dice.IntN(1+int(a.v.story.unpunctual/stepTime)))
}

// step asks what is due.
func (a *asked) step(ctx context.Context, at time.Duration) error {
	if blind := a.model.blind; blind > 0 && at >= blind {
		if at >= a.snmp {
			a.snmp += snmpEvery
			a.silent(at)
		}
		return nil
	}
	if during(a.model.life.gone, at) {
		if at >= a.snmp {
			a.snmp += snmpEvery
			a.silent(at)
		}
		return nil
	}
	if at >= a.snmp {
		a.snmp += snmpEvery + a.late()
		if slices.ContainsFunc(a.model.skips, func(x stretch) bool { return x.from <= at && at < x.to }) {
			a.silent(at)
			return nil
		}
		if err := a.poll(ctx, at); err != nil {
			return err
		}
	}
	if at >= a.log {
		a.log += logEvery
		a.read(at, "ssh", "show logging", "show clock")
	}
	if at >= a.ports {
		a.ports += portsEvery
		commands := []string{"show interfaces"}
		if a.model.bridge != nil {
			commands = append(commands, "show spanning-tree detail")
		}
		a.read(at, "ssh", commands...)
	}
	return nil
}

// poll asks by SNMP. The answer took real time, which is laid over the story's.
func (a *asked) poll(ctx context.Context, at time.Duration) error {
	began := time.Now()
	r, err := a.collector.Collect(ctx, a.device)
	if err != nil && !errors.Is(err, devices.ErrPartial) {
		return fmt.Errorf("%s: %w", a.device.Name, err)
	}
	by := a.v.begun.Add(at).Sub(began)
	shift := func(sp *timeline.Span) {
		if !sp.IsZero() {
			sp.From, sp.To = sp.From.Add(by).Round(0).UTC(), sp.To.Add(by).Round(0).UTC()
		}
	}
	shift(&r.Span)
	if r.Clock.OK {
		shift(&r.Clock.Value.Span)
	}
	if r.LocalClock.OK {
		shift(&r.LocalClock.Value.Span)
	}
	for n := range r.Log {
		shift(&r.Log[n].Span)
	}
	a.records(r)
	return nil
}

// read lets the command line print and the parsers read.
func (a *asked) read(at time.Duration, collector string, commands ...string) {
	const took = 20 * time.Millisecond
	host := a.v.begun.Add(at)
	r := devices.Reading{Device: a.device.Name, Span: timeline.Span{From: host, To: host.Add(took)}, Origin: timeline.Origin{Collector: collector + ":" + a.device.Name, Exchange: uint64(at / stepTime)}}
	for _, c := range commands {
		text, ok := a.model.answer(c, at, host)
		if !ok {
			continue
		}
		in := parse.Input{Text: text, Span: timeline.Span{From: host, To: host.Add(took / 2)}}
		if err := parse.Into(a.device.Platform, c, in, &r); err != nil {
			continue // a platform that has no such command
		}
	}
	a.rename(&r)
	a.records(r)
}

// rename gives the ports that the command line spells out the names of the site's file and leaves the others out, as the
// collector of the command line does.
func (a *asked) rename(r *devices.Reading) {
	names := map[string]string{}
	for _, w := range a.device.Watched() {
		names[devices.PortKey(w)] = w
	}
	kept := r.Interfaces[:0]
	for _, i := range r.Interfaces {
		if name, ok := names[devices.PortKey(i.Name)]; ok {
			i.Name = name
			kept = append(kept, i)
		}
	}
	r.Interfaces = kept
}

func (a *asked) records(r devices.Reading) {
	a.seen = r.Span.To
	for _, rec := range a.differ.Records(r) {
		a.out.Put(rec)
	}
	a.out.Put(timeline.Sample{Subject: timeline.Device(a.device.Name), Metric: timeline.Reachable, Span: r.Span, Value: 1, Origin: r.Origin})
}

// silent writes that the device gives no answer.
func (a *asked) silent(at time.Duration) {
	now := a.v.begun.Add(at)
	sp := timeline.Span{From: a.seen, To: now}
	a.seen = now
	o := timeline.Origin{Collector: "snmp:" + a.device.Name}
	gap := timeline.Gap{Subject: timeline.Device(a.device.Name), Span: sp, Reason: timeline.ReasonTimeout, Text: "no answer in time", Origin: o}
	a.out.Put(gap)
	for _, p := range a.device.Watched() {
		gap.Subject = timeline.Port(a.device.Name, p)
		a.out.Put(gap)
	}
	a.out.Put(timeline.Sample{Subject: timeline.Device(a.device.Name), Metric: timeline.Reachable, Span: sp, Origin: o})
}

// secretOf resolves a label of the prompt: references in the site file.
func secretOf(list []*running, label string) (string, error) {
	name, what, _ := strings.Cut(label, "/")
	for _, d := range list {
		if d.name != name {
			continue
		}
		if v := map[string]string{"community": d.community, "auth": d.authPass, "priv": d.privPass, "ssh": d.password}[what]; v != "" {
			return v, nil
		}
	}
	return "", fmt.Errorf("the simulated site knows no secret %q", label)
}

// newAgent returns the device's agent, without objects.
func (d *device) newAgent() *snmptest.Agent {
	return &snmptest.Agent{
		Community: d.community, User: d.user, Auth: "SHA", AuthPass: d.authPass, Priv: "AES", PrivPass: d.privPass,
		EngineID: "\x80\x00\x00\x09\x03" + string(d.ports[0].mac[:]), Boots: uint32(d.first % 50), // RFC 3411: enterprise 9, format 3 (MAC address)
	}
}
