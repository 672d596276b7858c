package host

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"strconv"
	"strings"
	"time"
)

// readWaits reads /proc/self/task/*/schedstat (Documentation/scheduler/sched-stats.rst): time on a processor, time on a
// run queue, both in ns, and how often it ran; and cpu.stat of the control groups.
func readWaits() (Waits, error) {
	const tasks = "/proc/self/task"
	threads, err := os.ReadDir(tasks)
	if err != nil {
		return Waits{}, err
	}
	var w Waits
	read := 0
	for _, t := range threads {
		b, err := os.ReadFile(path.Join(tasks, t.Name(), "schedstat"))
		if err != nil {
			continue // it ended
		}
		ready, err := parseSchedstat(b)
		if err != nil {
			return Waits{}, err
		}
		w.Ready += ready
		read++
	}
	if read == 0 {
		return Waits{}, errNotGiven
	}
	if groups, err := os.ReadFile("/proc/self/cgroup"); err == nil {
		w.Throttled, w.Limited = throttled(groups, os.ReadFile)
	}
	return w, nil
}

// parseSchedstat returns the time that a thread was on a run queue and did not run.
func parseSchedstat(b []byte) (time.Duration, error) {
	f := bytes.Fields(b)
	if len(f) < 2 {
		return 0, fmt.Errorf("schedstat: %d figures, want 3", len(f))
	}
	n, err := strconv.ParseInt(string(f[1]), 10, 64)
	if err != nil || n < 0 {
		return 0, fmt.Errorf("schedstat: %q is no time", f[1])
	}
	return time.Duration(n), nil
}

// throttled adds up how long quotas stopped the control groups that the process is in (/proc/self/cgroup, cgroups(7)),
// its own and those above. In a container the path may be the host's, which is not seen in there: then what is mounted
// as the root is the container's own. It is not known (false) if no group tells.
func throttled(groups []byte, read func(string) ([]byte, error)) (sum time.Duration, known bool) {
	const mounts = "/sys/fs/cgroup"
	for line := range strings.Lines(string(groups)) {
		fields := strings.SplitN(strings.TrimSpace(line), ":", 3) // number, controllers of version 1, path
		if len(fields) < 3 {
			continue
		}
		var roots []string
		switch controllers := strings.Split(fields[1], ","); {
		case fields[1] == "":
			roots = []string{mounts, mounts + "/unified"}
		case controllers[0] == "cpu" || len(controllers) > 1 && controllers[1] == "cpu":
			roots = []string{mounts + "/" + fields[1], mounts + "/cpu"}
		}
		for _, root := range roots {
			found := false
			for at := path.Clean("/" + fields[2]); ; at = path.Dir(at) {
				b, err := read(path.Join(root, at, "cpu.stat"))
				if t, ok := parseThrottled(b); err == nil && ok {
					sum, known, found = sum+t, true, true
				}
				if at == "/" {
					break
				}
			}
			if found {
				break
			}
		}
	}
	return sum, known
}

// parseThrottled reads a cpu.stat: throttled_usec of version 2, throttled_time in ns of version 1.
func parseThrottled(b []byte) (time.Duration, bool) {
	for line := range strings.Lines(string(b)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		unit := map[string]time.Duration{"throttled_usec": time.Microsecond, "throttled_time": time.Nanosecond}[name]
		if n, err := strconv.ParseInt(value, 10, 64); unit > 0 && err == nil && n >= 0 {
			return time.Duration(n) * unit, true
		}
	}
	return 0, false
}
