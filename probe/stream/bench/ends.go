package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"

	"whydrop/probe/stream"
)

// end is one end of a test that the benchmark starts as a process of its own: the engine without a protocol above
// it, apart from what a protocol needs: a cookie before the data, a number and a time in each datagram.
type end struct {
	listen, connect string
	udp, portable   bool
	congestion      string
	rate            float64
	seconds         float64
}

// told is what a receiving end prints when it is over.
type told struct {
	Bytes, Datagrams, Lost, HostDropped uint64
	Seconds                             float64
	JitterMicroseconds                  float64
	Path                                string
}

func runEnd(args []string) error {
	var e end
	f := flag.NewFlagSet("end", flag.ContinueOnError)
	f.StringVar(&e.listen, "listen", "", "receive here")
	f.StringVar(&e.connect, "connect", "", "send there")
	f.BoolVar(&e.udp, "udp", false, "datagrams")
	f.BoolVar(&e.portable, "portable", false, "only what the net package does")
	f.StringVar(&e.congestion, "congestion", "", "congestion control")
	f.Float64Var(&e.rate, "rate", 0, "bit/s; 0: unlimited")
	f.Float64Var(&e.seconds, "seconds", 1, "how long to send")
	if err := f.Parse(args); err != nil {
		return err
	}
	// Nothing may run for ever, whatever becomes of the other end.
	ctx, cancel := context.WithTimeout(context.Background(), time.Duration(e.seconds*float64(time.Second))+10*time.Second)
	defer cancel()
	switch {
	case e.udp && e.listen != "":
		return e.receiveDatagrams(ctx)
	case e.udp:
		return e.sendDatagrams(ctx)
	case e.listen != "":
		return e.receive(ctx)
	}
	return e.send(ctx)
}

const cookieSize = 37 // iperf3's

func (e end) receive(ctx context.Context) error {
	l, err := stream.Socket{Congestion: e.congestion}.Listen(ctx, "tcp", e.listen)
	if err != nil {
		return err
	}
	defer l.Close()
	conn, err := l.Accept()
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := io.ReadFull(conn, make([]byte, cookieSize)); err != nil {
		return err
	}
	var count stream.Count
	start := time.Now()
	r := stream.Receiver{Portable: e.portable, Count: &count}
	if err := r.Run(ctx, conn); err != nil {
		return err
	}
	return tell(told{Bytes: count.Bytes(), Seconds: count.Last().Sub(start).Seconds(), Path: count.Path()})
}

func (e end) send(ctx context.Context) error {
	conn, err := stream.Socket{Congestion: e.congestion}.Dialer(2*time.Second).DialContext(ctx, "tcp", e.connect)
	if err != nil {
		return err
	}
	defer conn.Close()
	if _, err := conn.Write(make([]byte, cookieSize)); err != nil {
		return err
	}
	ctx, cancel := e.during(ctx)
	defer cancel()
	var count stream.Count
	s := stream.Sender{Rate: e.rate, Portable: e.portable, Count: &count}
	if err := s.Run(ctx, conn); err != nil {
		return err
	}
	return tell(told{Bytes: count.Bytes(), Path: count.Path()})
}

func (e end) during(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(ctx, time.Duration(e.seconds*float64(time.Second)))
}

func (e end) receiveDatagrams(ctx context.Context) error {
	pc, err := net.ListenPacket("udp", e.listen)
	if err != nil {
		return err
	}
	defer pc.Close()
	stream.GrowReceiveBuffer(pc, 64<<20)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	rec := &stream.Reception{Start: 1}
	sent, once := uint64(0), sync.Once{}
	r := stream.DatagramReceiver{Parse: parse, Count: rec, Foreign: func(b []byte, _ netip.AddrPort) {
		if len(b) == lastSize { // it says how many were sent, and the rest has arrived by then
			sent = binary.BigEndian.Uint64(b)
			once.Do(cancel)
		}
	}}
	if err := r.Run(ctx, pc); err != nil {
		return err
	}
	c := rec.Counts()
	rec.Finish(c.Dropped, c.Known, sent)
	c = rec.Counts()
	return tell(told{
		Bytes: c.Bytes, Datagrams: c.Datagrams, Lost: c.Lost, HostDropped: c.HostDropped, Path: c.Path,
		Seconds: c.Last.Sub(c.First).Seconds(), JitterMicroseconds: float64(c.Jitter.Nanoseconds()) / 1e3,
	})
}

// lastSize is the length of the datagram that ends a test.
const lastSize = 8

func (e end) sendDatagrams(ctx context.Context) error {
	conn, err := net.Dial("udp", e.connect)
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx, cancel := e.during(ctx)
	defer cancel()
	var count stream.DatagramCount
	s := stream.DatagramSender{Rate: e.rate, Length: datagram, First: 1, Fill: fill, Count: &count}
	if err := s.Run(ctx, conn); err != nil {
		return err
	}
	c := count.Sent()
	for range 5 { // the last word may be lost, too
		time.Sleep(20 * time.Millisecond)
		if _, err := conn.Write(binary.BigEndian.AppendUint64(nil, c.Datagrams)); err != nil {
			break
		}
	}
	return tell(told{Bytes: c.Bytes, Datagrams: c.Datagrams, Path: c.Path})
}

// datagram is the length of all datagrams: what fits an Ethernet frame.
const datagram = 1470

// fill and parse are the fields of iperf3's datagrams with counters of 64 bits.
func fill(b []byte, number uint64, now time.Time) {
	binary.BigEndian.PutUint32(b, uint32(now.Unix()))
	binary.BigEndian.PutUint32(b[4:], uint32(now.Nanosecond()/1000))
	binary.BigEndian.PutUint64(b[8:], number)
}

func parse(b []byte) (number uint64, sent time.Time, ok bool) {
	if len(b) <= lastSize {
		return 0, time.Time{}, false
	}
	sent = time.Unix(int64(binary.BigEndian.Uint32(b)), int64(binary.BigEndian.Uint32(b[4:]))*1000)
	return binary.BigEndian.Uint64(b[8:]), sent, true
}

func tell(t told) error {
	if t.Bytes == 0 {
		return errors.New("nothing was carried")
	}
	if err := json.NewEncoder(os.Stdout).Encode(t); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}
