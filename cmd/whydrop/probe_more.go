package main

import (
	"errors"
	"fmt"
	"net/netip"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whydrop/cmd/internal/app"
	"whydrop/probe/iperf3"
)

// probeMore are iperf3's further letters, as text.
type probeMore struct {
	omit, congestion, tos, dscp, bind, device, title, logfile, stamps, pcap string
	localPort, timeout                                                      int
	udp, bidir, v4, v6, dontFragment, counters64, serverOutput, noDelay     bool
	zeroCopy, verbose, jsonStream, verify, forceFlush                       bool
	pacingTimer                                                             int
	file                                                                    string
	overwrite                                                               bool
}

func (in *probeMore) register(f *pflag.FlagSet) {
	f.BoolVarP(&in.udp, "udp", "u", false, "UDP instead of TCP")
	f.BoolVar(&in.bidir, "bidir", false, "both ends send at once")
	f.StringVarP(&in.omit, "omit", "O", "0", "seconds at the beginning that count in no total, beside -t")
	f.StringVarP(&in.congestion, "congestion", "C", "", "congestion control of the sender, as in cubic")
	f.StringVarP(&in.tos, "tos", "S", "", "type of service, the whole byte, as in 0x10")
	f.StringVar(&in.dscp, "dscp", "", "differentiated services code point, 0 to 63 or its `NAME`, as in ef or af41")
	f.BoolVarP(&in.v4, "version4", "4", false, "IPv4 only")
	f.BoolVarP(&in.v6, "version6", "6", false, "IPv6 only")
	f.StringVarP(&in.bind, "bind", "B", "", "local `ADDRESS[%INTERFACE]` of all connections")
	f.StringVar(&in.device, "bind-dev", "", "network `INTERFACE` of all connections")
	f.IntVar(&in.localPort, "cport", 0, "local `PORT` of the first data stream, one more for each further one")
	f.BoolVar(&in.dontFragment, "dont-fragment", false, "UDP over IPv4: no fragments")
	f.BoolVar(&in.counters64, "udp-counters-64bit", false, "number datagrams with 64 bits")
	f.BoolVar(&in.serverOutput, "get-server-output", false, "show what the far end printed")
	f.IntVar(&in.timeout, "connect-timeout", 0, "milliseconds for a connection to open (default 10000)")
	f.BoolVarP(&in.noDelay, "no-delay", "N", false, "the far end does not let small segments wait either; this end never does")
	f.BoolVarP(&in.zeroCopy, "zerocopy", "Z", false, "the far end sends without copying; this end does where it can")
	f.BoolVar(&in.verify, "verify", false, "between two ends of ours: compare every byte that arrives, slowly")
	f.StringVarP(&in.file, "file", "F", "", "send what is in `FILE`, to its end, or with -R write what arrives to it; at 4 GiB it begins anew. Unlike iperf3, -R keeps a file that is not empty")
	f.BoolVar(&in.overwrite, "overwrite", false, "of -R -F: write over what the file holds")
	f.StringVarP(&in.title, "title", "T", "", "before each line")
	f.BoolVarP(&in.verbose, "verbose", "V", false, "say more")
	f.StringVar(&in.pcap, "pcap", "", "write the headers of the test's packets to `FILE` (Linux, as root or with CAP_NET_RAW)")
	f.StringVar(&in.logfile, "logfile", "", "append to `FILE` instead of standard output")
	f.StringVar(&in.stamps, "timestamps", "", "time before each line, in strftime's `FORMAT`")
	f.Lookup("timestamps").NoOptDefVal = "%c "
	f.BoolVar(&in.jsonStream, "json-stream", false, "print events as iperf3 --json-stream, one object a line")
	f.BoolVar(&in.forceFlush, "forceflush", false, "every line is written at once anyway")
	f.IntVar(&in.pacingTimer, "pacing-timer", 1000, "this end has its own pacing")
	for _, name := range []string{"forceflush", "pacing-timer"} {
		_ = f.MarkHidden(name)
	}
}

