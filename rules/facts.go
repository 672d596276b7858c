package rules

import (
	"math"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// The facts that expressions read. A figure that is not known is NaN; times are moments, lengths are seconds,
// rates bit/s. The tag metric names the readings behind a fact, for the list of what is missing.

// runFacts are about the whole record.
type runFacts struct {
	Seconds float64 `expr:"seconds"` // how long was watched
}

// pathFacts are about one path, outside its incidents unless said otherwise.
type pathFacts struct {
	Name     string  `expr:"name"`
	Offered  float64 `expr:"offered" metric:"path.offered.forward"`  // NaN if unlimited
	Expected float64 `expr:"expected" metric:"path.goodput.forward"` // what was offered, else the usual best
	Goodput  float64 `expr:"goodput" metric:"path.goodput.forward"`  // median of the seconds
	Spread   float64 `expr:"spread" metric:"path.goodput.forward"`   // the middle half's width over the median
	Way      string  `expr:"way"`                                    // the direction the data went

	Low        float64         `expr:"low"`         // seconds of low goodput, 0 if none
	LowShare   float64         `expr:"low_share"`   // of the watched time
	LowGoodput float64         `expr:"low_goodput"` // median meanwhile; the median of all if it never was low
	LowSpread  float64         `expr:"low_spread"`
	LowSpan    timeline.Span   `expr:"low_span"`
	WorstSpan  timeline.Span   `expr:"worst_span"` // of low goodput, else of raised delay; zero if neither
	HurtSpans  []timeline.Span `expr:"hurt_spans"` // of every episode of trouble, in order of time

	LossForward float64       `expr:"loss_forward" metric:"path.loss.forward"` // mean ratio
	LossReverse float64       `expr:"loss_reverse" metric:"path.loss.reverse"`
	LossSpan    timeline.Span `expr:"loss_span"`
	LossPeak    float64       `expr:"loss_peak"` // ratio within the worst episode of loss
	Lost        float64       `expr:"lost"`      // heartbeats lost in episodes of loss

	RTT       float64       `expr:"rtt" metric:"path.rtt"` // median, s
	RTTBase   float64       `expr:"rtt_base" metric:"path.rtt"`
	Delay     float64       `expr:"delay"`     // seconds for which the round trip was raised
	DelayRTT  float64       `expr:"delay_rtt"` // median meanwhile
	DelaySpan timeline.Span `expr:"delay_span"`

	TCPRTT        float64 `expr:"tcp_rtt" metric:"tcp.rtt"`
	Retransmits   float64 `expr:"retransmits" metric:"tcp.retransmits"` // per second
	RetransShare  float64 `expr:"retransmit_share" metric:"tcp.retransmits"`
	RwndLimited   float64 `expr:"rwnd_limited" metric:"tcp.rwnd_limited"` // within worst_span, if there is one
	SndbufLimited float64 `expr:"sndbuf_limited" metric:"tcp.sndbuf_limited"`
	Window        float64 `expr:"window" metric:"tcp.send_window"` // bytes, the upper tenth
	WindowRate    float64 `expr:"window_rate" metric:"tcp.send_window,path.rtt"`
	WindowIsIt    float64 `expr:"window_ratio" metric:"tcp.send_window,path.rtt"` // low goodput over window/RTT

	FarCPU       float64 `expr:"far_cpu" metric:"host.cpu"` // within worst_span, if there is one
	FarProcess   float64 `expr:"far_process" metric:"host.process_cpu"`
	FarWait      float64 `expr:"far_wait" metric:"host.cpu_wait"`       // seconds per second that its threads waited for a processor
	FarThrottled float64 `expr:"far_throttled" metric:"host.throttled"` // seconds per second that a quota stopped it
	FarReadStall float64 `expr:"far_read_stall" metric:"host.read_stall"`
	FarUDPDrops  float64 `expr:"far_udp_drops" metric:"host.udp_drops"`
	FarName      string  `expr:"far_name"`
	OwnCPU       float64 `expr:"own_cpu" metric:"host.cpu"`
	OwnSpare     float64 `expr:"own_spare"` // 1 if the probing host had time to spare or does not tell; NaN if it had none
	OwnProcess   float64 `expr:"own_process" metric:"host.process_cpu"`
	OwnUDPDrops  float64 `expr:"own_udp_drops" metric:"host.udp_drops"`
	OwnCore      float64 `expr:"own_core" metric:"host.core_busy"` // the busiest core, within worst_span, if there is one
	OwnNet       float64 `expr:"own_net" metric:"host.softirq"`    // the core that took in most packets, likewise

	// What the probing host made itself, of the path's stalls and losses.
	OwnStood      float64         `expr:"own_stood"`                                // in how many it stood still
	OwnGap        float64         `expr:"own_gap" metric:"host.sched_gap"`          // for how long at most, seconds; 0 if in none
	OwnUDPLost    float64         `expr:"own_udp_lost" metric:"host.udp_drops"`     // datagrams its kernel discarded in those that this explains
	OwnNICLost    float64         `expr:"own_nic_lost" metric:"host.nic_drops"`     // frames its card or input queue had no room for, likewise
	OwnQueueLost  float64         `expr:"own_queue_lost" metric:"host.queue_drops"` // packets its own queue dropped, likewise
	OwnSteal      float64         `expr:"own_steal" metric:"host.steal"`            // in the worst second of them
	OwnSoftirq    float64         `expr:"own_softirq" metric:"host.softirq"`
	OwnSpans      []timeline.Span `expr:"own_spans"`      // those in which it stood still, or its card or queue lost as much
	DatagramSpans []timeline.Span `expr:"datagram_spans"` // those of own_udp_lost, else loss_span

	Line      float64  `expr:"line" metric:"if.speed"` // the slowest port of the path, bit/s
	LinePort  string   `expr:"line_port"`
	TCPMax    float64  `expr:"tcp_max" metric:"if.speed"` // the most TCP payload that line carries
	Ports     float64  `expr:"ports"`                     // ports on the path
	Flaps     float64  `expr:"flaps"`                     // times that a port of a path is known to have lost its carrier
	Read      float64  `expr:"ports_read"`                // of them, with error and drop counters read meanwhile
	Unread    []string `expr:"unread"`                    // those that were not
	Clean     float64  `expr:"clean"`                     // 1 if all ports were read and none is troubled, 0 if one is, NaN if some were not read
	RoundRate float64  `expr:"round_rate"`                // the usual line rate whose TCP maximum the goodput comes near; 0 if none
	Troubled  []string `expr:"troubled"`                  // ports on the path with more than a trace of errors or drops
	Incidents float64  `expr:"incidents"`
	// 1 if a person wrote down what devices told and nothing of what the path did then: there is a trouble, or nobody would ask, but
	// nothing says when.
	Untold  float64 `expr:"untold"`
	UDPLoss float64 `expr:"udp_loss" metric:"path.loss.forward"` // of a UDP stream at rate, not of heartbeats

	// What no finding explained; set before residual rules are asked.
	OpenStalls  float64       `expr:"open_stalls"`  // incidents
	OpenFlow    float64       `expr:"open_flow"`    // of them, those in which only the flow stalled and heartbeats passed
	OpenLongest float64       `expr:"open_longest"` // of them, seconds
	Explained   float64       `expr:"explained"`    // 1 if another finding about the path holds
	OpenLoss    float64       `expr:"open_loss"`    // heartbeats lost in episodes
	OpenDelay   float64       `expr:"open_delay"`   // seconds
	OpenLow     float64       `expr:"open_low"`     // seconds
	OpenSpan    timeline.Span `expr:"open_span"`
	OpenWorst   float64       `expr:"open_worst"` // the worst loss ratio of them
	OpenCheck   string        `expr:"open_check"` // nothing ever came back since the start: what the probing host knows of the way; "" otherwise

	GoodputIn  func(timeline.Span) float64 `expr:"goodput_in"`      // median over a span
	LossIn     func(timeline.Span) float64 `expr:"loss_in"`         // mean, of the worse direction
	WorseIn    func(timeline.Span) string  `expr:"worse_in"`        // which direction that was
	RetransIn  func(timeline.Span) float64 `expr:"retransmits_in"`  // how many
	RetransOut func(timeline.Span) float64 `expr:"retransmits_out"` // per second outside of the span
	RTTIn      func(timeline.Span) float64 `expr:"rtt_in"`
	SpreadIn   func(timeline.Span) float64 `expr:"spread_in"`
	// Around is the span with every stretch of low goodput that it touches, or that follows it within a second.
	Around func(timeline.Span) timeline.Span `expr:"around"`
	// Packets that went in at one port of the path and did not come out at the next, that no counter admits: see facts_ledger.go.
	Vanished      func() float64 `expr:"vanished"`       // at the place where most do; 0 if nowhere, or not known
	VanishedOf    func() float64 `expr:"vanished_of"`    // of so many
	VanishedDoubt func() float64 `expr:"vanished_doubt"` // half the width of its 95 % interval
	VanishedAt    func() string  `expr:"vanished_at"`    // the places, in words

	HurtIn func(timeline.Span) float64 `expr:"hurt_in"` // how many episodes of trouble the path had
	DarkIn func(timeline.Span) string  `expr:"dark_in"` // which way it was dark: forward, reverse, both; "" if it was not

	Air airFacts `expr:"air"`
}

// Activity is a counter of trouble at work: what it counted while the port's way was not down or moving.
type activity struct {
	Total  float64       `expr:"total"`  // how many
	Span   timeline.Span `expr:"span"`   // from the first to the last interval in which it rose
	Length float64       `expr:"length"` // of the span
	Share  float64       `expr:"share"`  // of the span's intervals in which it rose
	Ratio  float64       `expr:"ratio"`  // of the packets in the same direction meanwhile
	Rate   float64       `expr:"rate"`   // per second over the span
}

// portFacts are about one port on the path.
type portFacts struct {
	Device string `expr:"device"`
	Name   string `expr:"name"`
	Role   string `expr:"role"` // the device's

	FCS        activity `expr:"fcs" metric:"if.in.fcs"`
	Errors     activity `expr:"errors" metric:"if.in.errors"`
	Bad        activity `expr:"bad" metric:"if.in.fcs,if.in.errors"` // FCS errors where they are counted, else input errors
	Drops      activity `expr:"drops" metric:"if.out.drops"`
	InDrops    activity `expr:"in_drops" metric:"if.in.drops"`
	Late       activity `expr:"late" metric:"if.late_collisions"`
	Collisions activity `expr:"collisions" metric:"if.collisions"`
	Runts      activity `expr:"runts" metric:"if.in.runts"`
	Alignment  activity `expr:"alignment" metric:"if.in.alignment"`

	BER         float64 `expr:"ber" metric:"if.in.bits"`             // bad frames per bit received meanwhile
	Utilisation float64 `expr:"utilisation" metric:"if.utilisation"` // the highest second
	DropUtil    float64 `expr:"drop_utilisation" metric:"if.utilisation"`

	Speed      float64       `expr:"speed" metric:"if.speed"` // the lowest seen, bit/s
	SpeedUsual float64       `expr:"speed_usual" metric:"if.speed"`
	SpeedMax   float64       `expr:"speed_max" metric:"if.speed_max"`
	Fell       float64       `expr:"speed_fell"`                          // 1 if the speed fell meanwhile
	SlowSpan   timeline.Span `expr:"slow_span"`                           // when it ran below its best
	HalfDuplex float64       `expr:"half_duplex" metric:"if.half_duplex"` // 1 if ever half while up
	Mismatch   float64       `expr:"mismatch_told"`                       // the device or its neighbour said so
	TroubleAt  timeline.Span `expr:"trouble_span"`                        // of late collisions or bad frames

	Link linkFacts `expr:"link"`

	Carries float64 `expr:"carries" metric:"if.in.bits"` // its rate over the probe's own, while the probe ran

	// Of any metric by its name: what was counted while the record ran, and its share of the packets in the same direction;
	// what the counter stood at in all (EventTotals: no evidence of what happens now) and its share; the last state.
	Counted    func(string) float64 `expr:"counted"`
	Share      func(string) float64 `expr:"share"`
	Total      func(string) float64 `expr:"total"`
	TotalShare func(string) float64 `expr:"total_share"`
	State      func(string) float64 `expr:"state"`
	Events     func(string) float64 `expr:"events"`                            // how many events of a type the port had
	MeanSize   float64              `expr:"mean_size" metric:"if.in.bits"`     // octets received per packet, by the totals or what was counted
	Age        float64              `expr:"age"`                               // over how long the totals were counted, s
	HasTotals  float64              `expr:"totals"`                            // 1 if only totals are told of the port, 0 if something was counted while the record ran
	MeanLoad   float64              `expr:"mean_load" metric:"if.utilisation"` // utilisation averaged over the longest interval that was told
	LoadOver   float64              `expr:"load_over"`                         // how long that is, s
	OtherEnd   string               `expr:"other_end"`                         // the port at the other end of its link, as far as is told
	MTUs       func() bool          `expr:"mtus_differ"`                       // the two ends of its link have different MTUs
	Duplexes   func() bool          `expr:"duplexes_differ"`                   // or duplexes
}

// moveFacts are about spanning tree moving the path between two ports of one bridge.
type moveFacts struct {
	Device   string   `expr:"device"`
	Stopped  string   `expr:"stopped"` // the port that stopped forwarding first
	Started  string   `expr:"started"`
	First    string   `expr:"first"` // when, as a person reads it
	Count    float64  `expr:"count"`
	Hit      float64  `expr:"disturbed"` // occurrences with an outage
	Hurt     float64  `expr:"hurt"`      // occurrences with an outage or with heartbeats lost
	Told     string   `expr:"told"`      // each occurrence with the lengths of what it did
	Bridges  float64  `expr:"bridges"`   // devices that counted a topology change
	Names    []string `expr:"bridge_names"`
	Root     bool     `expr:"root"`                                     // the bridge's root port moved
	Carrier  bool     `expr:"carrier"`                                  // a link of the path lost its carrier shortly before
	Dark     float64  `expr:"dark" metric:"path.loss.forward"`          // the longest time dark for heartbeats
	Stall    float64  `expr:"stall" metric:"path.goodput.forward"`      // the longest stall of the flow
	Excess   float64  `expr:"tcp_excess" metric:"path.goodput.forward"` // how much longer than darkness and back-off allow
	Forwards bool     `expr:"forwards"`                                 // a port told that it began to forward, so that the moment is known
	DarkLate float64  `expr:"dark_after" metric:"path.loss.forward"`    // how long the path stayed dark after the port forwarded

	Firewalls []string `expr:"firewalls"` // a redundant group of firewalls of the path
	From      string   `expr:"from_unit"` // which carried the traffic before, by its octets
	To        string   `expr:"to_unit"`
	Shifted   float64  `expr:"shifted" metric:"if.in.bits"` // 1 if the octets went from one unit to the other
	Octets    string   `expr:"octets"`                      // the rates that show it
	Taken     float64  `expr:"failover_told"`               // a unit said that it took over

	Met      float64 `expr:"met"`      // incidents that coincide with a move
	Of       float64 `expr:"of"`       // incidents of the path
	Expected float64 `expr:"expected"` // how many would by chance
	Chance   float64 `expr:"chance"`   // the probability of that many by chance
}

// flapFacts are about a link on the path losing its carrier.
type flapFacts struct {
	Device  string   `expr:"device"`
	Port    string   `expr:"port"`
	Others  []string `expr:"others"` // the other ports that went down with it
	Count   float64  `expr:"count"`
	Hit     float64  `expr:"disturbed"`
	Told    string   `expr:"told"`
	Longest float64  `expr:"longest"` // down, seconds
	Down    bool     `expr:"still_down"`
	Carried float64  `expr:"carried" metric:"if.in.bits"` // its share of the probe's rate before
	Met     float64  `expr:"met"`
	Of      float64  `expr:"of"`
	Expect  float64  `expr:"expected"`
	Chance  float64  `expr:"chance"`
	Slept   float64  `expr:"slept"`      // 1 if it came back slower once and faster once, and counted no bad frame
	Shut    string   `expr:"shut_cause"` // why the device shut the port by itself, "" if it did not or gave no cause
}

// deviceFacts are about one device on the path.
type deviceFacts struct {
	Name      string        `expr:"name"`
	Blind     float64       `expr:"blind"`       // seconds in which nothing was read
	Share     float64       `expr:"blind_share"` // of the watched time
	Longest   float64       `expr:"longest"`
	Span      timeline.Span `expr:"span"`
	Reason    string        `expr:"reason"`
	During    float64       `expr:"during"`    // incidents and episodes that fall into its blindness
	Explained float64       `expr:"explained"` // seconds of blindness within incidents that another finding explains
	Ports     []string      `expr:"ports"`
	Dark      float64       `expr:"dark"`     // seconds of its blindness in which the path was dark, explained or not
	Answered  []string      `expr:"answered"` // the other devices of the path that answered all along

	Life lifeFacts `expr:"life"`
}

// blank returns the facts of a scope with nothing known, for compiling expressions against.
func blank(scope Scope) map[string]any {
	env := map[string]any{"run": &runFacts{}, "path": &pathFacts{}, "tests": &testFacts{}, "protos": &protoFacts{}, "app": &appFacts{}}
	for k, v := range wording {
		env[k] = v
	}
	switch scope {
	case ScopeChange:
		env["change"] = &changeFacts{}
	case ScopeNode:
		env["node"] = &nodeFacts{}
	case ScopePort:
		env["port"] = &portFacts{}
	case ScopeMove:
		env["move"] = &moveFacts{}
	case ScopeFlap:
		env["flap"] = &flapFacts{}
	case ScopeDevice:
		env["device"] = &deviceFacts{}
	}
	return env
}

// scopes lists the scopes there are.
var scopes = []Scope{ScopePath, ScopePort, ScopeMove, ScopeFlap, ScopeDevice, ScopeChange, ScopeNode}

// candidate is one thing that rules of a scope are asked about.
type candidate struct {
	scope   Scope
	path    string
	subject timeline.Subject
	env     map[string]any
	times   []timeline.Span     // its occurrences
	span    timeline.Span       // from the first to the last, with what it did
	hits    []correlate.Episode // the episodes it would explain, if it is the cause
	events  []timeline.Event
}

// nan is a figure that is not known.
var nan = math.NaN()

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}
