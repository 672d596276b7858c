package guess

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// mark is something that only some platforms print.
type mark struct {
	platforms string // their names, with blanks between
	weight    int
	re        *regexp.Regexp
	literals  []string // one of them stands in every text that re matches; nil: not known
}

// possible says whether re can match at all, which is much quicker to say no.
func (m mark) possible(text string) bool {
	for _, l := range m.literals {
		if strings.Contains(text, l) {
			return true
		}
	}
	return m.literals == nil
}

// literalsOf returns texts of which one stands in whatever re matches; nil if there is none of more than a letter.
func literalsOf(re *syntax.Regexp) []string {
	switch re.Op {
	case syntax.OpLiteral:
		if re.Flags&syntax.FoldCase == 0 && len(re.Rune) > 1 {
			return []string{string(re.Rune)}
		}
	case syntax.OpCapture, syntax.OpPlus:
		return literalsOf(re.Sub[0])
	case syntax.OpConcat:
		var best []string
		for _, sub := range re.Sub {
			if got := literalsOf(sub); got != nil && (best == nil || shortest(got) > shortest(best)) {
				best = got
			}
		}
		return best
	case syntax.OpAlternate:
		var all []string
		for _, sub := range re.Sub {
			got := literalsOf(sub)
			if got == nil {
				return nil
			}
			all = append(all, got...)
		}
		return all
	}
	return nil
}

func shortest(list []string) int {
	n := len(list[0])
	for _, s := range list {
		n = min(n, len(s))
	}
	return n
}

// foreign matches what a device says of others: its neighbours' software is not its own.
var foreign = regexp.MustCompile(`(?im)^[ \t]*(?:system desc|advertisement version|holdtime|platform: )`)

const ios = "cisco_ios cisco_iosxe"

// sign makes a mark.
func sign(platforms string, weight int, pattern string) mark {
	m := mark{platforms: platforms, weight: weight, re: regexp.MustCompile(pattern)}
	if parsed, err := syntax.Parse(pattern, syntax.Perl); err == nil {
		m.literals = literalsOf(parsed)
	}
	return m
}

// either returns a pattern that matches what one of the patterns does, where a line begins and ends at ^ and $.
func either(patterns ...string) string { return "(?m)" + strings.Join(patterns, "|") }

