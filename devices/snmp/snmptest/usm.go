package snmptest

import (
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices/snmp/internal/message"
)

// Auth and Priv names, as in devices.SNMP.
var (
	authProtocols = map[string]gosnmp.SnmpV3AuthProtocol{
		"": gosnmp.SHA, "MD5": gosnmp.MD5, "SHA": gosnmp.SHA, "SHA-224": gosnmp.SHA224, "SHA-256": gosnmp.SHA256,
		"SHA-384": gosnmp.SHA384, "SHA-512": gosnmp.SHA512,
	}
	privProtocols = map[string]gosnmp.SnmpV3PrivProtocol{
		"": gosnmp.AES, "DES": gosnmp.DES, "AES": gosnmp.AES, "AES-192": gosnmp.AES192, "AES-256": gosnmp.AES256,
		"AES-192-C": gosnmp.AES192C, "AES-256-C": gosnmp.AES256C,
	}
	levels = map[string]byte{"noAuthNoPriv": 0, "authNoPriv": message.FlagAuth, "authPriv": message.FlagAuth | message.FlagPriv}
)

// Objects of Reports (RFC 3414, section 5).
const (
	unsupportedSecLevels = ".1.3.6.1.6.3.15.1.1.1.0"
	notInTimeWindows     = ".1.3.6.1.6.3.15.1.1.2.0"
	unknownUserNames     = ".1.3.6.1.6.3.15.1.1.3.0"
	unknownEngineIDs     = ".1.3.6.1.6.3.15.1.1.4.0"
	wrongDigests         = ".1.3.6.1.6.3.15.1.1.5.0"
)

// usm is the agent's one user and its keys.
type usm struct {
	params *gosnmp.UsmSecurityParameters // with localised keys; gives out salts
	highest,
	least byte // levels: what the keys allow, what is asked for
	errors uint32
}

func newUSM(a *Agent) (*usm, error) {
	p := &gosnmp.UsmSecurityParameters{
		UserName: a.User, AuthoritativeEngineID: a.EngineID,
		AuthenticationProtocol: gosnmp.NoAuth, PrivacyProtocol: gosnmp.NoPriv,
	}
	u := &usm{params: p}
	var ok bool
	if a.AuthPass != "" {
		if p.AuthenticationProtocol, ok = authProtocols[a.Auth]; !ok {
			return nil, fmt.Errorf("snmptest: unknown authentication protocol %q", a.Auth)
		}
		p.AuthenticationPassphrase = a.AuthPass
		u.highest |= message.FlagAuth
	}
	if a.AuthPass != "" && a.PrivPass != "" {
		if p.PrivacyProtocol, ok = privProtocols[a.Priv]; !ok {
			return nil, fmt.Errorf("snmptest: unknown privacy protocol %q", a.Priv)
		}
		p.PrivacyPassphrase = a.PrivPass
		u.highest |= message.FlagPriv
	}
	u.least = u.highest
	if a.Level != "" {
		if u.least, ok = levels[a.Level]; !ok {
			return nil, fmt.Errorf("snmptest: unknown level %q", a.Level)
		}
	}
	if err := p.InitSecurityKeys(); err != nil {
		return nil, fmt.Errorf("snmptest: keys of user %s: %w", a.User, err)
	}
	// The salt begins at a random place (RFC 3826, section 3.1.2.1); AES and DES keep it in the same params.
	var salt [1]byte
	rand.Read(salt[:])
	for range salt[0] {
		p.InitPacket(&gosnmp.SnmpPacket{})
	}
	return u, nil
}

