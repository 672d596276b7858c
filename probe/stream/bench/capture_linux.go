package main

import (
	"encoding/binary"
	"fmt"
	"math"
	"net"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// capture is a ring into which the kernel writes when what arrived at the server's card (packet(7), PACKET_RX_RING).
// Nothing reads it while a test runs, so that it disturbs little.
type capture struct {
	fd   int
	ring []byte
}

const (
	frameSize = 128 // a header, and the beginning of a packet that nobody looks at
	blockSize = 1 << 20
	window    = 10 * time.Millisecond
	within    = 0.1 // of the rate
)

// openCapture opens a ring for the given number of packets in the server's namespace.
func (s *space) openCapture(packets int) (*capture, error) {
	c := &capture{fd: -1}
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and not unlocked: the thread ends with the goroutine
		var ns *os.File
		if ns, err = os.Open("/run/netns/" + s.b); err != nil {
			return
		}
		defer ns.Close()
		if err = unix.Setns(int(ns.Fd()), unix.CLONE_NEWNET); err == nil {
			err = c.open((packets*frameSize + blockSize - 1) / blockSize)
		}
	}()
	<-done
	if err != nil {
		c.close()
		return nil, fmt.Errorf("capture: %w", err)
	}
	return c, nil
}

func (c *capture) open(blocks int) error {
	const ip = unix.ETH_P_IP<<8&0xff00 | unix.ETH_P_IP>>8 // in network order
	card, err := net.InterfaceByName("wdb0")
	if err != nil {
		return err
	}
	if c.fd, err = unix.Socket(unix.AF_PACKET, unix.SOCK_RAW|unix.SOCK_CLOEXEC, 0); err != nil {
		return err
	}
	if err = unix.SetsockoptInt(c.fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V2); err != nil {
		return err
	}
	req := unix.TpacketReq{Block_size: blockSize, Block_nr: uint32(blocks), Frame_size: frameSize, Frame_nr: uint32(blocks * blockSize / frameSize)}
	if err = unix.SetsockoptTpacketReq(c.fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &req); err != nil {
		return err
	}
	if c.ring, err = unix.Mmap(c.fd, 0, blocks*blockSize, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err != nil {
		return err
	}
	return unix.Bind(c.fd, &unix.SockaddrLinklayer{Protocol: ip, Ifindex: card.Index})
}

func (c *capture) close() {
	if c.ring != nil {
		_ = unix.Munmap(c.ring)
	}
	if c.fd >= 0 {
		unix.Close(c.fd)
	}
}

// good returns the share of windows of 10 ms that carried the rate (bit/s of payload), from the first long packet to
// the last.
func (c *capture) good(rate float64) float64 {
	const headers = 14 + 20 + 8 // Ethernet, IPv4, UDP; one of each in front of datagrams that travel as one piece
	ne := binary.NativeEndian
	var sums []float64
	first := int64(0)
	for at := 0; at < len(c.ring); at += frameSize {
		h := c.ring[at:] // struct tpacket2_hdr: status, len, snaplen, mac, net, sec, nsec
		if ne.Uint32(h)&unix.TP_STATUS_USER == 0 {
			break
		}
		size := int(ne.Uint32(h[4:]))
		if size < datagram {
			continue
		}
		when := int64(ne.Uint32(h[20-4:]))*1e9 + int64(ne.Uint32(h[24-4:]))
		if first == 0 {
			first = when
		}
		i := int((when - first) / int64(window))
		for len(sums) <= i && i < 1e6 {
			sums = append(sums, 0)
		}
		if i >= 0 && i < len(sums) {
			sums[i] += float64(size-headers) * 8
		}
	}
	if len(sums) < 2 {
		return math.NaN()
	}
	sums = sums[:len(sums)-1] // the last is not full
	n := 0
	for _, s := range sums {
		if got := s / window.Seconds(); math.Abs(got-rate) <= within*rate {
			n++
		}
	}
	return float64(n) / float64(len(sums))
}
