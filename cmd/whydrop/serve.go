package main

import (
	"net"
	"os"
	"strconv"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
	"whydrop/probe/iperf3"
)

func newServe() *cobra.Command {
	var opt app.ServeOptions
	var iperf2 iperf2Serve
	var maxFile string
	var token, stampKey, maxTime, maxRate string
	cmd := &cobra.Command{
		Use:   "serve [-p 5201] [--listen ADDR]",
		Short: "Be the far end of probes",
		Long: `Answers throughput tests (of whydrop and of stock iperf3) and heartbeats until you interrupt it.

It listens on 127.0.0.1 unless --listen names another address (0.0.0.0 or :: for all). Clients without the token are
limited in time, rate and streams; clients that show it are not. The token never crosses the wire. By UDP nothing goes to
an address that has no control connection.`,
		Args: nothing("; the address is named with --listen, the port with -p"),
		RunE: func(cmd *cobra.Command, _ []string) (err error) {
			if opt.MaxTime, err = app.ParseSeconds(maxTime); err != nil {
				return app.Usagef("--max-time: %w", err)
			}
			if opt.MaxRate, err = parseRate(maxRate); err != nil {
				return app.Usagef("--max-rate: %w", err)
			}
			if opt.MaxRate == 0 {
				opt.MaxRate = iperf3.HighestRate
			}
			if host, port, err := net.SplitHostPort(opt.Listen); err == nil {
				n, err := strconv.Atoi(port)
				if err != nil {
					return app.Usagef("--listen %s: %q is no port", opt.Listen, port)
				}
				opt.Listen, opt.Port = host, n
			}
			switch {
			case opt.Port < 0 || opt.Port > 65535:
				return app.Usagef("-p %d: want 0 to 65535", opt.Port)
			case opt.STAMPPort < 0 || opt.STAMPPort > 65535 || opt.STAMPPort == 0 && opt.Port == 65535:
				return app.Usagef("--stamp-port: want 1 to 65535; without it the port after -p is taken")
			case opt.MaxTests < 0 || opt.MaxStreams < 0:
				return app.Usagef("--max-tests and --max-streams: want 1 or more")
			}
			if opt.Token, err = secretFlag("token", token); err != nil {
				return err
			}
			if opt.STAMPKey, err = secretFlag("stamp-key", stampKey); err != nil {
				return err
			}
			most, err := sizeFlag("--max-file", maxFile)
			if err != nil {
				return err
			}
			opt.MaxFile = int64(most)
			opt.Progress = os.Stderr
			if opt.Also, err = iperf2.open(cmd.Context(), opt); err != nil {
				return err
			}
			return app.Serve(cmd.Context(), opt)
		},
	}
	f := cmd.Flags()
	iperf2.register(f)
	f.IntVarP(&opt.Port, "port", "p", iperf3.DefaultPort, "TCP port, and UDP port of the same number; 0 takes a free one")
	f.StringVar(&opt.Listen, "listen", "", "address to listen on (default 127.0.0.1); 0.0.0.0 or :: for all")
	f.IntVar(&opt.STAMPPort, "stamp-port", 0, "UDP port of the heartbeat reflector (default: the TCP port + 1)")
	f.StringVar(&token, "token", "", "`REFERENCE` to the secret that lifts the limits: env:NAME, file:PATH, cmd:COMMAND or prompt:")
	f.StringVar(&stampKey, "stamp-key", "", "`REFERENCE` to the key that heartbeats must be signed with (STAMP, authenticated mode); as --token")
	f.StringVar(&opt.File, "file", "", "keep the disk busy too: `FILE` is read as tests in reverse send, or if it is new or empty written as the others receive; nothing of it is sent, nothing received is kept")
	f.StringVar(&maxFile, "max-file", "", "what a file that is written grows to at most, as in 1G (default 4G)")
	f.StringVar(&maxTime, "max-time", "60s", "longest test of a client without the token")
	f.StringVar(&maxRate, "max-rate", "1G", "highest rate of a client without the token, in bit/s, or unlimited")
	f.IntVar(&opt.MaxStreams, "max-streams", iperf3.DefaultMaxStreams, "most streams in a test of a client without the token")
	f.IntVar(&opt.MaxTests, "max-tests", iperf3.DefaultMaxTests, "how many tests run at once without the token; more wait their turn")
	return cmd
}

// parseRate reads a rate as iperf3's -b, where 0 is unlimited.
func parseRate(s string) (float64, error) {
	if s == "0" {
		return 0, nil
	}
	return app.ParseRate(s)
}
