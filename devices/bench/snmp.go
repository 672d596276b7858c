package main

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp"
	"whydrop/devices/snmp/fast"
)

// Goals of the figures: shares of the other's processor time, of a core, and of polls.
const (
	goalWalk   = 0.15
	goalWalkV3 = 0.25
	goalFleet  = 0.12
	goalMissed = 0.01
)

// snmpSpeed prints ratios of runs that take turns, and what fleets cost. Tools that are not installed are named. With
// full it fails if a goal was missed; a short run on a busy host proves nothing. With the argument "fleets" it leaves
// out the comparison with others; with "loop" or "poller" behind it, the fleets' other way, too.
func snmpSpeed(full bool, args []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	rounds, polls := 3, 100
	fleets := []fleet{{"20 switches x 48 ports", 20, 48, 5 * time.Second, 0, 0}}
	if full {
		rounds, polls = 9, 400
		fleets = []fleet{
			{"100 switches x 48 ports", 100, 48, 30 * time.Second, goalFleet, 0},
			{"500 devices x 24 ports", 500, 24, 30 * time.Second, 0, goalMissed},
		}
	}
	var g goals
	if !slices.Contains(args, "fleets") {
		if err := compareV2c(ctx, &g, rounds, polls); err != nil {
			return err
		}
		if err := compareV3(ctx, &g, rounds, polls/4); err != nil {
			return err
		}
	}
	for _, f := range fleets {
		for n, way := range fleetWays {
			if slices.Contains(args, "loop") && way.agents != "canned" || slices.Contains(args, "poller") && way.agents != "device" {
				continue
			}
			if err := f.measure(ctx, &g, n); err != nil {
				return fmt.Errorf("%s, %s: %w", f.what, way.name, err)
			}
		}
	}
	if full {
		return g.err()
	}
	return nil
}

// ports48 is how many ports the compared device has.
const ports48 = 48

// ask asks one device for everything once.
type ask func(ctx context.Context) error

// compareV2c compares one device's counters with the tools.
func compareV2c(ctx context.Context, g *goals, rounds, polls int) error {
	addrs, end, err := startAgents(ctx, "canned", 1, ports48)
	if err != nil {
		return err
	}
	defer end()
	client, err := fast.NewCommunity(fast.V2c, "public")
	if err != nil {
		return err
	}
	loop, stop, err := counterLoop(client, addrs[0], ports48)
	if err != nil {
		return err
	}
	defer stop()
	exporter, err := startExporter(ctx, addrs[0])
	if err != nil {
		fmt.Printf("  prometheus-snmp-exporter takes no part: %v\n", err)
	} else {
		defer exporter.stop()
	}
	walk := walker{args: []string{"-v2c", "-cpublic"}, target: addrs[0]}
	whole, end, err := deviceAgent(ctx)
	if err != nil {
		return err
	}
	defer end()
	var ours, wholes, theirs, exporters series
	for range rounds {
		if err := repeat(ctx, loop, polls, &ours); err != nil {
			return err
		}
		if err := repeat(ctx, whole, polls, &wholes); err != nil {
			return err
		}
		if err := walk.repeat(ctx, polls/10, &theirs); err != nil {
			fmt.Printf("  snmpbulkwalk takes no part: %v\n", err)
			break
		}
		if exporter != nil {
			if err := exporter.repeat(ctx, polls/5, &exporters); err != nil {
				return err
			}
		}
	}
	fmt.Printf("  20 counters x 48 ports, v2c; processor time of one poll\n")
	fmt.Printf("    counter loop              %s us, %.2f us a counter\n", ours.text("%.0f"), ours.median()/(20*ports48))
	fmt.Printf("    collector, whole reading  %s us\n", wholes.text("%.0f"))
	if len(theirs) > 0 {
		r := ours.over(theirs)
		fmt.Printf("    snmpbulkwalk              %s us; ratio %s, %s\n", theirs.text("%.0f"), r.text("%.3f"), g.most("v2c beside snmpbulkwalk", r.median(), goalWalk))
	}
	if len(exporters) > 0 {
		r := ours.over(exporters)
		fmt.Printf("    prometheus-snmp-exporter  %s us; ratio %s, %s\n", exporters.text("%.0f"), r.text("%.3f"), g.most("v2c beside the exporter", r.median(), goalWalk))
	}
	return nil
}

// deviceAgent returns a poll of all that the collector reads of a device with the same counters.
func deviceAgent(ctx context.Context) (ask, func(), error) {
	addrs, end, err := startAgents(ctx, "device", 1, ports48)
	if err != nil {
		return nil, nil, err
	}
	c := snmp.New()
	p := collectorPoll(c, deviceOf("sw", addrs[0], ports48))
	return p, func() { c.Close(); end() }, settle(ctx, p)
}

// settle polls until first contact, and finding out what the device lacks, are over.
func settle(ctx context.Context, p ask) error {
	for range 10 {
		if err := p(ctx); err != nil {
			return fmt.Errorf("first contact: %w", err)
		}
	}
	return nil
}

