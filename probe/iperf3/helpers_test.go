package iperf3

// tcpPeers is what is known of n TCP streams on which the peer sends.
func tcpPeers(n int) []peerStream { return make([]peerStream, n) }