// more checks the further letters.
func (in *probeMore) more(cmd *cobra.Command, opt *app.ProbeOptions) error {
	t := &opt.Test
	changed := cmd.Flags().Changed
	t.UDP, t.Bidirectional, t.Congestion, t.Device = in.udp, in.bidir, in.congestion, in.device
	t.DontFragment, t.Counters64, t.ServerOutput = in.dontFragment, in.counters64, in.serverOutput
	t.File, t.Overwrite = in.file, in.overwrite
	t.NoDelay, t.ZeroCopy, t.Title, t.Verify = in.noDelay, in.zeroCopy, in.title, in.verify
	opt.Verbose, opt.Title, opt.Stamp, opt.Pcap = in.verbose, in.title, in.stamps, in.pcap
	switch {
	case in.v4 && in.v6:
		return app.Usagef("-4 and -6 exclude each other")
	case t.Bidirectional && t.Reverse:
		return app.Usagef("--bidir and -R exclude each other")
	case in.localPort < 0 || in.localPort > 65535:
		return app.Usagef("--cport %d: want 1 to 65535", in.localPort)
	case in.timeout < 0 || in.timeout > 3600_000:
		return app.Usagef("--connect-timeout %d: want 1 to 3600000 ms", in.timeout)
	case changed("tos") && changed("dscp"):
		return app.Usagef("-S and --dscp exclude each other")
	case len(in.title) > 1024:
		return app.Usagef("-T: want 1024 bytes or less")
	case in.counters64 && !in.udp, in.dontFragment && !in.udp:
		return app.Usagef("--udp-counters-64bit and --dont-fragment are about UDP: they want -u")
	case in.udp && t.MSS > 0:
		return app.Usagef("-M is about TCP: use -l for the size of datagrams")
	case in.udp && in.congestion != "":
		return app.Usagef("-C is about TCP")
	case in.verify && in.udp:
		return app.Usagef("--verify is about TCP")
	case in.overwrite && (in.file == "" || !t.Reverse):
		return app.Usagef("--overwrite goes with -R and --file")
	}
	if err := t.CheckFile(); errors.Is(err, iperf3.ErrNotEmpty) {
		return app.Usagef("--file: %w; --overwrite writes over it", err)
	} else if err != nil {
		return app.Usagef("--file: %w", err)
	}
	if in.v4 {
		t.Family = 4
	}
	if in.v6 {
		t.Family = 6
	}
	t.LocalPort, t.ConnectTimeout = uint16(in.localPort), time.Duration(in.timeout)*time.Millisecond
	return in.texts(opt)
}

// texts checks the letters that need reading.
func (in *probeMore) texts(opt *app.ProbeOptions) (err error) {
	t := &opt.Test
	if t.Omit, err = app.ParseSeconds(in.omit); err != nil {
		return app.Usagef("-O: %w", err)
	}
	if t.Omit%time.Second != 0 {
		return app.Usagef("-O %s: want whole seconds", in.omit)
	}
	if in.tos != "" {
		n, err := strconv.ParseUint(in.tos, 0, 8)
		if err != nil {
			return app.Usagef("-S %s: want 0 to 255, as in 16 or 0x10", in.tos)
		}
		t.TOS = int(n)
	}
	if in.dscp != "" {
		n, ok := codePoint(in.dscp)
		if !ok {
			return app.Usagef("--dscp %s: want 0 to 63 or a name as in ef, cs3 or af41", in.dscp)
		}
		t.TOS = n << 2
	}
	if in.bind == "" {
		return nil
	}
	a, device, err := parseBind(in.bind)
	if err != nil {
		return err
	}
	if device != "" && in.device != "" && device != in.device {
		return app.Usagef("two interfaces: -B %s and --bind-dev %s", in.bind, in.device)
	}
	if t.LocalAddress = a; device != "" {
		t.Device = device
	}
	switch {
	case a.Is4() && t.Family == 6, a.Is6() && t.Family == 4:
		return app.Usagef("-B %s is of another family than -%d", in.bind, t.Family)
	}
	return nil
}

// parseBind reads ADDRESS[%INTERFACE]. Of a link-local address the interface is a part.
func parseBind(s string) (a netip.Addr, device string, err error) {
	host, device, _ := strings.Cut(s, "%")
	if a, err = netip.ParseAddr(strings.Trim(host, "[]")); err != nil {
		return a, "", app.Usagef("-B %s: want an address of this host, as in 192.0.2.1 or fe80::1%%eth0", s)
	}
	if a = a.Unmap(); a.Is6() && a.IsLinkLocalUnicast() {
		return a.WithZone(device), "", nil
	}
	return a, device, nil
}

// codePoints are the names of RFC 2474, 2597, 3246, 5865 and 8622.
var codePoints = map[string]int{
	"be": 0, "default": 0, "le": 1, "ef": 46, "va": 44, "voice-admit": 44,
}

// codePoint reads a code point's number or name.
func codePoint(s string) (n int, ok bool) {
	if v, err := strconv.ParseUint(s, 0, 6); err == nil {
		return int(v), true
	}
	s = strings.ToLower(s)
	if n, ok = codePoints[s]; ok {
		return n, true
	}
	switch {
	case len(s) == 3 && s[:2] == "cs" && s[2] >= '0' && s[2] <= '7':
		return int(s[2]-'0') << 3, true
	case len(s) == 4 && s[:2] == "af" && s[2] >= '1' && s[2] <= '4' && s[3] >= '1' && s[3] <= '3':
		return int(s[2]-'0')<<3 + int(s[3]-'0')<<1, true
	}
	return 0, false
}

// parseBurst reads iperf3's -b: RATE or RATE/BLOCKS.
func parseBurst(s string) (rate float64, burst int, err error) {
	text, blocks, ok := strings.Cut(s, "/")
	if rate, err = parseRate(text); err != nil || !ok {
		return rate, 0, err
	}
	if burst, err = strconv.Atoi(blocks); err != nil || burst < 1 || burst > 1000 {
		return 0, 0, fmt.Errorf("burst %q: want 1 to 1000 blocks", blocks)
	}
	return rate, burst, nil
}

// openLog makes the result go to the file that --logfile names. close must be called.
func (in *probeMore) openLog(opt *app.ProbeOptions) (close func(), err error) {
	if in.logfile == "" {
		return func() {}, nil
	}
	f, err := os.OpenFile(in.logfile, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, app.Usagef("--logfile: %w", err)
	}
	opt.Out = f
	return func() { f.Close() }, nil
}
