package main

import (
	"context"
	"crypto/sha1"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os/exec"
	"time"

	"github.com/gosnmp/gosnmp"

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

func snmpFigure(ctx context.Context, full bool) error {
	rounds, polls := 3, 100
	if full {
		rounds, polls = 9, 400
	}
	if err := compareV2c(ctx, rounds, polls, full); err != nil {
		return err
	}
	if err := compareV3(ctx, rounds, polls/4); err != nil {
		return err
	}
	fleets := []fleet{{"20 switches x 48 ports", 20, 48, 5 * time.Second, 0, 0}}
	if full {
		fleets = []fleet{
			{"100 switches x 48 ports", 100, 48, 30 * time.Second, goalFleet, 0},
			{"500 devices x 24 ports", 500, 24, 30 * time.Second, 0, goalMissed},
		}
	}
	for _, f := range fleets {
		for _, kind := range []string{"counter loop", "collector"} {
			if err := f.measure(ctx, kind); err != nil {
				return err
			}
		}
	}
	return nil
}

// ports48 is how many ports the compared device has.
const ports48 = 48

// poll asks one device for everything once.
type poll func(ctx context.Context) error

// compareV2c compares one device's counters with the tools.
func compareV2c(ctx context.Context, rounds, polls int, full bool) error {
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
	var ours, theirs, exporters series
	for range rounds {
		if err := repeat(ctx, loop, polls, &ours); err != nil {
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
	if len(theirs) > 0 {
		r := ours.over(theirs)
		fmt.Printf("    snmpbulkwalk              %s us; ratio %s, %s\n", theirs.text("%.0f"), r.text("%.3f"), goal(r.median(), goalWalk, "%.2f"))
	}
	if len(exporters) > 0 {
		r := ours.over(exporters)
		fmt.Printf("    prometheus-snmp-exporter  %s us; ratio %s, %s\n", exporters.text("%.0f"), r.text("%.3f"), goal(r.median(), goalWalk, "%.2f"))
	}
	return nil
}

// compareV3 is the same with authentication by SHA and encryption by AES.
func compareV3(ctx context.Context, rounds, polls int) error {
	addrs, end, err := startAgents(ctx, "v3", 1, ports48)
	if err != nil {
		return err
	}
	defer end()
	client, err := userClient(addrs[0])
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
		fmt.Printf("    snmpbulkwalk -v3          %s us; ratio %s, %s\n", theirs.text("%.0f"), r.text("%.3f"), goal(r.median(), goalWalkV3, "%.2f"))
	}
	return nil
}

// repeat adds the processor time of one poll in us.
func repeat(ctx context.Context, p poll, n int, out *series) error {
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

// perRequest is how many counters one GET asks for, so that its answer fits an Ethernet frame.
const perRequest = 40

// counterLoop polls the ports' counters by the codec alone.
func counterLoop(c *fast.Client, addr netip.AddrPort, ports int) (poll, func() error, error) {
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
		if err := c.Ask(ctx, conn, requests, answers, time.Second); err != nil {
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

// userClient finds the engine by gosnmp and returns a client with its keys.
func userClient(addr netip.AddrPort) (*fast.Client, error) {
	p := &gosnmp.UsmSecurityParameters{
		UserName: user, AuthenticationProtocol: gosnmp.SHA, AuthenticationPassphrase: authPass,
		PrivacyProtocol: gosnmp.AES, PrivacyPassphrase: privPass,
	}
	x := &gosnmp.GoSNMP{
		Target: addr.Addr().String(), Port: addr.Port(), Transport: "udp", Timeout: 5 * time.Second, MaxOids: gosnmp.MaxOids,
		Version: gosnmp.Version3, SecurityModel: gosnmp.UserSecurityModel, MsgFlags: gosnmp.AuthPriv, SecurityParameters: p,
	}
	if err := x.Connect(); err != nil {
		return nil, err
	}
	defer x.Conn.Close()
	if _, err := x.Get([]string{"1.3.6.1.2.1.1.3.0"}); err != nil {
		return nil, err
	}
	p = x.SecurityParameters.(*gosnmp.UsmSecurityParameters)
	c, err := fast.NewUser(fast.User{
		Name: user, Engine: p.AuthoritativeEngineID, Hash: sha1.New, MAC: 12, AuthKey: p.SecretKey, PrivKey: p.PrivacyKey,
	})
	if err != nil {
		return nil, err
	}
	c.Engine(p.AuthoritativeEngineBoots, p.AuthoritativeEngineTime)
	return c, nil
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
func collectorPoll(c *snmp.Collector, name string, addr netip.AddrPort, ports int) poll {
	d := devices.Device{
		Name: name, Address: addr.Addr().String(),
		SNMP: &devices.SNMP{Port: addr.Port(), Community: devices.NewSecret("public")},
	}
	for port := range ports {
		d.Ports = append(d.Ports, portName(port))
	}
	return func(ctx context.Context) error {
		r, err := c.Collect(ctx, d)
		if err != nil {
			return err
		}
		for _, i := range r.Interfaces {
			if !i.InOctets.OK || !i.FCS.OK || !i.OutDrops.OK {
				return fmt.Errorf("%s: counters are missing", i.Name)
			}
		}
		if len(r.Interfaces) != ports {
			return errors.New("ports are missing")
		}
		return nil
	}
}
