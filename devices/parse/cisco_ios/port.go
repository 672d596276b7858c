package cisco_ios

import (
	"strconv"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// Port is one block of show interfaces.
type Port struct {
	Interface devices.Interface
	Extra     Extra
	From, To  int // where the block begins and ends in the text
}

// Extra is what show interfaces says beyond devices.Interface.
type Extra struct {
	Status   string // verbatim: "up", "down", "administratively down", "reset", "deleted"
	Protocol string // verbatim: "up", "down"
	Reason   string // in brackets behind it: "connected", "notconnect", "err-disabled", "suspended"
	Hardware string // "Gigabit Ethernet"
	Media    string // "10/100/1000BaseTX"

	Bandwidth                   devices.Opt[uint64] // bit/s, as configured for routing; says nothing about the line
	Reliability, TxLoad, RxLoad devices.Opt[uint8]  // of 255, over the interval

	Interval                     devices.Opt[time.Duration] // over which the rates are averaged
	InRate, OutRate              devices.Opt[float64]       // bit/s
	InPacketRate, OutPacketRate  devices.Opt[float64]       // packet/s
	Broadcasts, Multicasts       devices.Opt[devices.Counter]
	NoBuffer, Throttles, Ignored devices.Opt[devices.Counter]
	Underruns, Resets, Deferred  devices.Opt[devices.Counter]
	LostCarrier, NoCarrier       devices.Opt[devices.Counter]
}

// header reads the first line of a block: "NAME is STATUS, line protocol is STATE (reason)".
func header(line string) (name, status, protocol, reason string, ok bool) {
	i := strings.IndexByte(line, ' ')
	if i <= 0 || !strings.HasPrefix(line[i:], " is ") || !isPortName(line[:i]) {
		return "", "", "", "", false
	}
	name, rest := line[:i], line[i+len(" is "):]
	status, protocol, found := strings.Cut(rest, ", line protocol is ")
	if !found {
		// A pseudowire has no line protocol.
		switch status = strings.TrimSpace(rest); status {
		case "up", "down", "administratively down", "deleted":
			return name, status, "", "", true
		}
		return "", "", "", "", false
	}
	protocol, _, _ = strings.Cut(protocol, ",") // ", Autostate Enabled"
	if j := strings.IndexByte(protocol, '('); j >= 0 {
		reason = strings.TrimSpace(strings.Trim(protocol[j+1:], ") "))
		protocol = protocol[:j]
	}
	if j := strings.IndexByte(status, '('); j >= 0 {
		if reason == "" {
			reason = strings.TrimSpace(strings.Trim(status[j+1:], ") "))
		}
		status = status[:j]
	}
	return name, strings.TrimSpace(status), strings.TrimSpace(protocol), reason, true
}

// maxPortName is the longest name taken for a port's.
const maxPortName = 64

// isPortName says whether s looks like the name of an interface: letters first, a digit somewhere, and nothing
// that a name does not have.
func isPortName(s string) bool {
	if len(s) > maxPortName || !text.IsLetter(s[0]) {
		return false
	}
	digit := false
	for i := range len(s) {
		c := s[i]
		if text.IsDigit(c) {
			digit = true
		} else if !text.IsLetter(c) && strings.IndexByte("/.:_-", c) < 0 {
			return false
		}
	}
	return digit
}

// states puts the words of a header into the interface.
func (p *Port) states() {
	switch p.Extra.Status {
	case "administratively down":
		p.Interface.Admin = devices.Some("down")
	case "up", "down", "reset", "":
		p.Interface.Admin = devices.Some("up")
	}
	oper := p.Extra.Protocol
	if oper == "" {
		oper = p.Extra.Status
	}
	switch oper {
	case "":
	case "administratively down", "deleted":
		p.Interface.Oper = devices.Some("down")
	case "not present", "notpresent":
		p.Interface.Oper = devices.Some("notPresent")
	case "lowerlayerdown":
		p.Interface.Oper = devices.Some("lowerLayerDown")
	default:
		p.Interface.Oper = devices.Some(oper)
	}
}

// more puts what Extra holds into the fields of the interface, and what no field is for into its facts.
func (p *Port) more() {
	i, e := &p.Interface, &p.Extra
	i.InBroadcasts, i.InMulticasts = e.Broadcasts, e.Multicasts
	i.NoBuffer, i.Throttles, i.Ignored = e.NoBuffer, e.Throttles, e.Ignored
	i.Underruns, i.Resets, i.Deferred, i.CarrierSense = e.Underruns, e.Resets, e.Deferred, e.LostCarrier
	if e.Media != "" && e.Media != "unknown" {
		i.Media = devices.Some(e.Media)
	}
	if load := max(e.TxLoad.Value, e.RxLoad.Value); e.TxLoad.OK || e.RxLoad.OK {
		i.Load = devices.Some(float64(load) / 255)
	}
	if e.Reason == "err-disabled" {
		i.ErrDisabled = e.Reason
	}
	p.fact("hardware", e.Hardware)
	p.fact("media", strings.TrimSuffix(e.Media, " media type"))
	p.fact("status", e.Status)
	p.fact("protocol", e.Protocol)
	p.fact("reason", e.Reason)
	if e.Interval.OK {
		p.fact("interval", strconv.Itoa(int(e.Interval.Value/time.Second)))
	}
	for _, r := range []struct {
		name string
		rate devices.Opt[float64]
	}{{"in_rate", e.InRate}, {"out_rate", e.OutRate}, {"in_packet_rate", e.InPacketRate}, {"out_packet_rate", e.OutPacketRate}} {
		if r.rate.OK {
			p.fact(r.name, text.Plain(r.rate.Value))
		}
	}
}
