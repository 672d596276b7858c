// Package icmp is a heartbeat by echo request and reply: RFC 792 for IPv4, RFC 4443 for IPv6. It needs no far end
// of ours, only a host that answers.
//
// # What it can tell
//
// The round-trip time, the loss on the round trip, and outages: a heartbeat that is not answered was lost on the
// way there or on the way back, and nothing tells which, so every outage has the direction "both" and says so. No
// jitter per direction either. Hosts and routers answer echo requests when they have nothing better to do, and some
// limit how many: loss here that the traffic does not see is more likely theirs than the path's. Answers come from
// the host's kernel: that a host answers says nothing about its programs.
//
// # Wire format
//
// Type 8 (IPv6: 128), code 0, checksum, identifier, sequence number (the heartbeat's number modulo 65536), then 56
// octets: 8 of a random cookie that tells our answers from others' and from forged ones, 8 of the heartbeat's
// number, zeros.
//
// # Rights
//
// Linux has datagram sockets for echo (socket type SOCK_DGRAM, protocol IPPROTO_ICMP), without privileges for the
// groups in the sysctl net.ipv4.ping_group_range, which covers IPv6 too; macOS has them for everybody. Where that
// is not allowed a raw socket is tried, which needs root or CAP_NET_RAW, or an administrator on Windows. If neither
// is to be had, Probe returns an error that wraps [ErrPermission] and says what would help.
package icmp
