package main

import "slices"

// goal is what a contest is to reach against another of its group, as a ratio of medians of pairs. 0: no goal.
type goal struct {
	contest, against string
	least            float64 // units in a second
	floor            float64 // what is less than this is no bad luck any more: something is broken; 0: no such thing
	cpu              float64 // most processor time per unit
	only             string  // whose processor time: "" both ends', "server", "client"
	windows          bool    // the share of good 10 ms windows is compared instead of throughput
	jitter           float64 // most jitter as a ratio, and maxJitter; compared instead of throughput
}

// maxJitter is the most jitter in s that a quiet path may seem to have.
const maxJitter = 20e-6

const congestion = "cubic"

// group is contests that are compared with each other.
type group struct {
	name     string
	unit     string
	scale    float64 // from units in a second to what is printed
	per      string  // unit of the processor time
	perScale float64 // from s per unit to what is printed
	rate     float64 // 0: unlimited
	contests []contest
	goals    []goal
}

func tcpGroup() group {
	cubic := []string{"-C", congestion}
	g := group{
		name: "TCP, one stream", unit: "Gbit/s", scale: 1e-9, per: "ms/Gbit", perScale: 1e12,
		contests: []contest{
			{name: "iperf3", server: stockServer, client: stockClient(cubic...), read: readTCP},
			{name: "iperf3 -Z", server: stockServer, client: stockClient(append(cubic, "-Z")...), read: readTCP},
			{name: "own > own", server: ownServer(), client: ownClient(), read: readEnds(bits)},
			{name: "own > own, portable", server: ownServer("-portable"), client: ownClient("-portable"), read: readEnds(bits)},
		},
		goals: []goal{
			{contest: "own > own", against: "iperf3", least: 2.0, floor: 1, cpu: 0.5},
			{contest: "own > own", against: "iperf3 -Z", least: 1.6, cpu: 0.65},
			{contest: "own > own, portable", against: "iperf3", least: 0.9, floor: 0.4, cpu: 1.15},
		},
	}
	if program != "" {
		g.contests = append(g.contests,
			contest{name: "whydrop > whydrop", server: programServer, client: programClient(programCubic...), read: readProgram},
			contest{name: "iperf3 > whydrop", server: programServer, client: stockClient(cubic...), read: readTCP},
			contest{name: "whydrop > iperf3", server: stockServer, client: programClient(programCubic...), read: readProgram})
		g.goals = append(g.goals,
			goal{contest: "whydrop > whydrop", against: "iperf3", least: 2.0, floor: 1, cpu: 0.5},
			goal{contest: "whydrop > whydrop", against: "iperf3 -Z", least: 1.6, cpu: 0.65},
			goal{contest: "iperf3 > whydrop", against: "iperf3", least: 1.4, cpu: 0.65, only: "server"},
			goal{contest: "whydrop > iperf3", against: "iperf3", least: 1.2})
	}
	return g
}

func udpGroup() group {
	g := group{
		name: "UDP 1470 bytes, one stream, unlimited", unit: "kpps", scale: 1e-3, per: "us/datagram", perScale: 1e6,
		contests: []contest{
			{name: "iperf3 -w 4M", server: stockServer, client: stockClient("-u", "-b", "0", "-l", "1470", "-w", "4M"), read: readUDP},
			{name: "own > own", server: ownServer("-udp"), client: ownClient("-udp"), read: readEnds(datagrams)},
		},
		goals: []goal{{contest: "own > own", against: "iperf3 -w 4M", least: 6, floor: 2, cpu: 0.2}},
	}
	if programUDP {
		u := []string{"-u", "-b", "0", "-l", "1470"}
		g.contests = append(g.contests,
			contest{name: "whydrop > whydrop", server: programServer, client: programClient(u...), read: readProgram},
			contest{name: "iperf3 > whydrop", server: programServer, client: stockClient(append(u, "-w", "4M")...), read: readUDP},
			contest{name: "whydrop > iperf3", server: stockServer, client: programClient(append(u, "-w", "4M")...), read: readProgram})
		g.goals = append(g.goals,
			goal{contest: "whydrop > whydrop", against: "iperf3 -w 4M", least: 6, floor: 2, cpu: 0.2},
			goal{contest: "iperf3 > whydrop", against: "iperf3 -w 4M", least: 0.95},
			goal{contest: "whydrop > iperf3", against: "iperf3 -w 4M", least: 0.95})
	}
	return g
}

func softwareGroup() group {
	g := udpGroup()
	g.name = "UDP 1470 bytes, the kernel cuts in software"
	g.contests = g.contests[:2]
	g.goals = []goal{{contest: "own > own", against: "iperf3 -w 4M", least: 1.8}}
	return g
}

// pacedGroup is datagrams at a rate: do they go evenly?
func pacedGroup(name string, rate float64) group {
	g := udpGroup()
	g.name, g.rate, g.contests = "UDP 1470 bytes at "+name, rate, g.contests[:2:2]
	g.contests[0] = contest{name: "iperf3", server: stockServer, client: stockClient("-u", "-l", "1470"), read: readUDP}
	g.goals = []goal{{contest: "own > own", against: "iperf3", windows: true}}
	return g
}

// jitterGroup is few datagrams over a path without jitter: what is measured is the host's own.
func jitterGroup() group {
	const perSecond = 200
	g := pacedGroup("200 a second", perSecond*datagram*8)
	g.goals = []goal{{contest: "own > own", against: "iperf3", jitter: 0.2}}
	return g
}

// without leaves a contest out, unless the group is about nothing else.
func (g group) without(name string) group {
	if len(g.contests) <= 2 {
		return g
	}
	g.contests = slices.DeleteFunc(slices.Clone(g.contests), func(c contest) bool { return c.name == name })
	g.goals = slices.DeleteFunc(slices.Clone(g.goals), func(l goal) bool { return l.contest == name || l.against == name })
	return g
}
