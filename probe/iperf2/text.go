package iperf2

import (
	"fmt"
	"io"
	"math"
	"strings"
	"time"
)

// Printer writes what happens as the text that iperf 2.1 prints (2.0's line for the segment size). Its methods are
// for a [Handler]; the first error of writing is kept and ends the output.
type Printer struct {
	W io.Writer
	// Unit is that of transfers and rates, as of -f: k m g t (bits), K M G T (bytes); 0 or a: what fits, in bits.
	Unit byte
	// MSS prints the segment size of each connection (-m).
	MSS bool

	head string // the heading printed last
	err  error
}

// Handler returns a handler that prints.
func (p *Printer) Handler() Handler {
	return Handler{Opening: p.Opening, Connected: p.Connected, Figures: p.Figures, Notice: p.Notice}
}

// Err returns the first error of writing.
func (p *Printer) Err() error { return p.err }

func (p *Printer) printf(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintf(p.W, format, args...)
	}
}

var rule = strings.Repeat("-", 60)

// Opening prints the lines that stand before a test.
func (p *Printer) Opening(o Opening) {
	proto := "TCP"
	if o.UDP {
		proto = "UDP"
	}
	p.printf("%s\n", rule)
	if o.Server {
		p.printf("Server listening on %s port %d\n", proto, o.Port)
	} else {
		p.printf("Client connecting to %s, %s port %d\n", o.Host, proto, o.Port)
	}
	if o.UDP && !o.Server {
		p.printf("Sending %d byte datagrams", o.Length)
		if o.Gap > 0 {
			p.printf(", IPG target: %.2f us", float64(o.Gap)/float64(time.Microsecond))
		}
		p.printf("\n")
	}
	if o.Congestion != "" {
		p.printf("TCP congestion control set to %s\n", o.Congestion)
	}
	what := "TCP window size"
	if o.UDP {
		what = "UDP buffer size"
	}
	switch {
	case o.Granted == 0:
		p.printf("%s: not known\n", what)
	case o.Asked == 0:
		p.printf("%s: %s (default)\n", what, sizeText(o.Granted))
	case o.Asked != o.Granted:
		p.printf("%s: %s (WARNING: requested %s)\n", what, sizeText(o.Granted), sizeText(o.Asked))
	default:
		p.printf("%s: %s\n", what, sizeText(o.Granted))
	}
	p.printf("%s\n", rule)
	p.head = ""
}

// sizeText returns a number of bytes with its unit.
func sizeText(n int) string { return scaled(float64(n), 'A') + "Byte" }

// Connected prints the ends of a stream's connection.
func (p *Printer) Connected(s Stream) {
	note := ""
	if s.Reverse {
		note = " (reverse)"
	}
	p.printf("[%3d] local %s port %d connected with %s port %d%s\n",
		s.ID, s.Local.Addr(), s.Local.Port(), s.Remote.Addr(), s.Remote.Port(), note)
	if p.MSS && s.MSS > 0 {
		p.printf("[%3d] MSS size %d bytes (%s)\n", s.ID, s.MSS, link(s.MSS, s.Remote.Addr().Is6()))
	}
}

// link says which link a segment size belongs to: the MTU less the IP and TCP headers, with or without timestamps.
func link(mss int, v6 bool) string {
	headers := 40
	if v6 {
		headers = 60
	}
	for _, l := range []struct {
		mtu  int
		name string
	}{{576, "minimum"}, {1280, "IPv6 minimum"}, {1492, "PPPoE"}, {1500, "ethernet"}, {4352, "FDDI"}, {9000, "jumbo"}, {65536, "loopback"}} {
		if d := l.mtu - headers - mss; d == 0 || d == 12 {
			return fmt.Sprintf("MTU %d bytes, %s", l.mtu, l.name)
		}
	}
	return fmt.Sprintf("MTU %d bytes, unknown interface", mss+headers)
}

const (
	heading    = "[ ID] Interval       Transfer     Bandwidth"
	headingUDP = "[ ID] Interval       Transfer     Bandwidth        Jitter   Lost/Total Datagrams"
)

