package snmp

import "whydrop/devices"

// errDisable says why a device shut a port by itself and when it tries again (CISCO-ERR-DISABLE-MIB
// cErrDisableIfStatusTable, 1.3.6.1.4.1.9.9.548.1.3.1.1, by ifIndex and VLAN, 0 for the whole port): Cause 2
// (CErrDisableFeatureID), TimeToRecover 3 (s, 0: never by itself). A port that is not shut has no row.
var errDisable = Table{
	Name:    "cErrDisableIfStatusTable",
	MIB:     "CISCO-ERR-DISABLE-MIB",
	Unseen:  true,
	Sparse:  true,
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{errDisableCause, errDisableRecovers},
	Part:    partInterfaces,
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(errDisableCause) {
			if len(c.Index) != 2 || c.Index[1] != 0 {
				continue
			}
			i, cause := interfaceOf(r, c.Index[0]), c.Word(errDisableWords)
			if i == nil || !cause.OK {
				continue
			}
			i.ErrDisabled = cause.Value
			if n := v.At(errDisableRecovers, c.Index...).Number(); n.OK && n.Value > 0 {
				i.ErrRecovers = n
			}
		}
	},
}

const (
	errDisableCause    = "1.3.6.1.4.1.9.9.548.1.3.1.1.2"
	errDisableRecovers = "1.3.6.1.4.1.9.9.548.1.3.1.1.3"
)

// errDisableWords are the values of CErrDisableFeatureID, in the words of the command line where it has them.
var errDisableWords = []string{
	"udld", "bpduguard", "channel-misconfig", "pagp-flap", "dtp-flap", "link-flap", "l2ptguard", "security-violation",
	"psecure-violation", "gbic-invalid", "dhcp-rate-limit", "unicast-flood", "vmps", "storm-control", "inline-power",
	"arp-inspection", "loopback", "packet-buffer", "mac-limit", "link-monitor-failure", "oam-remote-failure",
	"dot1ad-incomp-etype", "dot1ad-incomp-tunnel", "sfp-config-mismatch", "community-limit", "invalid-policy", "lsgroup",
	"ekey", "port-mode-failure", "pppoe-ia-rate-limit", "oam-remote-critical-event", "oam-remote-dying-gasp",
	"oam-remote-link-fault", "mvrp", "transceiver-incompatible", "other", "port-reinit-limit-reached",
	"rx-bb-credit-incompatible", "ficon-not-enabled", "admin-mode-incompatible", "admin-speed-incompatible",
	"admin-rx-bb-credit-incompatible", "admin-rx-buf-size-incompatible", "epp-failure", "osm-e-port-up",
	"osm-non-e-port-up", "udld-unidirectional", "udld-tx-rx-loop", "udld-neighbour-mismatch", "udld-empty-echo",
	"udld-aggressive-link-failed", "excessive-port-interrupts", "channel-err-disabled", "hw-programming-failed",
	"internal-handshake-failed", "stp-inconsistency-on-vpc-peer-link", "stp-port-state-failure", "ip-conflict",
	"multiple-msap-ids", "100-pdus-without-ack", "ip-qos-compat-check-failure", "loop-detect",
}
