package main

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"
	"time"

	"whydrop/cmd/internal/report"
)

func TestARunIsJudgedByTheLaboratorysTruth(t *testing.T) {
	found := func(verdict, device, port string, chain ...string) report.Document {
		return report.Document{Verdict: report.VerdictFound, Findings: []report.Finding{{
			ID: chain[0], Chain: chain, Verdict: verdict, Fault: true, Subject: report.PortName{Device: device, Port: port},
		}}}
	}
	flap := labTruth{Fault: "linkflap", Chain: []string{"port-flap", "stp-reconvergence"}, Device: "swA", IfName: "ge1"}
	loss := labTruth{Fault: "loss", Chain: []string{"silent-drop"}, IfName: "L7"}
	move := labTruth{Fault: "failover", Chain: []string{"stp-reconvergence", "firewall-failover"}, Device: "swB", IfName: "ge1"}
	for _, tt := range []struct {
		name         string
		fault        string
		truth        labTruth
		found        report.Document
		chain, place bool
	}{
		{"the whole chain at its port", "failover", move, found("holds", "swB", "ge1", "stp-reconvergence", "firewall-failover"), true, true},
		{"half of a chain is wrong", "failover", move, found("holds", "swB", "ge1", "stp-reconvergence"), false, true},
		{"another port is wrong", "failover", move, found("holds", "swB", "ge2", "stp-reconvergence", "firewall-failover"), true, false},
		{"a flap with its consequence", "linkflap", flap, found("holds", "swA", "ge1", "port-flap", "stp-reconvergence"), true, true},
		{"a flap without its consequence", "linkflap", flap, found("holds", "swA", "ge1", "port-flap"), true, true},
		{"a flap's consequence alone is wrong", "linkflap", flap, found("holds", "swA", "ge1", "stp-reconvergence"), false, true},
		{"a flap with nothing found", "linkflap", flap, report.Document{Verdict: report.VerdictHealthy}, false, false},
		{"silent loss told as such", "loss", loss, found("suspected", "a-b", "", "silent-drop"), true, true},
		{"silent loss given up on", "loss", loss, report.Document{Verdict: report.VerdictCannotTell}, true, true},
		{"silent loss of which a device is blamed", "loss", loss, found("suspected", "swB", "ge3", "bad-cable"), false, false},
		{"silent loss overlooked", "loss", loss, report.Document{Verdict: report.VerdictHealthy}, false, true},
		{"nothing wrong and nothing found", "none", labTruth{}, report.Document{Verdict: report.VerdictHealthy}, true, true},
		{"nothing wrong and something suspected", "none", labTruth{}, found("suspected", "a-b", "", "silent-drop"), true, true},
		{"nothing wrong and something that holds", "none", labTruth{}, found("holds", "a-b", "", "silent-drop"), false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := labRun{fault: labFault{args: []string{tt.fault}}, truth: tt.truth, found: tt.found}
			if got := r.chainRight(); got != tt.chain {
				t.Errorf("chain right: got %v, want %v", got, tt.chain)
			}
			if got := r.placeRight(); got != tt.place {
				t.Errorf("place right: got %v, want %v", got, tt.place)
			}
		})
	}
}

