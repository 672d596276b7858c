package iperf2

import (
	"math/rand/v2"
	"testing"
	"time"
)

// feed adds datagrams of 100 bytes with these numbers, 1 ms apart, over a path that takes transit(i).
func feed(r *reception, transit func(i int) time.Duration, numbers ...int64) {
	sender := time.Unix(1_500_000_000, 0) // the sender's clock is years off
	ours := time.Now()
	for i, n := range numbers {
		d := time.Duration(i) * time.Millisecond
		r.add(n, 100, sender.Add(d), ours.Add(d+transit(i)))
	}
}

func steady(int) time.Duration { return 5 * time.Millisecond }

func TestReceptionCounts(t *testing.T) {
	seq := func(from, n int64) (s []int64) {
		for i := range n {
			s = append(s, from+i)
		}
		return s
	}
	tests := []struct {
		name    string
		numbers []int64
		want    Counts
	}{
		{"all there", seq(1, 100), Counts{Datagrams: 100, Total: 100}},
		{"2.0.5 counts from 0", seq(0, 100), Counts{Datagrams: 100, Total: 100}},
		{"the first is lost", seq(2, 99), Counts{Datagrams: 99, Total: 100, Lost: 1}},
		{"two holes", []int64{1, 2, 4, 5, 8}, Counts{Datagrams: 5, Total: 8, Lost: 3}},
		{"late is not lost", []int64{1, 3, 4, 2, 5}, Counts{Datagrams: 5, Total: 5, OutOfOrder: 1}},
		{"twice does not hide a loss", []int64{1, 2, 2, 4, 4}, Counts{Datagrams: 3, Total: 4, Lost: 1, Duplicates: 2}},
		{"late and twice", []int64{1, 4, 2, 2, 3}, Counts{Datagrams: 4, Total: 4, OutOfOrder: 2, Duplicates: 1}},
		{"around 2^31", seq(1<<31-3, 6), Counts{Datagrams: 6, Total: 1<<31 + 2, Lost: 1<<31 - 4}},
		{"around 2^32, with a hole", append(seq(1<<32-2, 2), 1<<32+1), Counts{Datagrams: 3, Total: 1<<32 + 1, Lost: 1<<32 - 2}},
		{"a number that cannot be is not believed", []int64{1, 2, 1 << 60, 3}, Counts{Datagrams: 3, Total: 3}},
		{"later than is remembered", append(append([]int64{1}, seq(3, window+10)...), 2), Counts{Datagrams: window + 12, Total: window + 12, OutOfOrder: 1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r reception
			feed(&r, steady, tt.numbers...)
			got := r.Counts()
			tt.want.Bytes, tt.want.Received, got.Jitter = 100*tt.want.Datagrams, true, 0
			if got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
			if l := got.LossRatio(); l < 0 || l > 1 {
				t.Errorf("loss %v", l)
			}
		})
	}
}

// TestReceptionAgainstASet holds the window against a set that remembers everything.
func TestReceptionAgainstASet(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		var r reception
		seen := map[int64]bool{}
		top, late, twice := int64(0), uint64(0), uint64(0)
		for i := int64(1); i < 2000; i++ {
			n := max(1, i+rnd.Int64N(40)-30)
			r.add(n, 1, time.Unix(i, 0), time.Now())
			switch {
			case seen[n]:
				twice++
			case n < top:
				late++
			}
			seen[n], top = true, max(top, n)
		}
		c := r.Counts()
		if c.Datagrams != uint64(len(seen)) || c.Lost != uint64(top)-uint64(len(seen)) || c.OutOfOrder != late || c.Duplicates != twice {
			t.Fatalf("got %+v, want %d there of %d, %d late, %d twice", c, len(seen), top, late, twice)
		}
	}
}

