package main

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// exporter is a prometheus-snmp-exporter that runs for the comparison.
type exporter struct {
	cmd *exec.Cmd
	dir string
	url string
}

// startExporter starts it with a module of the same twenty columns. It fails where it is not installed.
func startExporter(ctx context.Context, target netip.AddrPort) (*exporter, error) {
	path, err := exec.LookPath("prometheus-snmp-exporter")
	if err != nil {
		return nil, err
	}
	if _, err := childTime(os.Getpid()); err != nil {
		return nil, err
	}
	x := &exporter{}
	if x.dir, err = os.MkdirTemp("", "wdbench-"); err != nil {
		return nil, err
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	web := l.Addr().String()
	l.Close()
	config := filepath.Join(x.dir, "snmp.yml")
	if err := os.WriteFile(config, []byte(exporterConfig()), 0o600); err != nil {
		return nil, err
	}
	x.cmd = exec.CommandContext(ctx, path, "--config.file="+config, "--web.listen-address="+web)
	if err := x.cmd.Start(); err != nil {
		return nil, err
	}
	x.url = "http://" + web + "/snmp?module=bench&target=" + target.String()
	for begin := time.Now(); ; time.Sleep(50 * time.Millisecond) {
		if err = x.scrape(ctx); err == nil {
			return x, nil
		}
		if time.Since(begin) > 10*time.Second {
			x.stop()
			return nil, fmt.Errorf("it gives no counters: %w", err)
		}
	}
}

func exporterConfig() string {
	var b strings.Builder
	b.WriteString("bench:\n  version: 2\n  max_repetitions: 50\n  timeout: 5s\n  auth:\n    community: public\n  walk:\n")
	for _, c := range counterColumns {
		b.WriteString("  - " + c + "\n")
	}
	b.WriteString("  metrics:\n")
	for n, c := range counterColumns {
		fmt.Fprintf(&b, "  - name: c%d\n    oid: %s\n    type: counter\n    help: a counter\n    indexes:\n    - labelname: ifIndex\n      type: gauge\n", n, c)
	}
	return b.String()
}

func (x *exporter) stop() {
	x.cmd.Process.Kill()
	x.cmd.Wait()
	os.RemoveAll(x.dir)
}

func (x *exporter) scrape(ctx context.Context) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, x.url, nil)
	if err != nil {
		return err
	}
	r, err := http.DefaultClient.Do(q)
	if err != nil {
		return err
	}
	defer r.Body.Close()
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return err
	}
	if n := strings.Count(string(body), "\nc"); n < 20*ports48 {
		return fmt.Errorf("%d of %d counters, %s", n, 20*ports48, r.Status)
	}
	return nil
}

func (x *exporter) repeat(ctx context.Context, n int, out *series) error {
	from, err := childTime(x.cmd.Process.Pid)
	if err != nil {
		return err
	}
	for range n {
		if err := x.scrape(ctx); err != nil {
			return err
		}
	}
	to, err := childTime(x.cmd.Process.Pid)
	*out = append(*out, float64((to-from).Nanoseconds())/1e3/float64(n))
	return err
}

// childTime is the processor time of a process that runs: Linux tells it in /proc in hundredths of a second.
func childTime(pid int) (time.Duration, error) {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	var ticks [2]int64
	// proc(5): the fields after the name in brackets; utime and stime are the 14th and 15th of all.
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	if len(f) < 13 {
		return 0, fmt.Errorf("/proc/%d/stat is too short", pid)
	}
	for i := range ticks {
		if _, err := fmt.Sscan(f[11+i], &ticks[i]); err != nil {
			return 0, err
		}
	}
	return time.Duration(ticks[0]+ticks[1]) * 10 * time.Millisecond, nil
}
