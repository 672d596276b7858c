package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whydrop/cmd/internal/app"
	"whydrop/probe/iperf2"
)

// iperf2Name is the hidden command behind `probe --iperf2`: iperf 2's letters mean other things than iperf3's.
const iperf2Name = "probe-iperf2"

// withIperf2 turns `probe ... --iperf2 ...` into the hidden command.
func withIperf2(args []string) []string {
	if len(args) == 0 || args[0] != "probe" {
		return args
	}
	i := slices.Index(args, "--iperf2")
	if end := slices.Index(args, "--"); i < 0 || end >= 0 && end < i {
		return args
	}
	return append([]string{iperf2Name}, append(slices.Clone(args[1:i]), args[i+1:]...)...)
}

// iperf2Flags are iperf 2's letters, as text.
type iperf2Flags struct {
	host, length, interval, rate, window, size, bytes, unit string
	port, back                                              int
	reverse, tradeoff, dual, mss, server                    bool
	test                                                    iperf2.Test
}

func newIperf2() *cobra.Command {
	var in iperf2Flags
	cmd := &cobra.Command{
		Use:    iperf2Name + " HOST",
		Hidden: true,
		Short:  "Measure TCP or UDP throughput to an iperf 2 server, with iperf 2's letters",
		Long: `whydrop probe --iperf2 [-c] HOST runs one test against ` + "`whydrop serve --iperf2-port 5001`" + ` or a stock iperf -s
(2.0 or 2.1) and prints what iperf 2 prints.

Letters and units are iperf 2's: k, m, g are powers of 1000, K, M, G powers of 1024, of rates as well (-b 1000M is
1.05 Gbit/s). Exit code 0: it measured; 3: it did not; 4: it did, and a stream
ended early or the far end's report is missing; 130: interrupted, with what was measured printed.`,
		Example: "  whydrop probe --iperf2 -c 192.0.2.10 -w 1M\n  whydrop probe --iperf2 192.0.2.10 -u -b 1000M -t 10 -i 1",
		Args:    atMost(1, "one host"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if in.host != "" && in.host != args[0] {
					return app.Usagef("two hosts: %s and -c %s", args[0], in.host)
				}
				in.host = args[0]
			}
			if err := in.check(cmd.Flags()); err != nil {
				return err
			}
			return in.run(cmd.Context())
		},
	}
	in.register(cmd.Flags())
	cmd.Flags().BoolP("help", "h", false, "help for probe --iperf2")
	cmd.SetUsageTemplate(fitted(strings.Replace(cmd.UsageTemplate(), "{{.UseLine}}", "whydrop probe --iperf2 HOST [flags]", 1)))
	return cmd
}

func (in *iperf2Flags) register(f *pflag.FlagSet) {
	t := &in.test
	f.StringVarP(&in.host, "client", "c", "", "the far end's `HOST`")
	f.BoolVarP(&in.server, "server", "s", false, "not here: see whydrop serve --iperf2-port")
	f.IntVarP(&in.port, "port", "p", iperf2.DefaultPort, "the far end's port")
	f.BoolVarP(&t.UDP, "udp", "u", false, "UDP instead of TCP")
	f.BoolVarP(&t.V6, "ipv6_domain", "V", false, "IPv6")
	f.StringVarP(&in.length, "time", "t", "10", "seconds to send")
	f.StringVarP(&in.bytes, "num", "n", "", "bytes to send on each stream instead of a time, as in 100M")
	f.StringVarP(&in.interval, "interval", "i", "0", "seconds between lines; 0: only the result")
	f.IntVarP(&t.Streams, "parallel", "P", 1, "streams at once")
	f.BoolVarP(&in.reverse, "reverse", "R", false, "the far end sends, on this end's connection")
	f.BoolVarP(&in.tradeoff, "tradeoff", "r", false, "this end sends, then the far end, on a connection of its own")
	f.BoolVarP(&in.dual, "dualtest", "d", false, "both ends send at once, the far end on a connection of its own")
	f.IntVarP(&in.back, "listenport", "L", 0, "port for the far end's own connections (default: that of -p)")
	f.StringVarP(&in.rate, "bandwidth", "b", "", "rate of each stream in bit/s, as in 1000M, or datagrams a second, as in 100pps (UDP: default 1M; 0: unlimited)")
	f.StringVarP(&in.size, "len", "l", "", "bytes of a write (default 128K) or datagram (1470; IPv6: 1450)")
	f.StringVarP(&in.window, "window", "w", "", "size of the socket buffers, as in 1M")
	f.IntVarP(&t.MSS, "mss", "M", 0, "TCP segment size in bytes")
	f.BoolVarP(&in.mss, "print_mss", "m", false, "print the TCP segment size that was granted")
	f.BoolVarP(&t.NoDelay, "nodelay", "N", false, "do not let small writes wait (TCP_NODELAY)")
	f.StringVarP(&t.Congestion, "tcp-congestion", "Z", "", "TCP congestion control `ALGORITHM`")
	f.IntVarP(&t.TTL, "ttl", "T", 0, "hop limit of what is sent")
	f.StringVarP(&in.unit, "format", "f", "", "unit of figures: k m g t (bits), K M G T (bytes)")
}

