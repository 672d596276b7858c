package sim

import (
	"fmt"
	"strings"
	"time"
)

func (d *device) showInterfaces(at time.Duration) string {
	var b strings.Builder
	for _, p := range d.ports {
		b.WriteString(d.showInterface(p, at))
	}
	return b.String()
}

func (d *device) showInterface(p *port, at time.Duration) string {
	s := p.state(at)
	n := func(c counter) uint64 { return p.count(c, at) }
	state, line := "up", "up (connected)"
	speed := fmt.Sprintf("%dMb/s", s.speed/1e6)
	duplex := "Full-duplex"
	if s.half {
		duplex = "Half-duplex"
	}
	if !s.up {
		state, line, speed, duplex = "down", "down (notconnect)", "Auto-speed", "Auto-duplex"
	}
	if d.model == isr2911 {
		line, _, _ = strings.Cut(line, " ")
	}
	in, out := p.bits(inOctets, at), p.bits(outOctets, at)
	hardware := d.model.spelling
	if strings.HasPrefix(p.name, "Fast") {
		hardware = "Fast Ethernet"
	}
	broadcasts := n(inBroadcast) + n(inMulticast)
	var b strings.Builder
	fmt.Fprintf(&b, `%s is %s, line protocol is %s
  Hardware is %s, address is %s (bia %s)
  Description: %s
  MTU %d bytes, BW %d Kbit/sec, DLY %d usec,
     reliability %d/255, txload %d/255, rxload %d/255
  Encapsulation ARPA, loopback not set
  Keepalive set (10 sec)
  %s, %s, media type is %s
  input flow-control is off, output flow-control is unsupported
  ARP type: ARPA, ARP Timeout 04:00:00
  Last input 00:00:00, output 00:00:00, output hang never
  Last clearing of "show interface" counters never
  Input queue: 0/75/%d/0 (size/max/drops/flushes); Total output drops: %d
  Queueing strategy: fifo
  Output queue: 0/40 (size/max)
`, p.name, state, line, hardware, ciscoMAC(p.mac), ciscoMAC(p.mac), p.alias, p.largest(), s.speed/1000, 10*gbit/max(s.speed, 1),
		255, load(out, s.speed), load(in, s.speed), duplex, speed, d.media(p), n(inDrops), n(outDrops))
	fmt.Fprintf(&b, `  30 second input rate %.0f bits/sec, %.0f packets/sec
  30 second output rate %.0f bits/sec, %.0f packets/sec
     %d packets input, %d bytes, %d no buffer
     Received %d broadcasts (%d multicasts)
     %d runts, %d giants, %d throttles
     %d input errors, %d CRC, 0 frame, %d overrun, %d ignored
     0 watchdog, %d multicast, %d pause input
     0 input packets with dribble condition detected
     %d packets output, %d bytes, 0 underruns
     %d output errors, %d collisions, %d interface resets
     0 unknown protocol drops
     0 babbles, %d late collision, %d deferred
     0 lost carrier, 0 no carrier, %d pause output
     0 output buffer failures, 0 output buffers swapped out
`, in, p.packets(inUnicast, at), out, p.packets(outUnicast, at),
		n(inUnicast)+broadcasts, n(inOctets), n(noBuffer), broadcasts, n(inMulticast), n(runts), n(giants), n(throttles),
		n(inErrors), n(fcsErrors), n(overrun), n(ignored), n(inMulticast), n(inPause),
		n(outUnicast)+n(outBroadcast)+n(outMulticast), n(outOctets), n(outErrors), n(collisions), n(resets), n(lateCollisions), n(deferred), n(outPause))
	return b.String()
}

func (d *device) media(p *port) string {
	if strings.HasPrefix(p.name, "Fast") {
		return "10/100BaseTX"
	}
	return d.model.mediaType
}

// packets is a counter's mean rate, per second: the background's now, and the probe's since the story began.
func (p *port) packets(c counter, at time.Duration) float64 {
	live := float64(p.live[c].Load()) / max(at, time.Second).Seconds()
	return p.rate(c, at) + live
}

func (p *port) bits(octets counter, at time.Duration) float64 { return 8 * p.packets(octets, at) }

// load is a rate in 255ths of the speed, at least 1.
func load(bps float64, speed uint64) int {
	return min(255, max(1, int(bps*255/float64(max(speed, 1)))))
}
