// Package iperftext finds what iperf 2 and iperf3 printed in a text that people wrote: in a mail, a forum or a
// page, between sentences in any language, with the lines kept or folded into one.
//
// It reads the text forms of both programs (iperf 2: client and server, TCP and UDP, -i, -P, -f, comma-separated
// values; iperf3: the same with sender and receiver lines, --timestamps) and iperf3's JSON (-J, --json-stream).
// The forms are those of iperf 2.0.5 to 2.2 (sourceforge.net/projects/iperf2, man iperf) and of iperf3 3.1 to 3.21
// (software.es.net/iperf). Units are iperf's own: K, M and G are powers of 1024 before Bytes and of 1000 before bits.
//
// It draws no conclusions; nothing here fails. What a text does not say is nil or absent.
package iperftext
