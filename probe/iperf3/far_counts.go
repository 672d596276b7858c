package iperf3

import (
	"time"

	"whydrop/probe/tcpinfo"
)

// farCounts is what a far end of ours has told of the datagrams it received. The zero value is ready to use.
type farCounts struct {
	last map[int]farCount // by the stream's number
}

type farCount struct {
	at          time.Duration // since the test's start
	told, asked mark          // at the last report, and at the last that since returned
	fresh       bool
	jitter      tcpinfo.Opt[time.Duration]
}

// hear takes in a report. What does not read is left out: a report is a courtesy.
func (f *farCounts) hear(text []byte) {
	var r report
	if decode(text, &r) != nil || !(r.Seconds >= 0) || r.Seconds > maxTime {
		return
	}
	for _, s := range r.Streams[:min(len(r.Streams), maxStreams)] {
		if s.Packets == nil || s.Lost == nil {
			continue
		}
		if f.last == nil {
			f.last = map[int]farCount{}
		}
		c, known := f.last[s.ID]
		if !known && len(f.last) == maxStreams {
			continue
		}
		c.at, c.fresh = time.Duration(r.Seconds*float64(time.Second)), true
		c.told = mark{packets: *s.Packets, lost: *s.Lost, reordered: or0(s.OutOfOrder), hostDropped: or0(s.HostDropped)}
		if j := within(s.Jitter, maxTime); j != nil {
			c.jitter = tcpinfo.Opt[time.Duration]{Value: time.Duration(*j * float64(time.Second)), OK: true}
		}
		f.last[s.ID] = c
	}
}

func or0(v *uint64) uint64 {
	if v == nil {
		return 0
	}
	return *v
}

// since returns what was told of a stream since the last call; nil if nothing was, or more than the datagrams sent.
func (f *farCounts) since(id int, sent uint64) *FarInterval {
	c, ok := f.last[id]
	if !ok || !c.fresh || c.told.packets > sent || c.told.lost > sent-c.told.packets {
		return nil
	}
	d := c.told.since(c.asked)
	c.asked, c.fresh = c.told, false
	f.last[id] = c
	return &FarInterval{To: c.at, Packets: d.packets, Lost: d.lost, OutOfOrder: d.reordered, HostDropped: d.hostDropped, Jitter: c.jitter}
}
