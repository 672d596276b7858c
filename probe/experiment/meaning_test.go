package experiment

import (
	"strings"
	"testing"
	"time"

	"whydrop/probe/iperf3"
	"whydrop/probe/tcpinfo"
)

const (
	quiet = time.Millisecond
	mega  = 1e6
)

// tcpRow is a row over TCP: what is swept over, what arrived in Mbit/s, and the window that was offered.
func tcpRow(name string, value, arrived float64, offered uint64) Row {
	t := iperf3.Test{Address: "x", Streams: 1}
	return Row{Step: Step{Name: name, Value: value, Test: t}, Arrived: arrived * mega, Sent: arrived * mega, Counted: true, Seconds: 2, MSS: 1448, PeerWindow: offered,
		IdleRTT: 10 * time.Millisecond, TCPRTT: 10 * time.Millisecond}
}

// udpRow is a row over UDP: what is swept over, what was sent in Mbit/s, the share lost and the round trip meanwhile.
func udpRow(name string, value, sent, loss float64, rtt time.Duration) Row {
	return Row{Step: Step{Name: name, Value: value, Test: iperf3.Test{Address: "x", UDP: true}}, Asked: sent * mega, Sent: sent * mega, Arrived: sent * mega * (1 - loss), Counted: true,
		Loss: tcpinfo.Opt[float64]{Value: loss, OK: true}, Size: 1448, IdleRTT: quiet, LoadedRTT: rtt, Seconds: 2}
}

func failed(name string, value float64) Row {
	return Row{Step: Step{Name: name, Value: value, Test: iperf3.Test{Address: "x", UDP: true}}, Reason: "it does not fit"}
}

func (r Row) again(n uint64) Row {
	r.Retransmits = tcpinfo.Opt[uint64]{Value: n, OK: true}
	return r
}

func (r Row) named(change func(*Row)) Row {
	change(&r)
	return r
}

