package trap

import (
	"strconv"
	"strings"

	"whydrop/correlate/timeline"
)

// told is what a notification tells of, beside its words.
type told struct {
	typ   timeline.EventType
	port  string // a name; "" if only index is known, or neither
	index uint32 // ifIndex; 0 is none
	attrs map[string]string
	line  string // a log line that the notification carries, to be read like one
}

// notification reads one kind of notice. A false ok means that it lacks what it must have, and is kept as a line.
type notification struct {
	name string
	read func(n *notice) (told, bool)
}

// notifications lists what is understood, by snmpTrapOID. A new one is one line here.
var notifications = map[string]notification{
	// SNMPv2-MIB (RFC 3418) and IF-MIB (RFC 2863)
	"1.3.6.1.6.3.1.1.5.1": {"coldStart", as(timeline.EventRestart)},
	"1.3.6.1.6.3.1.1.5.2": {"warmStart", as(timeline.EventRestart)},
	"1.3.6.1.6.3.1.1.5.3": {"linkDown", link("down")},
	"1.3.6.1.6.3.1.1.5.4": {"linkUp", link("up")},
	"1.3.6.1.6.3.1.1.5.5": {"authenticationFailure", as(timeline.EventSyslog)},
	"1.3.6.1.6.3.1.1.5.6": {"egpNeighborLoss", as(timeline.EventSyslog)},
	// BRIDGE-MIB (RFC 4188)
	"1.3.6.1.2.1.17.0.1": {"newRoot", as(timeline.EventRootBridge)},
	"1.3.6.1.2.1.17.0.2": {"topologyChange", as(timeline.EventTopologyChange, "count", "1")},
	// VRRP-MIB (RFC 2787), VRRPV3-MIB (RFC 6527)
	"1.3.6.1.2.1.68.0.1":  {"vrrpTrapNewMaster", newMaster},
	"1.3.6.1.2.1.207.0.1": {"vrrpv3NewMaster", newMaster},
	// POWER-ETHERNET-MIB (RFC 3621)
	"1.3.6.1.2.1.105.0.1": {"pethPsePortOnOffNotification", poe},
	// ENTITY-MIB (RFC 6933)
	"1.3.6.1.2.1.47.2.0.1": {"entConfigChange", as(timeline.EventSyslog)},
	// CISCO-IF-EXTENSION-MIB
	"1.3.6.1.4.1.9.9.276.0.1": {"cieLinkDown", link("down")},
	"1.3.6.1.4.1.9.9.276.0.2": {"cieLinkUp", link("up")},
	// CISCO-SYSLOG-MIB
	"1.3.6.1.4.1.9.9.41.2.0.1": {"clogMessageGenerated", logged},
	// CISCO-HSRP-MIB
	"1.3.6.1.4.1.9.9.106.2.0.1": {"cHsrpStateChange", hsrp},
	// CISCO-STP-EXTENSIONS-MIB
	"1.3.6.1.4.1.9.9.82.2.0.1": {"stpxInconsistencyUpdate", inconsistent("1.3.6.1.4.1.9.9.82.1.3.1.1.3", "type")},
	"1.3.6.1.4.1.9.9.82.2.0.2": {"stpxRootInconsistencyUpdate", inconsistent("1.3.6.1.4.1.9.9.82.1.5.2.1.3", "root")},
	"1.3.6.1.4.1.9.9.82.2.0.3": {"stpxLoopInconsistencyUpdate", inconsistent("1.3.6.1.4.1.9.9.82.1.8.2.1.3", "loop")},
	// CISCO-ERR-DISABLE-MIB
	"1.3.6.1.4.1.9.9.548.0.1":   {"cErrDisableInterfaceEvent", errDisabled},
	"1.3.6.1.4.1.9.9.548.0.2":   {"cErrDisableInterfaceEventRev1", errDisabled},
	"1.3.6.1.4.1.9.9.548.0.1.1": {"cErrDisableInterfaceEvent", errDisabled}, // some releases have an arc more
	"1.3.6.1.4.1.9.9.548.0.1.2": {"cErrDisableInterfaceEventRev1", errDisabled},
	// CISCO-MAC-NOTIFICATION-MIB
	"1.3.6.1.4.1.9.9.215.2.0.3": {"cmnMacMoveNotification", macMoved},
	// CISCO-PORT-STORM-CONTROL-MIB
	"1.3.6.1.4.1.9.9.362.0.1": {"cpscEvent", storm},
	"1.3.6.1.4.1.9.9.362.0.2": {"cpscEventRev1", storm},
	// CISCO-STACKWISE-MIB
	"1.3.6.1.4.1.9.9.500.0.0.1": {"cswStackPortChange", member("stack port", "changed")},
	"1.3.6.1.4.1.9.9.500.0.0.2": {"cswStackNewMaster", member("stack", "new master")},
	"1.3.6.1.4.1.9.9.500.0.0.3": {"cswStackMismatch", member("stack member", "mismatch")},
	"1.3.6.1.4.1.9.9.500.0.0.4": {"cswStackRingRedundant", member("stack ring", "changed")},
	"1.3.6.1.4.1.9.9.500.0.0.5": {"cswStackNewMember", member("stack member", "added")},
	"1.3.6.1.4.1.9.9.500.0.0.6": {"cswStackMemberRemoved", member("stack member", "removed")},
	// CISCO-RF-MIB
	"1.3.6.1.4.1.9.9.176.2.0.1": {"ciscoRFSwactNotif", member("supervisor", "switched over")},
	// CISCO-ENTITY-SENSOR-MIB
	"1.3.6.1.4.1.9.9.91.2.0.1": {"entSensorThresholdNotification", as(timeline.EventOptics)},
	// CISCO-ENTITY-FRU-CONTROL-MIB
	"1.3.6.1.4.1.9.9.117.2.0.2": {"cefcPowerStatusChange", as(timeline.EventPower)},
	"1.3.6.1.4.1.9.9.117.2.0.3": {"cefcFRUInserted", as(timeline.EventSyslog)},
	"1.3.6.1.4.1.9.9.117.2.0.4": {"cefcFRURemoved", as(timeline.EventSyslog)},
	// Cisco's traps of version 1 (CISCO-GENERAL-TRAPS)
	"1.3.6.1.4.1.9.0.0": {"reload", as(timeline.EventRestart)},
	// FORTINET-FORTIGATE-MIB
	"1.3.6.1.4.1.12356.101.2.0.401": {"fgTrapHaSwitch", as(timeline.EventFailover)},
	"1.3.6.1.4.1.12356.101.2.0.402": {"fgTrapHaStateChange", as(timeline.EventFailover)},
	"1.3.6.1.4.1.12356.101.2.0.403": {"fgTrapHaHBFail", member("ha peer", "heartbeat lost")},
	"1.3.6.1.4.1.12356.101.2.0.404": {"fgTrapHaMemberDown", member("ha peer", "down")},
	"1.3.6.1.4.1.12356.101.2.0.405": {"fgTrapHaMemberUp", member("ha peer", "up")},
	// JUNIPER-MIB, JUNIPER-JS-CHASSIS-CLUSTER-MIB
	"1.3.6.1.4.1.2636.4.1.1":           {"jnxPowerSupplyFailure", as(timeline.EventPower, "to", "failed")},
	"1.3.6.1.4.1.2636.4.2.1":           {"jnxPowerSupplyOK", as(timeline.EventPower, "to", "ok")},
	"1.3.6.1.4.1.2636.3.39.1.14.1.0.1": {"jnxJsChassisClusterSwitchover", as(timeline.EventFailover)},
}

