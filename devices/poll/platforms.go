package poll

import (
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/cli"
	"whydrop/devices/snmp"
)

// Platforms lists, by the platform in the site file, which collectors a device is asked by. "" stands for a
// device whose platform is not given and for every platform that is not listed. What the collectors of the command
// line ask each platform stands in cli.Platforms.
var Platforms = map[string][]Source{
	"": {SNMP, Interfaces, Log, Slow},
}

// Source is one kind of question that a device is asked at its own cadence.
type Source struct {
	Name string
	// Wanted says whether the site file tells how to ask the device this way.
	Wanted func(devices.Device) bool
	// Every is how often it is asked.
	Every func(Config) time.Duration
	// Limit is the longest that one question may take.
	Limit time.Duration

	collector func(*collectors) devices.Collector
}

// way names the collector in an Origin: all kinds of questions over SSH are one.
func (s Source) way() string {
	way, _, _ := strings.Cut(s.Name, "-")
	return way
}

// Sources.
var (
	// SNMP reads counters, states, clock and spanning tree.
	SNMP = Source{
		Name: "snmp", Wanted: func(d devices.Device) bool { return d.SNMP != nil },
		Every: func(c Config) time.Duration { return c.Interval }, Limit: 30 * time.Second,
		collector: func(c *collectors) devices.Collector { return c.snmp },
	}
	// Interfaces reads interfaces, spanning tree and redundancy.
	Interfaces = Source{
		Name: "ssh", Wanted: func(d devices.Device) bool { return d.SSH != nil },
		Every: func(Config) time.Duration { return 5 * time.Second }, Limit: 60 * time.Second,
		collector: func(c *collectors) devices.Collector { return c.cli },
	}
	// Log reads the log and the clock.
	Log = Source{
		Name: "ssh-log", Wanted: func(d devices.Device) bool { return d.SSH != nil && cli.KeepsLog(d) },
		Every: func(c Config) time.Duration { return c.LogInterval }, Limit: 60 * time.Second,
		collector: func(c *collectors) devices.Collector { return c.log },
	}
	// Slow reads what changes rarely: neighbours, optics, the processor's load.
	Slow = Source{
		Name: "ssh-slow", Wanted: func(d devices.Device) bool { return d.SSH != nil && cli.AsksSlowly(d) },
		Every: func(Config) time.Duration { return time.Minute }, Limit: 60 * time.Second,
		collector: func(c *collectors) devices.Collector { return cli.NewSlow(c.cli) },
	}
)

// sources returns the sources by which a device is asked.
func sources(d devices.Device) []Source {
	list, ok := Platforms[d.Platform]
	if !ok {
		list = Platforms[""]
	}
	var out []Source
	for _, s := range list {
		if s.Wanted(d) {
			out = append(out, s)
		}
	}
	return out
}

// collectors are shared by all devices; each keeps its sessions apart.
type collectors struct {
	snmp *snmp.Collector
	cli  *cli.Collector
	log  devices.Collector
}

func newCollectors(cfg Config) *collectors {
	c := &collectors{snmp: snmp.New(), cli: cli.New()}
	c.snmp.Tape, c.cli.Tape = cfg.Tape, cfg.Tape
	c.log = cli.NewLog(c.cli)
	return c
}

func (c *collectors) close() {
	c.snmp.Close()
	c.cli.Close()
}