// marks lists what tells platforms apart. The sources are the vendors' command references, as the parsers cite them.
var marks = []mark{
	// Prompts with a command behind them.
	sign("cisco_iosxr", 6, `(?m)\bRP/\d+/\w+/CPU\d+:`),
	sign("juniper_junos", 6, `(?m)^(?:\{[\w:-]+\}\s*)?[\w.-]+@[\w.-]+> (?:show|set cli|request)\b`),
	sign("juniper_junos", 6, `(?m)^\{(?:master|backup|primary|secondary|linecard)(?::\S+)?\}`),
	sign("mikrotik_routeros", 6, `(?m)^\[[\w.-]+@[^\]\n]+\] (?:/?[\w /-]*)?>`),
	sign("huawei_vrp hp_comware", 2, `(?m)^[<\[][\w.~*-]+[>\]] ?(?:dis|display)\b`),
	sign("linux", 5, `(?m)^(?:\[?[\w.-]+@[\w.-]+[: ][~/][^#$\n]*|)[#$] ?(?:ip|ethtool|bridge|arp|ifconfig)\b`),
	sign("paloalto_panos", 5, either(
		`^[\w.-]+@[\w.-]+(?:\([\w-]+\))?> show (?:interface|high-availability|session|arp|system|lacp)\b`,
	)),
	sign("fortios", 5, `(?m)^[\w-]+ (?:\([\w.-]+\) )?[#$] ?(?:get|diagnose) `),
	sign("extreme_exos", 5, `(?m)^(?:\* )?[\w.-]+\.\d+ [#>] ?show `),
	sign("arista_eos", 2, `(?m)^[\w.-]+(?:\(s\d+\))?[>#] ?show (?:mlag|interfaces status errdisabled|processes top)`),

	// Names of ports.
	sign("cisco_iosxr", 4, either(
		`\b(?:Gi|Te|TF|Hu|Fo|FH|TH|GigabitEthernet|TenGigE|TwentyFiveGigE|FortyGigE|HundredGigE|FourHundredGigE|Mg|MgmtEth|Optics|nV\w*)(?:\d+/){2}(?:RS?P\d+/|CPU\d+/|\d+/)\d+`,
	)),
	sign("cisco_iosxr", 4, `\b(?:Bundle-Ether\d+|BE\d+\b|MgmtEth\d|tunnel-te\d)`),
	sign(ios, 2, either(
		`(?:^|[\s:])(?:GigabitEthernet|FastEthernet|TenGigabitEthernet|TwoGigabitEthernet|TwentyFiveGigE|FortyGigabitEthernet|HundredGigE|AppGigabitEthernet|Gi|Gig|Fa|Fas|Te|Ten|Tw|Twe|Fo|Hu) ?\d+(?:/\d+){0,2}(?:\.\d+)?(?:[\s,:()\]]|$)`,
	)),
	sign(ios, 2, either(
		`\bPort-channel\d`, `\bEmbedded-Service-Engine`, `\bCellular\d`, `\bBDI\d`, `\bLIIN\d`, `\bDialer\d`,
		`\bVirtual-Access\d`, `\bpseudowire\d`,
	)),
	sign("cisco_nxos", 3, either(
		`\b(?:Eth|Ethernet|Veth|Vethernet)\d+/\d+(?:/\d+)?\b`, `\bmgmt0\b`, `\bport-channel\d`, `\bloopback\d+ is`,
		`\bsup-eth\d`,
	)),
	sign("arista_eos", 4, either(
		`\bPort-Channel\d`, `\bManagement\d\b`, `\bMa\d\b`, `^\s*Et\d+(?:/\d+)*\s`, `\bVxlan\d`, `\bEthernet\d+(?:/\d+)? is\b`,
	)),
	sign("juniper_junos", 4, either(
		`\b(?:ge|xe|et|fe|so|t1|vcp|gr|ip|lt|mt|pd|pe|pfe|pfh|lc|si|vt)-\d+/\d+/\d+(?::\d+)?(?:\.\d+)?\b`,
	)),
	sign("juniper_junos", 3, either(
		`\b(?:ae|irb|fxp|em|me|vme|reth|bme|fab|jsrv|swfab|dsc|cbp|demux|lsi|mtun|pimd|pime|pip|pp|tap|vtep)\d*\.\d+\b`,
		`\b(?:ae|reth|fxp|fab|vme|bme)\d+\b`,
	)),
	sign("hp_comware", 5, either(
		`\b(?:Ten-GigabitEthernet|Twenty-FiveGigE|M-GigabitEthernet|M-Ethernet|Bridge-Aggregation|Route-Aggregation|Vlan-interface|BAGG|(?:X|F|H)GE[1-9]|InLoopBack\d is|NULL\d (?:current|is))\S*`,
	)),
	sign("huawei_vrp", 5, either(
		`\b(?:Eth-Trunk\d|Vlanif\d|MEth\d|XGigabitEthernet\d|(?:10|25|40|100)GE\d+/\d|Stack-Port\d|XGE0/|InLoopBack\d current|MultiGE\d)`,
	)),
	sign("dell_force10", 4, either(
		`(?:^|[\s,])(?:TenGigabitEthernet|GigabitEthernet|fortyGigE|hundredGigE|twentyFiveGigE|ManagementEthernet|Port-channel|Vlan|Te|Gi|Fo|Hu|Po|Vl|Ma) \d+(?:/\d+){0,2}\b(?: is|\s)`,
	)),
	sign("dell_os10", 4, either(
		`^\s*(?:ethernet\d+/\d+/\d+(?::\d+)?\b|Ethernet \d+/\d+/\d+|Eth \d+/\d+/\d+|mgmt\d+/\d+/\d+|Management \d+/\d+/\d+)`,
		`\bethernet\d+/\d+/\d+(?::\d+)?\b`,
	)),
	sign("brocade_fastiron brocade_netiron", 4, either(
		`^\s*(?:10|40|100)?(?:GigabitEthernet|GigEthernet)\S* is (?:up|down|disabled|empty|ERR\S*)[^\n]*line protocol is (?:up|down) ?$`,
		`\bEthernet ?mgmt\d`, `\blg\d+\b`,
	)),
	sign("cisco_smb", 4, `(?m)^\s*(?:gi|te|fa|tw|xg)\d+(?:/\d+){0,2}\s|^\s*(?:Po|Ch)\d+\s.*(?:Present|Copper|--\s)|\boob\b`),
	sign("mikrotik_routeros", 3, `\b(?:ether\d+|sfp-sfpplus\d+|sfpplus\d+|sfp\d+|combo\d|qsfp\S*\d)\b`),
	sign("paloalto_panos", 3, `(?m)^\s*ethernet\d+/\d+(?:\.\d+)?\s|\b(?:dedicated-)?ha\d(?:-[ab])?\s|\bvsys\d+\b`),
	sign("fortios", 3, `(?m)==\s*\[\s*\S.*\]|\[(?:port|wan|lan|internal|dmz|ha|mgmt|modem|ssl\.root|a|b)\d*\]`),
	sign("aruba_aoscx", 2, `(?m)^\s*(?:Interface )?\d/\d+/\d+ (?:is (?:up|down)|\s*(?:Root|Designated|Alternate|Disabled)\b)`),
	sign("linux", 3, `(?m)^(?:[\w.@-]+: flags=\d+<[A-Z,]+>|[\w.:@-]+ +Link encap:|\s*(?:RX|TX) (?:packets:\d+ errors:|errors \d+ +dropped \d)|Inter-\|\s+Receive|Iface +MTU .*RX-OK)`),
	sign("linux", 3, `(?m)^\d+: [\w.@-]+: <[A-Z_,-]+> mtu \d+`),

	// Sentences and titles.
	sign(ios+" cisco_nxos", 1, `(?m)^Name +\[[^\]\n]*\]\s*\n\s*Revision|Capability codes:|IP HSRP|Instances configured`),
	sign(ios+" cisco_nxos", 2, `CPU utilization for five seconds: +\d+%/\d+%`),
	sign("cisco_asa", 6, `(?m)^\s*Interface \S+ "[^"\n]*", is `),
	sign("cisco_asa", 6, either(
		`Traffic Statistics for "`, `Control Point (?:Interface|Vlan)`, `(?m)^\s*(?:nat|rpc|conns|xlates) ?(?:count)?[: ]+\d`,
		`\bin use, \d+ most used`, `Frame drop:`, `Flow drop:`, `Failover (?:On|Off|unit)\b`,
		`This host: (?:Primary|Secondary)`, `%ASA-`, `%FTD-`, `Last (?:Failover at|ASP drop clearing):`,
		`(?m)^\s+[\w.-]+ \d+\.\d+\.\d+\.\d+ [0-9a-f]{4}\.[0-9a-f]{4}\.[0-9a-f]{4} (?:\d+|-)\s*$`,
		`CPU utilization for \d+ seconds = \d`, `per-core data path`,
		`^(?:Virtual0|Internal-(?:Data|Control)\d/\d|Control\d/\d|Management\d/\d) +\d`, `aggregation/nameif`,
		`Number of channel-groups in use: \d+\s*\nGroup +Port-channel +Protocol +Span-cluster`,
	)),
	sign("cisco_nxos", 5, either(
		`admin state is`, `Load-Interval #\d`, `EtherType is 0x`, `Rate mode is`, `FEX`, `vPC`, `IP ARP Table for context`,
		`IP (?:ARP|Interface) (?:Table|Status) for`, `CFSoE`, `primary entry, G - Gateway MAC`, `jumbo packets`,
		`Dedicated Interface`, `\bXmit-Err\b.*\bUnderSize\b`, `protocol-(?:up|down)/link-`,
		`transceiver is (?:present|not present)`, `fcoe`, `Bigsur`, `Port-Channel Type`, `OutDiscards\s*\n-`,
		`Collecting and processing interface`, `\(F\) - False`, `VRF +Status IP Address`, `%ETHPORT-`, `%VPC-`,
		`\(HSRP-V[12]\)`, `Forwarding threshold\(for vPC\)`, `is down \(Administratively down\), line protocol`,
		`, autostate (?:en|dis)abled`, `Hardware is Fibre Channel`, `^\s*Admin State: up`, `Tunnel protocol/transport`,
		`^PID {2,}Runtime\(ms\)`, `Port Type Default`, `Edge Port \[PortFast\]`, `L2 Gateway`, `VPC Peer-link`,
		`Bridge Assurance Inc`, `TLSRx`, `Port mode is NP`, `transport protocol is in VRF`, `Configured System Limit`,
	)),
	sign("cisco_iosxr", 5, either(
		`Interface state transitions`,
		`^\s*(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) +\d+ \d\d:\d\d:\d\d\.\d+ ?\w*\s*$`,
		`---- node\d`, `\bnode\d+_\w+_CPU\d`, `IPv4 Groups:`, `Address +Age +Hardware Addr +State +Type`, `ipv4 protocol is`,
		`runtime data rate`, `carrier transitions`, `0/0/CPU0`, `ISSU is`, `Carrier delay`, `(?:RSP|RP)\d/CPU0`,
		`Local state is \w+, priority`, `Transport Admin State`, `Interface Type +Total`, `L2 Protocol`, `Pre-empt delay`,
		`Parent Interface: .*Bundle`,
	)),
	sign(ios, 4, either(
		`size/max/drops/flushes`, `Queueing strategy: `, `Total output drops`, `media type is`, `output hang never`,
		`Last clearing of "show interface" counters`, `^Port +Name +Status +Vlan +Duplex +Speed Type\s*$`, `% Codes: `,
		`Administrative Mode: `, `Codes: L - Local`, `Xlates`, `Administrative Trunking Encapsulation`,
		`Protocol +Address +Age \(min\)`, `Mac Address Table\s*\n-{8}`,
		`Port +Align-Err +FCS-Err +Xmit-Err +Rcv-Err +UnderSize +OutDiscards`, `Syslog logging: `, `Log Buffer \(`,
		`Vlan +Mac Address +Type +Ports`, `Virtual IP address is`, `Virtual router`, `Active router is`,
		`PID Runtime\(ms\) +Invoked`, `InOctets +InUcastPkts`, `Port +Mode +Encapsulation`, `Standby router`,
		`Local virtual MAC`, `Uplink port`, `ErrDisable Reason +Timer`, `Group +Port-channel +Protocol`,
		`Number of channel-groups in use: \d`, `Interface +Grp +Pri P State`, `Capability Codes: R - Router`,
		`EtherChannel misconfig`, `Extended system ID`, `^Portfast`, `UplinkFast`, `BackboneFast`,
		`CPU% per (?:second|minute|hour)`, `^ ?PID Runtime\(ms\)`, `If device is externally calibrated`, `^pseudowire\d+ is`,
		`Legend: \* - primary entry`, `Internet protocol processing`, `Broadcast address is`, `Optical +Optical`,
		`^Vlan +Role Sts Cost`, `Root +Hello Max +Fwd`, `Mac Entries for Vlan`, `Mac Address Space Available`,
		`Facility +Message Name`, `Port state +=`, `^Vlan interface summary`, `Total number of entries +:`,
	)),
	sign("arista_eos", 6, either(
		`with framing overhead`, `link status changes since`, `Loopback Mode : `,
		`^Port +Name +Status +Vlan +Duplex +Speed +Type +Flags`, `FCS +Align`, `System MAC address`, `domain-id +:`,
		`Neighbor [0-9a-f.]{14}/`, `%Cpu\(s\):`, `bits/sec \(\d+\.\d+%`, `802\.3 Group`, `Maximum module power`,
		`\bSwitched port\b.*eos`, `^Timezone: `, `Clock source: `,
	)),
	sign("juniper_junos", 6, either(
		`Physical (?:interface|link)`, `Logical (?:interface|unit)`, `Interface index: \d+, SNMP ifIndex`, `Link-level type`,
		`Input (?:rate|errors) *: *\n?`, `Ethernet switching table`, `MAC Address +Address +Name`, `Admin +Link +Proto`,
		`Routing Engine status`, `Redundancy group: \d`, `Aggregated interface: `, `STP bridge parameters`,
		`Spanning tree interface parameters`, `LLDP Neighbor Information`, `Queue counters: +Queued`, `Forwarding classes:`,
		`Last flapped`, `Total entries: \d+`, `Admin Link Description`, `Cluster ID: \d`, `Local Interface +: `,
		`Time Source: `, `Protocols started: `, `System booted: `,
	)),
	sign("hp_comware", 6, either(
		`current state ?: ?(?:UP|DOWN|Administratively DOWN)\s*\n\s*(?:Line protocol|IP Packet|IP packet)`,
		`Line protocol (?:current )?state: (?:UP|DOWN)`, `IP [Pp]acket [Ff]rame [Tt]ype`, `PKTFMT_ETHNT_2`,
		`Input ?\(total\): +`, `Media type is`, `Port hardware type is`, `Peak (?:value of )?(?:input|output)`,
		`Last clearing of counters: `, `Brief information on interfaces? (?:in|of)`, `Speed: \(a\)`, `The brief information`,
		`\[CIST\]`, `LLDP neighbor-information of port`, `Type: S-Static +D-Dynamic`, `Comware`, `%10[A-Z]+/\d/`,
		`MAC ADDR +VLAN ID`, `MAC Address +VLAN ID +State`, `^ ?MST ID +Port +Role`, `Log buffer: `, `Current messages: `,
		`CPU usage:\s*\n\s+\d+% in last 5`, `Aggregate Interface: `, `^\s*VRID +: `,
	)),
	sign("huawei_vrp", 6, either(
		`current state : `, `Line protocol current state : `, `Last line protocol up time`, `Route Port,The Maximum`,
		`Switch Port, ?(?:PVID|Link-type)`, `Input bandwidth utilization`, `Output bandwidth utilization`, `Jumbo: +\d`,
		`\bHoldTime`, `Exp.*TYPE +INTERFACE`, `EXPIRE\(M\)`, `PHY: Physical`, `\*down: administratively`, `Neighbor Dev`,
		`Exptime`, `%%01`, `Current system time: `, `InUti/OutUti`,
		`Last 300 seconds input rate \d+ bits/sec, \d+ packets/sec`, `NULL0 +up`, `HUAWEI`, `Huawei`,
		`The number of (?:interface|learned)`, `VLAN/VSI`, `Link Type +PVID +Trunk`,
		`^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:[+-]\d\d:\d\d)?\s*$`, `\bGigabitEthernet0/0/\d+ +(?:DESI|ROOT|ALTE|DISA)\b`,
		`Time Zone\(`, `CPU Usage Stat`, `CIST Bridge +:\d`, `Last TC occurred`, `WorkingMode:`, ` \| Virtual Router \d`,
	)),
	sign("dell_force10", 6, either(
		`LineSpeed `, `Time since last interface status change`, `Hardware is (?:Dell|Force10|DellForce10)Eth`,
		`MTU \d+ bytes, IP MTU \d+ bytes`, `Vlan tag is`, `throttles, \d+ CRC, \d+ overrun, \d+ discarded`, `64-byte pkts, `,
		`Interface is \S+ Stack`,
	)),
	sign("dell_os10", 6, either(
		`Interface index is \d`, `Hardware is Eth, `, `Pluggable media`, `Wavelength is`, `Receive-state`,
		`AutoNegotiation is`, `LineSpeed \d+\w, Auto-Negotiation`, `member up but inactive`,
	)),
	sign("extreme_exos", 6, either(
		`Port +Link +(?:Tx|Rx|Link)`, `> in Port indicates`, `Link State: +(?:A-Active|R-Ready)`, `Flags *: .*\(\w\) `,
		`Neighbor Expires`, `Load Sharing`, `VR-Default`, `Port +Virtual +Port`, `EDP: `, `Admin state: `, `Virtual-router`,
		`Dynamic Entries +: +\d`, `LLDP Port \d+ detected`, `CLIoutput.{0,60}Neighbor +Neighbor`,
		`^\s*Neighbor +Neighbor +Neighbor`, `<(?:Info|Noti|Warn|Erro|Crit):\w+`, `SysHealth check`, `Current Time: `,
		`Monitored every 5 seconds`,
	)),
	sign("brocade_fastiron brocade_netiron", 5, either(
		`Port +Link +(?:State|Port-State) +`, `Configured speed`, `Total number of ARP entries`, `No\. +IP +(?:Address )?`,
		`Total active entries from all ports`, `Internet address is [\d./]+, (?:IP )?MTU`, `Configured mdi mode`,
		`STP configured to`, `Not member of any (?:active|configured) trunks`, `^Lcl Port +Chassis ID`, `Dynamic Log Buffer`,
		`:[A-Z]:System:`, `STP instance owned by VLAN`, `\d +sec avg:`,
	)),
	sign("brocade_fastiron", 3, either(
		`Port +Link +State +Dupl +Speed +Trunk`, `Member of L2 VLAN`, `IPG MII`, `mac-learning is`, `Openflow is`, `MMU Mode`,
		`Mac-notification is`, `Inline power`, `LLDP transmit interval`,
	)),
	sign("brocade_netiron", 4, either(
		`Port +Link +(?:Port-State|L2 State)`, `NP (?:received|transmitted|Ingress)`, `Member of Control VLAN`,
		`LACP BPDU Forwarding`, `Priority force`, `Total number of LAGs`, `for pbr`, `dhcp-snooping-trust`,
	)),
	sign("cisco_smb", 5, either(
		`Flow +Link +Back +Mdix`, `InUcastPkts +InMcastPkts +InBcastPkts +InOctets`, `Ch +Type +Duplex`, `Flow +Link`,
		`Aging time is \d+ sec`, `\[?Mac Address\]? +Port +Type\s*\n`, `\bself\b\s*$`, `WS  Interface`, `Gvrp Status`,
		`^Port ?: (?:fa|gi|te)`, `five seconds: \d+ %`, `CPU utilization service`, `Prio\.N\w+ +Cost +Sts +Role PortFast`,
	)),
	sign("aruba_aoscx", 6, either(
		`Link transitions: \d`, `Link state: up for`, `Rate collection interval`, `Admin state is`, `VLAN Mode: `,
		`LLDP Neighbor Information`, `Energy-Efficient`, `Priority Flow`, `Persona`, `Interface .*\(Administratively down\)`,
		`VSX`, `IPv4 Address +MAC +Port +Physical`, `MAC age-time`, `KPkts / sec`, `Xcvr Temperature`,
		`Temperature +Voltage +Tx Bias`, `Address Mode +: `, `^ ?Transceiver in \d/\d+/\d+`, `IPv4 address/subnet-mask`,
		`Event\|\d+\|LOG_`, `Actor details of all interfaces`, `Open FD's`, `State abbreviations :`,
	)),
	sign("hp_procurve", 6, either(
		`Status and Counters - `, `Intrusion +`, `Totals \(Since boot or last clear\)`, `MDI +Flow`, `Flow Ctrl`,
		`Rates \(\d+ minute weighted average\)`, `Keys: +W=Warning`, `Event Log Listing`, `LLDP Remote Device`, `LocalPort`,
		`Located on Port`, `Image stamp:`, `IP ARP table`, `Bcast\s+Limit`, `Link Status +: `, `Bytes Rx +:`,
		`Config-mode +Speed`, `CDP neighbors information`, `Load Balancing Method:`, `Group Type`, `\d sec ave:`,
		`Multiple Spanning Tree \(MST\) Information`,
	)),
	sign("linux", 5, either(
		`link/(?:ether|loopback|none|ppp)`, `\bat [0-9a-f:]{17} \[ether\]`, `\blladdr\b`, `NIC statistics:`,
		`Settings for \S+:`, `Supported link modes:`, `qdisc \w+`, ` kernel: `, `^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d,\d{6}[+-]`,
	)),
	sign("fortios", 6, either(
		`HA Health Status`, `FortiGate`, `Cluster Uptime`, `^\s*name: \S+ +mode: `, `Driver Name +:`, `netbios-forward`,
		`Age\(min\) +Hardware Addr`, `Microseconds`, `CPU states: `, `HA operating mode`, `Model: Forti`, `misc info:`,
		`session_count=`, `setup_rate=`,
	)),
	sign("paloalto_panos", 6, either(
		`total configured (?:hardware|logical) interfaces`, `name +id +speed/duplex/state`,
		`Interface (?:management|MTU|mode|IP address): `, `Hardware interface counters`, `Logical interface counters`,
		`num-active-sessions`, `Number of (?:allocated |sessions )`, `Group \d+:\s*\n +Mode: `, `Local Information`,
		`sw-version: `, `maximum of entries supported`, `LACP:`, `path monitoring`, `Path Monitoring`, `hw address +port`,
		`Zone: `,
	)),
	sign("mikrotik_routeros", 6, either(
		`Flags: [A-Z] - `, `actual-mtu=`, `last-link-(?:up|down)-time=`,
		`auto-negotiation: (?:done|disabled|failed|incomplete)`, `link-downs=`, `default-name=`, `mac-address=`, `poe-out`,
		`architecture-name:`, `cpu-load:`, `rx-flow-control: `, `complete=yes`, `Columns: `, `^bad command name `,
		`interface,info`, `system,info`,
	)),
}
