package rules

import (
	"math"
	"regexp"
	"slices"
	"strings"

	"whydrop/correlate/timeline"
)

// What people write beside a figure ("flow control off", "after the MTU was lowered") tells which experiment it was.
// The words only say what was switched; whether it helped is told by the figures.

// topics are the things that people switch, exchange or suspect, by the words they use for them.
var topics = map[string]*regexp.Regexp{
	"eee":        word(`eee|energy[ -_]?efficien\w*|802\.?3az|green[ -_]?ethernet|low[ -_]power[ -_]idle|lpi`),
	"pause":      word(`flow[ -_]?control|pause\w*|802\.?3x|pfc|backpressure`),
	"offload":    word(`lso\w*|tso|gso|gro|lro|ufo|offload\w*|hw[ -_]?nat|large[ -_](send|receive)\w*|checksum[ -_]offload|[rt]x[ -_]?(csum|checksum\w*)|ethtool (-k|--offload)|(guest|host|tx|rx)[ _-]?csum\w*|(bad|wrong|invalid|incorrect) (udp |tcp |ip )?checksums?|fast[ -_]?path|segmentation`),
	"scaling":    word(`window[ -_]scal\w*|wscale|scal(e|ing)[ -_](option|factor)`),
	"window":     word(`[rw]mem\w*|tcp_[rw]mem|socket[ -_]?buf\w*|sock[ -_]?buf\w*|window\w*|-w ?\d+[kmg]?|rcvbuf\w*|sndbuf\w*|so_rcvbuf|so_sndbuf`),
	"buffer":     word(`rmem\w*|udp[ -_]?buf\w*|receive[ -_]buf\w*|socket[ -_]?buf\w*|rcvbuf\w*|so_rcvbuf|-w ?\d+[kmg]?|larger buffer|bigger buffer|default buffer|netdev_max_backlog|rcvbuferrors`),
	"mtu":        word(`i?mtu|pmtu\w*|mss|jumbo|fragment\w*|df|don'?t[ -_]fragment|too[ -_]big|frag[ -_]needed|need[ -_]?frag\w*`),
	"pacing":     word(`pac(ed|ing)|fq|gsro|udp[ -]?gso|unpaced|burst\w*|unlimited|rate[ -_]limited by the sender|smoothed?|(?:sen[dt]s?|all) at once|back[ -]to[ -]back`),
	"middlebox":  word(`i[dp]s|idps|firewall\w*|inspection|middlebox|proxy|dpi|load[ -_]balancer|appliance|filter box|inline`),
	"overlay":    word(`overlay|tunnel\w*|vxlan|geneve|gre|ipip|6in4|encap\w*|user[ -_]?space|tun|vpn|ipsec|wireguard|openvpn|pppoe|mpls`),
	"userspace":  word(`user[ -_]?space|udp backend|openvpn|slirp|tun device|software tunnel`),
	"radio":      word(`wi-?fi|wlan\d*|wlp\w+|wl[ox]\w+|wireless|802\.11\w*|radio|microwave|lte|(?:mobile|cellular) \w+|[45]g (?:modem|router|network|cell|uplink|mobile)|(?:2\.4|5|6|60) ?ghz|access points?|b?ssids?|neighbou?r_ssids?|rssi|airtime`),
	"qos":        word(`qos|mls qos|class\w*|priority|dscp|cos|diffserv|srr\w*|queue[ -_]?set|default queue|best[ -_]effort|voice|ef`),
	"shaper":     word(`shap(e|es|er|ers|ed|ing)|traffic[ -_]shap\w*|bufferbloat|queue delay|sqm|htb|tbf|fq_codel|cake|simple queues?|queue tree|max-limit`),
	"policer":    word(`polic(e|er|ers|ed|ing)|service[ -]polic(y|ies)|policy[ -]maps?|rate[ -_]?limit\w*|hashlimit|limit[ -]burst|token bucket|committed rate|cir|burst size|storm[ -_]control`),
	"duplex":     word(`(half|full)[ -_]?duplex|duplex|auto[ -_]?neg\w*|forc(e|ed|ing)|100[ -_]?full|hard[ -_]?(set|coded)|negotiat\w*`),
	"half":       word(`half[ -_]?duplex|hub|shared segment`),
	"cable":      word(`cables?|cabling|patch[ -]?(cables?|leads?|cords?|panels?|fields?)|patching|jack|plug\w*|connector\w*|socket in the wall|wall (jack|socket|outlet)|reseat\w*|re-?terminat\w*|splice|fib(re|er)\w*`),
	"optic":      word(`optics?|optical|sfps?\+?|transceiver\w*|gbic|fib(re|er)\w*|dbm|laser`),
	"excessive":  word(`(excessive|too many) (crc|fcs|alignment)\S*( \w+)? errors?|(crc|fcs|bit[ -]error)\S* (error )?(ratio|rate) (is )?(rising|high|exceed\w*|above)|crc[ _-]?(error )?threshold exceeded`),
	"late":       word(`(excessive|many|rising|increasing) late collisions?|late collisions? (\w+ ){0,2}(ris\w+|increas\w+|climb\w*|grow\w*|count\w*|seen)`),
	"module":     word(`modules?|sfps?\+?|transceivers?|gbics?|optics?`),
	"filter":     word(`iptables|nft(ables)?|access[- ]?lists?|acls?|(firewall|drop|deny|reject|accept|allow|permit) rules?|security groups?|-j (drop|accept|reject)`),
	"macflap":    word(`(mac|host)[ _-]?flap\w*|flap(s|ping)? between ports?|(mac|macs|addresses?) (keeps? |are |is )?(flapp?ing|jump(s|ing)?|mov(es|ing)) (between|to and fro|back and forth)`),
	"lowermtu":   word(`mtu( was| is| were)? (lowered|reduced|decreased|shrunk|set lower)|(lower(ed|ing)|reduc(ed|ing)|decreas(ed|ing)) (of )?(the )?([\w-]+ )?(mtu|mss)|mss[ -]?clamp\w*|clamp\w* (the )?mss`),
	"stp":        word(`spanning[ -]?tree|[rm]?stp|[rm]?pvst\w*|port-?fast|edge port|bpdus?`),
	"port":       word(`(another|other|different|next|new) port|(another|other|different|usb\S*)( [\w-]+){0,2} (nic|adapter|network card|ethernet card)|port (swapped|changed|moved)|moved to (another )?port|line ?card`),
	"cpu":        word(`cpu|softirq|ksoftirqd|interrupts?|irq|crypto|encrypt\w*|one core|single core|core`),
	"punt":       word(`process[ -_]switch\w*|punt\w*|slow path|cef|software[ -_]forward\w*|control[ -_]plane|buffers?`),
	"lag":        word(`lag|lacp|bond\w*|port[ -_]?channel\w*|etherchannel|aggregat\w*|churned|link bundle|teaming|802\.?3ad|trunk of`),
	"churn":      word(`churn\w*|(different|other|another|second|separate) aggregators?|aggregator id \d+.{1,120}?(active )?aggregator.{0,12} id \d+|not (in sync|bundled|aggregated|selected)|suspended|individual|standalone`),
	"member":     word(`one (member|of (the |its |their )?(two|three|four|\d+) (cards|links|ports|nics|members|slaves|legs|uplinks))|member\w*|this link of|second link`),
	"disk":       word(`disk|file system|ssd|hdd|storage|nfs|raid|write to`),
	"app":        word(`scp|sftp|rsync|smb|cifs|samba|robocopy|ftp|backup|application|copy`),
	"balance":    word(`source ports?|five-?tuple|5-?tuple|hash\w*|ecmp`),
	"reload":     word(`reset|reboot\w*|restart\w*|reload\w*|power[ -_]cycl\w*`),
	"nat":        word(`s?nat|conntrack|session table|state table|sessions`),
	"powersave":  word(`power[ _-]?sav\w*|ps-?poll|twt|power management`),
	"idle":       word(`idle|first packet|after a pause|steady load|under load it`),
	"lease":      word(`dhcp\w*|dhclient|leases?|dns|resolvers?|name (resolution|server)s?|nslookup|by name|by address`),
	"asymmetry":  word(`rp_?filter|reverse[ -]path|urpf|martian\w*|tcp:(s?a|f?pa|fa|r)|(gateway|router) is (the |an)?other( router| gateway| firewall)?|asymmetr\w*|other way back|return (path|traffic)|different (ways|paths)|out[ -]of[ -]state|stray segments?|unreplied|(ct)?state[ _]invalid\w*|(by|through|over|via) an?other (router|gateway|firewall|link|path|way) than|invalid (state|forward)|first packet isn'?t syn|missed the syn|no (matching )?(state|session)|non-?syn|(an)?other (gateway|firewall)|second gateway|icmp redirects?|triangular|(answers?|repl(y|ies)|syn[ -]?acks?)( of| with| from| that)?( [\w.':-]+){0,4} (leaves?|exits?|goes|go|comes?|returns?|arrives?)( out| back)? (here|by|through|via|over|on|at)( the| its| an)? ?(other|second|wrong|\w*wan ?\d*|here)?`),
	"full":       word(`(conntrack|session|state|connection|nat|translation|pat) (table|pool) (is )?(full|exhausted)|table full, dropping packet|maximum (number of )?(sessions|connections|states) reached|(session|connection|state) limit (is )?reached|out of (nat |pat |snat )?ports|ports?[ _-]exhaust\w*|addr_alloc_failure|allocation_status=dropped|out_of_resources|conntrack_allowance_exceeded|(error[ _]?)?port[ _]?allocation[ _]?(errors?|fail\w*)|error[ _]?port[ _]?allocation|ports? (are |is )?exhausted`),
	"power":      word(`poe|power[ -]over[ -]ethernet|802\.?3(af|at|bt)|inline[ -]power|power (budget|supply of its own|injector)|brown-?outs?|[\d.]+ ?w(atts?)?|(takes?|took|cuts?|withdraws?|refuses?|denies) (the |its )?power( away| off)?|power (is |was )?(denied|refused|withdrawn)|denies power`),
	"cycles":     word(`(again and again|over and over|over again|cycle (repeats|goes on)|cycling|re-?boots?( \w+){0,2} (all the time|constantly|repeatedly|every)|keeps? (re-?)?(boot|start|restart|drop|go)ing|starts? (all )?(over|again)|boot loop|every (few|\d+) (seconds?|minutes?|hours?))`),
	"voq":        word(`voqs?|virtual output queues?|queues? on (ingress|the way in)|ingress (queue|buffer)\w*|in(put )?[ -]?discards?`),
	"unpowered":  word(`(won'?t|(will|do|does|did|would) not|don'?t|doesn'?t|didn'?t|cannot|can'?t|fails? to|never) (even )?(boot|power (up|on)|start|turn on|light up|get (any )?power)|stays? (dead|dark)|(has|have|gets?) no power|comes? to life`),
	"wires":      word(`(only|just) (2|two)( \w+)? pairs?|(2|two)[ -]pairs? (cable|wiring|cord|lead|wired|crimped)|(broken|missing|cut|bent|open|bad) (wires?|pairs?|pins?|conductors?)|(wires?|pins?|pairs?)( [1-8a-d])? (is |are )?(broken|missing|cut|bent|open|shorted|not connected)|downshift\w*|check cabling`),
	"damage":     word(`(crc|fcs|symbol)( errors?)? (\w+ ){0,2}(counted|ris(e|es|ing)|increas\w+|climb\w*|grow\w*|seen|count up)|(many|some|lots of|a lot of|thousands of|hundreds of|[1-9]\d+) (crc|fcs|symbol|input|rx) errors?|damaged frames|corrupt(ed)? frames`),
	"sleep":      word(`(go(es)? |went |fall(s|en)? |is |are |to )?(asleep|sleep(s|ing)?|hibernat\w+)|suspend(s|ed)? to (ram|disk)|wake[ -]?on[ -]?lan|wol|power[ -]?sav\w+|(switched|turned|powered) off (at|over|for the) night`),
	"forced":     word(`(forc\w+|fixed|lock(ed)?|hard[ -]?(set|coded)|set|configured|nailed)( \w+){0,3} 100?( ?m(bit\S*|bps|b)?)?[ /-]{0,3}(fd|full)\S*`),
	"negotiates": word(`(on|is|does|uses|runs|with|at|to) (auto[ -]?neg\w*|auto)|negotiates`),
	"looped":     word(`own address as source address|loop[ -]?(back)? (was )?detected|loop[_ -]?(back)?[_ -]detected|broadcast storm`),
	"redundant":  word(`(one|second|other|redundant) (of (its|the|their) )?(two )?(up)?(links?|cables?|ports?|members?|legs?|paths?)( \w+){0,3} (unplugged|removed|disconnected|pulled|shut|down|disabled|taken out)`),
	"stepdown":   word(`(forc\w*|set|limited|locked|fixed|lowered) (down )?(to|at) (1|2\.5|10|100|1000) ?(g|m)(bit\S*|b\S*|igabit\S*)?`),
	"slower":     word(`(link|port|it)( \w+){0,3} (fallen|falls|fell|drop(s|ped)|gone|goes|went|slept) (down )?to 100? ?m\S*|100? ?m\S* modem|(fast[ -]ethernet|slow(er)?|10 ?m\S*|100 ?m\S*|10/100\S*) (device|client|host|printer|player|phone|member|pc|port)s?|(device|client|host|printer|pc) (of|with|at) 100? ?m\S*|slower is plugged`),
	"pairs":      word(`(some|certain|specific|particular) (flows?|(ip )?pairs?|pairings?|connections?|sessions?|five-?tuples?|5-?tuples?)|flow[ -]dependent|(some|certain|specific|particular) (hosts?|clients?|servers?|addresses) (cannot|can'?t|do not|don'?t|never)( \w+){0,3} (reach|reached|connect|get)( \w+){0,2} (some|certain|others?)|same (flows|pairs|connections) (every|each|all the) time`),
	"detour":     word(`ip route get|both (are )?(up|connected|active)|dev (wl|ww|tun|usb)\w*|jack|wall (socket|outlet)|dead|instead|meant|wrong (way|interface|path)|also has|default route|metric|two ways|multi-?homed|dual-?homed`),
	"flood":      word(`flood\w*|unknown unicast|(traffic|frames|packets) of others|others'? (traffic|frames|packets)|other people'?s (traffic|frames|packets)`),
	"shake":      word(`wiggl\w*|jiggl\w*|loose(ly)? (\w+ )?(plug\w*|cables?|connectors?|contacts?|connections?|leads?|cords?|jacks?|clips?|rj-?45\w*|patch\w*|fit\w*)|(plug|cable|connector|contact|connection|lead|cord|jack|clip|rj-?45)s? (\w+ ){0,2}loose|lean(s|ed|ing)? (on|against)|touch(es|ed|ing)? (the |a |that |it)(\w+ )?(cable|plug|lead|cord|connector|rack|jack|desk|box|switch|patch)?|vibrat\w*|shak(e|es|ing)|knock\w*|bump\w*|mov(e|es|ed|ing) (the|a) (cable|plug|bundle|lead|cord|rack|desk)|doors? (is |was |are )?(open\w*|clos\w*|slam\w*)|(open|clos|slam)\w* (the |a )?doors?`),
	"itself":     word(`(on|to|from|of|at|against) (the |an? )?([\w-]+ )?(router|firewall|switch|gateway|access point|ap|modem|cpe|nas) itself`),
	"silence":    word(`(idle|inactivity) time-?outs?|(after|for) [\w. ]{0,20}(of |without )(silence|idling|inactivity|traffic|use)|(after|when|while|been|sits?|left) (being |sitting )?(idle|silent|unused)|keep-?alives?`),
	"overrun":    word(`udp[\w ]{0,12} errors?|(packet receive|receive buffer|rcvbuf) errors?|rcvbuferrors|netstat -(us|su)|recv-?q|(socket|receive) (buffer|queue)s? (is |are )?(full|overruns?|overflow\w*)|pruned from receive queue`),
	"pps":        word(`pps[ _]?(allowance\w*|limits?|caps?)|packets?[ -](per|a)[ -]second (limits?|allowance|caps?)|packet[ -]rate limits?`),
	"contract":   word(`ordered|contract\w*|subscribed|purchased|committed|provisioned|sub-?rate|cir|sold( as)?`),
	"endings":    word(`(end|tail|last) (ones? )?of (\w+ ){0,3}burst\w*|bursts? (are|is) cut`),
	"nowait":     word(`(pings?|rtts?|round[ -]trips?( times?)?|latency|delay) (does not|doesn'?t|did not|didn'?t|do not|don'?t|never) (grow|rise|increase|change|move|suffer)|(pings?|rtts?|round[ -]trips?( times?)?|latency|delay) (stays?|stayed|remains?|remained|is|was) (flat|the same|low|constant|unchanged|steady|as it was)`),
	"ttl":        word(`routing loops?|ttl (exceeded|expire[sd]?|runs? out|ends)|(same|two) (two )?(routers|hops|nodes)|(to and fro|back and forth) between`),
	"neighbours": word(`neighbou?r table overflow\w*|(mac|fdb|l2|arp|cam|host)([ -]address(es)?)?[ -](tables?|entries)( \w+){0,3} (100 ?(%|per ?cent) full|exceed(s|ed|ing)?( the)? (capacity|limit|maximum)|exhausted|overflow\w*)|mac (hash )?collision|(arp|nd|neighbou?r|cam|mac|tcam|fib) (tables?|caches?|entries)? ?(is |are )?(full|exhausted|overflow\w*)|no room for (more )?(routes|addresses|neighbou?rs)`),
	"software":   word(`ip[ -]input|process[ -_]switch\w*|punt\w*|slow path|software[ -](forward|switch|path)\w*|(the word|keyword) log|acl log\w*|log keyword`),
	"walk":       word(`snmp[ -_]?(engine|walks?|polls?|polling|bulk\w*|process\w*)|ip[ -]snmp|snmpd|(bulk)?walks?( of| over)? (the |its )?\w+ (table|mib)|table walks?`),
	"cores":      word(`(cpu )?affinity|pinned|pinning|taskset|(bound|binds?) to (a |one |the same )?(core|cpu)( \d+)?|rps|rss|irq ?balance|smp_affinity|multi-?queues?|governor|c-?states?|cpu[ _](limits?|quotas?)|cfs quota`),
	"trains":     word(`gsro|udp[ -]?g[sr]o|udp_(segment|gro)`), // datagrams that the tester itself hands over by the dozen
	"wired":      word(`eth\d+|en[ops]\d\w*|ethernet|wired|lan port`),
	"synlimit":   word(`syn[ -]?(cookies?|floods?|flooding|rate\w*|limit\w*|prox(y|ies)|protection)|half[ -]open (connection )?limit|embryonic|listen (queue |backlog )?overflow\w*|connlimit|(connections?|sessions?) (a|per) second (limits?|are limited)|new[ -](connection|session)s? rate[ -]?limit\w*|(dos|zone) protection`),
	"hostfw":     word(`windows (defender )?firewall|defender firewall|host('?s)?( own)? firewall|local firewall|firewalld|ufw|nftables on the (host|server)|iptables on the (host|server)|(public|domain|private) profile`),
	"steal":      word(`steal( time)?|noisy neighbou?rs?|overcommit\w*`),
	"exstart":    word(`exstart`),
	"duplicate":  word(`(same|identical) (static |fixed |ip |ipv4 )*address as|(same|identical) (static |fixed )?ip as|ip( address)? .{0,20}(used|given|assigned) twice|(duplicate|conflicting) (ip )?address(es)?|(ip )?address conflict|two (hosts|devices|machines|macs) (use|answer for|claim|share) (one|the same)`),
	"agent":      word(`(snmpd|(snmp )?agent|monitoring|daemon|service) (was |is |has been |alone |process )*(re-?started|upgraded|crashed|reset)|restart(ed|ing)? (of )?(the )?(snmpd|snmp|agent|snmp agent)|(did|has|was|were) ?n[o']t (been )?reboot\w*|never rebooted|no port (changed|flapped|went down)|(497|496) days|32[ -]bits?`),
	"changing":   word(`(topology changes?|tcns?)\b.{0,30}\b(keep\w*|climb\w*|constant\w*|every (few|other|second|minute|\d+)|(a|per) (second|minute)|again and again|all day|all the time|storms?|excessive|ris(e|es|ing)|increas\w*|continu\w*)|(constant|excessive|continuous|endless|hundreds of|thousands of) (stp |spanning[ -]tree )?(topology changes?|tcns?)`),
	"noedge":     word(`(no|without|missing) (portfast|edge ports?)|(portfast|edge port) (is |was )?(not|n't|missing|off|disabled|forgotten)|not (an |set as |configured as )?(edge|portfast)( ports?)?`),
	"split":      word(`split[ -]?brain\w*|dual[ -]active|two (active|master|primar)\w*( (routers?|units?|nodes?|firewalls?|gateways?))?|both (\w+ ){0,4}(are |be(came|come) |say |claim |show |think |stay |now )*(active|masters?|primary)( at (once|the same time))?|says (active|master) as well`),
	"units":      word(`firewalls?|forti\w+|fgt\w*|asa\w*|ftd|palo ?alto|pan-?os|srx\w*|ha[ -](pair|cluster|heartbeat|link)|heartbeats?`),
	"outdated":   word(`(stale|outdated) (arp|mac|fdb|neigh\w*|cam|forwarding|entry|entries)|(arp|neigh\w*|fdb|mac|cam|forwarding)( address)?( tables?| caches?| entry| entries)?\b.{0,80}\b(still|old (mac|port|address|node|one)|outdated|not (been )?updated|never updated|but .{0,20}\bnow has)|still (has|had|shows?|points? to|keeps|sends to) .{0,30}\b(old|previous|former)|(until|after|works?|worked|fine|back|cured|fixed|helps?|helped)\b.{0,60}\b(clear|flush|delet)\w* .{0,20}\b(arp|neigh\w*|mac|fdb|cam)|(until|after|works?|worked|cured|fixed|helps?|helped)\b.{0,30}\b(arp|neigh\w*|mac|fdb|cam)\b.{0,20}\b(cleared|flushed|deleted)|(clear|flush)\w* .{0,20}\b(arp|neigh\w*|mac|fdb|cam)\b.{0,40}\b(fixe[sd]|help\w*|works|restor\w*|cure[sd]?|solve[sd]?)|(at once|again|back|until|after|works?|worked|cured|fixed|helps?|helped|healed)\b.{0,60}\b(gratuitous arps?|garps?|arping)|(gratuitous arps?|garps?|arping)\b.{0,60}\b(helps?|helped|fixe[sd]|cure[sd]?|heals?|restor\w*|at once|works?|back|again)|(no entry|aged out|timed out|expired|forg[eo]t\w*)\b.{0,60}\b(gateway|router|neigh\w*|arp)\b.{0,30}\bstill|until .{0,30}\b(arp|neigh\w*|mac|fdb|cam)\b.{0,40}\b(timed?[ -]?out|times out|aged out|ages out|expire[sd]?)|(keeps?|kept) (on )?sending .{0,40}\bto (the )?(old|former|previous)|(no|without( a| any)?|never sen(ds?|t)( a| any)?|(does|did|do) ?n[o']t send( a| any)?) (gratuitous arps?|garps?)`),
	"reverse":    word(`(as soon as|once|until) (the |it |that )?([\w.-]+ ){0,3}(itself )?(sends?|sent|pings?|pinged|speaks?|talks?|transmits?|says)\b( anything| something| a packet| out| outwards| the gateway| back| itself){0,3}`),
	"stale":      word(`static arp|stale|arp (entry|cache|table)|mac (address )?table|clear(ed)? (the )?(arp|mac)`),
}

