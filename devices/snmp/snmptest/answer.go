package snmptest

import (
	"net"
	"net/netip"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices/snmp/internal/message"
	"whydrop/devices/snmp/internal/oid"
)

// maxBinds bounds the work of one GETBULK.
const maxBinds = 4096

// handle answers one datagram. What is not understood or not allowed is left unanswered, as real agents do.
func (a *Agent) handle(conn *net.UDPConn, b []byte, from netip.AddrPort) {
	h, err := message.Parse(b)
	if err != nil {
		return
	}
	var req *gosnmp.SnmpPacket
	var seal func(*gosnmp.SnmpPacket) ([]byte, error)
	switch h.Version {
	case message.Version2c:
		req, seal = a.openV2c(b)
	case message.Version3:
		var report []byte
		req, seal, report = a.openV3(h, b)
		if report != nil {
			conn.WriteToUDPAddrPort(report, from)
		}
	}
	if req == nil {
		return
	}
	ans := a.answer(req, from)
	if s := a.step(); s != nil {
		s(ans)
	}
	a.send(conn, from, ans, seal)
}

// openV2c decodes a request with the right community.
func (a *Agent) openV2c(b []byte) (*gosnmp.SnmpPacket, func(*gosnmp.SnmpPacket) ([]byte, error)) {
	x := gosnmp.GoSNMP{Version: gosnmp.Version2c}
	req, err := x.SnmpDecodePacket(b)
	if err != nil || a.Community == "" || req.Community != a.Community {
		return nil, nil
	}
	return req, func(p *gosnmp.SnmpPacket) ([]byte, error) {
		p.Version, p.Community = gosnmp.Version2c, a.Community
		return p.MarshalMsg()
	}
}

// answer makes the right reply to a request.
func (a *Agent) answer(req *gosnmp.SnmpPacket, from netip.AddrPort) *Answer {
	ans := &Answer{
		Request: Request{
			PDU: pduNames[req.PDUType], NonRepeaters: int(req.NonRepeaters),
			MaxRepetitions: int(req.MaxRepetitions), From: from,
		},
		Reply: &gosnmp.SnmpPacket{PDUType: gosnmp.GetResponse, RequestID: req.RequestID},
	}
	for _, v := range req.Variables {
		ans.Request.OIDs = append(ans.Request.OIDs, v.Name)
	}
	if ans.Request.PDU == "" {
		ans.Drop = true
		return ans
	}
	a.count(ans.Request.PDU)
	if a.OnRequest != nil {
		a.OnRequest(ans.Request)
	}
	if req.Error != gosnmp.NoError && req.PDUType != gosnmp.GetBulkRequest { // set by openV3
		ans.Reply.Error, ans.Reply.ErrorIndex, ans.Reply.Variables = req.Error, req.ErrorIndex, req.Variables
		return ans
	}
	switch req.PDUType {
	case gosnmp.GetRequest:
		for _, id := range ans.Request.OIDs {
			ans.Reply.Variables = append(ans.Reply.Variables, a.tree.get(key(id)).pdu(id))
		}
	case gosnmp.GetNextRequest:
		for _, id := range ans.Request.OIDs {
			ans.Reply.Variables = append(ans.Reply.Variables, a.next(id))
		}
	case gosnmp.GetBulkRequest:
		ans.Reply.Variables = a.bulk(ans.Request)
	case gosnmp.SetRequest:
		ans.Reply.Error, ans.Reply.ErrorIndex, ans.Reply.Variables = gosnmp.NotWritable, 1, req.Variables
	}
	return ans
}

func (a *Agent) next(id string) gosnmp.SnmpPDU {
	k, v, ok := a.tree.next(key(id))
	if !ok {
		return gosnmp.SnmpPDU{Name: id, Type: gosnmp.EndOfMibView}
	}
	return v.pdu("." + oid.Unpack(k))
}

// bulk answers GETBULK (RFC 3416, section 4.2.3).
func (a *Agent) bulk(r Request) []gosnmp.SnmpPDU {
	var out []gosnmp.SnmpPDU
	n := min(r.NonRepeaters, len(r.OIDs))
	for _, id := range r.OIDs[:n] {
		out = append(out, a.next(id))
	}
	columns := append([]string(nil), r.OIDs[n:]...)
	for range r.MaxRepetitions {
		ended := true
		for i, id := range columns {
			if len(out) >= maxBinds {
				return out
			}
			v := a.next(id)
			out = append(out, v)
			columns[i] = v.Name
			ended = ended && v.Type == gosnmp.EndOfMibView
		}
		if ended {
			break
		}
	}
	return out
}

// send encodes and sends the answer, within the size that the agent and the asker allow.
func (a *Agent) send(conn *net.UDPConn, from netip.AddrPort, ans *Answer, seal func(*gosnmp.SnmpPacket) ([]byte, error)) {
	if ans.Drop {
		return
	}
	if ans.Delay > 0 {
		time.Sleep(ans.Delay)
	}
	limit := a.MaxSize
	if limit <= 0 || limit > 65507 { // the longest UDP payload over IPv4
		limit = 65507
	}
	b, err := seal(ans.Reply)
	for err == nil && len(b) > limit && len(ans.Reply.Variables) > 0 {
		if n := len(ans.Reply.Variables); ans.Request.PDU == "GETBULK" && n > 1 {
			ans.Reply.Variables = ans.Reply.Variables[:min(n-1, n*limit/len(b))]
		} else {
			ans.Reply.Error, ans.Reply.Variables = gosnmp.TooBig, nil
		}
		b, err = seal(ans.Reply)
	}
	if err != nil {
		return
	}
	if ans.Cut > 0 && ans.Cut < len(b) {
		b = b[:ans.Cut]
	}
	if ans.OtherSource {
		other, err := net.ListenUDP("udp", &net.UDPAddr{IP: conn.LocalAddr().(*net.UDPAddr).IP})
		if err != nil {
			return
		}
		defer other.Close()
		conn = other
	}
	conn.WriteToUDPAddrPort(b, from)
	if ans.Twice {
		conn.WriteToUDPAddrPort(b, from)
	}
}
