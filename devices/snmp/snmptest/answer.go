package snmptest

import (
	"net"
	"net/netip"
	"strings"
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
	case message.Version1, message.Version2c:
		req, seal = a.openCommunity(gosnmp.SnmpVersion(h.Version), b)
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
	if ans.Unsigned && h.Version == message.Version3 {
		seal = func(p *gosnmp.SnmpPacket) ([]byte, error) { return a.seal(p, h, 0) }
	}
	a.send(conn, from, ans, seal)
}

// openCommunity decodes a request of SNMPv1 or SNMPv2c with the right community, or with that of a context.
func (a *Agent) openCommunity(v gosnmp.SnmpVersion, b []byte) (*gosnmp.SnmpPacket, func(*gosnmp.SnmpPacket) ([]byte, error)) {
	x := gosnmp.GoSNMP{Version: v}
	req, err := x.SnmpDecodePacket(b)
	if err != nil || a.Community == "" {
		return nil, nil
	}
	community, context, _ := strings.Cut(req.Community, "@")
	if community != a.Community || context != "" && a.within("vlan-"+context) == nil {
		return nil, nil
	}
	if req.ContextName = ""; context != "" {
		req.ContextName = "vlan-" + context
	}
	return req, func(p *gosnmp.SnmpPacket) ([]byte, error) {
		p.Version, p.Community = v, req.Community
		return p.MarshalMsg()
	}
}

// within returns the objects of a context; nil if there is none.
func (a *Agent) within(context string) *tree {
	if context == "" {
		return &a.tree
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.contexts[context]
}

// SetIn gives an object a value in a context alone: for VLAN 20, "vlan-20" of SNMPv3 is the community with "@20" of
// SNMPv2c, as Cisco's agents have it.
func (a *Agent) SetIn(context, oid string, v Value) {
	a.mu.Lock()
	if a.contexts == nil {
		a.contexts = map[string]*tree{}
	}
	t := a.contexts[context]
	if t == nil {
		t = &tree{}
		a.contexts[context] = t
	}
	a.mu.Unlock()
	t.set(oid, func() Value { return v })
}

// answer makes the right reply to a request.
func (a *Agent) answer(req *gosnmp.SnmpPacket, from netip.AddrPort) *Answer {
	ans := &Answer{
		Request: Request{
			PDU: pduNames[req.PDUType], NonRepeaters: int(req.NonRepeaters),
			MaxRepetitions: int(req.MaxRepetitions), From: from,
		},
		Reply: &gosnmp.SnmpPacket{PDUType: gosnmp.GetResponse, RequestID: req.RequestID, ContextName: req.ContextName},
	}
	t := a.within(req.ContextName)
	for _, v := range req.Variables {
		ans.Request.OIDs = append(ans.Request.OIDs, v.Name)
	}
	if ans.Request.PDU == "" || t == nil || req.Version == gosnmp.Version1 && req.PDUType == gosnmp.GetBulkRequest {
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
			ans.Reply.Variables = append(ans.Reply.Variables, t.get(key(id)).pdu(id))
		}
	case gosnmp.GetNextRequest:
		for _, id := range ans.Request.OIDs {
			ans.Reply.Variables = append(ans.Reply.Variables, t.after(id))
		}
	case gosnmp.GetBulkRequest:
		ans.Reply.Variables = t.bulk(ans.Request)
	case gosnmp.SetRequest:
		ans.Reply.Error, ans.Reply.ErrorIndex, ans.Reply.Variables = gosnmp.NotWritable, 1, req.Variables
	}
	if req.Version == gosnmp.Version1 {
		a.inV1(t, ans, req)
	}
	return ans
}

// inV1 makes the reply one of SNMPv1 (RFC 3584, section 4.2.2): an object that is not there, or has 64 bits, fails the
// whole request; GETNEXT passes over what has 64 bits.
func (a *Agent) inV1(t *tree, ans *Answer, req *gosnmp.SnmpPacket) {
	for n, v := range ans.Reply.Variables {
		for req.PDUType == gosnmp.GetNextRequest && v.Type == gosnmp.Counter64 {
			v = t.after(v.Name)
			ans.Reply.Variables[n] = v
		}
		switch v.Type {
		case gosnmp.NoSuchInstance, gosnmp.NoSuchObject, gosnmp.EndOfMibView, gosnmp.Counter64:
			ans.Reply.Error, ans.Reply.ErrorIndex, ans.Reply.Variables = gosnmp.NoSuchName, uint8(n+1), req.Variables
			return
		}
	}
}

// after returns the object that follows.
func (t *tree) after(id string) gosnmp.SnmpPDU {
	k, v, ok := t.next(key(id))
	if !ok {
		return gosnmp.SnmpPDU{Name: id, Type: gosnmp.EndOfMibView}
	}
	return v.pdu("." + oid.Unpack(k))
}

// bulk answers GETBULK (RFC 3416, section 4.2.3).
func (t *tree) bulk(r Request) []gosnmp.SnmpPDU {
	var out []gosnmp.SnmpPDU
	n := min(r.NonRepeaters, len(r.OIDs))
	for _, id := range r.OIDs[:n] {
		out = append(out, t.after(id))
	}
	columns := append([]string(nil), r.OIDs[n:]...)
	for range r.MaxRepetitions {
		ended := true
		for i, id := range columns {
			if len(out) >= maxBinds {
				return out
			}
			v := t.after(id)
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
