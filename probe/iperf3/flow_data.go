package iperf3

import (
	"context"
	"fmt"
	"sync"
	"time"

	"whydrop/probe/stream"
	"whydrop/probe/tcpinfo"
)

// begin lets the data flow.
func (f *flow) begin() {
	sctx, stopSend := context.WithCancel(context.Background())
	rctx, stopRead := context.WithCancel(context.Background())
	f.stopSend, f.stopRead = stopSend, stopRead
	f.start = time.Now()
	f.counted = f.start
	f.cpu.Process(f.start)
	for _, c := range f.conns {
		info, _ := tcpinfo.Get(c.conn)
		base := info.BytesAcked.Or(0)
		if !c.sends {
			base = info.BytesReceived.Or(0)
		}
		f.bases = append(f.bases, base)
	}
	if f.test.Bytes > 0 && !f.test.Reverse {
		f.budget = stream.NewBudget(f.amount())
	}
	var senders, receivers sync.WaitGroup
	for _, c := range f.conns {
		ctx, wg := rctx, &receivers
		if c.sends {
			ctx, wg = sctx, &senders
		}
		wg.Add(1)
		f.dataWG.Go(func() {
			defer wg.Done()
			if err := f.move(ctx, c); err != nil {
				f.broken <- fmt.Errorf("stream %d: %w", c.id, err) // as many places as streams
			}
		})
	}
	f.wg.Go(func() { senders.Wait(); close(f.sent) })
	f.wg.Go(func() { receivers.Wait(); close(f.received) })
}

// omitHead makes what was carried up to now, which is in the marks of the streams, count for nothing.
func (f *flow) omitHead(now time.Time, moved uint64, marks []mark) {
	f.counted, f.omitted = now, moved
	f.cpu.Process(now)
	var sent uint64
	for i, c := range f.conns {
		c.base = marks[i]
		if c.sends {
			sent += marks[i].bytes
		}
	}
	if f.budget != nil {
		f.budget.Take(f.budgetHead() - int(sent))
	}
}

// amount returns the bytes that all senders share: those asked for, in whole datagrams, and those that may go
// while they are omitted.
func (f *flow) amount() uint64 {
	n := f.test.Bytes
	if f.test.UDP {
		size := uint64(f.test.length())
		n = (n + size - 1) / size * size
	}
	if f.test.Omit > 0 {
		n += uint64(f.budgetHead())
	}
	return n
}

// budgetHead is more than any path carries while the beginning is omitted, in whole datagrams.
func (f *flow) budgetHead() int {
	const plenty = 1 << 52
	return plenty / f.test.length() * f.test.length()
}

// perStream returns the rate of each stream in bit/s; 0 is unlimited, which a stock receiver of datagrams is spared:
// see [stream.PlainReceiverRate]. TCP is held to what a far end grants by that
// it does not read faster; datagrams are not.
func (f *flow) perStream() float64 {
	r := f.test.Rate
	if most := f.rate / float64(f.test.Streams); f.test.UDP && f.rate > 0 && (r == 0 || r > most) {
		r = most
	}
	if f.test.UDP && r == 0 && !f.ours {
		r = stream.PlainReceiverRate / float64(f.test.Streams)
	}
	return r
}

func (f *flow) move(ctx context.Context, c *dataConn) error {
	t := f.test
	switch {
	case t.UDP:
		return c.moveDatagrams(ctx, datagrams{rate: f.perStream(), length: t.length(), burst: t.Burst, wide: t.Counters64, budget: f.budget})
	case t.File != "":
		return f.moveFile(ctx, c)
	case !c.sends:
		return (&stream.Receiver{Length: t.Length, Verify: f.verifies(), Count: &c.count}).Run(ctx, c.conn)
	case t.Burst > 1 && t.Rate > 0:
		return (&stream.Sender{Rate: t.Rate, Length: burstLength(t.Burst, t.length()), Exact: true, Verify: f.verifies(), Budget: f.budget, Count: &c.count}).Run(ctx, c.conn)
	}
	return (&stream.Sender{Rate: t.Rate, Length: t.Length, Exact: t.Length > 0 && t.Rate > 0, Verify: f.verifies(), Budget: f.budget, Count: &c.count}).Run(ctx, c.conn)
}

// verifies says whether every byte is compared.
func (f *flow) verifies() bool { return f.test.Verify && f.ours && !f.test.UDP }

// burstLength is what a paced TCP sender writes at once for a burst of blocks; memory bounds it.
func burstLength(blocks, length int) int { return min(blocks*length, 16<<20) }
