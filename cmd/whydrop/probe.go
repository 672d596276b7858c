package main

import (
	"math"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
	"whydrop/devices"
	"whydrop/probe/iperf3"
)

// probeFlags are iperf3's letters, as text.
type probeFlags struct {
	host, length, interval, rate, window, size, bytes, blocks, unit, token, format string
	port, streams, mss                                                             int
	reverse, iperf3JSON                                                            bool
	probeMore
	experimentFlags
}

func newProbe() *cobra.Command {
	var in probeFlags
	cmd := &cobra.Command{
		Use:   "probe HOST",
		Short: "Measure TCP or UDP throughput to a far end, with iperf3's letters",
		Long: `Runs one test, TCP or with -u UDP, against ` + "`whydrop serve`" + ` or a stock iperf3 -s and prints what both ends counted.

Letters and units are iperf3's: rates in powers of 1000, sizes in powers of 1024. Exit code 0: it measured; 3: it did
not; 4: it did, and the far end's own count is missing; 130: interrupted, with what was measured printed.`,
		Example: "  whydrop probe 192.0.2.10 -t 10 -P 4 -R\n  whydrop probe -c 192.0.2.10 -b 50M --format json\n  whydrop probe 192.0.2.10 -u -b 100M -l 1400 --bidir\n  whydrop probe 192.0.2.10 --sweep window\n  whydrop probe 192.0.2.10 --sweep rate -b 200M -t 30",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if in.host != "" && in.host != args[0] {
					return app.Usagef("two hosts: %s and -c %s", args[0], in.host)
				}
				in.host = args[0]
			}
			opt, err := in.options(cmd)
			if err != nil {
				return err
			}
			close, err := in.openLog(&opt)
			if err != nil {
				return err
			}
			defer close()
			sweep, ok, err := in.experimentFlags.options(cmd, opt)
			switch {
			case err != nil:
				return err
			case ok:
				return app.Experiment(cmd.Context(), sweep)
			}
			return app.Probe(cmd.Context(), opt)
		},
	}
	f := cmd.Flags()
	f.Bool("iperf2", false, "speak iperf 2, with its letters: see whydrop probe --iperf2 --help")
	f.StringVarP(&in.host, "client", "c", "", "the far end's `HOST`, as iperf3 -c")
	f.IntVarP(&in.port, "port", "p", iperf3.DefaultPort, "the far end's TCP port")
	f.StringVarP(&in.length, "time", "t", "10", "seconds to send; 0: until interrupted, or as long as the far end allows")
	f.StringVarP(&in.bytes, "bytes", "n", "", "bytes to send instead of a time, as in 100M")
	f.StringVarP(&in.blocks, "blockcount", "k", "", "blocks of -l to send instead of a time")
	f.StringVarP(&in.interval, "interval", "i", "1", "seconds between lines, down to 0.01; 0: only the result")
	f.IntVarP(&in.streams, "parallel", "P", 1, "streams at once")
	f.BoolVarP(&in.reverse, "reverse", "R", false, "the far end sends")
	f.StringVarP(&in.rate, "bitrate", "b", "0", "rate of each stream in bit/s, as in 50M; 0: unlimited (default for TCP, 1M for UDP); 50M/10 sends 10 blocks at once")
	f.StringVarP(&in.window, "window", "w", "", "size of the socket buffers, as in 256K")
	f.IntVarP(&in.mss, "set-mss", "M", 0, "TCP segment size in bytes")
	f.StringVarP(&in.size, "length", "l", "", "bytes per write (default 128K, shorter at a rate)")
	f.StringVarP(&in.unit, "unit", "f", "", "unit of rates in the table: k m g t (bits), K M G T (bytes)")
	f.StringVar(&in.format, "format", "text", "text or json (our own document)")
	f.BoolVarP(&in.iperf3JSON, "json", "J", false, "print the document of iperf3 -J")
	in.probeMore.register(f)
	in.experimentFlags.register(f)
	f.StringVar(&in.token, "token", "", "`REFERENCE` to the far end's secret, which lifts its limits: env:NAME, file:PATH, cmd:COMMAND or prompt:")
	return withPath(cmd)
}

