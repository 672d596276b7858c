package app

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/devices"
	"whydrop/probe/runner"
)

// pathSchema is the version of the documents of the path probes. Keys may be added; a change of meaning raises it.
const pathSchema = 1

// PathOptions says which path probe is carried out and how its result is shown. Zero values are for the probe to
// choose.
type PathOptions struct {
	Host    string // as the user named it
	V4, V6  bool   // only addresses of that family
	Port    uint16 // of the far end's iperf3
	STAMP   uint16 // of the far end's STAMP reflector; 0: the one after Port
	SrcPort uint16 // source port, or the first of several
	Rounds  int
	Hops    int            // of a trace: the most there may be
	Ports   int            // of a sweep: how many source ports
	Method  string         // of a trace: udp, icmp, tcp
	By      string         // of the others: what answers
	Max     int            // of the path MTU: the largest packet to try
	Key     devices.Secret // what questions to the STAMP reflector are signed with
	Rate    float64        // of new connections: so many a second
	Time    time.Duration  // of new connections
	Format  string         // text or json
	Out     io.Writer
}

// address resolves the host, in the family that is asked for.
func (o PathOptions) address(ctx context.Context) (netip.Addr, error) {
	network := "ip"
	switch {
	case o.V4:
		network = "ip4"
	case o.V6:
		network = "ip6"
	}
	if a, err := netip.ParseAddr(o.Host); err == nil {
		if o.V4 && !a.Unmap().Is4() || o.V6 && a.Unmap().Is4() {
			return netip.Addr{}, Usagef("%s is of the other address family", o.Host)
		}
		return a.Unmap(), nil
	}
	as, err := net.DefaultResolver.LookupNetIP(ctx, network, o.Host)
	if err != nil {
		return netip.Addr{}, Exit{ExitNotMeasured, fmt.Errorf("find the address of %q: %w", o.Host, err)}
	}
	return as[0].Unmap(), nil
}

func (o PathOptions) port() uint16 {
	if o.Port == 0 {
		return runner.DefaultPort
	}
	return o.Port
}

func (o PathOptions) stampPort() uint16 {
	if o.STAMP != 0 {
		return o.STAMP
	}
	return o.port() + 1
}

// head is what every document begins with.
type pathHead struct {
	SchemaVersion int     `json:"schema_version"`
	Probe         string  `json:"probe"`
	Measured      bool    `json:"measured"`
	Error         *string `json:"error"`
	Host          string  `json:"host"`
	Target        *string `json:"target"` // its address; null: it has none
	Started       *string `json:"started"`
	Seconds       float64 `json:"seconds"`
	Interrupted   bool    `json:"interrupted"`
	Meaning       string  `json:"meaning"`
}

func (o PathOptions) head(probe string, to netip.Addr, started time.Time, seconds float64, meaning string, err error) pathHead {
	h := pathHead{SchemaVersion: pathSchema, Probe: probe, Measured: err == nil, Error: errText(err), Host: report.Clean(o.Host), Seconds: seconds, Meaning: meaning}
	if to.IsValid() {
		h.Target = notEmpty(to.String())
	}
	if !started.IsZero() {
		h.Started = notEmpty(stampText(started))
	}
	if err != nil {
		h.Meaning = ""
	}
	return h
}

// finish prints the document or the table and returns the command's error. measured is false if there was nothing to
// measure, although nothing went wrong.
func (o PathOptions) finish(ctx context.Context, doc any, table func(io.Writer), measured bool, err error) error {
	if o.Format == "json" {
		enc := json.NewEncoder(o.Out)
		enc.SetIndent("", "\t")
		if perr := enc.Encode(doc); perr != nil {
			return Exit{ExitNotMeasured, perr}
		}
	} else if err == nil {
		var b strings.Builder
		table(&b)
		if _, perr := io.WriteString(o.Out, b.String()); perr != nil {
			return Exit{ExitNotMeasured, perr}
		}
	}
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return Exit{ExitInterrupted, errors.New("interrupted before it was done: what is told is of what was measured until then")}
	case err != nil:
		return Exit{ExitNotMeasured, err}
	case !measured:
		return Exit{Code: ExitNotMeasured}
	}
	return nil
}

// columns prints rows under a head, each column as wide as it needs; those whose head begins with a blank are set
// flush right.
func columns(w io.Writer, head []string, rows [][]string) {
	width := make([]int, len(head))
	for i, h := range head {
		width[i] = len(strings.TrimSpace(h))
		for _, r := range rows {
			width[i] = max(width[i], len(r[i]))
		}
	}
	line := func(cells []string) {
		var b strings.Builder
		for i, c := range cells {
			if c = strings.TrimSpace(c); head[i][0] == ' ' {
				fmt.Fprintf(&b, "%*s", width[i], c)
			} else {
				fmt.Fprintf(&b, "%-*s", width[i], c)
			}
			b.WriteString("  ")
		}
		fmt.Fprintln(w, strings.TrimRight(b.String(), " "))
	}
	line(head)
	for _, r := range rows {
		line(r)
	}
}

func millis(d time.Duration) string {
	if d <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.2f ms", ms(d))
}

func shareText(x float64) string {
	if x > 0 && x < 0.1 {
		return fmt.Sprintf("%.1f %%", x*100)
	}
	return fmt.Sprintf("%.0f %%", x*100)
}

// sentences prints what a result means, one line a sentence's end at most.
func sentences(w io.Writer, text string) {
	fmt.Fprintln(w)
	fmt.Fprintln(w, strings.TrimSpace(text))
}
