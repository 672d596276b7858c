package sim

import (
	"fmt"
	"slices"
	"time"
)

// quietTales are noise: alone, where nothing is wrong, and around a fault.
var quietTales = slices.Concat(noiseAlone(), []tale{
	{"bad-cable-noisy", scenario{help: "a bad cable among noise of many kinds", draw: among(drawBadCable)}},
	{"stp-reconvergence-noisy", scenario{help: "spanning tree moves the path, among noise of many kinds", draw: among(drawReconvergence)}},
	{"port-flap-noisy", scenario{help: "a port of the path flaps, among noise of many kinds", draw: among(drawPortFlap)}},
	{"oversubscription-noisy", scenario{help: "a port gets more than it can send, among noise of many kinds", draw: among(drawOversubscription), egress: catalyst2960}},
	{"duplex-mismatch-noisy", scenario{help: "a duplex mismatch, among noise of many kinds", draw: among(drawDuplexMismatch)}},
	{"microburst-noisy", scenario{help: "bursts overflow a queue, among noise of many kinds", draw: among(drawMicroburst)}},
	{"speed-fallback-noisy", scenario{help: "a link fell back to 100 Mbit/s, among noise of many kinds", draw: among(drawSpeedFallback)}},
	{"tcp-window-noisy", scenario{help: "a small window, among noise of many kinds", draw: among(drawTCPWindow)}},
	{"silent-drop-noisy", scenario{help: "packets vanish, among noise of many kinds", draw: among(drawSilentLoss)}},
	{"input-queue-overrun-noisy", scenario{help: "a firewall has no room for what arrives, among noise of many kinds", draw: among(drawOverrun)}},
})

// noise is something that happens and does not matter.
type noise struct {
	name, help string
	live       bool
	add        func(s *Story)
}

// noises is the list: a new kind is one line here, and becomes a story of its own.
var noises = []noise{
	{"errors", "several ports off the path count errors", true, noiseErrors},
	{"topology", "access ports elsewhere make topology changes", true, noiseTopology},
	{"flaps", "an access port off the path flaps on and on", true, noiseFlaps},
	{"chatter", "the devices log a lot", true, noiseChatter},
	{"unpunctual", "polls come late", false, func(s *Story) { s.unpunctual = 600 * time.Millisecond }},
	{"lost-poll", "single polls get lost", false, noiseLostPolls},
	{"slow-agent", "an agent refreshes its counters every few seconds", false, noiseSlowAgent},
	{"busy", "links of the path are busy", true, noiseBusy},
	{"spikes", "the delay has spikes of milliseconds", true, noiseSpikes},
	{"processor", "a device's processor is busy for seconds", true, noiseProcessor},
	{"clock", "devices' clocks are hours off", true, noiseClock},
	{"trickle", "a port of the path counts an error in minutes", true, noiseTrickle},
}

func noiseAlone() []tale {
	var out []tale
	for _, n := range noises {
		out = append(out, tale{"quiet-" + n.name, scenario{help: n.help + "; nothing is wrong", live: n.live, draw: func(s *Story) {
			s.steady()
			s.rest(s.begins())
			n.add(s)
		}}})
	}
	return out
}

// among returns a story with three kinds of noise around it.
func among(draw func(*Story)) func(*Story) {
	return func(s *Story) {
		draw(s)
		for _, i := range s.Perm(len(noises))[:3] {
			noises[i].add(s)
		}
	}
}

func noiseErrors(s *Story) {
	for _, d := range []*device{s.near, s.far} {
		for _, p := range s.idle[d][1:] {
			if !slices.Contains(d.off, p) {
				d.off = append(d.off, p)
			}
			at, rate := s.between(0, s.Length/2), s.real(2, 200)
			until := at + s.between(2*time.Second, 20*time.Second)
			for _, c := range []counter{fcsErrors, inErrors} {
				p.flows = append(p.flows, flow{c, at, until, rate})
			}
		}
	}
}

