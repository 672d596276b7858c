package host

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// ReadUDP returns the counters of datagrams in this network namespace.
func ReadUDP() (UDPCounters, error) {
	f := newUDPFiles()
	defer f.close()
	return f.read()
}

// udpFiles are the files that tell of datagrams (net/ipv4/proc.c, net/ipv6/proc.c).
type udpFiles struct{ four, six procFile }

// netFile returns the path of a file under /proc/net of the calling thread: /proc/net itself is that of the first
// thread, which may be in another namespace.
func netFile(name string) string {
	if path := "/proc/thread-self/net/" + name; exists(path) {
		return path
	}
	return "/proc/net/" + name
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func newUDPFiles() *udpFiles {
	return &udpFiles{four: procFile{path: netFile("snmp")}, six: procFile{path: netFile("snmp6")}}
}

func (f *udpFiles) close() {
	f.four.close()
	f.six.close()
}

func (f *udpFiles) read() (UDPCounters, error) {
	var c UDPCounters
	b, err := f.four.read()
	if err != nil {
		return c, err
	}
	if err := c.addSNMP(b); err != nil {
		return c, err
	}
	b, err = f.six.read()
	if os.IsNotExist(err) {
		return c, nil // without IPv6 there are no such datagrams
	}
	if err != nil {
		return c, err
	}
	return c, c.addSNMP6(b)
}

// field leads from the kernel's names to the counters.
func (c *UDPCounters) field(name string) *uint64 {
	switch name {
	case "InDatagrams":
		return &c.Delivered
	case "NoPorts":
		return &c.NoPort
	case "InErrors":
		return &c.Errors
	case "RcvbufErrors":
		return &c.Full
	case "SndbufErrors":
		return &c.SendFull
	case "InCsumErrors":
		return &c.Checksum
	}
	return nil
}

// addSNMP adds what /proc/net/snmp says: a line of names and a line of figures for each protocol.
func (c *UDPCounters) addSNMP(b []byte) error {
	const protocol = "Udp: "
	var names []string
	for line := range strings.Lines(string(b)) {
		rest, ok := strings.CutPrefix(line, protocol)
		if !ok {
			continue
		}
		if names == nil {
			names = strings.Fields(rest)
			continue
		}
		values := strings.Fields(rest)
		if len(values) != len(names) {
			return fmt.Errorf("snmp: %d names and %d figures of datagrams", len(names), len(values))
		}
		for i, name := range names {
			if err := c.add(name, values[i]); err != nil {
				return fmt.Errorf("snmp: %w", err)
			}
		}
		return nil
	}
	return fmt.Errorf("snmp: nothing about datagrams")
}

// addSNMP6 adds what /proc/net/snmp6 says: a name and a figure on each line.
func (c *UDPCounters) addSNMP6(b []byte) error {
	for line := range bytes.Lines(b) {
		rest, ok := bytes.CutPrefix(line, []byte("Udp6"))
		if !ok {
			continue
		}
		f := bytes.Fields(rest)
		if len(f) != 2 {
			return fmt.Errorf("snmp6: %q is not a name and a figure", bytes.TrimSpace(line))
		}
		if err := c.add(string(f[0]), string(f[1])); err != nil {
			return fmt.Errorf("snmp6: %w", err)
		}
	}
	return nil
}

func (c *UDPCounters) add(name, value string) error {
	to := c.field(name)
	if to == nil {
		return nil
	}
	v, err := strconv.ParseUint(value, 10, 64)
	if err != nil {
		return fmt.Errorf("%s is %q, no number", name, value)
	}
	*to += v
	return nil
}

// parseBacklog adds up the second column of /proc/net/softnet_stat (net/core/net-procfs.c): frames that the input
// queue of a core had no room for. The figures are hexadecimal, a line for each core, of all network namespaces.
func parseBacklog(b []byte) (uint64, error) {
	var sum uint64
	lines := 0
	for line := range bytes.Lines(b) {
		f := bytes.Fields(line)
		if len(f) < 2 {
			return 0, fmt.Errorf("softnet_stat: %q is no line of figures", bytes.TrimSpace(line))
		}
		v, err := strconv.ParseUint(string(f[1]), 16, 64)
		if err != nil {
			return 0, fmt.Errorf("softnet_stat: %q is no number", f[1])
		}
		sum += v
		lines++
	}
	if lines == 0 {
		return 0, fmt.Errorf("softnet_stat: empty")
	}
	return sum, nil
}