// states are topics whose words tell their state by themselves.
var states = map[string]struct{ on, off *regexp.Regexp }{
	"pacing": {word(`pac(ed|ing)|fq|smoothed?|rate[ -_]limited by the sender`), word(`gsro|udp[ -]?gso|unlimited|unpaced|not paced|burst\w*|(?:sen[dt]s?|all) at once|back[ -]to[ -]back|pacing[ -]timer[ =]*\d{5,}`)},
	"cores":  {word(`(bound|binds?|pinned) to .*|affinity|cpu[ _](limits?|quotas?)|rps|rss|irq ?balance`), word(`(not|no|without|never|un)[ -]?(bound|pinned|affinity|cpu[ _](limits?|quotas?)|limits?|rps|rss|irq ?balance).*|(limits?|quotas?|affinity) .*(removed|off|raised|lifted|disabled)`)},
	"redundant": {word(`(both|all|two)( \w+){0,2} (links|cables|ports|members|legs|paths)( \w+){0,4} (up|in|plugged|connected|active)`),
		word(`(one|second|other|redundant) (of (its|the|their) )?(two )?(up)?(links?|cables?|ports?|members?|legs?|paths?)( \w+){0,3} (unplugged|removed|disconnected|pulled|shut|down|disabled|taken out)`)},
	"stepdown": {word(`(forc\w*|set|limited|locked|fixed|lowered) (down )?(to|at) (1|2\.5|10|100|1000) ?(g|m)(bit\S*|b\S*|igabit\S*)?`), word(`back (at|to) (full|auto\w*|the higher)( \w+)?`)},
	"lease":    {word(`by (its )?(host)?name`), word(`by (its )?(ip )?address`)},
}