func noiseTopology(s *Story) {
	for _, d := range []*device{s.near, s.far} {
		for at := s.between(0, 3*time.Second); at < s.Length; at += s.between(2*time.Second, 8*time.Second) {
			d.bridge.changes = append(d.bridge.changes, topologyChange{at, s.idle[d][2]})
			d.say(at+4*time.Millisecond, "%SPANTREE-5-TOPOTRAP: Topology Change Trap for vlan 1")
		}
		slices.SortStableFunc(d.bridge.changes, func(a, b topologyChange) int { return int(a.at - b.at) })
	}
}

func noiseFlaps(s *Story) {
	d := pick(s.draw, s.near, s.far)
	p := s.idle[d][2]
	d.off = append(d.off, p)
	for at := s.between(time.Second, 3*time.Second); at < s.Length-2*time.Second; at += s.between(3*time.Second, 5*time.Second) {
		d.flap(p, at, at+s.between(500*time.Millisecond, 2*time.Second))
	}
}

func noiseChatter(s *Story) {
	lines := []string{
		"%SEC_LOGIN-5-LOGIN_SUCCESS: Login Success [user: netops] [Source: 172.20.1.9] [localport: 22]", "%SYS-6-LOGOUT: User netops has exited tty session 1(172.20.1.9)",
		"%CDP-4-NATIVE_VLAN_MISMATCH: Native VLAN mismatch discovered on an access port", "%AUTHMGR-5-START: Starting 'dot1x' for client (0011.2233.4455) on an access port",
		"%DOT1X-5-FAIL: Authentication failed for client (0011.2233.4455)", "%SW_MATM-4-MACFLAP_NOTIF: Host 0011.2233.4466 in vlan 30 is flapping between an access port and another",
		"%SNMP-3-AUTHFAIL: Authentication failure for SNMP req from host 172.20.1.77", "%ILPOWER-7-DETECT: Power Device detected: IEEE PD", "%NTP-4-UNSYNC: NTP sync is lost",
	}
	for _, d := range s.devices() {
		for at := s.between(0, time.Second); at < s.Length; at += s.between(200*time.Millisecond, 3*time.Second) {
			d.say(at, pick(s.draw, lines...))
		}
	}
}

func noiseLostPolls(s *Story) {
	for _, d := range s.devices() {
		for range s.number(1, 3) {
			at := s.between(2*time.Second, s.Length-3*time.Second)
			d.skips = append(d.skips, stretch{from: at, to: at + time.Second})
		}
	}
}

func noiseSlowAgent(s *Story) {
	d := pick(s.draw, s.devices()...)
	every := s.between(3*time.Second, 8*time.Second)
	for _, p := range d.ports {
		p.refresh = every
	}
}

func noiseBusy(s *Story) {
	s.users(before, forever, s.first, s.real(0.2, 0.6)*float64(gbit), s.real(0.2, 0.6)*float64(gbit))
}

func noiseSpikes(s *Story) {
	for at := s.between(time.Second, 3*time.Second); at < s.Length; at += s.between(time.Second, 6*time.Second) {
		more, w := s.between(2*time.Millisecond, 12*time.Millisecond), pick(s.draw, forward, reverse)
		s.path.during(at, at+s.between(10*time.Millisecond, 60*time.Millisecond), func(c *condition) { c.queue[w] += more })
	}
}

func noiseProcessor(s *Story) {
	d := pick(s.draw, s.devices()...)
	at := s.between(2*time.Second, s.Length/2)
	d.loads = append(d.loads, stretch{at, at + s.between(2*time.Second, 6*time.Second), s.number(60, 80)})
}

func noiseClock(s *Story) {
	for _, d := range s.devices() {
		d.offset = s.between(-9*time.Hour, 9*time.Hour)
	}
}

func noiseTrickle(s *Story) {
	at := s.between(2*time.Second, s.Length-4*time.Second)
	p := s.path.cross[s.first][forward][pick(s.draw, 0, 2, 4)].port
	for _, c := range []counter{fcsErrors, inErrors} {
		p.flows = append(p.flows, flow{c, at, at + time.Second, float64(s.number(1, 2))})
	}
	s.deviceOf(p).say(at, fmt.Sprintf("%%SYS-5-CONFIG_I: Configured from console by netops on vty0 (%s)", s.admin()))
}