// Columns that notifications carry.
const (
	ifIndex         = "1.3.6.1.2.1.2.2.1.1"
	ifDescr         = "1.3.6.1.2.1.2.2.1.2"
	ifAdminStatus   = "1.3.6.1.2.1.2.2.1.7"
	ifOperStatus    = "1.3.6.1.2.1.2.2.1.8"
	ifName          = "1.3.6.1.2.1.31.1.1.1.1"
	vrrpMasterAddr  = "1.3.6.1.2.1.68.1.3.1.6"    // vrrpOperMasterIpAddr.ifIndex.vrId
	vrrp3MasterAddr = "1.3.6.1.2.1.207.1.1.1.1.3" // vrrpv3OperationsMasterIpAddr.ifIndex.vrId.addrType
	hsrpState       = "1.3.6.1.4.1.9.9.106.1.2.1.1.15"
	errDisableCause = "1.3.6.1.4.1.9.9.548.1.3.1.1.2" // cErrDisableIfStatusCause.ifIndex.vlan
	moveAddress     = "1.3.6.1.4.1.9.9.215.1.3.3"
	moveVLAN        = "1.3.6.1.4.1.9.9.215.1.3.4"
	moveFrom        = "1.3.6.1.4.1.9.9.215.1.3.5"
	moveTo          = "1.3.6.1.4.1.9.9.215.1.3.6"
	stormStatus     = "1.3.6.1.4.1.9.9.362.1.2.1.1.1" // cpscStatus.ifIndex.trafficType
	poeDetection    = "1.3.6.1.2.1.105.1.1.1.6"       // pethPsePortDetectionStatus.group.port
	clogFacility    = "1.3.6.1.4.1.9.9.41.1.2.3.1.2"
	clogSeverity    = "1.3.6.1.4.1.9.9.41.1.2.3.1.3"
	clogMsgName     = "1.3.6.1.4.1.9.9.41.1.2.3.1.4"
	clogMsgText     = "1.3.6.1.4.1.9.9.41.1.2.3.1.5"
)

