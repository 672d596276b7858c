package iperf3

import (
	"bytes"
	"os"
	"strconv"
)

// cpuTicks reads the first line of /proc/stat (proc(5)): user nice system idle iowait irq softirq steal, then
// guest times that user and nice hold already. Idle and iowait are not busy.
func cpuTicks() (busy, all uint64, ok bool) {
	b, err := os.ReadFile("/proc/stat")
	if err != nil {
		return 0, 0, false
	}
	return parseTicks(b)
}

func parseTicks(b []byte) (busy, all uint64, ok bool) {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	fields := bytes.Fields(line)
	if len(fields) < 5 || string(fields[0]) != "cpu" {
		return 0, 0, false
	}
	for i, f := range fields[1:min(len(fields), 9)] {
		v, err := strconv.ParseUint(string(f), 10, 64)
		if err != nil {
			return 0, 0, false
		}
		all += v
		if i != 3 && i != 4 {
			busy += v
		}
	}
	return busy, all, true
}
