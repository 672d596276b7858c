package stream

import (
	"encoding/binary"
	"math/rand/v2"
	"testing"
	"time"
)

// feeder gives a Reception single datagrams.
type feeder struct {
	r     *Reception
	epoch time.Time
}

func newFeeder(r *Reception) *feeder {
	return &feeder{r: r, epoch: time.Unix(1_700_000_000, 0)}
}

// add lets datagram number arrive, sent and arrived these times after the epoch.
func (f *feeder) add(number uint64, sent, arrived time.Duration) {
	b := make([]byte, 100)
	binary.BigEndian.PutUint64(b, number)
	f.r.Add(Burst{Data: b, Size: 100, At: f.epoch.Add(arrived)}, func(b []byte) (uint64, time.Time, bool) {
		return binary.BigEndian.Uint64(b), f.epoch.Add(sent), true
	})
}

func TestReceptionCounts(t *testing.T) {
	const wrap = 1 << 32
	tests := []struct {
		name    string
		r       Reception
		numbers []uint64
		want    Arrived
	}{
		{"all in order", Reception{Start: 1}, []uint64{1, 2, 3}, Arrived{Datagrams: 3, Expected: 3}},
		{"numbers from 0", Reception{}, []uint64{0, 1, 2}, Arrived{Datagrams: 3, Expected: 3}},
		{"the first is lost", Reception{Start: 1}, []uint64{2, 3}, Arrived{Datagrams: 2, Expected: 3, Lost: 1}},
		{"one in the middle is lost", Reception{Start: 1}, []uint64{1, 3, 4}, Arrived{Datagrams: 3, Expected: 4, Lost: 1}},
		{"two swapped", Reception{Start: 1}, []uint64{1, 3, 2, 4}, Arrived{Datagrams: 4, Expected: 4, Reordered: 1}},
		{"one twice", Reception{Start: 1}, []uint64{1, 2, 2, 3}, Arrived{Datagrams: 3, Expected: 3, Duplicates: 1}},
		{"a duplicate does not hide a loss", Reception{Start: 1}, []uint64{1, 1, 3}, Arrived{Datagrams: 2, Expected: 3, Lost: 1, Duplicates: 1}},
		{"late behind the window", Reception{}, []uint64{0, window + 10, 1}, Arrived{Datagrams: 3, Expected: window + 11, Lost: window + 8, Reordered: 1}},
		{"numbers of 32 bits begin again", Reception{Start: wrap - 2, Wrap32: true}, []uint64{wrap - 2, wrap - 1, 0, 2, 1},
			Arrived{Datagrams: 5, Expected: 5, Reordered: 1}},
		{"a gap over the end of 32 bits", Reception{Start: wrap - 2, Wrap32: true}, []uint64{wrap - 2, 1},
			Arrived{Datagrams: 2, Expected: 4, Lost: 2}},
		{"a number that no sender reaches", Reception{Start: 1}, []uint64{1, 1 << 60, 2}, Arrived{Datagrams: 2, Expected: 2, Foreign: 1}},
		{"a number before the first", Reception{Start: 10}, []uint64{10, 9, 11}, Arrived{Datagrams: 2, Expected: 2, Foreign: 1}},
	}
	for i := range tests {
		tt := &tests[i]
		t.Run(tt.name, func(t *testing.T) {
			f := newFeeder(&tt.r)
			for _, n := range tt.numbers {
				f.add(n, 0, 0)
			}
			got := tt.r.Counts()
			tt.want.Bytes = 100 * tt.want.Datagrams
			got.First, got.Last, got.Read = time.Time{}, time.Time{}, time.Time{}
			if got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestReceptionHoldsAgainstAModel(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		r := &Reception{Start: 1}
		f := newFeeder(r)
		arrived, highest := map[uint64]bool{}, uint64(0)
		var want Arrived
		for n := uint64(1); n < 2000; n++ {
			number := n
			switch rnd.IntN(10) {
			case 0:
				continue
			case 1:
				number = n - min(n-1, uint64(rnd.IntN(50)))
			}
			f.add(number, 0, 0)
			switch {
			case arrived[number]:
				want.Duplicates++
				continue
			case number < highest:
				want.Reordered++
			}
			arrived[number] = true
			highest = max(highest, number)
		}
		want.Datagrams, want.Expected = uint64(len(arrived)), highest
		want.Lost = highest - want.Datagrams
		got := r.Counts()
		if got.Datagrams != want.Datagrams || got.Lost != want.Lost || got.Reordered != want.Reordered || got.Duplicates != want.Duplicates {
			t.Fatalf("got %+v, want %+v", got, want)
		}
	}
}

func TestJitter(t *testing.T) {
	const gap = 5 * time.Millisecond
	tests := []struct {
		name        string
		transit     func(i int) time.Duration
		n           int
		least, most time.Duration
	}{
		{"a constant transit has none", func(int) time.Duration { return 30 * time.Millisecond }, 500, 0, 0},
		{"clocks an hour apart", func(int) time.Duration { return time.Hour }, 500, 0, 0},
		{"2 ms alternating", func(i int) time.Duration { return time.Duration(i%2) * 2 * time.Millisecond }, 500, 1999 * time.Microsecond, 2001 * time.Microsecond},
		{"one sample of two datagrams", func(i int) time.Duration { return time.Duration(i) * 16 * time.Millisecond }, 2, 999 * time.Microsecond, 1001 * time.Microsecond},
		{"a clock that is set is none", func(i int) time.Duration { return time.Duration(i/250) * time.Hour }, 500, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Reception{}
			f := newFeeder(r)
			for i := range tt.n {
				sent := time.Duration(i) * gap
				f.add(uint64(i), sent, sent+tt.transit(i))
			}
			if j := r.Counts().Jitter; j < tt.least || j > tt.most {
				t.Errorf("jitter %v, want %v to %v", j, tt.least, tt.most)
			}
		})
	}
}

func TestJitterOfBurstsIsThatOfTheBursts(t *testing.T) {
	r := &Reception{}
	f := newFeeder(r)
	for i := range 200 {
		sent := time.Duration(i) * time.Millisecond
		for k := range 40 {
			f.add(uint64(i*40+k), sent, sent+time.Duration(i%2)*100*time.Microsecond)
		}
	}
	if j := r.Counts().Jitter; j < 99*time.Microsecond || j > 101*time.Microsecond {
		t.Errorf("jitter %v, want 100 us: what stays together in a burst is no sample", j)
	}
}

func TestBurstsThatWereCutAreCounted(t *testing.T) {
	tests := []struct {
		name   string
		first  []uint64 // number of the first of each burst, which has ten
		length int
		want   Arrived
	}{
		{"in a row", []uint64{1, 11, 21}, 1000, Arrived{Datagrams: 30, Bytes: 3000, Expected: 30}},
		{"one within a burst was lost", []uint64{1, 12}, 1000, Arrived{Datagrams: 20, Bytes: 2000, Expected: 21, Lost: 1}},
		{"one within a burst came twice", []uint64{1, 10}, 1000, Arrived{Datagrams: 19, Bytes: 1900, Expected: 19, Duplicates: 1}},
		{"a burst is lost", []uint64{1, 21}, 1000, Arrived{Datagrams: 20, Bytes: 2000, Expected: 30, Lost: 10}},
		{"the last of a burst is shorter: it may be another thing", []uint64{1, 10}, 950, Arrived{Datagrams: 18, Bytes: 1800, Expected: 18, Foreign: 2}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Reception{Start: 1}
			for _, n := range tt.first {
				b := Burst{Data: binary.BigEndian.AppendUint64(nil, n), Size: 100, Length: tt.length}
				r.Add(b, func(b []byte) (uint64, time.Time, bool) { return binary.BigEndian.Uint64(b), time.Time{}, true })
			}
			got := r.Counts()
			tt.want.Cut, tt.want.Path, tt.want.Read = uint64(len(tt.first)), got.Path, got.Read
			if got != tt.want {
				t.Errorf("got  %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestWhatTheHostDroppedIsTheHosts(t *testing.T) {
	type step struct {
		from, to uint64 // numbers of one piece
		dropped  uint64
	}
	tests := []struct {
		name       string
		steps      []step
		dropped    uint64 // at the end
		sent       uint64
		lost, host uint64
	}{
		{"nothing", []step{{1, 10, 0}, {11, 20, 0}}, 0, 20, 0, 0},
		{"the network's", []step{{1, 10, 0}, {15, 24, 0}}, 0, 24, 4, 0},
		{"the host's, one piece of ten", []step{{1, 10, 0}, {21, 30, 1}}, 1, 30, 10, 10},
		{"both in one gap", []step{{1, 10, 0}, {51, 60, 1}}, 1, 60, 40, 10},
		{"both, one after the other", []step{{1, 10, 0}, {14, 23, 0}, {34, 43, 1}}, 1, 43, 13, 10},
		{"at the end, the sender told", []step{{1, 10, 0}}, 2, 30, 20, 20},
		{"at the end, the sender did not", []step{{1, 10, 0}}, 2, 0, 0, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := &Reception{Start: 1}
			for _, s := range tt.steps {
				var data []byte
				for n := s.from; n <= s.to; n++ {
					data = binary.BigEndian.AppendUint64(data, n)
				}
				r.Add(Burst{Data: data, Size: 8, Dropped: s.dropped}, func(b []byte) (uint64, time.Time, bool) {
					return binary.BigEndian.Uint64(b), time.Time{}, true
				})
			}
			r.Finish(tt.dropped, true, tt.sent)
			c := r.Counts()
			if c.Lost != tt.lost || c.HostDropped != tt.host || c.Dropped != tt.dropped {
				t.Errorf("lost %d, by the host %d in %d pieces, want %d, %d, %d", c.Lost, c.HostDropped, c.Dropped, tt.lost, tt.host, tt.dropped)
			}
		})
	}
}