// openV3 checks a message as the authoritative engine does (RFC 3414, section 3.2) and returns the request with
// a function that seals its answer at the same level, or a Report to send instead.
func (a *Agent) openV3(h message.Header, b []byte) (*gosnmp.SnmpPacket, func(*gosnmp.SnmpPacket) ([]byte, error), []byte) {
	if a.usm == nil {
		return nil, nil, nil
	}
	if h.EngineID != a.EngineID {
		return nil, nil, a.report(h, unknownEngineIDs, 0)
	}
	a.count("auth")
	level := h.Flags & (message.FlagAuth | message.FlagPriv)
	switch {
	case h.User != a.User:
		return nil, nil, a.report(h, unknownUserNames, 0)
	case level&^a.usm.highest != 0:
		return nil, nil, a.report(h, unsupportedSecLevels, 0)
	}
	req, report := a.decodeV3(h, b, level)
	if req == nil {
		return nil, nil, report
	}
	if level&a.usm.least != a.usm.least { // what net-snmp's access control says (RFC 3415)
		req.Error = gosnmp.AuthorizationError
	}
	return req, func(p *gosnmp.SnmpPacket) ([]byte, error) { return a.seal(p, h, level) }, nil
}

func (a *Agent) decodeV3(h message.Header, b []byte, level byte) (*gosnmp.SnmpPacket, []byte) {
	x := gosnmp.GoSNMP{
		Version: gosnmp.Version3, SecurityModel: gosnmp.UserSecurityModel,
		MsgFlags: gosnmp.SnmpV3MsgFlags(a.usm.highest), SecurityParameters: a.usm.params.Copy(),
	}
	if level == 0 {
		x.SecurityParameters = &gosnmp.UsmSecurityParameters{UserName: a.User}
		x.MsgFlags = gosnmp.NoAuthNoPriv
		req, err := x.SnmpDecodePacket(b)
		if err != nil {
			return nil, nil
		}
		return req, nil
	}
	req, err := x.UnmarshalTrap(b, true)
	if err != nil {
		// The codec has no typed errors: "not authentic", "msgAuthenticationParameters length ... does not match".
		if strings.Contains(err.Error(), "uthentic") {
			return nil, a.report(h, wrongDigests, 0)
		}
		return nil, nil // net-snmp leaves what it can't decrypt unanswered
	}
	boots, now := a.engine()
	// RFC 3414, section 2.2.3: a message is in time within 150 s.
	if d := int64(now) - int64(h.Time); h.Boots != boots || d > 150 || d < -150 {
		return nil, a.report(h, notInTimeWindows, message.FlagAuth)
	}
	return req, nil
}

func (a *Agent) engine() (boots, seconds uint32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.Boots, uint32(time.Since(a.started) / time.Second)
}

// seal encodes a message to the asker at the level.
func (a *Agent) seal(p *gosnmp.SnmpPacket, h message.Header, level byte) ([]byte, error) {
	params := a.usm.params.Copy().(*gosnmp.UsmSecurityParameters)
	params.UserName = h.User // a Report repeats even a user that is not known
	params.AuthoritativeEngineBoots, params.AuthoritativeEngineTime = a.engine()
	p.Version, p.SecurityModel, p.MsgFlags = gosnmp.Version3, gosnmp.UserSecurityModel, gosnmp.SnmpV3MsgFlags(level)
	p.MsgID, p.ContextEngineID, p.SecurityParameters = h.MsgID, a.EngineID, params
	if a.MaxSize > 0 {
		p.MsgMaxSize = uint32(a.MaxSize)
	}
	if level&message.FlagPriv != 0 {
		if err := a.usm.params.InitPacket(p); err != nil {
			return nil, err
		}
	}
	return p.MarshalMsg()
}

// report encodes a Report (RFC 3414, section 3.2); nil if it can't be.
func (a *Agent) report(h message.Header, oid string, level byte) []byte {
	a.usm.errors++
	b, err := a.seal(&gosnmp.SnmpPacket{
		PDUType: gosnmp.Report, RequestID: h.RequestID,
		Variables: []gosnmp.SnmpPDU{{Name: oid, Type: gosnmp.Counter32, Value: a.usm.errors}},
	}, h, level)
	if err != nil {
		return nil
	}
	return b
}