// check reads the letters. Every mistake names its letter.
func (in *iperf2Flags) check(f *pflag.FlagSet) error {
	t := &in.test
	switch {
	case in.server:
		return app.Usagef("the server is whydrop serve --iperf2-port %d", in.port)
	case in.host == "":
		return app.Usagef("name the far end: whydrop probe --iperf2 HOST")
	case in.port < 1 || in.port > 65535:
		return app.Usagef("-p %d: want 1 to 65535", in.port)
	case in.back < 0 || in.back > 65535:
		return app.Usagef("-L %d: want 1 to 65535", in.back)
	case t.Streams < 1:
		return app.Usagef("-P %d: want 1 or more", t.Streams)
	case len(in.unit) > 1 || in.unit != "" && !strings.Contains("kmgtaKMGTA", in.unit):
		return app.Usagef("-f %s: want one of k m g t K M G T", in.unit)
	case f.Changed("ttl") && t.TTL < 1:
		return app.Usagef("-T %d: want 1 to 255", t.TTL)
	case f.Changed("mss") && t.MSS < 1:
		return app.Usagef("-M %d: want 1 or more", t.MSS)
	}
	t.Host, t.Port, t.BackPort = strings.Trim(in.host, "[]"), uint16(in.port), uint16(in.back)
	modes := 0
	for m, on := range map[iperf2.Mode]bool{iperf2.Reverse: in.reverse, iperf2.Tradeoff: in.tradeoff, iperf2.Dual: in.dual} {
		if on {
			t.Mode = m
			modes++
		}
	}
	if modes > 1 {
		return app.Usagef("-R, -r and -d exclude each other")
	}
	if err := in.numbers(f); err != nil {
		return err
	}
	if err := t.Check(); err != nil {
		return app.Usagef("%w", err)
	}
	return nil
}

func (in *iperf2Flags) numbers(f *pflag.FlagSet) error {
	t := &in.test
	var err error
	if t.Time, err = app.ParseSeconds(in.length); err != nil || t.Time == 0 {
		return app.Usagef("-t %s: want seconds, more than 0", in.length)
	}
	if t.Interval, err = app.ParseSeconds(in.interval); err != nil {
		return app.Usagef("-i: %w", err)
	}
	for _, size := range []struct {
		letter, text string
		to           func(uint64)
	}{
		{"-n", in.bytes, func(n uint64) { t.Bytes = n }},
		{"-l", in.size, func(n uint64) { t.Length = int(n) }},
		{"-w", in.window, func(n uint64) { t.Window = int(n) }},
	} {
		if size.text == "" {
			continue
		}
		n, err := parseIperf2(size.text)
		if err != nil || n < 1 || size.letter != "-n" && n > math.MaxInt32 {
			return app.Usagef("%s %s: want a number of bytes, with k, K, m, M, g or G behind it or nothing", size.letter, size.text)
		}
		size.to(uint64(n))
	}
	if t.Bytes > 0 {
		if f.Changed("time") {
			return app.Usagef("-t and -n exclude each other")
		}
		t.Time = 0
	}
	if in.rate == "" {
		return nil
	}
	pps, isPPS := strings.CutSuffix(in.rate, "pps")
	v, err := parseIperf2(pps)
	switch {
	case err != nil || isPPS && (v == 0 || !t.UDP):
		return app.Usagef("-b %s: want bit/s, as in 1000M, or with -u datagrams a second, as in 100pps", in.rate)
	case isPPS:
		t.PacketRate = v
	default:
		t.Rate, t.Unlimited = v, v == 0
	}
	return nil
}

