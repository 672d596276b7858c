// Package pathtest gives tests of probes real paths.
//
// A [Line] is network namespaces in a row: the host a, routers r1, r2, ... and the host b. Between any two of them is a
// link whose MTU can be set, and every one of them can drop what it sends, receives or forwards by rules of nftables.
// A [Heart] is a heartbeat over a line whose outages are held against a capture. A [NAT] is a translator of addresses on
// the loopback.
//
// Lines are for Linux and need root and the programs ip, nft and sysctl, captures tcpdump. A test that cannot have them
// is skipped, or fails if the environment variable WHYDROP_REQUIRE_PEERS is 1.
package pathtest
