package tcpinfo

import (
	"time"
	"unsafe"

	"golang.org/x/sys/windows"
)

// sioTCPInfo is SIO_TCP_INFO of mstcpip.h: _WSAIORW(IOC_VENDOR, 39), Windows 10 version 1703 and later.
const sioTCPInfo = 0xd8000027

// tcpInfoV0 is TCP_INFO_v0 of mstcpip.h.
type tcpInfoV0 struct {
	State             uint32
	MSS               uint32
	ConnectionTimeMS  uint64
	TimestampsEnabled uint8
	RTTMicros         uint32
	MinRTTMicros      uint32
	BytesInFlight     uint32
	Cwnd              uint32
	SendWindow        uint32
	RecvWindow        uint32
	RecvBuffer        uint32
	BytesOut          uint64
	BytesIn           uint64
	BytesReordered    uint32
	BytesRetrans      uint32
	FastRetrans       uint32
	DupAcksIn         uint32
	TimeoutEpisodes   uint32
	SynRetrans        uint8
}

func get(fd uintptr) (Info, error) {
	var version, n uint32
	var ti tcpInfoV0
	err := windows.WSAIoctl(windows.Handle(fd), sioTCPInfo, (*byte)(unsafe.Pointer(&version)), uint32(unsafe.Sizeof(version)),
		(*byte)(unsafe.Pointer(&ti)), uint32(unsafe.Sizeof(ti)), &n, nil, 0)
	if err != nil {
		return Info{}, err
	}
	if n < uint32(unsafe.Offsetof(ti.SynRetrans)) {
		return Info{}, ErrUnsupported
	}
	us := func(v uint32) Opt[time.Duration] { return some(time.Duration(v) * time.Microsecond) }
	return Info{
		RTT: us(ti.RTTMicros), MinRTT: us(ti.MinRTTMicros),
		RetransmittedBytes: some(uint64(ti.BytesRetrans)), BytesSent: some(ti.BytesOut), BytesReceived: some(ti.BytesIn),
		SendMSS: some(uint64(ti.MSS)), Cwnd: some(uint64(ti.Cwnd)),
		SendWindow: some(uint64(ti.SendWindow)), RecvWindow: some(uint64(ti.RecvWindow)),
		Timeouts: some(uint64(ti.TimeoutEpisodes)),
	}, nil
}
