// Package parse turns the text that a device prints for a command into a [devices.Reading].
//
// [Parsers] is the visible list: one line per platform and command. The parsers are in one package per platform;
// each says in its comment what it reads and what it leaves alone. No parser fails: what is not in a text is not
// in the reading.
//
// What it leaves to others: sending commands (cli), and comparing readings (devices.Differ).
package parse

import (
	"fmt"
	"strings"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/parse/cisco_ios"
)

// Input is a command's output and when it was asked.
type Input struct {
	Text string
	Span timeline.Span // from the question to the last byte of the answer, on the probe's clock
}

// Parser puts what a text says into a reading that others may have begun.
type Parser func(Input, *devices.Reading)

// Parsers lists the parsers by platform and command, without the command's argument.
var Parsers = map[string]map[string]Parser{
	"cisco_ios": {
		"show interfaces":           ciscoInterfaces,
		"show spanning-tree detail": ciscoSpanningTree,
		"show logging":              ciscoLogging,
		"show clock":                ciscoClock,
		"show version":              ciscoVersion,
	},
	"cisco_iosxe": {
		"show interfaces":           ciscoInterfaces,
		"show spanning-tree detail": ciscoSpanningTree,
		"show logging":              ciscoLogging,
		"show clock":                ciscoClock,
		"show version":              ciscoVersion,
	},
}

// Into parses the output of a command and puts it into r. The error says that there is no parser for the
// command on the platform.
func Into(platform, command string, in Input, r *devices.Reading) error {
	for c := command; c != ""; {
		if p := Parsers[platform][c]; p != nil {
			p(in, r)
			return nil
		}
		c = c[:max(0, strings.LastIndexByte(c, ' '))]
	}
	return fmt.Errorf("parse: no parser for %q on platform %q", command, platform)
}

func ciscoInterfaces(in Input, r *devices.Reading) {
	ports := cisco_ios.ShowInterfaces(in.Text)
	list := make([]devices.Interface, len(ports))
	for i, p := range ports {
		list[i] = p.Interface
	}
	merge(r, list)
}

func ciscoSpanningTree(in Input, r *devices.Reading) {
	bridge, ports := cisco_ios.Combine(cisco_ios.ShowSpanningTreeDetail(in.Text))
	if bridge == nil {
		return
	}
	r.Bridge = bridge
	merge(r, ports)
}

func ciscoLogging(in Input, r *devices.Reading) {
	if lines := cisco_ios.ShowLogging(in.Text, in.Span.To); r.Log == nil {
		r.Log = lines // an empty log is not nil: it was read
	} else {
		r.Log = append(r.Log, lines...)
	}
}

func ciscoClock(in Input, r *devices.Reading) {
	if c, ok := cisco_ios.ShowClock(in.Text); ok {
		r.LocalClock = devices.Some(devices.LocalClock{Time: c.Time, Span: in.Span, Quality: c.Quality})
	}
}

func ciscoVersion(in Input, r *devices.Reading) {
	software, hostname := cisco_ios.ShowVersion(in.Text)
	if software != "" {
		r.SysDescr = devices.Some(software)
	}
	if hostname != "" {
		r.SysName = devices.Some(hostname)
	}
}

// merge adds ports to the reading. Of those that are there already, their spanning tree is filled in, and their
// counters where there were none.
func merge(r *devices.Reading, ports []devices.Interface) {
	if len(r.Interfaces) == 0 {
		r.Interfaces = ports
		return
	}
	at := make(map[string]int, len(r.Interfaces))
	for i := range r.Interfaces {
		at[devices.PortKey(r.Interfaces[i].Name)] = i
	}
	for _, p := range ports {
		i, ok := at[devices.PortKey(p.Name)]
		if !ok {
			at[devices.PortKey(p.Name)] = len(r.Interfaces)
			r.Interfaces = append(r.Interfaces, p)
			continue
		}
		have := &r.Interfaces[i]
		if !have.Oper.OK && p.Oper.OK {
			p.STPState, p.STPRole, p.Name = have.STPState, have.STPRole, have.Name
			*have = p
			continue
		}
		if p.STPState.OK {
			have.STPState = p.STPState
		}
		if p.STPRole.OK {
			have.STPRole = p.STPRole
		}
	}
}

// Found is a block of show interfaces in a text.
type Found struct {
	From, To  int // where it begins and ends in the text, in bytes
	Interface devices.Interface
	Extra     cisco_ios.Extra // rates with their interval, loads, and the words of the header
}

// FindInterfaces finds the blocks of show interfaces that stand anywhere in a text, between sentences in any
// language, in their order. Two blocks of the same port are two snapshots of it.
func FindInterfaces(text string) []Found {
	var out []Found
	for _, p := range cisco_ios.FindInterfaces(text) {
		out = append(out, Found{p.From, p.To, p.Interface, p.Extra})
	}
	return out
}
