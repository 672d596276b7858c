package snmp

import (
	"context"
	"net"
	"strconv"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices/snmp/internal/message"
)

// elsewhere asks once from a socket that takes answers from anywhere, and returns the address from which an
// answer to this question came if it is another than was asked; "" if none came. Devices with several addresses
// answer so. The answer is used for nothing else: readings are taken only from the address that was asked.
func (s *session) elsewhere(ctx context.Context) string {
	x, err := settings(s.device)
	if err != nil {
		return ""
	}
	to, err := net.ResolveUDPAddr("udp", net.JoinHostPort(x.Target, strconv.Itoa(int(x.Port))))
	if err != nil {
		return ""
	}
	var local *net.UDPAddr
	if s.device.Source.IsValid() {
		local = &net.UDPAddr{IP: s.device.Source.AsSlice(), Zone: s.device.Source.Zone()}
	}
	conn, err := net.ListenUDP("udp", local)
	if err != nil {
		return ""
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.SetDeadline(time.Unix(1, 0)) })()

	if x.Version == gosnmp.Version3 { // engine discovery: nothing secret is in it
		x.MsgFlags = gosnmp.NoAuthNoPriv
		x.SecurityParameters = &gosnmp.UsmSecurityParameters{UserName: s.device.SNMP.User}
	}
	x.SetRequestID(uint32(time.Now().UnixNano()))
	x.SetMsgID(uint32(time.Now().UnixNano()))
	b, err := x.SnmpEncodePacket(gosnmp.GetRequest, []gosnmp.SnmpPDU{{Name: sysUpTime, Type: gosnmp.Null}}, 0, 0)
	if err != nil {
		return ""
	}
	asked, err := message.Parse(b)
	if err != nil {
		return ""
	}
	conn.SetReadDeadline(time.Now().Add(x.Timeout))
	if _, err := conn.WriteToUDP(b, to); err != nil {
		return ""
	}
	buf := make([]byte, 65536)
	for {
		n, from, err := conn.ReadFromUDPAddrPort(buf)
		if err != nil {
			return ""
		}
		h, err := message.Parse(buf[:n])
		if err != nil || h.Version != asked.Version || h.MsgID != asked.MsgID || h.Version != message.Version3 && h.RequestID != asked.RequestID {
			continue
		}
		if a := to.AddrPort(); from.Port() == a.Port() && from.Addr().Unmap() == a.Addr().Unmap() {
			return ""
		}
		return net.JoinHostPort(from.Addr().Unmap().String(), strconv.Itoa(int(from.Port())))
	}
}
