package main

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whydrop/cmd/internal/app"
)

// pathFlags are the path probes, as text. They share letters with the throughput test: the host, -p, -4, -6, --cport,
// --format, -t.
type pathFlags struct {
	trace, by, stampKey      string
	pmtu                     bool
	connectRate              float64
	rounds, hops, ports, max int
	inner                    func(cmd *cobra.Command, args []string) error
	sweep                    *pflag.Flag
}

// pathLetters are the flags of a throughput test that path probes take too.
var pathLetters = []string{"client", "port", "version4", "version6", "cport", "format", "json", "help",
	"trace", "pmtu", "sweep", "connect-rate", "rounds", "max-hops", "source-ports", "max-size", "by", "stamp-key"}

// traceMethods are the values of --trace.
var traceMethods = []string{"udp", "icmp", "tcp"}

// withPath gives probe the path probes: each takes the place of the throughput test.
func withPath(cmd *cobra.Command) *cobra.Command {
	in := &pathFlags{inner: cmd.RunE}
	f := cmd.Flags()
	f.StringVar(&in.trace, "trace", "", "instead of a test: the hops of the path and what each loses, by `PROTOCOL`: udp if none is named, icmp or tcp")
	f.Lookup("trace").NoOptDefVal = "udp"
	f.BoolVar(&in.pmtu, "pmtu", false, "instead of a test: the path's MTU, both ways where the far end helps, and where larger packets vanish")
	in.sweep = f.Lookup("sweep")
	f.Float64Var(&in.connectRate, "connect-rate", 0, "instead of a test: `N` new connections a second, and an established one beside them, for full session tables")
	f.IntVar(&in.rounds, "rounds", 0, "of --trace and --sweep ports: how often each hop or port is asked (default 10)")
	f.IntVar(&in.hops, "max-hops", 0, "of --trace: the most hops there may be (default 30)")
	f.IntVar(&in.ports, "source-ports", 0, "of --sweep ports: how many source ports, 32 to 512 (default 64)")
	f.IntVar(&in.max, "max-size", 0, "of --pmtu: the largest packet to try (default: what the own link takes)")
	f.StringVar(&in.by, "by", "", "of --pmtu and --sweep ports: what is to answer: `stamp`, icmp, udp or tcp (default: the best that does)")
	f.StringVar(&in.stampKey, "stamp-key", "", "of --sweep, --pmtu and --connect-rate: `REFERENCE` to the key that the far end wants heartbeats signed with; as --token")
	cmd.Args = in.args
	cmd.RunE = in.run
	cmd.Example += "\n  whydrop probe 192.0.2.10 --trace tcp -p 443\n  whydrop probe 192.0.2.10 --pmtu\n  whydrop probe 192.0.2.10 --sweep ports\n  whydrop probe 192.0.2.10 --connect-rate 50"
	return cmd
}

// args takes one host, and behind --trace the method, which may stand apart: --trace tcp.
func (in *pathFlags) args(cmd *cobra.Command, args []string) error {
	if _, rest := in.method(cmd, args); len(rest) > 1 {
		text := "one host at a time: " + strings.Join(rest, " ")
		if cmd.Flags().Changed("trace") {
			text += "; --trace goes by udp, icmp or tcp"
		}
		return app.Usagef("%s", text)
	}
	return nil
}

// method takes the trace's method from the arguments, if it stands there.
func (in *pathFlags) method(cmd *cobra.Command, args []string) (string, []string) {
	if !cmd.Flags().Changed("trace") {
		return in.trace, args
	}
	host, _ := cmd.Flags().GetString("client")
	for i, a := range args {
		// A host of that name is one if it stands alone.
		if slices.Contains(traceMethods, a) && (len(args) > 1 || host != "") {
			return a, slices.Delete(slices.Clone(args), i, i+1)
		}
	}
	return in.trace, args
}

// run runs the path probe that is asked for, or the test.
func (in *pathFlags) run(cmd *cobra.Command, args []string) error {
	changed := cmd.Flags().Changed
	var asked []string
	for _, name := range []string{"trace", "pmtu", "connect-rate"} {
		if changed(name) {
			asked = append(asked, "--"+name)
		}
	}
	if changed("sweep") && in.sweep.Value.String() == "ports" {
		asked = append(asked, "--sweep ports")
	}
	switch len(asked) {
	case 0:
		return in.throughput(cmd, args)
	case 1:
	default:
		return app.Usagef("%s exclude each other", strings.Join(asked, " and "))
	}
	o, err := in.options(cmd, asked[0], args)
	if err != nil {
		return err
	}
	switch asked[0] {
	case "--trace":
		return app.Trace(cmd.Context(), o)
	case "--pmtu":
		return app.PMTU(cmd.Context(), o)
	case "--connect-rate":
		return app.ConnectRate(cmd.Context(), o)
	}
	return app.PortSweep(cmd.Context(), o)
}