func TestMeaning(t *testing.T) {
	gig := Options{Line: 1e9, MTU: 1500}
	tests := []struct {
		name string
		kind Kind
		o    Options
		rows []Row
		want []string
		not  []string
	}{
		{"the rate follows the window to the line", Window, gig, []Row{tcpRow("64 KiB", 65536, 52, 65536), tcpRow("512 KiB", 524288, 419, 524288), tcpRow("2 MiB", 2<<20, 938, 2<<20), tcpRow("own tuning", 0, 938, 3<<20)},
			[]string{"follows the window up to 2 MiB", "at 10.0 ms round trip the path needs 1.12 MiB in flight", "the line is the limit: 938 Mbit/s of at most 941 Mbit/s", "set no window"}, nil},
		{"the window makes no difference", Window, gig, []Row{tcpRow("64 KiB", 65536, 98, 65536), tcpRow("1 MiB", 1<<20, 99, 1<<20)},
			[]string{"makes no difference from 64 KiB up", "something on the path or at the far end is the limit: 99", "own link takes 941 Mbit/s"}, []string{"tuning"}},
		{"the window is too small to the end", Window, gig, []Row{tcpRow("4 KiB", 4096, 3, 4096), tcpRow("8 KiB", 8192, 6.5, 8192)},
			[]string{"still follows the window at 8 KiB"}, nil},
		{"the systems' own window is too small", Window, gig, []Row{tcpRow("64 KiB", 65536, 52, 65536), tcpRow("4 MiB", 4<<20, 600, 4<<20), tcpRow("8 MiB", 8<<20, 610, 4<<20), tcpRow("own tuning", 0, 200, 262144)},
			[]string{"own tuning reaches only 200 Mbit/s"}, []string{"set no window"}},
		{"the far end's limit", Window, gig, []Row{tcpRow("64 KiB", 65536, 52, 65536), tcpRow("4 MiB", 4<<20, 99, 4<<20).named(func(r *Row) { r.FarRate = 100e6 })},
			[]string{"the far end allows no more than 100 Mbit/s"}, nil},
		{"a measurement that was disturbed", Window, gig, []Row{tcpRow("64 KiB", 65536, 95, 65536), tcpRow("1 MiB", 1<<20, 15, 1<<20), tcpRow("own tuning", 0, 60, 1<<20)},
			[]string{"with 1 MiB it is 15 Mbit/s", "disturbed the measurement"}, []string{"tuning"}},
		{"loss is the limit", Window, gig, []Row{tcpRow("64 KiB", 65536, 12, 65536).again(30), tcpRow("4 MiB", 4<<20, 13, 4<<20).again(30)},
			[]string{"loss is what holds the rate down"}, nil},
		{"one window's probes are no loss", Streams, gig, []Row{tcpRow("1 stream", 1, 50, 65536).again(4), tcpRow("8 streams", 8, 380, 65536)},
			[]string{"8 streams carry 7.6 times one", "a window or a limit per flow", "It is the window: at a round trip of 10.0 ms it allows 52.4 Mbit/s at most"}, []string{"loss"}},
		{"one stream fills the path", Streams, gig, []Row{tcpRow("1 stream", 1, 930, 4<<20), tcpRow("8 streams", 8, 938, 4<<20)},
			[]string{"One stream carries as much as many", "the line is the limit"}, nil},
		{"a policer for each flow", Streams, gig, []Row{tcpRow("1 stream", 1, 20, 4<<20).again(300), tcpRow("8 streams", 8, 160, 4<<20)},
			[]string{"8.0 times one", "300 segments again: loss, or a policer per flow"}, nil},
		{"several streams fill it better", Streams, gig, []Row{tcpRow("1 stream", 1, 500, 4<<20), tcpRow("8 streams", 8, 900, 4<<20)},
			[]string{"one stream does not fill the path"}, nil},

		{"nothing lost", Rate, gig, []Row{udpRow("10 Mbit/s", 1e7, 10, 0, quiet), udpRow("100 Mbit/s", 1e8, 100, 0.001, quiet)}, []string{"Nothing is lost up to 100 Mbit/s"}, nil},
		{"a queue", Rate, gig, []Row{udpRow("300 Mbit/s", 3e8, 300, 0, quiet), udpRow("410 Mbit/s", 4.1e8, 410, 0.002, 9*time.Millisecond), udpRow("500 Mbit/s", 5e8, 500, 0.18, 21*time.Millisecond)},
			[]string{"Loss begins above 410 Mbit/s", "no more than 410 Mbit/s arrives", "rose first, from 1.00 ms to 21.0 ms", "a queue fills before it drops, about 1001 KiB deep"}, nil},
		{"a policer", Rate, gig, []Row{udpRow("410 Mbit/s", 4.1e8, 410, 0, quiet), udpRow("500 Mbit/s", 5e8, 500, 0.18, quiet)},
			[]string{"did not rise", "a policer drops without a queue, or the buffer there is smaller than 50.0 KiB"}, nil},
		{"no heartbeat", Rate, gig, []Row{udpRow("410 Mbit/s", 4.1e8, 410, 0, 0), udpRow("500 Mbit/s", 5e8, 500, 0.18, 0)}, []string{"cannot be told from a policer"}, nil},
		{"damage", Rate, gig, []Row{udpRow("5 Mbit/s", 5e6, 5, 0.02, quiet), udpRow("50 Mbit/s", 5e7, 50, 0.018, quiet), udpRow("500 Mbit/s", 5e8, 500, 0.021, quiet)}, []string{"whatever the load", "1.8 % to 2.1 %"}, []string{"policer"}},
		{"a host that drops is not the path", Rate, gig, []Row{udpRow("5 Mbit/s", 5e6, 5, 0, quiet).named(func(r *Row) { r.HostDrops = tcpinfo.Opt[uint64]{Value: 7, OK: true} })}, []string{"no room for 7 datagrams"}, nil},
		{"nobody counted", Rate, gig, []Row{tcpRow("5 Mbit/s", 5e6, 5, 0)}, []string{"nothing can be said of loss"}, nil},

		{"an MTU on the way", Size, gig, []Row{udpRow("1000 bytes", 1000, 8, 0, quiet), udpRow("1372 bytes", 1372, 11, 0, quiet), udpRow("1400 bytes", 1400, 11, 1, quiet), failed("1473 bytes", 1473)},
			[]string{"Everything above 1372 bytes fails, from 1400 bytes on", "between 1400 and 1427 with headers"}, nil},
		{"the own link's MTU is none on the way", Size, gig, []Row{udpRow("100 bytes", 100, 1, 0, quiet), udpRow("1472 bytes", 1472, 12, 0, quiet), failed("1473 bytes", 1473)},
			[]string{"Every size that the own link takes gets through", "None of the sizes that get through loses"}, nil},
		{"bits are damaged", Size, gig, []Row{udpRow("100 bytes", 100, 1, 0.001, quiet), udpRow("1472 bytes", 1472, 12, 0.015, quiet)}, []string{"Loss grows with the size: 0.1 % of small ones, 1.5 % of large ones"}, nil},
		{"packets are dropped", Size, gig, []Row{udpRow("100 bytes", 100, 1, 0.02, quiet), udpRow("1472 bytes", 1472, 12, 0.021, quiet)}, []string{"does not care about the size"}, nil},

		{"a shallow buffer", Pacing, gig, []Row{tcpRow("TCP", 0, 900, 0), udpRow("paced", 1, 450, 0, quiet), udpRow("bursts of 32", 32, 450, 0.001, quiet), udpRow("bursts of 128", 128, 450, 0.12, quiet)},
			[]string{"Paced it loses nothing at 450 Mbit/s, in bursts of 181 KiB it loses 12 %", "between 45.2 KiB and 181 KiB"}, nil},
		{"deep buffers", Pacing, gig, []Row{udpRow("paced", 1, 450, 0, quiet), udpRow("bursts of 512", 512, 450, 0, quiet)}, []string{"not even in bursts of 724 KiB"}, nil},
		{"bursts make no difference", Pacing, gig, []Row{udpRow("paced", 1, 450, 0.03, quiet), udpRow("bursts of 8", 8, 450, 0.031, quiet), udpRow("bursts of 32", 32, 450, 0.029, quiet)}, []string{"not a matter of buffers"}, nil},

		{"one way is slow", Direction, gig, []Row{tcpRow("TCP there", 0, 900, 0), tcpRow("TCP back", 0, 90, 0)}, []string{"900 Mbit/s there and 90", "in the way back"}, nil},
		{"half duplex", Direction, gig, []Row{tcpRow("TCP there", 0, 90, 0), tcpRow("TCP back", 0, 90, 0), tcpRow("TCP both ways", 0, 45, 0).named(func(r *Row) { r.Back = 44e6 })}, []string{"no more than in turns"}, nil},
		{"duplex mismatch", Direction, gig, []Row{tcpRow("TCP there", 0, 90, 0), tcpRow("TCP back", 0, 90, 0), tcpRow("TCP both ways", 0, 3, 0).named(func(r *Row) { r.Back = 14e6 }), udpRow("UDP back", 0, 45, 0.08, quiet)},
			[]string{"as with a duplex mismatch", `8.0 % of "UDP back"`}, nil},

		{"the disk is the limit", Disk, gig, []Row{{Step: Step{Name: "disk alone"}, Arrived: 430e6}, tcpRow("memory", 0, 930, 0), tcpRow("file", 0, 420, 0).named(func(r *Row) {
			r.Step.Test.File, r.FileTime = "f", tcpinfo.Opt[time.Duration]{Value: 1900 * time.Millisecond, OK: true}
		})}, []string{"The disk alone reads 430 Mbit/s", "The disk is the limit: 930 Mbit/s from memory, 420 Mbit/s with the file, 95 % of the time"}, nil},
		{"nothing was measured", Disk, gig, []Row{failed("x", 0)}, nil, []string{"disk"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Meaning(Plan{Kind: tt.kind, Options: tt.o}, tt.rows)
			for _, w := range tt.want {
				if !strings.Contains(got, w) {
					t.Errorf("%q is missing in %q", w, got)
				}
			}
			for _, w := range tt.not {
				if strings.Contains(got, w) {
					t.Errorf("%q is in %q", w, got)
				}
			}
		})
	}
}

func TestNumbersAsAPersonReadsThem(t *testing.T) {
	for got, want := range map[string]string{
		Bits(0): "0 bit/s", Bits(938.4e6): "938 Mbit/s", Bits(99.96e6): "100 Mbit/s", Bits(1e9): "1 Gbit/s", Bits(5.678e6): "5.68 Mbit/s",
		Bytes(65536): "64 KiB", Bytes(1.5 * 1024): "1.50 KiB", Bytes(100): "100 bytes", Bytes(512 << 20): "512 MiB",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