// present are topics of things that packets cross: a test that went over one crossed it, though nobody calls it switched on.
var present = map[string]bool{"overlay": true, "radio": true}

func word(alternatives string) *regexp.Regexp {
	return regexp.MustCompile(`(?:^|[^\pL\pN])(` + alternatives + `)(?:[^\pL\pN]|$)`)
}

var (
	offWords = regexp.MustCompile(`\b(off|disabled?|disabling|without|no|not|none|removed|remov(e|ing)|bypass(ed|ing|es)?|exempt(ed)?|whitelist(ed)?|direct(ly)?|past|around|lowered|reduced|smaller|stopped|unset|false|never)\b`)
	onWords  = regexp.MustCompile(`\b(on|enabled?|enabling|active|with|through|via|uses?|using|true|set|raised|added|larger|forced)\b`)

	crossWords = regexp.MustCompile(`\b(over|across|in|inside|within)\b`)

	afterWords  = regexp.MustCompile(`\b(after(wards)?|fixed|later|then|cured|repaired|following|new|since)\b`)
	beforeWords = regexp.MustCompile(`\b(before|at first|initial(ly)?|original(ly)?|old|prior|faulty|bad)\b`)
	earlyWords  = regexp.MustCompile(`\b(first|1st|initial) ((few|two|three|\d+) )?(seconds?|minutes?|hours?|intervals?|sec|\d+ ?s|reports?)\b|\bstart of the test\b`)
	afterEarly  = regexp.MustCompile(`\bafter (the )?(first|1st|initial) \w+( \w+)?`)
	beganWords  = regexp.MustCompile(`\b(then|afterwards|after that|but later)\b.{0,20}\b(0|zero|nothing|none|stops?|stopped|stalls?|stalled|hangs?|dies|died|freezes|froze|dead)\b|\b(connects|handshake|starts|begins)\b`)
	sameWords   = regexp.MustCompile(`\b(same|old|original|unchanged) [\pL-]+`)
	loadWords   = regexp.MustCompile(`\b(under (full )?load|loaded|(while|during)( [\w.-]+){1,4}|uploads?|downloads?|uploading|downloading|busy|backup|saturated|transfers?|copying)\b`)
	idleWords   = regexp.MustCompile(`\b(idle|nothing else|no load|unloaded|without load|quiet|before|after|at night)\b`)
	// The class in which a test was sent: that of everything, or one of its own.
	plainClass = regexp.MustCompile(`\b(best[ -]effort|class-default|default (class|queue|traffic)|unmarked|not marked|dscp (0|be|cs0)|cos 0)\b`)
	namedClass = regexp.MustCompile(`\b(ef|voice|priority|expedited|af\d\d|cs[1-7]|dscp (ef|[1-9]\d?)|cos [1-7]|marked (as )?(ef|af\d\d|voice))\b`)
	// Which end's report a figure is from.
	senderWords   = regexp.MustCompile(`\b(client|sender|sending)('?s)?( \w+)? (report|side|end|output|says|summary)`)
	receiverWords = regexp.MustCompile(`\b(server|receiver|receiving)('?s)?( \w+)? (report|side|end|output|says|summary)`)
	failWords     = regexp.MustCompile(`\b(fails?|failed|hangs?|hung|stalls?|stalled|times?[- ]?outs?|timed out|no (answer|reply|response)|nothing (arrives|passes|gets through|comes)|blocked|dead|dies|died|freezes|froze|lost all)\b`)
	passWords     = regexp.MustCompile(`\b(works?|passes|passed|ok|fine|succeeds|gets through|normal|(are|is|were|was|all|others?|later( ones?)?|rest) answered)\b`)
	toolWords     = regexp.MustCompile(`\b(iperf ?2(\.\d+)*|iperf ?3(\.\d+)*|iperf|netperf|nuttcp|ttcp|ntttcp|netcat|curl|wget|ftp|scp|cygwin|other (tool|program)|another (tool|program)|different (tool|program)|native (build|tool))\b`)
)

