package tcpinfo

import (
	"math"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

func get(fd uintptr) (Info, error) {
	var ti unix.TCPInfo
	n := uint32(unix.SizeofTCPInfo)
	_, _, errno := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.IPPROTO_TCP, unix.TCP_INFO,
		uintptr(unsafe.Pointer(&ti)), uintptr(unsafe.Pointer(&n)), 0)
	if errno != 0 {
		return Info{}, errno
	}
	return decode(&ti, uintptr(n)), nil
}

// decode takes from ti what the kernel filled in: its first n bytes.
func decode(ti *unix.TCPInfo, n uintptr) Info {
	var i Info
	has := func(offset, size uintptr) bool { return offset+size <= n }
	if has(unsafe.Offsetof(ti.Total_retrans), 4) { // all that Linux 2.6 gave
		decodeOld(ti, &i)
	}
	if has(unsafe.Offsetof(ti.Pacing_rate), 8) && ti.Pacing_rate != math.MaxUint64 {
		i.PacingRate = bits(ti.Pacing_rate)
	}
	if has(unsafe.Offsetof(ti.Bytes_acked), 8) {
		i.BytesAcked = some(ti.Bytes_acked)
	}
	if has(unsafe.Offsetof(ti.Bytes_received), 8) {
		i.BytesReceived = some(ti.Bytes_received)
	}
	if has(unsafe.Offsetof(ti.Notsent_bytes), 4) {
		i.NotSent = some(uint64(ti.Notsent_bytes))
	}
	// The kernel gives the largest value until it has measured one (tcp_min_rtt of tcp_input.c).
	if has(unsafe.Offsetof(ti.Min_rtt), 4) && ti.Min_rtt != math.MaxUint32 {
		i.MinRTT = some(micros(uint64(ti.Min_rtt)))
	}
	if has(unsafe.Offsetof(ti.Delivery_rate), 8) {
		i.DeliveryRate = bits(ti.Delivery_rate)
	}
	if has(unsafe.Offsetof(ti.Sndbuf_limited), 8) {
		i.Busy, i.RwndLimited, i.SndbufLimited = some(micros(ti.Busy_time)), some(micros(ti.Rwnd_limited)), some(micros(ti.Sndbuf_limited))
	}
	if has(unsafe.Offsetof(ti.Bytes_retrans), 8) {
		i.BytesSent, i.RetransmittedBytes = some(ti.Bytes_sent), some(ti.Bytes_retrans)
	}
	if has(unsafe.Offsetof(ti.Snd_wnd), 4) {
		i.SendWindow = some(uint64(ti.Snd_wnd))
	}
	if has(unsafe.Offsetof(ti.Rcv_wnd), 4) {
		i.RecvWindow = some(uint64(ti.Rcv_wnd))
	}
	if has(unsafe.Offsetof(ti.Total_rto_time), 4) {
		i.Timeouts, i.TimeoutRecoveries = some(uint64(ti.Total_rto)), some(uint64(ti.Total_rto_recoveries))
		i.TimeoutTime = some(time.Duration(ti.Total_rto_time) * time.Millisecond)
	}
	return i
}

func decodeOld(ti *unix.TCPInfo, i *Info) {
	i.RTT, i.RTTVar, i.RcvRTT = some(micros(uint64(ti.Rtt))), some(micros(uint64(ti.Rttvar))), some(micros(uint64(ti.Rcv_rtt)))
	i.RTO = some(micros(uint64(ti.Rto)))
	i.Backoff, i.TimeoutsInARow = some(int(ti.Backoff)), some(int(ti.Retransmits))
	i.Retransmitted = some(uint64(ti.Total_retrans))
	i.Unacked, i.Lost, i.Reordering = some(uint64(ti.Unacked)), some(uint64(ti.Lost)), some(uint64(ti.Reordering))
	mss := uint64(ti.Snd_mss)
	i.SendMSS, i.RecvMSS, i.PathMTU = some(mss), some(uint64(ti.Rcv_mss)), some(uint64(ti.Pmtu))
	i.Cwnd = some(uint64(ti.Snd_cwnd) * mss)
	if ti.Snd_ssthresh < infiniteSSThresh {
		i.SSThresh = some(uint64(ti.Snd_ssthresh) * mss)
	}
	i.LastAck = some(time.Duration(ti.Last_ack_recv) * time.Millisecond)
}

// infiniteSSThresh is TCP_INFINITE_SSTHRESH of include/net/tcp.h.
const infiniteSSThresh = 0x7fffffff

func micros(us uint64) time.Duration { return time.Duration(us) * time.Microsecond }

// bits makes bit/s of the kernel's byte/s.
func bits(bytesPerSecond uint64) Opt[float64] { return some(float64(bytesPerSecond) * 8) }
