package rules

import (
	"math"
	"regexp"
	"strings"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// appFacts compare transfers of programs and from or to files with plain tests of the same path.
type appFacts struct {
	Busy  float64 `expr:"busy" metric:"tcp.busy"`      // share of time in which the watched flow had data under way, while goodput was low
	Slow  float64 `expr:"slow" metric:"probe.result"`  // the slowest transfer of a program or file, bit/s
	Fast  float64 `expr:"fast" metric:"probe.result"`  // the fastest plain test in the same direction, bit/s
	Times float64 `expr:"times" metric:"probe.result"` // how many times as fast that is
	Disk  bool    `expr:"disk"`                        // the slow one was from or to a file
	Words string  `expr:"words"`                       // the program, by the words of whoever told it; "" if none
	// How much the slow one sent again, and its CPU, if told.
	Retrans float64 `expr:"retransmits" metric:"probe.result"`
	CPU     float64 `expr:"cpu" metric:"host.process_cpu"` // the greater share of a core of its two ends
}

// programs are those that move data with windows, ciphers or checks of their own.
var programs = regexp.MustCompile(`\b(scp|sftp|ssh|rsync|smb|cifs|samba|robocopy|ftp|ftps|nfs|backup|browser|curl|wget|application)\b`)

// files say that a transfer was from or to a file.
var files = regexp.MustCompile(`\b(from|to|onto) (a |the |its |their )?(local )?(disk|file|ssd|hdd|nvme)\b|(^|\s)-f /`)

// plainTools are programs whose only purpose is to measure.
var plainTools = regexp.MustCompile(`\b(iperf\d?|nuttcp|netperf|ntttcp|ttcp)\b`)

func (sc *scene) appFacts(ps *pathScene) *appFacts {
	f := &appFacts{Busy: nan, Slow: nan, Fast: nan, Times: nan, Retrans: nan, CPU: nan}
	sp := ps.facts.WorstSpan
	if sp.IsZero() {
		sp = sc.span
	}
	f.Busy = correlate.Mean(sc.snap.Between(timeline.Path(ps.Path.Name), timeline.TCPBusy, sp), sp)
	rs := sc.results(ps.Path.Name)
	var slow result
	for _, r := range rs {
		if r.ofProgram() && !r.lossy() && !r.early && r.rate > 0 && !(r.rate >= f.Slow) {
			f.Slow, slow = r.rate, r
		}
	}
	if math.IsNaN(f.Slow) {
		return f
	}
	f.Fast = most(pick(rs, func(r result) bool {
		return !r.ofProgram() && !r.early && r.way() == slow.way() && (r.tcp() || r.clean()) && r.flows() <= slow.flows()
	}), rateOf)
	f.Times = f.Fast / f.Slow
	f.Disk, f.Words = slow.event.Attrs["disk"] == "true", programs.FindString(slow.told())
	f.Retrans, f.CPU = slow.retransShare(), max(orZero(slow.sender), orZero(slow.receiver))
	return f
}

// ofProgram says whether a test is the transfer of a program, or from or to a file.
func (r result) ofProgram() bool {
	told := r.told()
	if loc := plainTools.FindStringIndex(told); loc != nil && loc[0] <= len("stock ") { // what it speaks of further on is something else
		return r.event.Attrs["disk"] == "true" || files.MatchString(told)
	}
	return r.event.Attrs["disk"] == "true" || programs.MatchString(told) || files.MatchString(told)
}

// told is what people wrote of the test itself, in small letters.
func (r result) told() string {
	return strings.ToLower(r.event.Attrs["note"] + " | " + r.event.Attrs["when"])
}
