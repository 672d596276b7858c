package syslog

import (
	"maps"
	"slices"
	"strings"
	"testing"
)

// told writes what a line tells in a line of our own.
func told(line string) string {
	l := Parse(line, received)
	out := []string{string(l.Type), l.Port}
	for _, k := range slices.Sorted(maps.Keys(l.Attrs)) {
		out = append(out, k+"="+l.Attrs[k])
	}
	return strings.TrimSpace(strings.Join(out, " "))
}

// The lines are written after the vendors' message references.
func TestMessages(t *testing.T) {
	for line, want := range map[string]string{
		"%LINK-3-UPDOWN: Interface GigabitEthernet1/0/1, changed state to up":                                                                                  "if.oper GigabitEthernet1/0/1 from=down layer=link to=up",
		"%LINK-SP-3-UPDOWN: Interface GigabitEthernet1/1, changed state to down":                                                                               "if.oper GigabitEthernet1/1 from=up layer=link to=down unit=SP",
		"%LINK-5-CHANGED: Interface Vlan10, changed state to administratively down":                                                                            "if.oper Vlan10 from=up layer=link to=down",
		"%LINEPROTO-5-UPDOWN: Line protocol on Interface Port-channel1, changed state to down":                                                                 "if.oper Port-channel1 from=up layer=protocol to=down",
		"%SPANTREE-5-TOPOTRAP: Topology Change Trap for vlan 10":                                                                                               "stp.topology_change  count=1 tree=vlan 10",
		"%SPANTREE-5-TOPOTRAP: Topology Change Trap for instance 1":                                                                                            "stp.topology_change  count=1 instance=1",
		"%SPANTREE-6-PORT_STATE: Port Gi1/0/1 instance 1 moving from blocking to forwarding":                                                                   "stp.state Gi1/0/1 from=blocking instance=1 to=forwarding",
		"%SPANTREE-6-INTERFACE_STATE: Interface Ethernet1 instance MST0 moving from discarding to forwarding":                                                  "stp.state Ethernet1 from=blocking to=forwarding tree=mst 0",
		"%SPANTREE-5-ROOTCHANGE: Root Changed for vlan 10: New Root Port is Gi1/0/1. New Root Mac Address is 0011.2233.4455":                                   "stp.root_port Gi1/0/1 port=Gi1/0/1 root=0011.2233.4455 to=Gi1/0/1 tree=vlan 10",
		"%SPANTREE-2-ROOTGUARD_BLOCK: Root guard blocking port GigabitEthernet1/0/1 on VLAN0010.":                                                              "stp.inconsistent GigabitEthernet1/0/1 guard=root to=blocked tree=vlan 10",
		"%SPANTREE-2-LOOPGUARD_UNBLOCK: Loop guard unblocking port GigabitEthernet1/0/1 on VLAN0010.":                                                          "stp.inconsistent GigabitEthernet1/0/1 guard=loop to=cleared tree=vlan 10",
		"%SPANTREE-2-BLOCK_BPDUGUARD: Received BPDU on port Gi1/0/3 with BPDU Guard enabled. Disabling port.":                                                  "stp.inconsistent Gi1/0/3 guard=bpdu to=blocked",
		"%SPANTREE-2-PVSTSIM_FAIL: Blocking designated port Gi1/0/48: Inconsistent superior PVST BPDU received on VLAN 20, claiming root 24596:0011.2233.4455": "stp.inconsistent Gi1/0/48 guard=pvst to=blocked",
		"%SPANTREE-2-PVSTSIM_OK: PVST Simulation inconsistency cleared on port Gi1/0/48.":                                                                      "stp.inconsistent Gi1/0/48 guard=pvst to=cleared",
		"%SPANTREE-2-BLOCK_PVID_LOCAL: Blocking GigabitEthernet0/1 on VLAN0020. Inconsistent local vlan.":                                                      "stp.inconsistent GigabitEthernet0/1 guard=pvid to=blocked tree=vlan 20",
		"%PM-4-ERR_DISABLE: link-flap error detected on Gi1/0/3, putting Gi1/0/3 in err-disable state":                                                         "if.err_disabled Gi1/0/3 cause=link-flap from=up to=disabled",
		"%PM-SP-4-ERR_DISABLE: bpduguard error detected on Gi3/2, putting Gi3/2 in err-disable state":                                                          "if.err_disabled Gi3/2 cause=bpduguard from=up to=disabled unit=SP",
		"%PM-4-ERR_RECOVER: Attempting to recover from link-flap err-disable state on Gi1/0/3":                                                                 "if.err_disabled Gi1/0/3 cause=link-flap from=disabled to=up",
		"%ETH-4-ERRDISABLE: bpduguard error detected on Ethernet10.":                                                                                           "if.err_disabled Ethernet10 cause=bpduguard from=up to=disabled",
		"%SW_MATM-4-MACFLAP_NOTIF: Host f03a.b216.7ad7 in vlan 10 is flapping between port Gi0/5 and port Gi0/15":                                              "fdb.mac_move  from=Gi0/5 mac=f0:3a:b2:16:7a:d7 to=Gi0/15 vlan=10",
		"%FWM-6-MAC_MOVE_NOTIFICATION: Host 0050.5600.0001 in vlan 10 is flapping between port Eth1/1 and port Eth1/2":                                         "fdb.mac_move  from=Eth1/1 mac=00:50:56:00:00:01 to=Eth1/2 vlan=10",
		"%L2FM-4-L2FM_MAC_MOVE: Mac 0050.5600.0001 in vlan 10 has moved from Po1 to Po2":                                                                       "fdb.mac_move  from=Po1 mac=00:50:56:00:00:01 to=Po2 vlan=10",
		"%HSRP-5-STATECHANGE: GigabitEthernet0/1 Grp 1  state Active -> Speak":                                                                                 "fhrp.state GigabitEthernet0/1 from=active group=1 port=GigabitEthernet0/1 protocol=hsrp to=speak",
		"%STANDBY-6-STATECHANGE: Standby: 49: Vlan149 state Standby -> Active":                                                                                 "fhrp.state Vlan149 from=standby group=49 port=Vlan149 protocol=hsrp to=active",
		"%VRRP-6-STATECHANGE: Vl20 Grp 20 state Master -> Backup":                                                                                              "fhrp.state Vl20 from=active group=20 port=Vl20 protocol=vrrp to=standby",
		"%HSRP_ENGINE-5-GRPSTATECHANGE: Interface Vlan10 [L3] Group 10 state changed to Active":                                                                "fhrp.state Vlan10 group=10 port=Vlan10 protocol=hsrp to=active",
		"%ETHPORT-5-IF_ERRDIS_RECOVERY: Interface Ethernet1/3 is being recovered from error disabled state (Last Reason:BPDUGuard)":                            "if.err_disabled Ethernet1/3 cause=bpduguard from=disabled to=up",
		"%ETHPORT-5-IF_DOWN_LINK_FAILURE: Interface Ethernet1/3 is down (Link failure)":                                                                        "if.oper Ethernet1/3 from=up layer=link to=down",
		"%ASA-1-104001: (Primary) Switching to ACTIVE - HELLO not heard from mate.":                                                                            "ha.failover  from=standby reason=HELLO not heard from mate to=active unit=primary",
		"%ASA-1-104002:  (Secondary) Switching to STANDBY (cause: Other unit wants me Standby).":                                                               "ha.failover  from=active reason=Other unit wants me Standby to=standby unit=secondary",
		"%UDLD-4-UDLD_PORT_DISABLED: UDLD disabled interface Gi0/1, unidirectional link detected":                                                              "udld.state Gi0/1 reason=unidirectional link detected to=unidirectional",
		"%STORM_CONTROL-3-FILTERED: A Broadcast storm detected on Gi1/0/1. A packet filter action has been applied on the interface.":                          "storm.control Gi1/0/1 kind=broadcast to=active",
		"%EC-5-UNBUNDLE: Interface Gi1/0/1 left the port-channel Po1":                                                                                          "lag.member Gi1/0/1 aggregate=Po1 from=bundled to=down",
		"%ETH_PORT_CHANNEL-5-PORT_SUSPENDED: port-channel10: Ethernet1/1 is suspended":                                                                         "lag.member Ethernet1/1 aggregate=port-channel10 to=suspended",
		"%ILPOWER-5-IEEE_DISCONNECT: Interface Gi1/0/1: PD removed":                                                                                            "power.state Gi1/0/1 reason=PD removed to=off",
		"%STACKMGR-4-SWITCH_REMOVED: Switch 2 has been REMOVED from the stack":                                                                                 "stack.member  to=removed unit=switch 2",
		"%SYS-5-RESTART: System restarted --":                                                                                                                  "sys.restart  reason=System restarted --",
		"%IP-4-DUPADDR: Duplicate address 10.1.1.1 on Vlan10, sourced by 0000.0c07.ac01":                                                                       "arp.binding Vlan10 conflict=true ip=10.1.1.1 port=Vlan10 to=00:00:0c:07:ac:01",
		"%MAB-5-SUCCESS: Authentication successful for client (aaaa.bbbb.dddd) on Interface Gi8/39":                                                            "Gi8/39",
		"%LINK-3-UPDOWN: Interface ":                             "",
		"%HSRP-5-STATECHANGE: ":                                  "",
		"%CDP-4-DUPLEX_MISMATCH: duplex mismatch discovered on ": "",
		"%CDP-4-DUPLEX_MISMATCH: duplex mismatch discovered on FastEthernet0/1 (not full duplex), with SW2.example GigabitEthernet0/24 (full duplex).": "cdp.duplex_mismatch FastEthernet0/1 duplex=half neighbor=SW2.example neighbor_duplex=full neighbor_port=GigabitEthernet0/24",

		"r1 mib2d[2902]: SNMP_TRAP_LINK_DOWN: ifIndex 526, ifAdminStatus up(1), ifOperStatus down(2), ifName ge-0/0/1":                                      "if.oper ge-0/0/1 from=up layer=link to=down",
		"r1 vrrpd[1]: VRRPD_NEW_MASTER: Interface ge-0/0/1.0 (local address 192.0.2.2) became VRRP master for group 10 with master reason masterNoResponse": "fhrp.state ge-0/0/1.0 group=10 port=ge-0/0/1.0 protocol=vrrp to=active",
		"fw1 jsrpd[1]: JSRPD_RG_STATE_CHANGE: Redundancy-group 1 transitioned from 'secondary' to 'primary' state due to Remote node is in secondary hold":  "ha.failover  from=standby group=1 reason=Remote node is in secondary hold to=active",
		"sw1 eswd[1]: ESWD_STP_STATE_CHANGE_INFO: STP state for interface ge-0/0/1.0 context id 0 changed from BLOCKING to FORWARDING":                      "stp.state ge-0/0/1.0 from=blocking to=forwarding",

		"r1 %%01IFNET/4/LINK_STATE(l)[0]:The line protocol IP on the interface GigabitEthernet0/0/1 has entered the DOWN state.":                                                     "if.oper GigabitEthernet0/0/1 from=up layer=protocol to=down",
		"r1 %%01IFPDT/4/IF_STATE(l)[6]:Interface GigabitEthernet0/0/1 has turned into UP state.":                                                                                     "if.oper GigabitEthernet0/0/1 from=down layer=link to=up",
		"r1 %%01VRRP/4/STATEWARNINGEXTEND(l)[1]:Virtual Router state BACKUP changed to MASTER, because of protocol timer expired. (Interface=Vlanif10, VrId=11, InetType=IPv4)":      "fhrp.state Vlanif10 from=standby group=11 port=Vlanif10 protocol=vrrp reason=protocol timer expired to=active",
		"sw1 %%10IFNET/3/PHY_UPDOWN: Physical state on the interface GigabitEthernet1/0/1 changed to down.":                                                                          "if.oper GigabitEthernet1/0/1 from=up layer=link to=down",
		"sw1 %%10IFNET/3/LINK_UPDOWN: GigabitEthernet1/0/2 link status is DOWN.":                                                                                                     "if.oper GigabitEthernet1/0/2 from=up layer=link to=down",
		"sw1 %%10STP/6/STP_DETECTED_TC: Instance 0's port GigabitEthernet1/0/1 detected a topology change.":                                                                          "stp.topology_change GigabitEthernet1/0/1 count=1 port=GigabitEthernet1/0/1",
		"sw1 %%01FEI/4/hwMflpVlanLoopAlarm_active(l): MAC flapping detected, VlanId = 20, Original-Port = GE0/0/1, Flapping port 1 = GE0/0/7, port 2 = -. Please check the network.": "fdb.mac_move  from=GE0/0/1 to=GE0/0/7 vlan=20",
		"sw1 %%10STP/6/STP_FORWARDING: Instance 0's port GigabitEthernet1/0/1 has been set to forwarding state.":                                                                     "stp.state GigabitEthernet1/0/1 instance=0 to=forwarding",
		"sw1 %%10LAGG/6/LAGG_INACTIVE_PHYSTATE: Member port GE1/0/1 of aggregation group BAGG1 changed to the inactive state":                                                        "lag.member GE1/0/1 aggregate=BAGG1 to=down",

		"I 05/18/13 17:13:31 00077 ports: port 21 is now off-line": "if.oper 21 from=up layer=link to=down",
		"2026-11-30T14:02:05.123456+00:00 cx1 l2macd[1]: Event|4801|LOG_INFO|AMM|-|MAC 02:00:5e:10:00:01 moved from port 1/1/11 to port 1/1/37 on VLAN 30": "fdb.mac_move  from=1/1/11 mac=02:00:5e:10:00:01 to=1/1/37 vlan=30",
		"W 05/18/13 17:13:31 00331 FFI: port A1-Excessive CRC/alignment errors":                                                                            "",
		"2026-11-30T14:02:05.123456+00:00 cx1 intfd[1]: Event|403|LOG_INFO|AMM|1/1|Link status for interface 1/1/1 is up":                                  "if.oper 1/1/1 from=down layer=link to=up",

		"sw1 %STKUNIT0-M:CP %IFMGR-5-OSTATE_DN: Changed interface state to down: Te 0/1":                                     "if.oper Te0/1 from=up layer=link to=down",
		"sw1 %Node.1-Unit.1:PRI [event], Dell EMC (OS10) %IFM_OSTATE_DN: Interface operational state is down :ethernet1/1/1": "if.oper ethernet1/1/1 from=up layer=link to=down",
		"11/30/2026 14:02:05.12 <Info:vlan.msgs.portLinkStateDown> Slot-1: Port 1:2 link down":                               "if.oper 1:2 from=up layer=link to=down",
		"HOSTNAME System: Interface ethernet 3/8, state down - remote fault":                                                 "if.oper ethernet3/8 from=up layer=link reason=remote fault to=down",
		"HOSTNAME STP: VLAN 10 Port 1/1/1 STP State -> FORWARDING (FwdDlyExpiry)":                                            "stp.state 1/1/1 to=forwarding tree=vlan 10",
		"router interface,info ether1 link down":                                                                             "if.oper ether1 from=up layer=link to=down",
		"router interface,info ether1 link up (speed 1G, full duplex)":                                                       "if.oper ether1 duplex=full from=down layer=link speed=1G to=up",

		`date=2026-11-30 time=14:02:05 devname="fw1" logid="0100020099" type="event" subtype="system" action="interface-stat-change" status="DOWN" msg="Link monitor: Interface wan1 was turned down"`: "if.oper wan1 from=up layer=link to=down",
		"2026/11/30 14:02:05 info     port   ethernet1/3 link-change  0  Port ethernet1/3: Down 1Gb/s-full duplex":                                                                                     "if.oper ethernet1/3 from=up layer=link to=down",
		"2026-11-30 14:02:05 port4 link status changed: 1->0":                                                                                                     "if.oper port4 from=up layer=link to=down",
		"2026-11-30 14:02:05 FGVM01 is elected as the cluster primary of 2 members":                                                                               "ha.failover  reason=FGVM01 is elected as the cluster primary of 2 members to=active unit=FGVM01",
		"2026-11-30 14:02:05 member FGVM02 lost heartbeat on hbdev port3":                                                                                         "stack.member  reason=member FGVM02 lost heartbeat on hbdev port3 to=lost unit=FGVM02",
		"11/30/2026 14:02:05.12 <Info:vlan.msgs.portLinkStateDown> Slot-1: Port 1:5 link down":                                                                    "if.oper 1:5 from=up layer=link to=down",
		"2026-11-30 14:02:05 interface,info ether1 link up (speed 1G, full duplex)":                                                                               "if.oper ether1 duplex=full from=down layer=link speed=1G to=up",
		"2026-11-30T14:02:05.123456+00:00 8320 intfd[1234]: Event|403|LOG_INFO|AMM|1/1|Link status for interface 1/1/1 is up":                                     "if.oper 1/1/1 from=down layer=link to=up",
		"2026-11-30T15:02:05,123456+01:00 e1000e 0000:00:1f.6 eth0: NIC Link is Down":                                                                             "if.oper eth0 from=up layer=link to=down",
		"Nov 30 14:02:05:I:System: Interface ethernet 1/1/1, state down - link down":                                                                              "if.oper ethernet1/1/1 from=up layer=link reason=link down to=down",
		`date=2026-11-30 logid="0108037892" type="event" subtype="ha" level="notice" msg="Virtual cluster's member state moved" ha_role="primary" vcluster=1`:     "ha.failover  to=active",
		"1,2026/11/30 14:02:05,0011,SYSTEM,ha,0,2026/11/30 14:02:05,,state-change,,0,0,general,critical,\"HA Group 1: Moved from state Passive to state Active\"": "ha.failover  from=standby reason=HA Group 1: Moved from state Passive to state Active to=active",
		"1,2026/11/30 14:02:05,0011,SYSTEM,port,0,2026/11/30 14:02:05,,link-change,ethernet1/1,0,0,general,informational,\"Port ethernet1/1: Down   Unknown\"":    "if.oper ethernet1/1 from=up layer=link to=down",

		"h1 kernel: [12345.678901] e1000e: eth0 NIC Link is Down":                                                                                                   "if.oper eth0 from=up layer=link to=down",
		"h1 kernel: [1.2] igb 0000:01:00.0 eth0: igb: eth0 NIC Link is Up 1000 Mbps Full Duplex":                                                                    "if.oper eth0 from=down layer=link to=up",
		"h1 kernel: [1.2] bnx2x 0000:01:00.0 eth1: NIC Link is Down":                                                                                                "if.oper eth1 from=up layer=link to=down",
		"h1 kernel: [1.2] tg3 0000:02:00.0 eth0: Link is up at 1000 Mbps, full duplex":                                                                              "if.oper eth0 from=down layer=link to=up",
		"h1 kernel: [1.2] br0: port 2(eth1) entered forwarding state":                                                                                               "stp.state eth1 bridge=br0 to=forwarding",
		"h1 kernel: [1.2] br0: topology change detected, propagating":                                                                                               "stp.topology_change  bridge=br0 count=1",
		"h1 kernel: [1.2] bond0: (slave eth1): link status definitely down, disabling slave":                                                                        "lag.member eth1 aggregate=bond0 to=down",
		"h1 kernel: [1.2] bond0: link status definitely down for interface eth1, disabling it":                                                                      "lag.member eth1 aggregate=bond0 to=down",
		"h1 kernel: [1.2] r8169 0000:03:00.0 eth0: Link is Up - 100Mbps/Full (downshifted) - flow control off":                                                      "if.oper eth0 from=down layer=link to=up",
		"h1 kernel: [1.2] RTL8211F Gigabit Ethernet stmmac-1:00: Downshift occurred from negotiated speed 1Gbps to actual speed 100Mbps, check cabling!":            "if.speed  from=1000000000 to=100000000",
		"h1 kernel: [9.1] PHY: 0:03 - Link is Up - 100/Full":                                                                                                        "if.oper  from=down layer=link to=up",
		"sw1 %SFF8472-5-THRESHOLD_VIOLATION: Te1/0/2: Rx power low warning; Operating value: -15.3 dBm, Threshold value: -14.4 dBm.":                                "optics.threshold Te1/0/2 sensor=rx_power to=low-warn value=-15.3",
		"I 11/30/26 14:02:05 00565 ports: port 9 PD Denied power due to insufficient power allocation.":                                                             "power.state 9 reason=PD Denied power due to insufficient power allocation to=denied",
		"sw1 %%01PHY/1/PHY(l)[2]:Slot=3; GigabitEthernet3/0/4: change status to down":                                                                               "if.oper GigabitEthernet3/0/4 from=up layer=link to=down",
		"interface,warning ether7 excessive or late collision, link duplex mismatch?":                                                                               "cdp.duplex_mismatch ether7 reason=excessive or late collision, link duplex mismatch?",
		"fw1 kernel: em2: link state changed to DOWN":                                                                                                               "if.oper em2 from=up layer=link to=down",
		"acc1 %%01DLDP/2/hwDldpUnidirectionalLink_active: Link layer state of the port changed to one way. (IfIndex=9, IfName=GE0/0/3, FaultReason=single-channel)": "udld.state GE0/0/3 reason=single-channel to=unidirectional",
		"acc1 %%10DLDP/4/DLDP_LINK_UNIDIRECTIONAL: DLDP detected a unidirectional link on interface Ten-GigabitEthernet1/1/5.":                                      "udld.state Ten-GigabitEthernet1/1/5 to=unidirectional",
		"%ABC-5-XYZ: link down":                                               "",
		"h1 systemd-networkd[1]: eth0: Lost carrier":                          "if.oper eth0 from=up layer=link to=down",
		"h1 Keepalived_vrrp[1234]: (VI_1) Entering MASTER STATE":              "fhrp.state  group=VI_1 protocol=vrrp to=active",
		"h1 Keepalived_vrrp[1234]: VRRP_Instance(VI_1) Entering BACKUP STATE": "fhrp.state  group=VI_1 protocol=vrrp to=standby",
	} {
		t.Run(line, func(t *testing.T) {
			if got := told(line); got != want {
				t.Errorf("\ngot  %s\nwant %s", got, want)
			}
		})
	}
}
