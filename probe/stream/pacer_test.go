package stream

import (
	"math"
	"testing"
	"time"
)

func TestPacer(t *testing.T) {
	const rate = 10e6 // 1250 bytes a millisecond
	const chunk = 5000
	tests := []struct {
		name string
		late func(i int) (host, path time.Duration) // how late the i-th write is, and how long it takes
		// sent bounds the bytes that go in one second.
		least, most int
	}{
		{"on time", func(int) (time.Duration, time.Duration) { return 0, 0 }, 1_245_000, 1_255_000},
		{"each timer is late by 0.6 ms", func(int) (time.Duration, time.Duration) { return 600 * time.Microsecond, 0 }, 1_245_000, 1_255_000},
		{"one hole of 25 ms by the host is made up for", func(i int) (time.Duration, time.Duration) {
			if i == 20 {
				return 25 * time.Millisecond, 0
			}
			return 0, 0
		}, 1_245_000, 1_255_000},
		{"a stall of 500 ms by the path is not made up for", func(i int) (time.Duration, time.Duration) {
			if i == 20 {
				return 0, 500 * time.Millisecond
			}
			return 0, 0
		}, 620_000, 635_000},
		{"a host that sleeps 500 ms makes up for 50 ms", func(i int) (time.Duration, time.Duration) {
			if i == 20 {
				return 500 * time.Millisecond, 0
			}
			return 0, 0
		}, 680_000, 695_000},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := Pacer{Rate: rate}
			start := time.Unix(1000, 0)
			now, sent := start, 0
			for i := 0; ; i++ {
				host, path := tt.late(i)
				now = now.Add(p.Wait(now) + host)
				if now.Sub(start) >= time.Second {
					break
				}
				now = now.Add(path)
				sent += chunk
				p.Sent(now, chunk, path)
			}
			if sent < tt.least || sent > tt.most {
				t.Errorf("sent %d bytes in a second, want %d to %d", sent, tt.least, tt.most)
			}
		})
	}
}

func TestPacerGoesOnAtItsRateAfterAStall(t *testing.T) {
	p := Pacer{Rate: 10e6}
	now := time.Unix(1000, 0)
	p.Sent(now, 5000, 0)
	now = now.Add(3 * time.Second)
	p.Sent(now, 5000, 3*time.Second)
	if w := p.Wait(now); w < 0 || w > 4*time.Millisecond {
		t.Fatalf("waits %v after a stall", w)
	}
	burst := 0
	for p.Wait(now) == 0 {
		burst++
		p.Sent(now, 5000, 0)
	}
	if burst > 1 {
		t.Errorf("%d chunks at once after a stall of the path, want at most 1", burst)
	}
	if p.Starved() != 0 {
		t.Errorf("starved %v, though the path was to blame", p.Starved())
	}
}

func TestPacerWithoutRateNeverWaits(t *testing.T) {
	var p Pacer
	now := time.Unix(1000, 0)
	p.Sent(now, math.MaxInt32, 0)
	if w := p.Wait(now); w != 0 {
		t.Errorf("waits %v", w)
	}
}

func TestChunkFor(t *testing.T) {
	tests := []struct {
		name  string
		rate  float64
		limit int
		want  int
	}{
		{"unlimited takes all", 0, 131072, 131072},
		{"10 Mbit/s writes 4 ms' worth", 10e6, 131072, 5000},
		{"1 Gbit/s is bounded by the limit", 1e9, 131072, 131072},
		{"a slow rate still fills a segment", 64e3, 131072, 1400},
		{"a limit below a segment holds", 64e3, 100, 100},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := ChunkFor(tt.rate, tt.limit); got != tt.want {
				t.Errorf("ChunkFor(%v, %d) = %d, want %d", tt.rate, tt.limit, got, tt.want)
			}
		})
	}
}
