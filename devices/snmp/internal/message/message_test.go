package message

import (
	"testing"

	"github.com/gosnmp/gosnmp"
)

// encode makes a message with gosnmp's own codec.
func encode(t testing.TB, x *gosnmp.GoSNMP, pdu gosnmp.PDUType, oids ...string) []byte {
	t.Helper()
	var vars []gosnmp.SnmpPDU
	for _, o := range oids {
		vars = append(vars, gosnmp.SnmpPDU{Name: o, Type: gosnmp.Null})
	}
	b, err := x.SnmpEncodePacket(pdu, vars, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func v3(flags gosnmp.SnmpV3MsgFlags) *gosnmp.GoSNMP {
	p := &gosnmp.UsmSecurityParameters{
		UserName: "ops", AuthoritativeEngineID: "\x80\x00\x1f\x88\x04abc", AuthoritativeEngineBoots: 7, AuthoritativeEngineTime: 300000,
		AuthenticationProtocol: gosnmp.SHA, AuthenticationPassphrase: "authphrase", PrivacyProtocol: gosnmp.AES, PrivacyPassphrase: "privphrase",
	}
	p.InitSecurityKeys()
	return &gosnmp.GoSNMP{Version: gosnmp.Version3, SecurityModel: gosnmp.UserSecurityModel, MsgFlags: flags, SecurityParameters: p}
}

func TestParse(t *testing.T) {
	v2 := &gosnmp.GoSNMP{Version: gosnmp.Version2c, Community: "public"}
	v2.SetRequestID(0x7fffff00)
	clear, priv := v3(gosnmp.AuthNoPriv), v3(gosnmp.AuthPriv)
	clear.SetMsgID(41)
	for name, c := range map[string]struct {
		b    []byte
		want Header
	}{
		"v2c": {encode(t, v2, gosnmp.GetRequest, "1.3.6.1.2.1.1.3.0", "1.3.6.1.2.1.1.5.0"),
			Header{Version: Version2c, PDU: TagGet, RequestID: 0x7fffff01, FirstOID: "1.3.6.1.2.1.1.3.0"}},
		"GETBULK": {encode(t, v2, gosnmp.GetBulkRequest, "1.3.6.1.4.1.268435456.4294967295"),
			Header{Version: Version2c, PDU: TagGetBulk, RequestID: 0x7fffff02, FirstOID: "1.3.6.1.4.1.268435456.4294967295"}},
		"v3, clear": {encode(t, clear, gosnmp.GetRequest, "1.0.8802.1.1.2"),
			Header{Version: Version3, PDU: TagGet, RequestID: 1, FirstOID: "1.0.8802.1.1.2", MsgID: 42, MaxSize: 65535, Flags: FlagAuth | FlagReportable,
				EngineID: "\x80\x00\x1f\x88\x04abc", Boots: 7, Time: 300000, User: "ops"}},
		"v3, encrypted": {encode(t, priv, gosnmp.GetRequest, "1.3.6.1.2.1.1.3.0"),
			Header{Version: Version3, MsgID: 1, MaxSize: 65535, Flags: FlagAuth | FlagPriv | FlagReportable,
				EngineID: "\x80\x00\x1f\x88\x04abc", Boots: 7, Time: 300000, User: "ops"}},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := Parse(c.b)
			if err != nil || got != c.want {
				t.Errorf("%v\ngot  %+v\nwant %+v", err, got, c.want)
			}
			for n := range c.b {
				if _, err := Parse(c.b[:n]); err == nil {
					t.Errorf("no error for the first %d of %d octets", n, len(c.b))
					break
				}
			}
		})
	}
}

func FuzzParse(f *testing.F) {
	v2 := &gosnmp.GoSNMP{Version: gosnmp.Version2c, Community: "public"}
	f.Add(encode(f, v2, gosnmp.GetRequest, "1.3.6.1.2.1.1.3.0"))
	f.Add(encode(f, v3(gosnmp.AuthPriv), gosnmp.GetRequest, "1.3.6.1.2.1.1.3.0"))
	f.Add(encode(f, v3(gosnmp.NoAuthNoPriv), gosnmp.GetBulkRequest, "1.3.6.1.2.1.1.3.0"))
	f.Add([]byte{0x30, 0x84, 0xff, 0xff, 0xff, 0xff})
	f.Add([]byte{0x30, 0x03, 0x02, 0x01, 0x03})
	f.Fuzz(func(t *testing.T, b []byte) {
		h, err := Parse(b)
		if err == nil && h.Version == Version3 && h.MsgID == 0 && len(b) < 8 {
			t.Errorf("%+v from %d octets", h, len(b))
		}
	})
}
