package host

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
)

// ReadCPU returns what the processors did so far. An error means that the system does not tell.
func ReadCPU() (CPU, error) {
	p := procFile{path: "/proc/stat"}
	defer p.close()
	b, err := p.read()
	if err != nil {
		return CPU{}, err
	}
	return parseStat(b)
}

// parseStat reads the lines cpu, cpu0, ... at the head of /proc/stat (proc(5)): user nice system idle iowait irq
// softirq steal, then guest times, which user and nice hold already. Kernels before 2.6.11 end earlier.
func parseStat(b []byte) (CPU, error) {
	var c CPU
	found := false
	for len(b) > 0 {
		line, rest, _ := bytes.Cut(b, []byte("\n"))
		b = rest
		id, isCPU := bytes.CutPrefix(line, []byte("cpu"))
		if !isCPU {
			break
		}
		id, fields, _ := bytes.Cut(id, []byte(" "))
		t, err := parseTimes(fields)
		if err != nil {
			return CPU{}, fmt.Errorf("/proc/stat: %w", err)
		}
		if len(id) == 0 {
			c.All, found = t, true
			continue
		}
		n, err := strconv.Atoi(string(id))
		if err != nil {
			return CPU{}, fmt.Errorf("/proc/stat: %q is no number of a core", id)
		}
		c.Cores = append(c.Cores, Core{n, t})
	}
	if !found {
		return CPU{}, errors.New("/proc/stat: no line about all cores")
	}
	return c, nil
}

func parseTimes(b []byte) (Times, error) {
	var t Times
	to := [...]*uint64{&t.User, &t.Nice, &t.System, &t.Idle, &t.IOWait, &t.IRQ, &t.SoftIRQ, &t.Steal}
	n := 0
	for f := range bytes.FieldsSeq(b) {
		if n == len(to) {
			break
		}
		v, err := strconv.ParseUint(string(f), 10, 64)
		if err != nil {
			return t, fmt.Errorf("%q is no number of ticks", f)
		}
		*to[n] = v
		n++
	}
	if n < 4 {
		return t, fmt.Errorf("%d figures of a core, want at least 4", n)
	}
	return t, nil
}