// Figures prints the lines of an interval or of the end.
func (p *Printer) Figures(f Figures) {
	id := fmt.Sprintf("[%3d]", f.Stream.ID)
	switch {
	case f.Sum > 0:
		id = "[SUM]"
	case f.Stream.Reverse && f.Stream.Client && !f.Stream.Sends:
		id = fmt.Sprintf("[ *%d]", f.Stream.ID)
	}
	p.line(id, f.Received, f.From, f.To, f.Bytes, f.BitsPerSecond(), Report{
		Lost: f.Lost, OutOfOrder: f.OutOfOrder, Total: f.Total, Jitter: f.Jitter,
	}, f.Sum > 0)
	if f.Duplicates > 0 {
		p.printf("%s %s sec  %d datagrams received more than once\n", id, span(f.From, f.To), f.Duplicates)
	}
	if !f.Final {
		return
	}
	if f.Stream.UDP && !f.Received {
		p.printf("%s Sent %d datagrams\n", id, f.Datagrams)
	}
	if r := f.Report; r != nil && f.Sum == 0 {
		p.printf("%s Server Report:\n", id)
		rate := 0.0
		if r.Time > 0 {
			rate = float64(r.Bytes) * 8 / r.Time.Seconds()
		}
		p.line(id, true, 0, r.Time, r.Bytes, rate, *r, false)
	}
	if f.Problem != "" {
		p.printf("%s WARNING: %s\n", id, f.Problem)
	}
}

func (p *Printer) line(id string, udp bool, from, to time.Duration, bytes uint64, rate float64, r Report, sum bool) {
	want := heading
	if udp {
		want = headingUDP
	}
	if p.head != want {
		p.head = want
		p.printf("%s\n", want)
	}
	p.printf("%s %s sec  %sBytes  %s/sec", id, span(from, to), p.transfer(float64(bytes)), p.rate(rate))
	switch {
	case udp && sum:
		p.printf("            %d/%d (%s%%)", r.Lost, r.Total, percent(r.LossRatio()))
	case udp:
		p.printf("  %6.3f ms %d/%d (%s%%)", r.Jitter.Seconds()*1000, r.Lost, r.Total, percent(r.LossRatio()))
	}
	p.printf("\n")
	if udp && r.OutOfOrder > 0 {
		p.printf("%s %s sec  %d datagrams received out-of-order\n", id, span(from, to), r.OutOfOrder)
	}
}

// Notice prints a warning.
func (p *Printer) Notice(text string) { p.printf("WARNING: %s\n", text) }

func span(from, to time.Duration) string {
	return fmt.Sprintf("%6.4f-%6.4f", from.Seconds(), to.Seconds())
}

func percent(ratio float64) string { return fmt.Sprintf("%.2g", ratio*100) }

// transfer returns a number of bytes in the unit asked for, without "Bytes".
func (p *Printer) transfer(bytes float64) string {
	switch p.Unit {
	case 'k', 'm', 'g', 't', 'K', 'M', 'G', 'T':
		return scaled(bytes, p.Unit&^0x20)
	}
	return scaled(bytes, 'A')
}

// rate returns a rate given in bit/s with its unit, without "/sec".
func (p *Printer) rate(bits float64) string {
	switch p.Unit {
	case 'K', 'M', 'G', 'T':
		return scaled(bits/8, p.Unit) + "Bytes"
	case 'k', 'm', 'g', 't':
		return scaled(bits, p.Unit) + "bits"
	}
	return scaled(bits, 'a') + "bits"
}

// scaled writes a number four digits wide with the letter of its unit: by 1000 for lower case units, by 1024 for
// upper case; a and A take the unit that fits.
func scaled(v float64, unit byte) string {
	base := 1024.0
	if unit >= 'a' {
		base = 1000
	}
	const letters = " KMGT"
	i := strings.IndexByte(letters, unit&^0x20)
	if unit == 'a' || unit == 'A' {
		i = 0
		for i < len(letters)-1 && math.Abs(v) >= base {
			v /= base
			i++
		}
	} else {
		v /= math.Pow(base, float64(i))
	}
	format := "%4.0f %s"
	switch {
	case i == 0:
	case v < 0.9995:
		format = "%4.3f %s"
	case v < 9.995:
		format = "%4.2f %s"
	case v < 99.95:
		format = "%4.1f %s"
	}
	return fmt.Sprintf(format, v, strings.TrimSpace(letters[i:i+1]))
}