// isLater says whether words tell of a test that came after something was done; what follows a link's coming up or another
// thing's beginning is none, nor are the later ones of many packets.
func isLater(words string) bool {
	return afterWords.MatchString(afterStart.ReplaceAllString(words, " "))
}

var afterStart = regexp.MustCompile(`\bafter (\w+ ){1,3}(came|comes|come|goes|went|gone|starts?|started|boots?|booted|begins?|began)\b|\blater (ones?|packets|echoes|hops|segments)\b`)

// state says which state of a topic the words are about: "on", "off", or "" if they do not tell.
func state(name, words string) string {
	topic := topics[name]
	words = sameWords.ReplaceAllString(words, " ") // what stayed the same was not switched
	if own, ok := states[name]; ok {
		switch {
		case own.off.MatchString(words):
			return "off"
		case own.on.MatchString(words):
			return "on"
		}
		return ""
	}
	on := ""
	for _, loc := range topic.FindAllStringSubmatchIndex(words, -1) {
		// The clause around the word: a setting's state stands close to it.
		from, to := loc[2], loc[3]
		before, after := clause(words[:from], true), clause(words[to:], false)
		switch {
		case offWords.MatchString(after) || offWords.MatchString(before) || offWords.MatchString(words[from:to]):
			return "off"
		case onWords.MatchString(after) || onWords.MatchString(before) || present[name] && crossWords.MatchString(before):
			on = "on" // unless the next word for it says otherwise: "with inspection by the IPS off"
		}
	}
	return on
}