// compareV3 is the same with authentication by SHA and encryption by AES.
func compareV3(ctx context.Context, g *goals, rounds, polls int) error {
	addrs, end, err := startAgents(ctx, "v3", 1, ports48)
	if err != nil {
		return err
	}
	defer end()
	client, err := userClient()
	if err != nil {
		return err
	}
	loop, stop, err := counterLoop(client, addrs[0], ports48)
	if err != nil {
		return err
	}
	defer stop()
	walk := walker{args: []string{"-v3", "-u", user, "-l", "authPriv", "-a", "SHA", "-A", authPass, "-x", "AES", "-X", privPass}, target: addrs[0]}
	var ours, theirs series
	for range rounds {
		if err := repeat(ctx, loop, polls, &ours); err != nil {
			return err
		}
		if err := walk.repeat(ctx, max(2, polls/10), &theirs); err != nil {
			fmt.Printf("  snmpbulkwalk -v3 takes no part: %v\n", err)
			break
		}
	}
	fmt.Printf("  20 counters x 48 ports, v3 authPriv (SHA, AES); processor time of one poll\n")
	fmt.Printf("    counter loop              %s us, %.2f us a counter\n", ours.text("%.0f"), ours.median()/(20*ports48))
	if len(theirs) > 0 {
		r := ours.over(theirs)
		fmt.Printf("    snmpbulkwalk -v3          %s us; ratio %s, %s\n", theirs.text("%.0f"), r.text("%.3f"), g.most("v3 beside snmpbulkwalk", r.median(), goalWalkV3))
	}
	return nil
}

// repeat adds the processor time of one poll in us.
func repeat(ctx context.Context, p ask, n int, out *series) error {
	took, err := spent(func() error {
		for range n {
			if err := p(ctx); err != nil {
				return err
			}
		}
		return nil
	})
	*out = append(*out, float64(took.Nanoseconds())/1e3/float64(n))
	return err
}

// patience is how long an answer is waited for: what comes late on a busy host is late, not lost.
const patience = 10 * time.Second

// perRequest is how many counters one GET asks for, so that its answer fits an Ethernet frame.
const perRequest = 40

// counterLoop polls the ports' counters by the codec alone.
func counterLoop(c *fast.Client, addr netip.AddrPort, ports int) (ask, func() error, error) {
	var ids []string
	for port := range ports {
		for _, col := range counterColumns {
			ids = append(ids, counter(col, port))
		}
	}
	var requests []*fast.Request
	for len(ids) > 0 {
		n := min(perRequest, len(ids))
		r, err := fast.NewRequest(ids[:n])
		if err != nil {
			return nil, nil, err
		}
		requests, ids = append(requests, r), ids[n:]
	}
	conn, err := net.Dial("udp", addr.String())
	if err != nil {
		return nil, nil, err
	}
	answers := make([]fast.Answer, len(requests))
	return func(ctx context.Context) error {
		if err := c.Ask(ctx, conn, requests, answers, patience); err != nil {
			return err
		}
		for _, a := range answers {
			if a.Outcome != fast.OK {
				return errors.New("an answer is missing")
			}
		}
		return nil
	}, conn.Close, nil
}

// userClient returns a client of the v3 agents, whose engine is known.
func userClient() (*fast.Client, error) {
	c, err := fast.NewUser(fast.User{
		Name: user, Engine: engine, Hash: sha1.New, MAC: 12,
		AuthKey: localised(authPass), PrivKey: localised(privPass)[:16], // RFC 3826, section 1.2.1: AES with 128 bits
	})
	if err == nil {
		c.Engine(1, 1)
	}
	return c, err
}

// localised makes a key of a pass phrase for the agents' engine by SHA (RFC 3414, section A.2.2).
func localised(pass string) []byte {
	const octets = 1 << 20
	h := sha1.New()
	h.Write([]byte(strings.Repeat(pass, octets/len(pass)+1)[:octets]))
	key := h.Sum(nil)
	sum := sha1.Sum([]byte(string(key) + engine + string(key)))
	return sum[:]
}

// walker is net-snmp's tool over the same rows.
type walker struct {
	args   []string
	target netip.AddrPort
}

func (w walker) repeat(ctx context.Context, n int, out *series) error {
	path, err := exec.LookPath("snmpbulkwalk")
	if err != nil {
		return err
	}
	var total time.Duration
	for range n {
		cmd := exec.CommandContext(ctx, path, append(append([]string{"-On", "-m", "", "-Cr50"}, w.args...), w.target.String(), "1.3.6.1.2.1")...)
		got, err := cmd.Output()
		if err != nil {
			return err
		}
		if len(got) < 20*ports48*30 { // a line is longer
			return errors.New("it did not print every row")
		}
		total += cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	*out = append(*out, float64(total.Nanoseconds())/1e3/float64(n))
	return nil
}

// collectorPoll polls the same ports through the collector: port map, clock, states and every counter it knows.
func collectorPoll(c *snmp.Collector, d devices.Device) ask {
	return func(ctx context.Context) error {
		r, err := c.Collect(ctx, d)
		if err == nil && !whole(r, len(d.Ports)) {
			err = errors.New("counters or ports are missing")
		}
		return err
	}
}

// deviceOf is an agent's entry in a site file, with all its ports watched.
func deviceOf(name string, addr netip.AddrPort, ports int) devices.Device {
	d := devices.Device{
		Name: name, Address: addr.Addr().String(),
		SNMP: &devices.SNMP{Port: addr.Port(), Community: devices.NewSecret("public"), Timeout: patience},
	}
	for port := range ports {
		d.Ports = append(d.Ports, portName(port))
	}
	return d
}

// whole says whether every port is in the reading with its counters.
func whole(r devices.Reading, ports int) bool {
	for n := range r.Interfaces {
		if i := &r.Interfaces[n]; !i.InOctets.OK || !i.FCS.OK || !i.OutDrops.OK {
			return false
		}
	}
	return len(r.Interfaces) == ports
}
