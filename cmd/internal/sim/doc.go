// Package sim is a simulated campus inside the process, on loopback: two switches, two stateful firewalls between
// them of which spanning tree keeps one blocked, and two hosts. Each device is a real SNMP agent and a real SSH
// server that speaks Cisco IOS; the path between the hosts is a relay of real TCP and UDP sockets that delays,
// shapes, loses and stalls; the far end is the project's own iperf3 server and STAMP reflector.
//
// A [Story] says what happens: changes of device and path state at drawn moments, and the truth that a diagnosis
// is judged by. Everything in it is drawn from the scenario's name and a seed, so it is known before it is run.
// All state is a function of the time since the story began ([Site.Begun]); only the traffic of the probe itself
// is counted as it crosses the relay.
//
// Sources: IF-MIB (RFC 2863), EtherLike-MIB (RFC 3635), BRIDGE-MIB (RFC 4188), CISCO-STP-EXTENSIONS-MIB, and the
// texts of Cisco IOS 12.2 and 15. What it leaves to others: running the pipeline against the site and judging the
// answer (package app). There is no back door: what whydrop learns of a site comes through its sockets.
package sim
