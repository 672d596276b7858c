package poll

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/cli"
)

// checkSSH says whether the device lets us in, and what its command line gives.
func checkSSH(ctx context.Context, d devices.Device, c *collectors) []Result {
	began := time.Now()
	r, err := asked(ctx, sshTime(d), c.cli, d)
	in := Result{Device: d.Name, Step: "ssh", Took: time.Since(began)}
	foreign := errors.Is(err, cli.ErrPlatform)
	if err != nil && !foreign && !(errors.Is(err, devices.ErrPartial) && useful(r)) {
		in.fail(d, err, sshKey(err))
		return []Result{in}
	}
	in.OK, in.Text = true, "logged in"
	if name, ok := c.cli.Detected(d.Name); ok && d.Platform == "" {
		in.Text += "; it is " + name + ", which `platform` need not say"
	}
	out := []Result{in}
	ports := checkPorts(d, r, err)
	if foreign {
		ports.fail(d, err, "platform")
	}
	if ports.Step = "ssh reads"; ports.OK {
		ports.Text = "interfaces: " + strings.TrimSpace(strings.SplitN(ports.Text, ":", 2)[1])
		if r.Bridge != nil {
			ports.Text += "; spanning tree"
		}
	}
	out = append(out, ports)

	if !cli.KeepsLog(d) {
		return out
	}
	return append(out, checkLog(ctx, d, c.log)...)
}

// checkLog says whether the device's log and clock can be read.
func checkLog(ctx context.Context, d devices.Device, c devices.Collector) []Result {
	began := time.Now()
	r, err := asked(ctx, sshTime(d), c, d)
	log := Result{Device: d.Name, Step: "log", Took: time.Since(began), OK: err == nil}
	switch {
	case err != nil:
		log.fail(d, err, sshKey(err))
	case len(r.Log) == 0 && !r.LocalClock.OK:
		log.OK, log.Text, log.Key = false, "nothing of the log and the clock can be read", "platform"
	case r.Log == nil:
		log.Text = "the device or this account gives no log; its clock is read"
	case len(r.Log) == 0:
		log.Text = "the log has no lines: the device keeps none"
	default:
		log.Text = fmt.Sprintf("the log has %d lines", len(r.Log))
	}
	if !log.OK {
		return []Result{log, {Device: d.Name, Step: "clock", Text: "not read, as the log", Key: log.Key, Cut: log.Cut}}
	}
	return []Result{log, checkClock(d, r)}
}

// checkClock says how far the device's clock is off.
func checkClock(d devices.Device, r devices.Reading) Result {
	out := Result{Device: d.Name, Step: "clock", OK: true}
	if !r.LocalClock.OK {
		out.Text = "the device gave no time; log lines can be dated only to the polls between which they came"
		return out
	}
	off, half := r.LocalClock.Value.Offset(), r.LocalClock.Value.Span.Width()/2
	out.Text = fmt.Sprintf("%s fast, to within %s", off.Round(time.Millisecond), half.Round(time.Millisecond))
	if off < 0 {
		out.Text = fmt.Sprintf("%s slow, to within %s", (-off).Round(time.Millisecond), half.Round(time.Millisecond))
	}
	out.Text += "; corrected for"
	return out
}

// sshKey returns the keys of the site file that may be wrong.
func sshKey(err error) string {
	switch {
	case errors.Is(err, devices.ErrHostKey):
		return "ssh.host_key, ssh.known_hosts"
	case errors.Is(err, devices.ErrAuth):
		return "ssh.user, ssh.password, ssh.key"
	case errors.Is(err, devices.ErrUnsupported), errors.Is(err, devices.ErrPartial):
		return "platform"
	case errors.Is(err, devices.ErrTimeout), errors.Is(err, devices.ErrUnreachable):
		return "address, ssh.port"
	}
	return "ssh"
}
