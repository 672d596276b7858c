package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// contest is one way of carrying data that takes part: two programs, and how to read what they say.
type contest struct {
	name   string
	server func(p place) []string
	client func(p place) []string
	read   func(server, client []byte) (outcome, error)
}

// place is where a test runs.
type place struct {
	name             string
	address          string // of the server
	serverIn, client []string
	port             int
	seconds          float64
	rate             float64
	capture          func() (*capture, error) // nil: none
}

// outcome is what one run carried.
type outcome struct {
	units       float64 // bits, or datagrams that arrived
	seconds     float64
	cpuServer   float64 // s of processor time, filled in by who ran it
	cpuClient   float64
	path        string
	lost, own   float64 // ratios 0 to 1: lost in all, and lost by this host's socket
	jitter      float64 // s
	windowsGood float64 // share of 10 ms windows within 10 % of the rate; 0 if not captured
}

func (p place) target() string { return p.address + ":" + strconv.Itoa(p.port) }

// iperf3Document is what is read of iperf3 -J.
type iperf3Document struct {
	Error string
	End   struct {
		Sum struct {
			Packets     float64
			LostPackets float64 `json:"lost_packets"`
			Seconds     float64
			JitterMS    float64 `json:"jitter_ms"`
		}
		Received struct{ Bytes, Seconds float64 } `json:"sum_received"`
	}
}

func readDocument(client []byte) (d iperf3Document, err error) {
	if err := json.Unmarshal(client, &d); err != nil {
		return d, fmt.Errorf("the client's document: %w", err)
	}
	if d.Error != "" {
		return d, errors.New(d.Error)
	}
	return d, nil
}

func readTCP(_, client []byte) (outcome, error) {
	d, err := readDocument(client)
	r := d.End.Received
	return outcome{units: r.Bytes * 8, seconds: r.Seconds}, err
}

func readUDP(_, client []byte) (outcome, error) {
	d, err := readDocument(client)
	s := d.End.Sum
	o := outcome{units: s.Packets - s.LostPackets, seconds: s.Seconds, jitter: s.JitterMS / 1e3}
	if s.Packets > 0 {
		o.lost = s.LostPackets / s.Packets
	}
	return o, err
}

// programDocument is what is read of whydrop probe --format json.
type programDocument struct {
	Error    *string
	Sent     *programTotal
	Received *programTotal
	Datagram *struct {
		Received, Lost float64
		HostDropped    float64 `json:"host_dropped"`
		Jitter         float64 `json:"jitter_s"`
	} `json:"datagrams"`
}

type programTotal struct {
	Bytes, Seconds float64
	Path           string `json:"kernel_path"`
}

func readProgram(_, client []byte) (outcome, error) {
	var d programDocument
	if err := json.Unmarshal(client, &d); err != nil {
		return outcome{}, fmt.Errorf("the client's document: %w", err)
	}
	if d.Error != nil {
		return outcome{}, errors.New(*d.Error)
	}
	if d.Received == nil || d.Sent == nil {
		return outcome{}, errors.New("one end's count is missing")
	}
	o := outcome{units: d.Received.Bytes * 8, seconds: d.Received.Seconds, path: d.Sent.Path + " >"}
	if g := d.Datagram; g != nil {
		o.units, o.jitter = g.Received, g.Jitter
		if all := g.Received + g.Lost; all > 0 {
			o.lost, o.own = g.Lost/all, g.HostDropped/all
		}
	}
	return o, nil
}

// readEnds reads what two of our ends told.
func readEnds(unit func(told) float64) func(server, client []byte) (outcome, error) {
	return func(server, client []byte) (outcome, error) {
		var r, s told
		if err := errors.Join(json.Unmarshal(server, &r), json.Unmarshal(client, &s)); err != nil {
			return outcome{}, fmt.Errorf("what our ends told: %w", err)
		}
		o := outcome{units: unit(r), seconds: r.Seconds, path: s.Path + " > " + r.Path, jitter: r.JitterMicroseconds / 1e6}
		if all := float64(r.Datagrams + r.Lost); all > 0 {
			o.lost, o.own = float64(r.Lost)/all, float64(r.HostDropped)/all
		}
		return o, nil
	}
}

func bits(t told) float64      { return float64(t.Bytes) * 8 }
func datagrams(t told) float64 { return float64(t.Datagrams) }

func seconds(p place) string { return strconv.FormatFloat(p.seconds, 'f', -1, 64) }

func stockServer(p place) []string {
	return append(p.serverIn, "iperf3", "-s", "-1", "-p", strconv.Itoa(p.port), "-B", p.address)
}

func stockClient(extra ...string) func(place) []string {
	return func(p place) []string {
		// Stock iperf3 takes whole seconds only.
		a := append(p.client, "iperf3", "-c", p.address, "-p", strconv.Itoa(p.port), "-J", "-t", fmt.Sprintf("%.0f", max(1, p.seconds)))
		if p.rate > 0 {
			a = append(a, "-b", fmt.Sprintf("%.0f", p.rate))
		}
		return append(a, extra...)
	}
}

func ownServer(extra ...string) func(place) []string {
	return func(p place) []string {
		return append(append(p.serverIn, self, "end", "-listen", p.target(), "-congestion", congestion, "-seconds", seconds(p)), extra...)
	}
}

func ownClient(extra ...string) func(place) []string {
	return func(p place) []string {
		return append(append(p.client, self, "end", "-connect", p.target(), "-congestion", congestion, "-seconds", seconds(p),
			"-rate", strconv.FormatFloat(p.rate, 'f', 0, 64)), extra...)
	}
}

// The program itself, built for the benchmark: the whole way, with its protocol above the engine.
func programServer(p place) []string {
	return append(p.serverIn, program, "serve", "--listen", p.address, "-p", strconv.Itoa(p.port), "--max-rate", "1000G")
}

func programClient(extra ...string) func(place) []string {
	return func(p place) []string {
		return append(append(p.client, program, "probe", p.address, "-p", strconv.Itoa(p.port), "--format", "json", "-i", "1", "-t",
			fmt.Sprintf("%.0f", max(1, p.seconds))), extra...)
	}
}