func TestOutagesAreHeldAgainstTheCapture(t *testing.T) {
	start := time.Unix(1_700_000_000, 0)
	at := func(ms ...int) (out []time.Time) {
		for _, m := range ms {
			out = append(out, start.Add(time.Duration(m)*time.Millisecond))
		}
		return out
	}
	outage := func(from, to int, direction string) report.Outage {
		return report.Outage{From: at(from)[0], To: at(to)[0], SeenBy: "tcp", Direction: direction}
	}
	arrived := at(0, 10, 3010, 3020, 3520)
	for _, tt := range []struct {
		name string
		told []report.Outage
		want []time.Duration // how far each is off
		also []time.Time     // when a segment came that repeated another
	}{
		{"a gap that is told", []report.Outage{outage(20, 3010, "forward")}, []time.Duration{10 * time.Millisecond}, nil},
		{"told until a segment that came alone", []report.Outage{outage(10, 2190, "forward")}, []time.Duration{10 * time.Millisecond}, at(2200, 3010)},
		{"told until nothing came", []report.Outage{outage(10, 1200, "forward")}, []time.Duration{time.Second}, at(2200, 3010)},
		{"a gap that is not told", nil, []time.Duration{3 * time.Second}, nil},
		{"of two that touch a gap the longer counts", []report.Outage{outage(0, 30, "forward"), outage(30, 3010, "both")}, []time.Duration{20 * time.Millisecond}, nil},
		{"an outage that is much longer than its gap", []report.Outage{outage(10, 3010, "forward"), outage(3015, 4515, "forward")}, []time.Duration{0, time.Second}, nil},
		{"what the receiver can't see does not count", []report.Outage{outage(10, 3010, "forward"), outage(3015, 4515, "reverse")}, []time.Duration{0}, nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got := checkLengths("tcp", arrivals{"tcp": arrived, segments: tt.also}, tt.told)
			if len(got) != len(tt.want) {
				t.Fatalf("got %v, want %d", got, len(tt.want))
			}
			for i, c := range got {
				if c.off() != tt.want[i] {
					t.Errorf("got %v, want it off %v", c, tt.want[i])
				}
			}
		})
	}
}

func TestACaptureTellsWhatWasDelivered(t *testing.T) {
	var b bytes.Buffer
	write := func(v ...uint32) { _ = binary.Write(&b, binary.NativeEndian, v) }
	packet := func(ms uint32, protocol byte, sequence uint32) {
		data := make([]byte, 54)
		ip := data[14:]
		ip[0], ip[9] = 0x45, protocol
		binary.BigEndian.PutUint16(ip[2:], 20+20+1000)
		binary.BigEndian.PutUint32(ip[24:], sequence)
		ip[32] = 5 << 4
		write(100+ms/1000, ms%1000*1000, 54, 1054)
		b.Write(data)
	}
	write(0xa1b2c3d4, 0x00040002, 0, 0, 64, 1)
	for i := range uint32(3) {
		packet(i, 6, 0xfffffc18+1000*i) // the numbers wrap
	}
	packet(500, 6, 1000)  // had arrived
	packet(1000, 6, 2000) // alone
	packet(1500, 17, 0)
	for i := range uint32(3) {
		packet(3000+i, 6, 3000+1000*i)
	}
	write(104, 0, 54, 54) // was being written when it was ended
	got, err := readCapture(&b)
	if err != nil {
		t.Fatal(err)
	}
	at := func(ms ...int64) (out []time.Time) {
		for _, m := range ms {
			out = append(out, time.UnixMilli(100_000+m))
		}
		return out
	}
	if want := at(0, 1, 2, 3000, 3001, 3002); !slices.EqualFunc(got["tcp"], want, time.Time.Equal) {
		t.Errorf("tcp: got %v, want %v", got["tcp"], want)
	}
	if want := at(1500); !slices.EqualFunc(got["heartbeat"], want, time.Time.Equal) {
		t.Errorf("heartbeat: got %v, want %v", got["heartbeat"], want)
	}
	if gap := got.longestGap(); gap != 2998*time.Millisecond {
		t.Errorf("longest gap: got %v", gap)
	}
	if _, err := readCapture(bytes.NewReader([]byte("tcpdump: no such device, and so on"))); err == nil {
		t.Error("text was read as a capture")
	}
}

func TestWhatIsTakenIsPicked(t *testing.T) {
	for _, tt := range []struct {
		name  string
		names string
		full  bool
		want  int // runs; -1: refused
	}{
		{"quick takes three faults and a healthy run", "", false, 4},
		{"full takes every fault five times and ten healthy runs", "", true, 5*(len(labFaults)-1) + 10},
		{"names are taken once each", "crc,none", true, 2},
		{"a name that is no fault", "crc,cr", true, -1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := labPicked(tt.names, tt.full)
			if tt.want < 0 != (err != nil) || err == nil && len(got) != tt.want {
				t.Errorf("got %d runs, %v; want %d", len(got), err, tt.want)
			}
		})
	}
}