// clause returns the up to three words next to a place, within its clause.
func clause(s string, last bool) string {
	if last {
		if cuts := clauseEnd.FindAllStringIndex(s, -1); len(cuts) > 0 {
			s = s[cuts[len(cuts)-1][1]:]
		}
		f := strings.Fields(s)
		return strings.Join(f[max(0, len(f)-3):], " ")
	}
	if at := clauseEnd.FindStringIndex(s); at != nil {
		s = s[:at[0]]
	}
	f := strings.Fields(strings.TrimLeft(s, ":=- "))
	return strings.Join(f[:min(3, len(f))], " ")
}

// clauseEnd is where a clause ends; a dot within a name (eth0.10) ends none.
var clauseEnd = regexp.MustCompile(`[,;|()\n]|\.(?:\s|$)`)

// hearsay is everything that people wrote beside the figures, other than in the tests themselves.
type hearsay struct {
	text     []string                     // of events
	settings map[string]map[string]string // by host or device
}

// byHand is how the Collector of an Origin begins where a person wrote a fact down.
const byHand = "facts:"

// tell gathers settings and the words of events once for a scene.
func (sc *scene) tell() *hearsay {
	if sc.told != nil {
		return sc.told
	}
	t := &hearsay{settings: map[string]map[string]string{}}
	for _, e := range sc.snap.Events() {
		switch e.Type {
		case timeline.EventSettings:
			name := e.Name + e.Device
			if t.settings[name] == nil {
				t.settings[name] = map[string]string{}
			}
			for k, v := range e.Attrs {
				t.settings[name][k] = v
			}
		default:
			if strings.HasPrefix(e.Origin.Collector, byHand) || e.Type == timeline.EventMark {
				t.text = append(t.text, strings.ToLower(e.Text))
			}
		}
	}
	sc.told = t
	return t
}

