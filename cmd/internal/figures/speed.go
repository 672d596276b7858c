package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"whydrop/cmd/internal/app"
	"whydrop/correlate"
	"whydrop/correlate/session"
	"whydrop/correlate/timeline"
)

// Targets for 24 hours of 50 ports at one poll a second with a heartbeat every 20 ms and 200 events, on one core.
const (
	speedPorts   = 50
	speedEvents  = 200
	speedSeconds = 2.0
	speedMemory  = 300e6
)

// diagnoseVariable makes the command diagnose the recording that it names and print what that took, and nothing else.
const diagnoseVariable = "WHYDROP_FIGURES_DIAGNOSE"

func init() {
	path := os.Getenv(diagnoseVariable)
	if path == "" {
		return
	}
	start := time.Now()
	r, err := app.OpenRecording(path)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	d := r.Document()
	read := cost{Seconds: time.Since(start).Seconds(), Findings: len(d.Findings)}
	json.NewEncoder(os.Stdout).Encode(read)
	os.Exit(0)
}

// cost is what one diagnosis took.
type cost struct {
	Seconds  float64
	Findings int
	memory   float64 // bytes, the most that was resident
	cpu      time.Duration
}

func speed(ctx context.Context, out io.Writer, full bool) error {
	hours := []int{1, 6, 24}
	if !full {
		hours = []int{1, 3}
	}
	dir, err := os.MkdirTemp("", "whydrop-speed-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	var last cost
	for _, h := range hours {
		path := filepath.Join(dir, strconv.Itoa(h)+".whydrop")
		samples, err := recordHours(ctx, path, h)
		if err != nil {
			return err
		}
		fi, err := os.Stat(path)
		if err != nil {
			return err
		}
		c, err := diagnose(ctx, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(out, "%3d h: %9d samples, %6.1f MB on disk: %5.2f s on one core (%.2f s CPU), %4.0f MB resident, %d findings\n",
			h, samples, float64(fi.Size())/1e6, c.Seconds, c.cpu.Seconds(), c.memory/1e6, c.Findings)
		last = c
	}
	if last.cpu.Seconds() > speedSeconds || last.memory > speedMemory {
		return fmt.Errorf("%w: %.0f s and %.0f MB are allowed", errMissed, speedSeconds, speedMemory/1e6)
	}
	return nil
}

// diagnose lets another process of this program read the recording on one core and diagnose it.
func diagnose(ctx context.Context, path string) (cost, error) {
	self, err := os.Executable()
	if err != nil {
		return cost{}, err
	}
	cmd := exec.CommandContext(ctx, self)
	cmd.Env = append(os.Environ(), diagnoseVariable+"="+path, "GOMAXPROCS=1")
	cmd.Stderr = os.Stderr
	b, err := cmd.Output()
	if err != nil {
		return cost{}, err
	}
	var c cost
	if err := json.Unmarshal(b, &c); err != nil {
		return cost{}, err
	}
	c.cpu, c.memory = cmd.ProcessState.UserTime()+cmd.ProcessState.SystemTime(), residentOf(cmd.ProcessState)
	return c, nil
}

// portMetrics are what every port gives at each poll.
var portMetrics = []timeline.Metric{
	timeline.InBits, timeline.OutBits, timeline.InPackets, timeline.OutPackets, timeline.InBroadcasts, timeline.Utilisation,
	timeline.InErrors, timeline.OutErrors, timeline.InDrops, timeline.OutDrops, timeline.InFCS, timeline.InAlignment,
	timeline.InSymbol, timeline.LateCollisions, timeline.InGiants, timeline.Oper, timeline.Speed, timeline.HalfDuplex, timeline.STPForwarding,
}

// recordHours writes a recording of the given length and returns how many samples it holds.
func recordHours(ctx context.Context, path string, hours int) (int, error) {
	topo := correlate.Topology{Site: "speed", Paths: []correlate.Path{{Name: "a-b", To: "198.51.100.2", Rate: 10e6}}}
	for d := range 5 {
		dev := correlate.Device{Name: fmt.Sprint("sw", d), Role: "switch"}
		for p := range speedPorts / 5 {
			dev.Ports = append(dev.Ports, fmt.Sprint("GigabitEthernet1/0/", p+1))
		}
		topo.Devices = append(topo.Devices, dev)
		topo.Paths[0].Hops = append(topo.Paths[0].Hops, []string{dev.Name})
	}
	text, err := json.Marshal(topo)
	if err != nil {
		return 0, err
	}
	start := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	r, err := session.Create(path, session.Meta{Program: "whydrop", Site: "speed", Started: start, Topology: text})
	if err != nil {
		return 0, err
	}
	rnd := rand.New(rand.NewPCG(1, uint64(hours)))
	line, n := timeline.Path("a-b"), 0
	put := func(s timeline.Sample) { r.Put(s); n++ }
	every := hours * 3600 / speedEvents
	for s := range hours * 3600 {
		if s%600 == 0 {
			if err := ctx.Err(); err != nil {
				return n, err
			}
		}
		sp := timeline.Span{From: start.Add(time.Duration(s) * time.Second), To: start.Add(time.Duration(s+1) * time.Second)}
		out := s%(every*4) == every // every fourth event comes with an outage
		putPath(put, line, sp, out, rnd)
		for d, dev := range topo.Devices {
			o := timeline.Origin{Collector: "snmp:" + dev.Name, Exchange: uint64(s + 1)}
			for p, name := range dev.Ports {
				putPort(put, timeline.Port(dev.Name, name), sp, o, float64(8000*(1+p)+rnd.IntN(4000)), d == 2 && p == 3 && s%900 < 60)
			}
		}
		if s%every == every-1 || out {
			r.Put(timeline.Event{Subject: timeline.Device("sw1"), Type: timeline.EventTopologyChange, Span: sp, Text: "topology change", Attrs: map[string]string{"count": "1"}})
		}
		if out {
			dark := timeline.Span{From: sp.From.Add(100 * time.Millisecond), To: sp.From.Add(700 * time.Millisecond)}
			r.Put(timeline.Event{Subject: line, Type: timeline.EventOutage, Span: dark, Text: "no delivery", Attrs: map[string]string{"direction": timeline.Both, "seen_by": timeline.SeenByHeartbeat, "lost": "30"}})
		}
		if s%10 == 9 {
			r.Settle()
		}
	}
	if err := r.Close(); err != nil {
		return n, err
	}
	if d := r.Dropped(); d > 0 {
		return n, fmt.Errorf("the recorder dropped %d records", d)
	}
	return n, nil
}

func putPath(put func(timeline.Sample), line timeline.Subject, sp timeline.Span, out bool, rnd *rand.Rand) {
	o := timeline.Origin{Collector: "probe"}
	lost, goodput := 0.0, 10e6+float64(rnd.IntN(1e5))
	if out {
		lost, goodput = 0.6, 4e6
	}
	for m, v := range map[timeline.Metric]float64{
		timeline.GoodputForward: goodput, timeline.RTT: 0.002 + rnd.Float64()*1e-4, timeline.LossForward: lost, timeline.LossReverse: lost,
		timeline.JitterForward: rnd.Float64() * 1e-5, timeline.JitterReverse: rnd.Float64() * 1e-5, timeline.TCPRTT: 0.002 + rnd.Float64()*1e-4,
		timeline.TCPRetransmits: 0, timeline.TCPCwnd: 1e5, timeline.TCPSendWindow: 3e6, timeline.TCPRwndLimited: 0, timeline.TCPSndbufLimited: 0,
	} {
		put(timeline.Sample{Subject: line, Metric: m, Span: sp, Value: v, Origin: o})
	}
}

func putPort(put func(timeline.Sample), port timeline.Subject, sp timeline.Span, o timeline.Origin, packets float64, bad bool) {
	for _, m := range portMetrics {
		v := 0.0
		switch m {
		case timeline.InPackets, timeline.OutPackets:
			v = packets
		case timeline.InBits, timeline.OutBits:
			v = packets * 6400
		case timeline.InBroadcasts:
			v = float64(int(packets) % 7)
		case timeline.Utilisation:
			v = packets * 6400 / 1e9
		case timeline.Oper, timeline.STPForwarding:
			v = 1
		case timeline.Speed:
			v = 1e9
		case timeline.InFCS, timeline.InErrors:
			if bad {
				v = 3
			}
		}
		put(timeline.Sample{Subject: port, Metric: m, Span: sp, Value: v, Origin: o})
	}
}
