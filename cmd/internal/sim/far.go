package sim

import (
	"context"
	"crypto/sha256"
	"errors"
	"net"
	"net/netip"
	"sync"
	"time"

	"whydrop/probe/iperf3"
	"whydrop/probe/stamp"
)

// farEnd is the host at the other end of the path: the project's own iperf3 server and STAMP reflector.
type farEnd struct {
	tcp, udp netip.AddrPort

	stop context.CancelFunc
	wg   sync.WaitGroup
	mu   sync.Mutex
	errs []error
}

// startFarEnd opens a far end on free ports of 127.0.0.1. slow is what its program reads at most in bit/s, 0 as
// fast as it can; buffer is the size of its connections' receive buffers in bytes.
func startFarEnd(slow float64, buffer int) (*farEnd, error) {
	u, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	cfg := iperf3.ServerConfig{Address: "127.0.0.1:0", MaxTime: time.Hour, MaxTests: 4, ReadBuffer: buffer}
	if slow > 0 {
		cfg.Slow = busy(slow)
	}
	ctx, stop := context.WithCancel(context.Background())
	l, err := cfg.Listen(ctx)
	if err != nil {
		stop()
		u.Close()
		return nil, err
	}
	cfg.Listener = l
	f := &farEnd{tcp: l.Addr().(*net.TCPAddr).AddrPort(), udp: u.LocalAddr().(*net.UDPAddr).AddrPort(), stop: stop}
	f.serve(func() error { return iperf3.Serve(ctx, cfg) })
	f.serve(func() error { return (&stamp.Reflector{}).Serve(ctx, u) })
	return f, nil
}

func (f *farEnd) serve(run func() error) {
	f.wg.Add(1)
	go func() {
		defer f.wg.Done()
		err := run()
		f.mu.Lock()
		defer f.mu.Unlock()
		f.errs = append(f.errs, err)
	}()
}

// close ends the far end and waits for it.
func (f *farEnd) close() error {
	f.stop()
	f.wg.Wait()
	return errors.Join(f.errs...)
}

// busy returns work that takes as long as a program would that handles at most rate bit/s: a part of it is real
// computing, the rest is waiting, as for a disk.
func busy(rate float64) func(n int) {
	const computing = 0.15
	var sum [sha256.Size]byte
	var mu sync.Mutex
	return func(n int) {
		mu.Lock()
		defer mu.Unlock()
		d := time.Duration(float64(n) * 8 / rate * float64(time.Second))
		begun := time.Now()
		for time.Since(begun) < time.Duration(float64(d)*computing) {
			sum = sha256.Sum256(sum[:])
		}
		time.Sleep(d - time.Since(begun))
	}
}
