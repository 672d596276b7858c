// Package runner starts the probes of a path and keeps them running.
//
// [Kinds] is the visible list of probes. What runs when a [Spec] names no kind is iperf3, which carries traffic, and
// a heartbeat that goes by STAMP, or by ICMP echo or TCP connections where no far end answers STAMP; beside them this
// host itself is watched.
package runner

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/host"
	"whydrop/probe/icmp"
	"whydrop/probe/iperf3"
	"whydrop/probe/stamp"
	"whydrop/probe/tcpconnect"
)

// DefaultPort is the port of iperf3 (iperf3(1), -p).
const DefaultPort = 5201

// Spec says what to probe.
type Spec struct {
	Path      string        // the path's name in the site file
	To        string        // host name or address of the far end
	Port      uint16        // TCP port of its iperf3; 0 means 5201
	STAMPPort uint16        // UDP port of its STAMP reflector; 0 means Port+1
	Rate      float64       // traffic in bit/s, all streams together; 0 means unlimited
	Heartbeat time.Duration // time between two heartbeats; 0 means 20 ms
	Token     string        // secret shared with a far end of ours, already looked up; "" means none
	STAMPKey  string        // key that heartbeats by STAMP are signed with, already looked up; "" means unauthenticated mode
	Streams   int           // TCP connections at a time; 0 means 1
	TestTime  time.Duration // longest single TCP test; 0 means as long as the far end allows
	FarName   string        // name of the far end as a host; "" means To

	// Of the kinds dns, http, https and udp-connect, which ask a service and no far end of ours:
	ServicePort uint16 // its port; 0 means 53, 80 or 443, and of udp-connect the port of STAMP
	Ask         string // the name to ask for, or the path on the server; "" means localhost, or /

	// Kinds names what to run, as in the list Kinds. Empty means "iperf3", "heartbeat" and "host".
	Kinds []string
}

// Kinds are the probes there are, by name.
var Kinds = map[string]func(Spec) (probe.Prober, error){
	"iperf3":      newIperf3,
	"heartbeat":   newHeartbeat, // STAMP, or what else answers
	"stamp":       newStamp,
	"icmp":        newICMP,
	"tcp-connect": newTCPConnect,
	"udp-connect": newUDPConnect,
	"dns":         newDNS,
	"http":        newHTTP,
	"https":       newHTTPS,
	"host":        newHost, // this host itself: what it loses is not the path's
}

var defaultKinds = []string{"iperf3", "heartbeat", "host"}

// Probers returns the probers of a Spec, in the order of its Kinds. An error means that the Spec cannot be probed:
// it names the key at fault.
func Probers(s Spec) ([]probe.Prober, error) {
	switch {
	case s.Path == "":
		return nil, fmt.Errorf("probe: a path needs a name")
	case s.To == "":
		return nil, fmt.Errorf("probe of path %s: to is missing: the host to probe", s.Path)
	case s.Rate < 0 || s.Rate != s.Rate:
		return nil, fmt.Errorf("probe of path %s: rate must not be negative", s.Path)
	case s.Heartbeat < 0:
		return nil, fmt.Errorf("probe of path %s: heartbeat must not be negative", s.Path)
	}
	kinds := s.Kinds
	if len(kinds) == 0 {
		kinds = defaultKinds
	}
	var out []probe.Prober
	for _, k := range kinds {
		f, ok := Kinds[k]
		if !ok {
			return nil, fmt.Errorf("probe of path %s: no kind %q; there are %s", s.Path, k, strings.Join(slices.Sorted(maps.Keys(Kinds)), ", "))
		}
		p, err := f(s)
		if err != nil {
			return nil, fmt.Errorf("probe of path %s: %s: %w", s.Path, k, err)
		}
		out = append(out, p)
	}
	return out, nil
}

func (s Spec) port() uint16 {
	if s.Port == 0 {
		return DefaultPort
	}
	return s.Port
}

func (s Spec) stampPort() uint16 {
	if s.STAMPPort == 0 {
		return s.port() + 1
	}
	return s.STAMPPort
}

func newIperf3(s Spec) (probe.Prober, error) {
	return &iperf3.Client{
		Name: s.Path, Address: net.JoinHostPort(s.To, strconv.Itoa(int(s.port()))), FarName: s.FarName,
		Rate: s.Rate, Streams: s.Streams, Token: s.Token, TestTime: s.TestTime,
	}, nil
}

func newStamp(s Spec) (probe.Prober, error) {
	return &stamp.Sender{Name: s.Path, To: s.To, Port: s.stampPort(), Heartbeat: s.Heartbeat, Key: []byte(s.STAMPKey)}, nil
}

func newICMP(s Spec) (probe.Prober, error) {
	return &icmp.Pinger{Name: s.Path, To: s.To, Heartbeat: s.Heartbeat}, nil
}

func newTCPConnect(s Spec) (probe.Prober, error) {
	return &tcpconnect.Connector{Name: s.Path, To: s.To, Port: s.port(), Heartbeat: s.Heartbeat}, nil
}

func newHost(s Spec) (probe.Prober, error) {
	return &host.Sampler{Name: s.Path, To: []string{s.To}}, nil
}

const (
	minBackoff = time.Second
	maxBackoff = 10 * time.Second
)

// Run runs all probers at the same time until ctx ends and all of them have returned, then returns nil. A prober
// that fails is a probe.problem on out and is started again after 1 s, then 2 s, at last every 10 s; it does not
// end the others. A prober that was well for a minute begins with 1 s again. This host is watched once, however many
// paths are probed. Run returns an error only if there is nothing to run.
func Run(ctx context.Context, probers []probe.Prober, out timeline.Sink) error {
	if len(probers) == 0 {
		return fmt.Errorf("probe: nothing to run")
	}
	var wg sync.WaitGroup
	for _, p := range host.Together(probers) {
		wg.Go(func() { keep(ctx, p, out) })
	}
	wg.Wait()
	return nil
}

// keep runs one prober until ctx ends, again and again if need be.
func keep(ctx context.Context, p probe.Prober, out timeline.Sink) {
	wait := minBackoff
	for ctx.Err() == nil {
		began := time.Now()
		err := p.Probe(ctx, out)
		if ctx.Err() != nil {
			return
		}
		if time.Since(began) > time.Minute {
			wait = minBackoff
		}
		reason := "the probe ended by itself"
		if err != nil {
			reason = err.Error()
		}
		problem(out, p.Path(), "", reason, fmt.Sprintf("%s; trying again in %s", reason, wait))
		select {
		case <-ctx.Done():
		case <-time.After(wait):
		}
		wait = min(2*wait, maxBackoff)
	}
}

// problem writes that a probe could not be carried on. kind is left out if it is not known.
func problem(out timeline.Sink, path timeline.Subject, kind, reason, text string) {
	attrs := map[string]string{"reason": reason}
	if kind != "" {
		attrs["kind"] = kind
	}
	out.Put(timeline.Event{Subject: path, Type: timeline.EventProbeProblem, Span: timeline.At(time.Now().Round(0).UTC()), Text: text, Attrs: attrs})
}