// options checks the letters. Every mistake names its letter.
func (in probeFlags) options(cmd *cobra.Command) (app.ProbeOptions, error) {
	opt := app.ProbeOptions{Format: in.format, Out: os.Stdout, Progress: os.Stderr}
	t := &opt.Test
	if in.host == "" {
		return opt, app.Usagef("name the far end: whydrop probe HOST")
	}
	if err := hostPort(cmd, &in.host, &in.port); err != nil {
		return opt, err
	}
	if in.port < 1 || in.port > 65535 {
		return opt, app.Usagef("-p %d: want 1 to 65535", in.port)
	}
	t.Address = net.JoinHostPort(strings.Trim(in.host, "[]"), strconv.Itoa(in.port))
	t.Streams, t.Reverse, t.MSS = in.streams, in.reverse, in.mss
	if in.streams < 1 {
		return opt, app.Usagef("-P %d: want 1 or more", in.streams)
	}
	if opt.Format != "text" && opt.Format != "json" {
		return opt, app.Usagef("--format: %q is neither text nor json", opt.Format)
	}
	if in.iperf3JSON || in.jsonStream {
		if cmd.Flags().Changed("format") {
			return opt, app.Usagef("-J, --json-stream and --format exclude each other")
		}
		opt.Format = "iperf3"
		if in.jsonStream {
			opt.Format = "stream"
		}
	}
	if in.unit != "" {
		if len(in.unit) != 1 || !strings.Contains("kmgtKMGT", in.unit) {
			return opt, app.Usagef("-f %s: want one of k m g t K M G T", in.unit)
		}
		opt.Unit = in.unit[0]
	}
	if err := in.more(cmd, &opt); err != nil {
		return opt, err
	}
	if err := in.numbers(cmd, &opt); err != nil {
		return opt, err
	}
	token, err := secretFlag("token", in.token)
	t.Token = token.Reveal()
	return opt, err
}

// hostPort takes HOST:PORT apart, as people write it by habit.
func hostPort(cmd *cobra.Command, host *string, port *int) error {
	name, number, err := net.SplitHostPort(*host)
	if err != nil {
		return nil // without a port
	}
	n, err := strconv.Atoi(number)
	switch {
	case err != nil || strings.Contains(*host, "/"):
		return app.Usagef("%s: want HOST or HOST:PORT", *host)
	case cmd.Flags().Changed("port") && n != *port:
		return app.Usagef("two ports: %s and -p %d", *host, *port)
	}
	*host, *port = name, n
	return nil
}

// secretFlag returns the secret that a flag refers to; none if the reference is empty.
func secretFlag(name, reference string) (s devices.Secret, err error) {
	if reference == "" {
		return s, nil
	}
	if s, err = (&app.Secrets{}).Resolve(reference); err != nil {
		return s, app.Usagef("--%s: %w", name, err)
	}
	return s, nil
}

func (in probeFlags) numbers(cmd *cobra.Command, opt *app.ProbeOptions) error {
	t := &opt.Test
	var err error
	if opt.Interval, err = app.ParseSeconds(in.interval); err != nil {
		return app.Usagef("-i: %w", err)
	}
	if opt.Interval > 0 && opt.Interval < 10*time.Millisecond {
		return app.Usagef("-i %s: want 0 or at least 0.01 s", in.interval)
	}
	if t.Time, err = app.ParseSeconds(in.length); err != nil {
		return app.Usagef("-t: %w", err)
	}
	if t.Rate, t.Burst, err = parseBurst(in.rate); err != nil {
		return app.Usagef("-b: %w", err)
	}
	if t.UDP && !cmd.Flags().Changed("bitrate") {
		t.Rate = 1e6 // iperf3's UDP_RATE
	}
	window, err := sizeFlag("-w", in.window)
	if err != nil {
		return err
	}
	length, err := sizeFlag("-l", in.size)
	if err != nil {
		return err
	}
	if t.Bytes, err = sizeFlag("-n", in.bytes); err != nil {
		return err
	}
	blocks, err := sizeFlag("-k", in.blocks)
	if err != nil {
		return err
	}
	if window > math.MaxInt32 || length > math.MaxInt32 {
		return app.Usagef("-w and -l: too large")
	}
	t.Window, t.Length = int(window), int(length)
	if blocks > 0 {
		if t.Length == 0 {
			t.Length = 128 << 10
			if t.UDP {
				t.Length = 1460
			}
		}
		t.Bytes, opt.Blocks = blocks*uint64(t.Length), blocks
	}
	if t.Bytes > 0 {
		if cmd.Flags().Changed("time") || in.bytes != "" && in.blocks != "" {
			return app.Usagef("-t, -n and -k exclude each other")
		}
		t.Time = 0
	}
	return nil
}

func sizeFlag(flag, s string) (uint64, error) {
	if s == "" {
		return 0, nil
	}
	n, err := app.ParseSize(s)
	if err != nil {
		return 0, app.Usagef("%s: %w", flag, err)
	}
	if n == 0 {
		return 0, app.Usagef("%s %s: want more than 0", flag, s)
	}
	return n, nil
}