// setting returns the value of a setting about the topic, and the host it is of.
func (t *hearsay) setting(topic *regexp.Regexp) (host, key, value string) {
	for _, h := range keysOf(t.settings) {
		for _, k := range keysOf(t.settings[h]) {
			if topic.MatchString(strings.ToLower(strings.ReplaceAll(k, "_", " "))) || topic.MatchString(strings.ToLower(k)) {
				return h, k, strings.ToLower(t.settings[h][k])
			}
		}
	}
	return "", "", ""
}

// says tells whether anybody wrote of the topic: in a test of these, in a setting or beside an event.
func (t *hearsay) says(topic *regexp.Regexp, rs []result) bool {
	if slices.ContainsFunc(rs, func(r result) bool { return topic.MatchString(r.words) }) {
		return true
	}
	if slices.ContainsFunc(t.text, topic.MatchString) {
		return true
	}
	for _, s := range t.settings {
		for k, v := range s {
			if topic.MatchString(strings.ToLower(strings.ReplaceAll(k, "_", " ")+" "+v)) || topic.MatchString(strings.ToLower(k)) {
				return true
			}
		}
	}
	return false
}

// owners returns how many hardware addresses the texts tell of one IP address at most, those that routers share left out; NaN if
// they tell of none.
func (t *hearsay) owners() float64 {
	macs := map[string]map[string]bool{}
	most := nan
	for _, text := range t.text {
		m := ownerWords.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		told := []string{m[2]}
		if byTurns.MatchString(text) { // all that it names answer for the one address
			told = anyMAC.FindAllString(text, -1)
		}
		for _, mac := range told {
			if virtualMAC(mac) {
				continue
			}
			if macs[m[1]] == nil {
				macs[m[1]] = map[string]bool{}
			}
			macs[m[1]][strings.NewReplacer(":", "", "-", "", ".", "").Replace(mac)] = true
			most = max(orZero(most), float64(len(macs[m[1]])))
		}
	}
	return most
}

