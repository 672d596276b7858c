package snmp

import (
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices/snmp/fast"
)

// codec is the fast client of a session, and what it was made of.
type codec struct {
	ask         *fast.Client
	engine, key string // of v3
	boots, time uint32 // as gosnmp last heard them
	at          time.Time
	lost        int
}

// client returns the codec's client; nil where gosnmp has to ask: before the first answer, before a v3 engine is known,
// and with DES.
func (c *codec) client(s *session) *fast.Client {
	if s.tap == nil || !s.worked {
		return nil
	}
	if s.client.Version != gosnmp.Version3 {
		if c.ask == nil {
			c.ask, _ = fast.NewCommunity(byte(s.client.Version), s.client.Community)
		}
		return c.ask
	}
	p, ok := s.client.SecurityParameters.(*gosnmp.UsmSecurityParameters)
	if !ok || p.AuthoritativeEngineID == "" {
		return nil
	}
	if key := string(p.SecretKey) + "/" + string(p.PrivacyKey); c.ask == nil || c.engine != p.AuthoritativeEngineID || c.key != key {
		u, ok := fastUser(s.client, p)
		if !ok {
			return nil
		}
		ask, err := fast.NewUser(u)
		if err != nil {
			return nil
		}
		*c = codec{ask: ask, engine: p.AuthoritativeEngineID, key: key}
	}
	if now := time.Now(); c.at.IsZero() || c.boots != p.AuthoritativeEngineBoots || c.time != p.AuthoritativeEngineTime {
		c.boots, c.time, c.at = p.AuthoritativeEngineBoots, p.AuthoritativeEngineTime, now
	}
	c.ask.Engine(c.boots, c.time+uint32(time.Since(c.at)/time.Second))
	return c.ask
}

// lose counts a message that the codec got no answer to and gosnmp did. Some agents lose what comes while they work: they
// are asked for one message at a time.
func (c *codec) lose() {
	const most = 3
	if c.lost++; c.lost >= most && c.ask != nil {
		c.ask.Single = true
	}
}

// macLengths are how many octets of the HMAC a message carries (RFC 3414, section 6; RFC 7860, section 4.2.1).
var macLengths = map[gosnmp.SnmpV3AuthProtocol]int{
	gosnmp.MD5: 12, gosnmp.SHA: 12, gosnmp.SHA224: 16, gosnmp.SHA256: 24, gosnmp.SHA384: 32, gosnmp.SHA512: 48,
}

func fastUser(x *gosnmp.GoSNMP, p *gosnmp.UsmSecurityParameters) (u fast.User, ok bool) {
	u = fast.User{Name: p.UserName, Engine: p.AuthoritativeEngineID, Context: x.ContextName}
	if x.MsgFlags&gosnmp.AuthNoPriv != 0 {
		u.Hash, u.MAC, u.AuthKey = p.AuthenticationProtocol.HashType().New, macLengths[p.AuthenticationProtocol], p.SecretKey
	}
	if x.MsgFlags&gosnmp.AuthPriv == gosnmp.AuthPriv {
		if p.PrivacyProtocol == gosnmp.DES {
			return u, false
		}
		u.PrivKey = p.PrivacyKey
	}
	return u, true
}
