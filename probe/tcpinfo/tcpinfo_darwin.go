package tcpinfo

import (
	"time"

	"golang.org/x/sys/unix"
)

func get(fd uintptr) (Info, error) {
	ci, err := unix.GetsockoptTCPConnectionInfo(int(fd), unix.IPPROTO_TCP, unix.TCP_CONNECTION_INFO)
	if err != nil {
		return Info{}, err
	}
	ms := func(v uint32) Opt[time.Duration] { return some(time.Duration(v) * time.Millisecond) }
	return Info{
		RTT: ms(ci.Srtt), RTTVar: ms(ci.Rttvar), RTO: ms(ci.Rto),
		Retransmitted: some(ci.Txretransmitpackets), RetransmittedBytes: some(ci.Txretransmitbytes),
		BytesSent: some(ci.Txbytes), BytesReceived: some(ci.Rxbytes), SendQueue: some(uint64(ci.Snd_sbbytes)),
		SendMSS: some(uint64(ci.Maxseg)), Cwnd: some(uint64(ci.Snd_cwnd)),
		SendWindow: some(uint64(ci.Snd_wnd)), RecvWindow: some(uint64(ci.Rcv_wnd)),
	}, nil
}