// names are the columns that are shown by name.
var names = map[string]string{
	ifIndex: "ifIndex", ifDescr: "ifDescr", ifAdminStatus: "ifAdminStatus", ifOperStatus: "ifOperStatus", ifName: "ifName", "1.3.6.1.2.1.31.1.1.1.18": "ifAlias",
	"1.3.6.1.2.1.2.2.1.3": "ifType", vrrpMasterAddr: "vrrpOperMasterIpAddr", vrrp3MasterAddr: "vrrpv3OperationsMasterIpAddr", hsrpState: "cHsrpGrpStandbyState",
	errDisableCause: "cErrDisableIfStatusCause", moveAddress: "cmnMACMoveAddress", moveVLAN: "cmnMACMoveVlanNumber", moveFrom: "cmnMACMoveFromPortId", moveTo: "cmnMACMoveToPortId",
	stormStatus: "cpscStatus", poeDetection: "pethPsePortDetectionStatus", clogFacility: "clogHistFacility", clogSeverity: "clogHistSeverity",
	clogMsgName: "clogHistMsgName", clogMsgText: "clogHistMsgText", "1.3.6.1.6.3.18.1.3": "snmpTrapAddress", "1.3.6.1.6.3.1.1.4.3": "snmpTrapEnterprise",
}

// nameOf returns an OID's name with its index, or the OID.
func nameOf(o string) string {
	if n, ok := notifications[o]; ok {
		return n.name
	}
	for i := len(o); i > 0; i = strings.LastIndexByte(o[:i], '.') {
		if name, ok := names[o[:i]]; ok {
			return name + o[i:]
		}
	}
	return o
}

// as is a notification whose name says all.
func as(t timeline.EventType, attrs ...string) func(*notice) (told, bool) {
	return func(n *notice) (told, bool) {
		out := told{typ: t, attrs: map[string]string{}}
		for i := 0; i+1 < len(attrs); i += 2 {
			out.attrs[attrs[i]] = attrs[i+1]
		}
		out.port, out.index = n.port()
		return out, true
	}
}

// port returns the interface that a notice names: by ifName, or by ifIndex.
func (n *notice) port() (name string, index uint32) {
	name = n.text(ifName)
	for _, column := range []string{ifIndex, ifName, ifDescr, ifOperStatus, ifAdminStatus} {
		if _, at, ok := n.under(column); ok && index == 0 {
			index = number(part(at, 0))
		}
	}
	if i, ok := n.number(ifIndex); ok && i > 0 {
		index = uint32(i) //nolint:gosec // an ifIndex is 31 bits wide
	}
	if name == "" {
		name = n.text(ifDescr)
	}
	return name, index
}

func number(s string) uint32 {
	v, err := strconv.ParseUint(s, 10, 32)
	if err != nil {
		return 0
	}
	return uint32(v)
}

// link reads linkUp and linkDown (RFC 2863: ifIndex, ifAdminStatus, ifOperStatus; Cisco adds ifDescr and a reason).
func link(to string) func(*notice) (told, bool) {
	return func(n *notice) (told, bool) {
		name, index := n.port()
		from := map[string]string{"up": "down", "down": "up"}[to]
		return told{typ: timeline.EventOper, port: name, index: index, attrs: map[string]string{"from": from, "to": to}}, name != "" || index != 0
	}
}

// newMaster reads both VRRP MIBs' notification: who sends it is master from now on.
func newMaster(n *notice) (told, bool) {
	out := told{typ: timeline.EventGateway, attrs: map[string]string{"protocol": "vrrp", "to": "active"}}
	if _, at, ok := n.under(vrrpMasterAddr); ok {
		out.index, out.attrs["group"] = number(part(at, 1)), part(at, 0)
	} else if _, at, ok := n.under(vrrp3MasterAddr); ok {
		out.index, out.attrs["group"] = number(part(at, 2)), part(at, 1)
	}
	return out, true
}

// hsrpStates are the values of cHsrpGrpStandbyState.
var hsrpStates = map[int]string{1: "init", 2: "learn", 3: "listen", 4: "speak", 5: "standby", 6: "active"}

