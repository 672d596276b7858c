// Package iperf3 measures throughput over TCP and UDP by the protocol of iperf3, as client and as server, with stock
// iperf3 at either end. The protocol has no standard; it is what esnet/iperf does (facts read in 3.12 to 3.19 and seen on
// the wire of 3.12).
//
// # Wire format
//
// One TCP port takes control connections and data connections. Every connection begins with a cookie: 36
// characters and a NUL, drawn by the client. The first connection with a new cookie is the control connection;
// later ones with the same cookie are the test's data streams, in order.
//
// On the control connection the server leads with states, one signed byte each:
//
//	server  PARAM_EXCHANGE 9     client answers with its parameters
//	server  CREATE_STREAMS 10    client opens the data connections
//	server  TEST_START 1, TEST_RUNNING 2
//	client  TEST_END 4
//	server  EXCHANGE_RESULTS 13  client sends its results, then the server its own
//	server  DISPLAY_RESULTS 14
//	client  IPERF_DONE 16
//
// With UDP the streams are sockets instead of connections. For each the client sends a hello of 4 bytes to the server's
// UDP port and waits for an answer of 4 bytes. A datagram begins with the time it was sent, seconds and microseconds,
// and its number, counted from 1, in 4 bytes each, or 8 for the number if the parameters say so; big endian. Numbers do
// not end: the client says on the control connection when the test is over. In a test both ways the streams from the
// client come first.
//
// Parameters and results are JSON texts, each after its length in 4 bytes, big endian. ACCESS_DENIED -1 means
// busy; SERVER_ERROR -2 is followed by two 4-byte numbers, iperf3's own error and errno; SERVER_TERMINATE 11 and
// CLIENT_TERMINATE 12 end a test early. Streams are numbered 1, 3, 4, 5 and so on, as stock iperf3 does, which
// refuses results under other numbers. Rates are bit/s of payload, per stream; times are seconds.
//
// # Between two ends of ours
//
// A client of ours adds the key "whydrop" to its parameters; stock iperf3 ignores it. A server of ours then
// answers with states outside iperf3's range, each followed by a JSON text:
//
//	server  HELLO 100    a challenge, if the client wants to show that it knows the token
//	client  PROOF 101    HMAC-SHA256 under the token over the cookie and both nonces
//	server  GRANT 102    the limits of this test, or why it is refused; the server's own proof
//	server  QUEUED 103   once a second while another test runs
//	server  REPORT 104   once a second while the test runs: what arrived, and how busy the host is;
//	                     ten times a second what arrived of datagrams, and what was lost;
//	                     late while the server only receives and nothing comes
//
// The token itself never crosses the wire, a recording of an exchange opens nothing, and a cookie serves once.
//
// Its results carry more of datagrams under keys of ours: what arrived, out of order, duplicated, dropped by the host.
//
// # Loss
//
// What was sent is what the sender's kernel took, what arrived is what the receiver got without duplicates, and lost is
// the difference; so what is lost at the end of a test counts, which leaves no gap in the numbers. Without the
// receiver's count nothing is said of loss.
//
// # Whom a server sends to
//
// A server's UDP socket has one peer, whose address is that of a control connection and who said hello. Nobody else gets
// a byte, so the server cannot be made to send to a third party. A hello does not say which test it belongs to: of the
// tests from one address, one at a time sets up its streams.
//
// # Limits
//
// Whatever the peer sends is bounded in size and time, and every field is checked for its type; what a peer
// leaves out or gives as NaN is "not given".
package iperf3