// byTurns are the words for several that answer one question; anyMAC is a hardware address.
var (
	byTurns = regexp.MustCompile(`\b(alternat\w*|by turns|in turns?|both|each|two (different )?(macs|hosts|nodes|addresses|answers|replies)|flip-?flop\w*|differ\w*)\b`)
	anyMAC  = regexp.MustCompile(`\b(?:(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4})\b`)
)

// ownerWords are an IPv4 address and the hardware address that follows it, as tables and captures write them.
var ownerWords = regexp.MustCompile(`\b(\d{1,3}(?:\.\d{1,3}){3})\b.{1,40}?\b((?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}|(?:[0-9a-f]{4}\.){2}[0-9a-f]{4})\b`)

// cure is what came of switching something.
type cure struct {
	factor float64 // how many times better it was afterwards, or in the better state; NaN: nothing was compared
	better string  // the state it was better in: on, off, or changed
	worse  result
	best   result
}

// cureOf compares the tests in the two states of a topic.
func (t *hearsay) cureOf(name string, rs []result) cure {
	topic, none := topics[name], cure{factor: nan}
	if !t.says(topic, rs) {
		return none
	}
	rs = sameExperiment(name, rs)
	on := pick(rs, func(r result) bool { return state(name, r.words) == "on" })
	off := pick(rs, func(r result) bool { return state(name, r.words) == "off" })
	rest := pick(rs, func(r result) bool { return !r.early && state(name, r.words) == "" })
	switch {
	case len(on)+len(off) > 0 && slices.ContainsFunc(rest, func(r result) bool {
		return isLater(r.words) && !topic.MatchString(r.words) && namesTopic(r.words)
	}):
		return none // something else was changed
	case len(on) > 0 && len(off) > 0:
		if c := compare(on, off); c.factor >= 1 {
			c.better = "off"
			return c
		}
		c := compare(off, on)
		c.better = "on"
		return c
	case len(on) > 0 && len(rest) > 0 && switched(on):
		return orNothing(compareBoth(rest, on, "on", "off"))
	case len(off) > 0 && len(rest) > 0:
		return orNothing(compareBoth(rest, off, "off", "on"))
	case len(on) > 0 && len(rest) > 0:
		return orNothing(compareBoth(rest, on, "on", "off"))
	}
	// Nobody wrote a state beside a figure: before and after a change of which the words are told elsewhere.
	isAfter := func(r result) bool { return isLater(r.words) && !beforeWords.MatchString(r.words) }
	after := pick(rs, func(r result) bool { return !r.early && isAfter(r) })
	before := pick(rs, func(r result) bool { return !r.early && !isAfter(r) })
	if len(after) == 0 || len(before) == 0 {
		return turned(topic, rs)
	}
	if exchanged[name] && !slices.ContainsFunc(append(allWords(after), t.text...), func(s string) bool { return isExchange(topic, s) }) {
		return none // it is spoken of, but nobody put another one in
	}
	// What the later test itself names was changed; else what is told elsewhere.
	if !slices.ContainsFunc(after, func(r result) bool { return topic.MatchString(sameWords.ReplaceAllString(r.words, " ")) }) &&
		(slices.ContainsFunc(after, func(r result) bool { return namesTopic(r.words) }) || !slices.ContainsFunc(t.text, topic.MatchString)) {
		return none
	}
	c := compare(before, after)
	c.better = "changed"
	return c
}

