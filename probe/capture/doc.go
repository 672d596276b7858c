// Package capture keeps the headers of a probe's own packets in a file while the probe runs, so that what it says can be
// held against what was on the wire. It takes what goes to and comes from one far end, on given ports, and of each
// packet the first octets only: payload of others is never kept.
//
// The file is pcap with time stamps in nanoseconds and IP packets without a link header (LINKTYPE_RAW), as tcpdump and
// Wireshark read it (draft-ietf-opsawg-pcap). Packets are as the host handled them: with segmentation and receive
// offloads one may be up to 64 KiB long and stand for many on the wire.
//
// It works on Linux, by a ring that the kernel fills (packet(7), TPACKET_V3) behind a filter in the kernel (classic
// BPF), and needs root or CAP_NET_RAW there. Elsewhere [Open] says so.
package capture