// parseIperf2 reads a number as iperf 2 does: k, m, g are powers of 1000, K, M, G powers of 1024.
func parseIperf2(s string) (float64, error) {
	factor, number := 1.0, s
	if n := len(s); n > 0 {
		base := 1024.0
		if s[n-1] >= 'a' {
			base = 1000
		}
		if i := strings.IndexByte("KMGT", s[n-1]&^0x20); i >= 0 && s[n-1] >= 'A' {
			factor, number = math.Pow(base, float64(i+1)), s[:n-1]
		}
	}
	v, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !(v >= 0) || v*factor > 1<<60 {
		return 0, fmt.Errorf("%q is no number", s)
	}
	return v * factor, nil
}

func (in *iperf2Flags) run(ctx context.Context) error {
	p := &iperf2.Printer{W: os.Stdout, MSS: in.mss}
	if in.unit != "" {
		p.Unit = in.unit[0]
	}
	res, err := iperf2.Run(ctx, in.test, p.Handler())
	switch {
	case ctx.Err() != nil:
		return app.Exit{Code: app.ExitInterrupted}
	case errors.Is(err, syscall.ECONNREFUSED):
		return app.Exit{Code: app.ExitNotMeasured, Err: fmt.Errorf("%w; does whydrop serve --iperf2-port or iperf -s run there, on that port?", err)}
	case err != nil:
		return app.Exit{Code: app.ExitNotMeasured, Err: err}
	case p.Err() != nil:
		return app.Exit{Code: app.ExitNotMeasured, Err: p.Err()}
	}
	for _, f := range slices.Concat(res.Sent, res.Received) {
		if f.Problem != "" { // said beside its figures
			return app.Exit{Code: app.ExitPartial}
		}
	}
	return nil
}

// iperf2Serve are the flags of the far end for iperf 2.
type iperf2Serve struct {
	port             int
	window, interval string
	trust            []string
}

func (in *iperf2Serve) register(f *pflag.FlagSet) {
	f.IntVar(&in.port, "iperf2-port", 0, "serve iperf 2 too, TCP and UDP, on this `PORT` (theirs is 5001)")
	f.StringVar(&in.window, "iperf2-window", "", "size of iperf 2's socket buffers, as iperf -s -w")
	f.StringVar(&in.interval, "iperf2-interval", "0", "seconds between iperf 2's lines, as iperf -s -i")
	f.StringSliceVar(&in.trust, "iperf2-trust", nil, "`PREFIX` of addresses to which UDP is sent at their bare word (-u with -R, -r, -d)")
}

// open opens the sockets and returns what serves them; nil if iperf 2 is not to be served.
func (in *iperf2Serve) open(ctx context.Context, opt app.ServeOptions) (func(context.Context) error, error) {
	if in.port == 0 {
		return nil, nil
	}
	p := &iperf2.Printer{W: os.Stdout}
	cfg := iperf2.ServerConfig{
		MaxTime: opt.MaxTime, MaxRate: opt.MaxRate, MaxStreams: opt.MaxStreams, Handler: p.Handler(),
	}
	host := opt.Listen
	if host == "" {
		host = "127.0.0.1"
	}
	cfg.Address = net.JoinHostPort(host, strconv.Itoa(in.port))
	var err error
	if cfg.Interval, err = app.ParseSeconds(in.interval); err != nil || cfg.Interval > 0 && cfg.Interval < 10*time.Millisecond {
		return nil, app.Usagef("--iperf2-interval %s: want 0 or at least 0.01 s", in.interval)
	}
	if in.window != "" {
		n, err := parseIperf2(in.window)
		if err != nil || n < 1 || n > math.MaxInt32 {
			return nil, app.Usagef("--iperf2-window %s: want a size, as in 1M", in.window)
		}
		cfg.Window = int(n)
	}
	for _, t := range in.trust {
		prefix, err := netip.ParsePrefix(t)
		if a, aerr := netip.ParseAddr(t); aerr == nil {
			prefix, err = netip.PrefixFrom(a, a.BitLen()), nil
		}
		if err != nil {
			return nil, app.Usagef("--iperf2-trust %s: want an address or a prefix, as in 192.0.2.0/24", t)
		}
		cfg.Trusted = append(cfg.Trusted, prefix)
	}
	if in.port < 1 || in.port > 65535 {
		return nil, app.Usagef("--iperf2-port %d: want 1 to 65535", in.port)
	}
	s, err := cfg.Listen(ctx)
	if err != nil {
		return nil, app.Usagef("serve: %w", err)
	}
	return s.Serve, nil
}