// throughput goes on with the test, which knows none of the letters of path probes.
func (in *pathFlags) throughput(cmd *cobra.Command, args []string) error {
	changed := cmd.Flags().Changed
	for _, name := range []string{"rounds", "max-hops", "source-ports", "max-size", "by"} {
		if changed(name) {
			return app.Usagef("--%s goes with --trace, --pmtu or --sweep ports", name)
		}
	}
	if changed("stamp-key") && !changed("sweep") {
		return app.Usagef("--stamp-key goes with --sweep, --pmtu or --connect-rate: a test has no heartbeats")
	}
	return in.inner(cmd, args)
}

// options checks the letters. Every mistake names its letter.
func (in *pathFlags) options(cmd *cobra.Command, asked string, args []string) (app.PathOptions, error) {
	f := cmd.Flags()
	o := app.PathOptions{Rounds: in.rounds, Hops: in.hops, Ports: in.ports, Max: in.max, By: in.by, Rate: in.connectRate, Out: os.Stdout}
	var wrong []string
	f.Visit(func(x *pflag.Flag) {
		if !slices.Contains(pathLetters, x.Name) && !(x.Name == "time" && asked == "--connect-rate") {
			wrong = append(wrong, "--"+x.Name)
		}
	})
	if len(wrong) > 0 {
		return o, app.Usagef("%s and %s exclude each other", asked, strings.Join(wrong, ", "))
	}
	o.Method, args = in.method(cmd, args)
	o.Host, _ = f.GetString("client")
	if len(args) == 1 {
		if o.Host != "" && o.Host != args[0] {
			return o, app.Usagef("two hosts: %s and -c %s", args[0], o.Host)
		}
		o.Host = args[0]
	}
	if o.Host = strings.Trim(o.Host, "[]"); o.Host == "" {
		return o, app.Usagef("name the far end: whydrop probe HOST %s", asked)
	}
	if asked == "--trace" && !slices.Contains(traceMethods, o.Method) {
		return o, app.Usagef("--trace %s: want udp, icmp or tcp", o.Method)
	}
	var err error
	if o.Key, err = secretFlag("stamp-key", in.stampKey); err != nil {
		return o, err
	}
	return o, in.numbers(cmd, asked, &o)
}

func (in *pathFlags) numbers(cmd *cobra.Command, asked string, o *app.PathOptions) error {
	f := cmd.Flags()
	o.V4, _ = f.GetBool("version4")
	o.V6, _ = f.GetBool("version6")
	if o.V4 && o.V6 {
		return app.Usagef("-4 and -6 exclude each other")
	}
	o.Format, _ = f.GetString("format")
	if json, _ := f.GetBool("json"); json {
		o.Format = "json"
	}
	if o.Format != "text" && o.Format != "json" {
		return app.Usagef("--format: %q is neither text nor json", o.Format)
	}
	port, _ := f.GetInt("port")
	named := o.Host
	if err := hostPort(cmd, &o.Host, &port); err != nil {
		return err
	}
	if f.Changed("port") || o.Host != named {
		if port < 1 || port > 65534 {
			return app.Usagef("-p %d: want 1 to 65534", port)
		}
		o.Port = uint16(port)
	}
	src, _ := f.GetInt("cport")
	if src < 0 || src > 65535 {
		return app.Usagef("--cport %d: want 1 to 65535", src)
	}
	o.SrcPort = uint16(src)
	for _, x := range []struct {
		name        string
		v, from, to int
		with        string
	}{
		{"rounds", in.rounds, 1, 1000, "--trace --sweep ports"},
		{"max-hops", in.hops, 1, 64, "--trace"},
		{"source-ports", in.ports, 32, 512, "--sweep ports"},
		{"max-size", in.max, 160, 65000, "--pmtu"},
		{"by", 0, 0, 0, "--pmtu --sweep ports"},
		{"stamp-key", 0, 0, 0, "--sweep ports --pmtu --connect-rate"},
		{"cport", int(o.SrcPort), 1, 65535, "--trace --sweep ports"},
	} {
		switch {
		case !f.Changed(x.name):
		case !strings.Contains(x.with, asked):
			return app.Usagef("--%s does not go with %s", x.name, asked)
		case x.v < x.from || x.v > x.to:
			return app.Usagef("--%s %d: want %d to %d", x.name, x.v, x.from, x.to)
		}
	}
	if by := map[string][]string{"--pmtu": {"", "stamp", "icmp", "udp"}, "--sweep ports": {"", "stamp", "tcp"}}[asked]; by != nil && !slices.Contains(by, o.By) {
		return app.Usagef("--by %s: want one of %s", o.By, strings.Join(by[1:], " "))
	}
	return in.connections(cmd, asked, o)
}

// connections checks what goes with --connect-rate.
func (in *pathFlags) connections(cmd *cobra.Command, asked string, o *app.PathOptions) error {
	if asked != "--connect-rate" {
		return nil
	}
	if !(in.connectRate > 0) || in.connectRate > 200 {
		return app.Usagef("--connect-rate %s: want more than 0 and at most 200", fmt.Sprint(in.connectRate))
	}
	length, _ := cmd.Flags().GetString("time")
	var err error
	if o.Time, err = app.ParseSeconds(length); err != nil {
		return app.Usagef("-t: %w", err)
	}
	if s := o.Time.Seconds(); s < 3 || s > 60 {
		return app.Usagef("-t %s: with --connect-rate, want 3 to 60 s", length)
	}
	return nil
}
