package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/netip"
	"os"
	"os/exec"
	"strconv"

	"whydrop/devices/snmp/snmptest"
)

// counterColumns are the twenty counters of a port that are compared: ifTable discards, errors and unknown protocols,
// ifXTable octets and packets in 64 bits, dot3StatsTable errors.
var counterColumns = []string{
	"1.3.6.1.2.1.2.2.1.13", "1.3.6.1.2.1.2.2.1.14", "1.3.6.1.2.1.2.2.1.15", "1.3.6.1.2.1.2.2.1.19", "1.3.6.1.2.1.2.2.1.20",
	"1.3.6.1.2.1.10.7.2.1.2", "1.3.6.1.2.1.10.7.2.1.3", "1.3.6.1.2.1.10.7.2.1.4", "1.3.6.1.2.1.10.7.2.1.5",
	"1.3.6.1.2.1.10.7.2.1.8", "1.3.6.1.2.1.10.7.2.1.13", "1.3.6.1.2.1.10.7.2.1.18",
	"1.3.6.1.2.1.31.1.1.1.6", "1.3.6.1.2.1.31.1.1.1.7", "1.3.6.1.2.1.31.1.1.1.8", "1.3.6.1.2.1.31.1.1.1.9",
	"1.3.6.1.2.1.31.1.1.1.10", "1.3.6.1.2.1.31.1.1.1.11", "1.3.6.1.2.1.31.1.1.1.12", "1.3.6.1.2.1.31.1.1.1.13",
}

// firstIndex is the ifIndex of the first port.
const firstIndex = 10101

// counter is the identifier of one counter of a port, from 0.
func counter(column string, port int) string { return column + "." + strconv.Itoa(firstIndex+port) }

// rows are the objects of an agent. With identity it also has what a collector needs to find the ports by.
func rows(ports int, identity bool) map[string]snmptest.Value {
	out := map[string]snmptest.Value{}
	for port := range ports {
		for n, col := range counterColumns {
			v := uint64(port)<<20 + uint64(n) + 1<<30
			if n >= 12 {
				out[counter(col, port)] = snmptest.C64(1<<60 + v<<20)
			} else {
				out[counter(col, port)] = snmptest.C32(uint32(v))
			}
		}
		if identity {
			out[counter("1.3.6.1.2.1.31.1.1.1.1", port)] = snmptest.Str(portName(port))
			out[counter("1.3.6.1.2.1.2.2.1.2", port)] = snmptest.Str(portName(port))
			out[counter("1.3.6.1.2.1.2.2.1.8", port)] = snmptest.Int(1)
			out[counter("1.3.6.1.2.1.31.1.1.1.15", port)] = snmptest.Gauge(1000)
		}
	}
	if identity {
		out["1.3.6.1.2.1.1.3.0"] = snmptest.Ticks(1)
		out["1.3.6.1.2.1.1.5.0"] = snmptest.Str("sw")
		out["1.3.6.1.2.1.1.1.0"] = snmptest.Str("canned")
	}
	return out
}

func portName(port int) string { return "GigabitEthernet1/0/" + strconv.Itoa(port+1) }

// The v3 agents' user.
const (
	user     = "reader"
	authPass = "authenticate"
	privPass = "encipher it"
	engine   = "\x80\x00\x1f\x88\x04bench"
)

// serveAgents serves agents until its standard input ends: "canned", "device" (canned, with identity) or "v3"; how
// many, with how many ports each. It prints their addresses first.
func serveAgents(args []string) error {
	if len(args) != 3 {
		return errors.New("agents: KIND COUNT PORTS")
	}
	count, err1 := strconv.Atoi(args[1])
	ports, err2 := strconv.Atoi(args[2])
	if err := errors.Join(err1, err2); err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	for range count {
		addr, end, err := serveAgent(args[0], ports)
		if err != nil {
			return err
		}
		defer end()
		fmt.Fprintln(out, addr)
	}
	out.Flush()
	_, err := io.Copy(io.Discard, os.Stdin)
	return err
}

func serveAgent(kind string, ports int) (netip.AddrPort, func() error, error) {
	if kind == "v3" {
		a := &snmptest.Agent{User: user, AuthPass: authPass, PrivPass: privPass, EngineID: engine}
		for id, v := range rows(ports, true) {
			a.Set(id, v)
		}
		addr, err := a.Listen("127.0.0.1:0")
		return addr, a.Close, err
	}
	a, err := snmptest.NewCanned(rows(ports, kind == "device"))
	if err != nil {
		return netip.AddrPort{}, nil, err
	}
	a.Growth = 100_000
	addr, err := a.Listen("127.0.0.1:0")
	return addr, a.Close, err
}

// startAgents starts serveAgents in a process of its own. end stops it.
func startAgents(ctx context.Context, kind string, count, ports int) (addrs []netip.AddrPort, end func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	cmd := exec.CommandContext(ctx, self, "agents", kind, strconv.Itoa(count), strconv.Itoa(ports))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	end = func() {
		in.Close()
		cmd.Wait()
	}
	lines := bufio.NewScanner(out)
	for len(addrs) < count && lines.Scan() {
		a, err := netip.ParseAddrPort(lines.Text())
		if err != nil {
			end()
			return nil, nil, err
		}
		addrs = append(addrs, a)
	}
	if len(addrs) < count {
		end()
		return nil, nil, errors.New("the agents did not start")
	}
	return addrs, end, nil
}
