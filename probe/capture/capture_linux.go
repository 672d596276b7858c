package capture

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync/atomic"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// The kernel fills blocks and hands each over when it is full or a tenth of a second old.
const (
	blockSize = 256 << 10
	blocks    = 16 // 4 MiB: 30000 packets of 96 octets, a third of a second of a full 1 Gbit/s of datagrams
	blockAge  = 100 * time.Millisecond
)

// Capture is a running capture. Packets gather from [Open] on.
type Capture struct {
	cfg  Config
	fd   int
	ring []byte
	next int // block
}

// Open begins to capture. An error says what is missing: the right to (root or CAP_NET_RAW), above all.
func Open(cfg Config) (*Capture, error) {
	if err := cfg.check(); err != nil {
		return nil, err
	}
	code, err := filter(cfg)
	if err != nil {
		return nil, fmt.Errorf("capture: filter: %w", err)
	}
	// Without a protocol the socket takes nothing until it is bound: by then the filter is there.
	fd, err := unix.Socket(unix.AF_PACKET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return nil, fmt.Errorf("capture: not allowed: it needs root or the capability CAP_NET_RAW: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("capture: %w", err)
	}
	c := &Capture{cfg: cfg, fd: fd}
	filters := make([]unix.SockFilter, len(code))
	for i, f := range code {
		filters[i] = unix.SockFilter{Code: f.Op, Jt: f.Jt, Jf: f.Jf, K: f.K}
	}
	if err := c.setUp(&unix.SockFprog{Len: uint16(len(filters)), Filter: &filters[0]}); err != nil {
		c.Close()
		return nil, fmt.Errorf("capture: %w", err)
	}
	return c, nil
}

func (c *Capture) setUp(prog *unix.SockFprog) error {
	if err := unix.SetsockoptSockFprog(c.fd, unix.SOL_SOCKET, unix.SO_ATTACH_FILTER, prog); err != nil {
		return fmt.Errorf("filter: %w", err)
	}
	if err := unix.SetsockoptInt(c.fd, unix.SOL_PACKET, unix.PACKET_VERSION, unix.TPACKET_V3); err != nil {
		return fmt.Errorf("TPACKET_V3: %w", err)
	}
	req := unix.TpacketReq3{Block_size: blockSize, Block_nr: blocks, Frame_size: 2048, Frame_nr: blocks * blockSize / 2048, Retire_blk_tov: uint32(blockAge.Milliseconds())}
	if err := unix.SetsockoptTpacketReq3(c.fd, unix.SOL_PACKET, unix.PACKET_RX_RING, &req); err != nil {
		return fmt.Errorf("ring: %w", err)
	}
	ring, err := unix.Mmap(c.fd, 0, blockSize*blocks, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return fmt.Errorf("map the ring: %w", err)
	}
	c.ring = ring
	if err := unix.Bind(c.fd, &unix.SockaddrLinklayer{Protocol: networkOrder(unix.ETH_P_ALL), Ifindex: c.cfg.Card}); err != nil {
		return fmt.Errorf("network card %d: %w", c.cfg.Card, err)
	}
	return nil
}

// networkOrder returns the number whose octets in memory are those of v on the wire.
func networkOrder(v uint16) uint16 {
	return binary.NativeEndian.Uint16(binary.BigEndian.AppendUint16(nil, v))
}

// Close ends a capture of which Run was not called.
func (c *Capture) Close() {
	if c.ring != nil {
		_ = unix.Munmap(c.ring)
		c.ring = nil
	}
	unix.Close(c.fd)
}

// Run writes to w until ctx ends, then what the kernel still holds, and ends the capture. An error means that the file
// could not be written; the statistics are right even then. It is called once.
func (c *Capture) Run(ctx context.Context, w io.Writer) (Stats, error) {
	defer c.Close()
	f := newFile(w, c.cfg.snap(), c.cfg.limit())
	for ctx.Err() == nil {
		fds := []unix.PollFd{{Fd: int32(c.fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(fds, int(blockAge.Milliseconds())); err != nil && err != unix.EINTR {
			return f.stats, fmt.Errorf("capture: %w", err)
		}
		c.drain(f)
	}
	time.Sleep(2 * blockAge) // the block that is being filled is handed over
	c.drain(f)
	if s, err := unix.GetsockoptTpacketStatsV3(c.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS); err == nil {
		f.stats.Dropped = uint64(s.Drops)
	}
	err := f.flush()
	return f.stats, err
}

// drain takes in all blocks that the kernel has handed over.
func (c *Capture) drain(f *file) {
	for {
		block := c.ring[c.next*blockSize:][:blockSize]
		head := (*unix.TpacketHdrV1)(unsafe.Pointer(&(*unix.TpacketBlockDesc)(unsafe.Pointer(&block[0])).Hdr))
		if atomic.LoadUint32(&head.Block_status)&unix.TP_STATUS_USER == 0 {
			return
		}
		packets(block, head, f)
		atomic.StoreUint32(&head.Block_status, unix.TP_STATUS_KERNEL)
		c.next = (c.next + 1) % blocks
	}
}

// linkLayerOffset is where the address of a packet stands behind its header: TPACKET_ALIGN of its size.
const linkLayerOffset = (int(unsafe.Sizeof(unix.Tpacket3Hdr{})) + 15) &^ 15

// packets writes the packets of one block. What the kernel says of lengths is checked: it is memory of ours.
func packets(block []byte, head *unix.TpacketHdrV1, f *file) {
	at := int(head.Offset_to_first_pkt)
	for range head.Num_pkts {
		if at < 0 || at+linkLayerOffset+unix.SizeofSockaddrLinklayer > len(block) {
			return
		}
		h := (*unix.Tpacket3Hdr)(unsafe.Pointer(&block[at]))
		from := (*unix.RawSockaddrLinklayer)(unsafe.Pointer(&block[at+linkLayerOffset]))
		begin := at + int(h.Net)
		end := begin + int(h.Snaplen)
		if end > len(block) {
			return
		}
		// On loopback a packet is seen when it leaves and again when it comes: the second is kept.
		if from.Pkttype != unix.PACKET_OUTGOING || from.Hatype != unix.ARPHRD_LOOPBACK {
			f.add(time.Unix(int64(h.Sec), int64(h.Nsec)), block[begin:end], int(h.Len))
		}
		if h.Next_offset == 0 {
			return
		}
		at += int(h.Next_offset)
	}
}