// exchanged are topics of parts: they have no state, and are better only for having been exchanged, moved or seated anew.
var exchanged = map[string]bool{"cable": true, "optic": true, "module": true, "port": true}

// exchangeWords say that a part was exchanged, moved or seated anew.
var exchangeWords = regexp.MustCompile(`\b(new|another|other|different|replac\w+|swapp?\w*|chang(ed|ing)|exchang\w+|re-?seat\w*|re-?plug\w*|plugged (in )?(again|anew|back)|re-?terminat\w*|re-?crimp\w*|re-?spliced?|clean(ed|ing)|moved|repaired|shorter|pushed (in|home)|screwed)\b`)

// isExchange says whether a text tells of the topic's exchange, and not that it was in vain.
func isExchange(topic *regexp.Regexp, text string) bool {
	for _, loc := range topic.FindAllStringSubmatchIndex(text, -1) {
		near := clause(text[:loc[2]], true) + " " + text[loc[2]:loc[3]] + " " + clause(text[loc[3]:], false)
		if exchangeWords.MatchString(near) && !vainWords.MatchString(text) {
			return true
		}
	}
	return false
}

func allWords(rs []result) []string {
	var out []string
	for _, r := range rs {
		out = append(out, r.words)
	}
	return out
}

// namesTopic says whether words speak of anything that people switch.
func namesTopic(words string) bool {
	for _, re := range topics {
		if re.MatchString(words) {
			return true
		}
	}
	return false
}

// sameExperiment returns the tests among which the topic was switched: where an experiment did that, its own, for the
// tests of others differ in more than this.
func sameExperiment(name string, rs []result) []result {
	of := ""
	for _, r := range rs {
		if e := r.event.Attrs["experiment"]; e != "" && state(name, r.words) != "" {
			of = e
		}
	}
	if of == "" {
		return rs
	}
	return pick(rs, func(r result) bool { return r.event.Attrs["experiment"] == of })
}

func switched(rs []result) bool {
	return slices.ContainsFunc(rs, func(r result) bool { return isLater(r.words) })
}

func orNothing(c cure, ok bool) cure {
	if !ok {
		return cure{factor: nan}
	}
	return c
}

// compareBoth compares the tests of which the state is told with the others, whichever are the better ones.
func compareBoth(rest, named []result, state, other string) (cure, bool) {
	if c := compare(rest, named); c.factor >= 1 {
		c.better = state
		return c, true
	}
	c := compare(named, rest)
	c.better = other
	return c, c.factor >= 1
}

// compare says how many times better the tests of b were than those of a: by rate where the same kind was measured,
// else by loss. NaN where nothing of the two can be compared.
func compare(a, b []result) cure {
	out := cure{factor: nan}
	for _, x := range a {
		for _, y := range b {
			f := nan
			switch {
			case x.tcp() && y.tcp() && x.way() == y.way() && y.rate > 0:
				f = y.rate / max(x.rate, 1)
			case x.proto == y.proto && waits[x.proto] && x.took() > 0 && y.took() > 0 && !(x.rate > 0) && !(y.rate > 0):
				f = x.took() / y.took()
			case x.proto == y.proto && x.jitter > 0 && y.jitter > 0 && math.IsNaN(x.rate) && math.IsNaN(y.rate) && !x.lossy() && !y.lossy():
				f = x.jitter / y.jitter
			case x.size > 0 && y.size > 0 && x.size != y.size && x.proto == y.proto && !x.tcp():
				// what passes in one size and not in another tells of sizes, not of what was switched
			case x.proto == y.proto && !math.IsNaN(x.loss) && !math.IsNaN(y.loss) && x.lossy() != y.lossy():
				f = (x.loss + cleanTo) / (y.loss + cleanTo)
			case x.rate > 0 && math.IsNaN(y.rate) && math.IsNaN(y.loss) && passWords.MatchString(y.words) && !passWords.MatchString(x.words):
				f = healed
			case x.lossy() && y.rate > 0 && math.IsNaN(y.loss) && y.proto != "udp" || x.failed() && y.passed():
				f = healed
			}
			if f > 0 && !(f <= out.factor) {
				out = cure{factor: f, worse: x, best: y}
			}
		}
	}
	return out
}

// healed stands for an improvement of which only the fact is told.
const healed = 2