func hsrp(n *notice) (told, bool) {
	_, at, ok := n.under(hsrpState)
	state, _ := n.number(hsrpState)
	return told{typ: timeline.EventGateway, index: number(part(at, 1)), attrs: map[string]string{
		"protocol": "hsrp", "group": part(at, 0), "to": hsrpStates[state],
	}}, ok && hsrpStates[state] != ""
}

// inconsistent reads the notifications of spanning-tree guards, by VLAN and bridge port: a truth value, or bits of
// which one is set.
func inconsistent(column, guard string) func(*notice) (told, bool) {
	return func(n *notice) (told, bool) {
		v, at, ok := n.under(column)
		to := "cleared"
		switch x := v.value.(type) {
		case int64:
			if x == 1 { // TruthValue true(1)
				to = "blocked"
			}
		case string:
			if strings.Trim(x, "\x00") != "" {
				to = "blocked"
			}
		}
		out := told{typ: timeline.EventInconsistent, attrs: map[string]string{"guard": guard, "to": to}}
		if strings.Count(at, ".") == 1 {
			out.attrs["tree"] = "vlan " + part(at, 1)
		}
		return out, ok
	}
}

// causes are the values of CErrDisableFeatureID (CISCO-ERR-DISABLE-MIB).
var causes = map[int]string{
	1: "udld", 2: "bpduguard", 3: "channel-misconfig", 4: "pagp-flap", 5: "dtp-flap", 6: "link-flap", 7: "l2ptguard", 8: "dot1x-security-violation",
	9: "psecure-violation", 10: "gbic-invalid", 11: "dhcp-rate-limit", 12: "unicast-flood", 13: "vmps", 14: "storm-control", 15: "inline-power", 16: "arp-inspection",
}

func errDisabled(n *notice) (told, bool) {
	cause, ok := n.number(errDisableCause)
	_, at, _ := n.under(errDisableCause)
	return told{typ: timeline.EventErrDisabled, index: number(part(at, 1)), attrs: map[string]string{"from": "up", "to": "disabled", "cause": causes[cause]}}, ok
}

func macMoved(n *notice) (told, bool) {
	address := n.text(moveAddress)
	attrs := map[string]string{}
	const macLength = 6
	if v, _, ok := n.under(moveAddress); ok {
		if raw, isText := v.value.(string); isText && len(raw) == macLength {
			address = hardware(raw)
		}
	}
	attrs["mac"] = address
	if v, ok := n.number(moveVLAN); ok {
		attrs["vlan"] = strconv.Itoa(v)
	}
	return told{typ: timeline.EventMACMove, attrs: attrs}, address != ""
}

func hardware(raw string) string {
	var parts []string
	for i := range len(raw) {
		parts = append(parts, strconv.FormatUint(uint64(raw[i])+0x100, 16)[1:])
	}
	return strings.Join(parts, ":")
}

// stormKinds are the values of CPortStormControlTrafficType.
var stormKinds = map[string]string{"1": "broadcast", "2": "multicast", "3": "unicast"}

func storm(n *notice) (told, bool) {
	status, ok := n.number(stormStatus)
	_, at, _ := n.under(stormStatus)
	to := "active"
	if status <= 2 { // inactive(1), forwarding(2)
		to = "cleared"
	}
	return told{typ: timeline.EventStorm, index: number(part(at, 1)), attrs: map[string]string{"to": to, "kind": stormKinds[part(at, 0)]}}, ok
}

func poe(n *notice) (told, bool) {
	status, ok := n.number(poeDetection)
	_, at, _ := n.under(poeDetection)
	const delivering = 3
	to := "off"
	if status == delivering {
		to = "on"
	}
	return told{typ: timeline.EventPower, attrs: map[string]string{"to": to, "reason": "power port " + at}}, ok
}

func member(unit, to string) func(*notice) (told, bool) {
	return func(*notice) (told, bool) {
		return told{typ: timeline.EventMember, attrs: map[string]string{"unit": unit, "to": to}}, true
	}
}

// logged reads a line of the log that comes as a notification, and writes it as the log has it.
func logged(n *notice) (told, bool) {
	severity, ok := n.number(clogSeverity)
	if !ok || severity < 1 || n.text(clogMsgName) == "" {
		return told{}, false
	}
	// SyslogSeverity emergency(1) is 0 in a line.
	return told{line: "%" + n.text(clogFacility) + "-" + strconv.Itoa(severity-1) + "-" + n.text(clogMsgName) + ": " + n.text(clogMsgText)}, true
}
