package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"sync"
	"time"
)

const stockPort = "5301"

// stockServer starts iperf3 -s at b and returns what ends it.
func (l *link) stockServer() (func(), error) {
	cmd := exec.Command("ip", "netns", "exec", l.b, "iperf3", "-s", "-B", l.addrB, "-p", stockPort)
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	time.Sleep(300 * time.Millisecond)
	return func() {
		_ = cmd.Process.Signal(os.Interrupt)
		_ = cmd.Wait()
	}, nil
}

// stockTCP starts iperf3 -i 0.1 from a to b. The returned function ends it and returns the stretches of intervals in which
// it sent less than a tenth of its rate.
func (l *link) stockTCP() (func() []stretch, error) {
	stop, err := l.stockServer()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command("ip", "netns", "exec", l.a, "iperf3", "-c", l.addrB, "-p", stockPort, "-b", "20M", "-l", "8K", "-t", "0", "-i", "0.1", "--forceflush", "-f", "m")
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var lines []interval
	var reading sync.WaitGroup
	reading.Go(func() {
		for s := bufio.NewScanner(out); s.Scan(); {
			if i, ok := parseInterval(s.Text()); ok {
				i.read = time.Now()
				lines = append(lines, i)
			}
		}
	})
	return func() []stretch {
		_ = cmd.Process.Signal(os.Interrupt)
		ended := time.AfterFunc(2*time.Second, func() { _ = cmd.Process.Kill() })
		reading.Wait()
		ended.Stop()
		_ = cmd.Wait()
		stop()
		return stalls(lines)
	}, nil
}

// interval is a line of iperf3 -i.
type interval struct {
	from, to time.Duration // since the test began
	mbits    float64
	read     time.Time // when the line came
}

var intervalLine = regexp.MustCompile(`^\[ *\d+\] +([0-9.]+)-([0-9.]+) +sec +.*? ([0-9.]+) Mbits/sec`)

func parseInterval(line string) (interval, bool) {
	m := intervalLine.FindStringSubmatch(line)
	if m == nil {
		return interval{}, false
	}
	var f [3]float64
	for i := range f {
		f[i], _ = strconv.ParseFloat(m[i+1], 64)
	}
	s := func(x float64) time.Duration { return time.Duration(x * float64(time.Second)) }
	return interval{from: s(f[0]), to: s(f[1]), mbits: f[2]}, f[1]-f[0] < 1 // not the sum at the end
}

// stalls joins the intervals in which next to nothing was sent. The moment at which the test began is not printed: it is
// the earliest that agrees with when the lines came.
func stalls(lines []interval) (out []stretch) {
	var began time.Time
	for _, i := range lines {
		if b := i.read.Add(-i.to); began.IsZero() || b.Before(began) {
			began = b
		}
	}
	for k, i := range lines {
		if i.mbits >= 2 {
			continue
		}
		if s := (stretch{began.Add(i.from), began.Add(i.to)}); k > 0 && len(out) > 0 && lines[k-1].mbits < 2 {
			out[len(out)-1].to = s.to
		} else {
			out = append(out, s)
		}
	}
	return out
}

// stockJitter runs iperf3 -u for some seconds with datagrams as long and as often as heartbeats and returns the jitter
// that its receiver found.
func (l *link) stockJitter(seconds int) (time.Duration, error) {
	const size = 44
	rate := strconv.Itoa(int(size * 8 * time.Second / heartbeat))
	out, err := exec.Command("ip", "netns", "exec", l.a, "iperf3", "-c", l.addrB, "-p", stockPort, "-u", "-l", strconv.Itoa(size), "-b", rate, "-t", strconv.Itoa(seconds), "-J").Output()
	if err != nil {
		return 0, fmt.Errorf("iperf3 -u: %w", err)
	}
	var doc struct {
		End struct {
			Sum struct {
				Jitter float64 `json:"jitter_ms"`
			} `json:"sum"`
		} `json:"end"`
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		return 0, fmt.Errorf("iperf3 -u: %w", err)
	}
	return time.Duration(doc.End.Sum.Jitter * float64(time.Millisecond)), nil
}
