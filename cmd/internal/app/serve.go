package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sync/errgroup"

	"whydrop/cmd/internal/report"
	"whydrop/devices"
	"whydrop/probe/iperf3"
	"whydrop/probe/stamp"
)

// ServeOptions says how a far end serves.
type ServeOptions struct {
	Listen     string // address without port; "" is 127.0.0.1
	Port       int    // TCP
	STAMPPort  int    // UDP; 0 is the TCP port + 1
	Token      devices.Secret
	STAMPKey   devices.Secret // if set, only heartbeats that are signed with it are answered
	MaxTime    time.Duration  // 0: the default
	MaxRate    float64        // bit/s; 0: the default
	MaxStreams int            // 0: the default
	MaxTests   int            // at once; 0: the default
	Progress   io.Writer      // where it is told what happens

	File    string // that tests keep busy beside the network; see iperf3.ServerConfig; "": none
	MaxFile int64  // bytes that it grows to at most; 0: the default

	Also func(ctx context.Context) error // if not nil, another service that runs until ctx ends
}

// Serve is the far end of probes, for throughput and for heartbeats, until ctx ends; then it returns nil. The
// error says that a port could not be opened.
func Serve(ctx context.Context, opt ServeOptions) error {
	host := opt.Listen
	if host == "" {
		host = "127.0.0.1"
	}
	cfg := iperf3.ServerConfig{
		Address: net.JoinHostPort(host, strconv.Itoa(opt.Port)), Token: opt.Token.Reveal(),
		MaxTime: opt.MaxTime, MaxRate: opt.MaxRate, MaxStreams: opt.MaxStreams, MaxTests: opt.MaxTests,
		File: opt.File, MaxFile: opt.MaxFile,
		Log: func(line string) {
			fmt.Fprintf(opt.Progress, "%s %s\n", time.Now().UTC().Format("15:04:05"), report.Clean(line))
		},
	}
	l, err := cfg.Listen(ctx)
	if err != nil {
		if errors.Is(err, syscall.EADDRINUSE) {
			err = fmt.Errorf("%w: another program listens there; -p takes another port", err)
		}
		return Exit{ExitUsage, fmt.Errorf("serve: %w", err)}
	}
	defer l.Close()
	cfg.Listener = l
	local := l.Addr().(*net.TCPAddr)
	port := opt.STAMPPort
	if port == 0 {
		port = local.Port + 1
	}
	u, err := stamp.Listen(ctx, net.JoinHostPort(host, strconv.Itoa(port)))
	if err != nil {
		return Exit{ExitUsage, fmt.Errorf("serve: heartbeats: %w; choose another port with --stamp-port", err)}
	}
	defer u.Close()
	fmt.Fprintf(opt.Progress, "serving throughput tests on TCP and UDP %v and heartbeats on UDP %v\n", local, u.LocalAddr())
	if !local.IP.IsLoopback() {
		fmt.Fprintf(opt.Progress, "anyone who reaches this port can use it%s\n", limitsText(opt))
	}
	g, ctx := errgroup.WithContext(ctx)
	g.Go(func() error { return iperf3.Serve(ctx, cfg) })
	g.Go(func() error { return (&stamp.Reflector{Key: []byte(opt.STAMPKey.Reveal())}).Serve(ctx, u) })
	if opt.Also != nil {
		g.Go(func() error { return opt.Also(ctx) })
	}
	return g.Wait()
}

// limitsText says what binds those who come without the token.
func limitsText(opt ServeOptions) string {
	d, rate, streams := opt.MaxTime, opt.MaxRate, opt.MaxStreams
	if d == 0 {
		d = iperf3.DefaultMaxTime
	}
	if rate == 0 {
		rate = iperf3.DefaultMaxRate
	}
	if streams == 0 {
		streams = iperf3.DefaultMaxStreams
	}
	who := ""
	if !opt.Token.IsZero() {
		who = " without the token"
	}
	most := fmt.Sprintf("%.4g Mbit/s", rate/1e6)
	if rate >= iperf3.HighestRate {
		most = "any rate"
	}
	return fmt.Sprintf(", within %v, %s and %d streams a test%s", d, most, streams, who)
}