func TestJitter(t *testing.T) {
	n := make([]int64, 2000)
	for i := range n {
		n[i] = int64(i + 1)
	}
	tests := []struct {
		name    string
		transit func(i int) time.Duration
		want    time.Duration
		within  time.Duration
	}{
		{"a steady path has none, though the clocks are years apart", steady, 0, 0},
		{"the first sample has nothing to differ from", func(i int) time.Duration {
			if i == 0 {
				return time.Second
			}
			return time.Second
		}, 0, 0},
		{"2 ms up and down", func(i int) time.Duration { return time.Duration(i%2) * 2 * time.Millisecond }, 2 * time.Millisecond, 20 * time.Microsecond},
		{"a clock that was set is no jitter", func(i int) time.Duration {
			if i > 1000 {
				return time.Hour
			}
			return 0
		}, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var r reception
			feed(&r, tt.transit, n...)
			if got := r.Counts().Jitter; got < tt.want-tt.within || got > tt.want+tt.within {
				t.Errorf("jitter %v, want %v", got, tt.want)
			}
		})
	}
	// RFC 3550: J += (|D| - J)/16, by hand for one difference of 16 ms.
	var r reception
	feed(&r, func(i int) time.Duration { return time.Duration(i) * 16 * time.Millisecond }, 1, 2)
	if got := r.Counts().Jitter; got != time.Millisecond {
		t.Errorf("jitter %v after one difference of 16 ms, want 1 ms", got)
	}
}

func TestNumbersOf32BitsNearTheirSign(t *testing.T) {
	tests := []struct {
		name    string
		raw     uint32
		highest int64
		number  int64
		last    bool
	}{
		{"in the middle", 1000, 999, 1000, false},
		{"the last of ten", 0xfffffff6, 9, -10, true},
		{"the last, with losses before it", 0xfffffff6, 3, -10, true},
		{"the greatest positive", 0x7fffffff, 1<<31 - 2, 1<<31 - 1, false},
		{"one beyond is not the last", 0x80000000, 1<<31 - 1, 1 << 31, false},
		{"two beyond, with a loss", 0x80000001, 1<<31 - 1, 1<<31 + 1, false},
		{"far beyond", 0x80100000, 1<<31 + 0xfffff, 1<<31 + 0x100000, false},
		{"the last of many", 0x80000100, 1<<31 - 0x200000, -(1<<31 - 0x100), true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if n, last := narrowNumber(tt.raw, tt.highest); n != tt.number || last != tt.last {
				t.Errorf("got %d, last %v; want %d, %v", n, last, tt.number, tt.last)
			}
		})
	}
}

func TestASessionAnswersTheLastDatagramWithNoMoreThanCame(t *testing.T) {
	first, _ := parseDatagram(wire(t, udp218))
	s := newSession(first, &reception{})
	at := time.Now()
	datagram := func(number int64) []byte {
		b := append(wire(t, udp218), make([]byte, 224)...)
		putNumber(b, number, at, true)
		return b
	}
	for n := int64(1); n <= 9; n++ {
		if a := s.take(datagram(n), 300, at); a != nil {
			t.Fatalf("%d bytes in answer to data", len(a))
		}
	}
	answer := s.take(datagram(-10), 300, at)
	r, err := parseReport(answer)
	if err != nil || r.Total != 10 || r.Lost != 0 || r.Bytes != 3000 {
		t.Fatalf("%v: %+v", err, r)
	}
	if again := s.take(datagram(-10), 300, at.Add(10*time.Millisecond)); again != nil {
		t.Error("answered again after 10 ms: stock iperf asks each 10 ms")
	}
	if again := s.take(datagram(-11), 300, at.Add(200*time.Millisecond)); again == nil {
		t.Error("not answered again after 200 ms: the answer may be lost")
	}
	if c := s.rec.Counts(); c.Total != 10 || c.Duplicates != 0 {
		t.Errorf("what comes after the end counts: %+v", c)
	}
	short := newSession(first, &reception{})
	short.take(datagram(1), 60, at)
	if a := short.take(datagram(-2)[:60], 60, at); len(a) == 0 || len(a) > 60 {
		t.Errorf("%d bytes in answer to 60", len(a))
	}
}
