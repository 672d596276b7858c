package trap

import (
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"log"
	"net/netip"
	"os"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices"
	"whydrop/devices/intake"
	"whydrop/devices/snmp"
)

// decoder reads datagrams and decides whom to believe. It is used by one goroutine at a time.
type decoder struct {
	communities []string
	users       map[string][]user // by name
	engine      string            // this receiver's
	boots       uint32
	started     time.Time
	unknown     uint32 // usmStatsUnknownEngineIDs
	notInTime   uint32 // usmStatsNotInTimeWindows

	engines map[string]engineTime // of senders, by their ids
	recent  map[recentKey]time.Time
}

// user is one that is believed.
type user struct {
	keys  *gosnmp.UsmSecurityParameters
	level gosnmp.SnmpV3MsgFlags
	of    string // the device it is of; "" is any
}

// engineTime is the latest that a sender's engine told of its time.
type engineTime struct {
	boots, time uint32
	at          time.Time
}

type recentKey struct {
	from    netip.AddrPort
	version gosnmp.SnmpVersion
	id      uint32
}

// quiet swallows what gosnmp logs.
var quiet = gosnmp.NewLogger(log.New(io.Discard, "", 0))

func newDecoder(cfg Config) (*decoder, error) {
	d := &decoder{users: map[string][]user{}, engine: string(cfg.Engine), started: time.Now(), engines: map[string]engineTime{}, recent: map[recentKey]time.Time{}}
	// A boot count that rises with every start, without a file to keep it in: seconds since 2026.
	d.boots = uint32(max(1, time.Since(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))/time.Second)) & (1<<31 - 1) //nolint:gosec
	if d.engine == "" {
		d.engine = engineID()
	}
	const shortest, longest = 5, 32 // RFC 3411, section 5
	if n := len(d.engine); n < shortest || n > longest {
		return nil, fmt.Errorf("traps: engine_id: %d octets, want %d to %d", n, shortest, longest)
	}
	for _, c := range cfg.Communities {
		d.communities = append(d.communities, c.Reveal())
	}
	for i := range cfg.Users {
		if err := d.user(devices.Device{Name: "receivers.traps", Address: "any", SNMP: &cfg.Users[i]}, ""); err != nil {
			return nil, err
		}
	}
	for _, dev := range cfg.Devices {
		if dev.SNMP != nil && dev.SNMP.Version == "3" {
			if err := d.user(dev, dev.Name); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// engineID makes an id of the host's name (RFC 3411, section 5: format 4, administratively assigned text).
func engineID() string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	const format, room = "\x80\x00\x00\x00\x04", 27
	name := "whydrop " + host
	if len(name) > room {
		sum := sha256.Sum256([]byte(name))
		name = fmt.Sprintf("%x", sum[:room/2])
	}
	return format + name
}

func (d *decoder) user(dev devices.Device, of string) error {
	keys, level, err := snmp.User(dev)
	if err != nil {
		return err
	}
	keys.Logger = quiet
	d.users[keys.UserName] = append(d.users[keys.UserName], user{keys, level, of})
	return nil
}

// decoded is a datagram that was read.
type decoded struct {
	packet *gosnmp.SnmpPacket
	answer []byte // to be sent back; nil if nothing is
}

// decode reads a datagram from a device, or from who is none. A refusal says why it is not to be kept.
func (d *decoder) decode(m intake.Message, dev devices.Device, known bool) (out decoded, refused string) {
	version, err := versionOf(m.Data)
	if err != nil {
		return out, Malformed
	}
	if version == gosnmp.Version3 {
		return d.decodeV3(m, dev, known)
	}
	x := &gosnmp.GoSNMP{Version: version, Logger: quiet}
	p, err := x.UnmarshalTrap(append([]byte(nil), m.Data...), false)
	if err != nil {
		return out, Malformed
	}
	if p.PDUType != gosnmp.Trap && p.PDUType != gosnmp.SNMPv2Trap && p.PDUType != gosnmp.InformRequest {
		return out, NoNotice
	}
	if !d.community(p.Community, dev, known) {
		return out, WrongCommunity
	}
	out.packet = p
	if p.PDUType == gosnmp.InformRequest {
		out.answer = answered(m.Data)
		if d.again(recentKey{m.From, version, p.RequestID}, m.Received) {
			return out, Again
		}
	}
	return out, ""
}

// community says whether a community is believed from there.
func (d *decoder) community(c string, dev devices.Device, known bool) bool {
	ok := false
	for _, want := range d.communities {
		ok = subtle.ConstantTimeCompare([]byte(c), []byte(want)) == 1 || ok
	}
	if known && dev.SNMP != nil && !dev.SNMP.Community.IsZero() && dev.SNMP.Version != "3" {
		ok = subtle.ConstantTimeCompare([]byte(c), []byte(dev.SNMP.Community.Reveal())) == 1 || ok
	}
	return ok
}

// again says whether the same inform came before: its answer was lost.
func (d *decoder) again(k recentKey, now time.Time) bool {
	const kept, most = time.Minute, 10000
	if len(d.recent) > most {
		clear(d.recent)
	}
	before, ok := d.recent[k]
	d.recent[k] = now
	return ok && now.Sub(before) < kept
}

// decodeV3 reads a datagram of version 3.
func (d *decoder) decodeV3(m intake.Message, dev devices.Device, known bool) (out decoded, refused string) {
	h, err := headerOf(m.Data)
	if err != nil {
		return out, Malformed
	}
	if h.engine == "" {
		// RFC 3414, section 4: who does not know this engine's id asks for it.
		d.unknown++
		if h.flags&gosnmp.Reportable != 0 {
			out.answer = d.report(h, usmStatsUnknownEngineIDs, d.unknown, nil, gosnmp.NoAuthNoPriv)
		}
		return out, Discovery
	}
	if h.flags&gosnmp.AuthPriv == gosnmp.AuthPriv&^gosnmp.AuthNoPriv {
		return out, Malformed // privacy without authentication (RFC 3412, section 6.4)
	}
	refused = WrongUser
	for _, u := range d.users[h.user] {
		if u.of != "" && (!known || u.of != dev.Name) {
			continue
		}
		if h.flags&gosnmp.AuthPriv < u.level {
			refused = WrongLevel
			continue
		}
		p, err := d.open(m.Data, u)
		if err != nil {
			continue
		}
		return d.opened(m, h, p)
	}
	return out, refused
}

// open checks a message's digest with a user's keys and decrypts it.
func (d *decoder) open(data []byte, u user) (*gosnmp.SnmpPacket, error) {
	keys := u.keys.Copy().(*gosnmp.UsmSecurityParameters)
	keys.AuthoritativeEngineID, keys.SecretKey, keys.PrivacyKey = "", nil, nil
	table := gosnmp.NewSnmpV3SecurityParametersTable(quiet)
	if err := table.Add(keys.UserName, keys); err != nil {
		return nil, err
	}
	x := &gosnmp.GoSNMP{Version: gosnmp.Version3, SecurityModel: gosnmp.UserSecurityModel, MsgFlags: u.level, Logger: quiet}
	x.SetTrapSecurityParametersTable(table)
	p, err := x.UnmarshalTrap(append([]byte(nil), data...), true)
	if err != nil {
		return nil, err
	}
	if p.Version != gosnmp.Version3 || p.SecurityModel != gosnmp.UserSecurityModel || p.MsgFlags&gosnmp.AuthPriv < u.level {
		return nil, errors.New("another security model or level than was checked")
	}
	return p, nil
}

// opened takes a message that is authentic, and in time.
func (d *decoder) opened(m intake.Message, h header, p *gosnmp.SnmpPacket) (out decoded, refused string) {
	keys, ok := p.SecurityParameters.(*gosnmp.UsmSecurityParameters)
	if !ok {
		return out, Malformed
	}
	switch p.PDUType {
	case gosnmp.SNMPv2Trap:
		if h.flags&gosnmp.AuthNoPriv != 0 && !d.inTime(h, m.Received) {
			return out, OutOfTime
		}
	case gosnmp.InformRequest:
		if h.engine != d.engine {
			d.unknown++
			out.answer = d.report(h, usmStatsUnknownEngineIDs, d.unknown, nil, gosnmp.NoAuthNoPriv)
			return out, Discovery
		}
		if h.flags&gosnmp.AuthNoPriv != 0 && !d.mine(h) {
			d.notInTime++
			out.answer = d.report(h, usmStatsNotInTimeWindows, d.notInTime, keys, gosnmp.AuthNoPriv)
			return out, OutOfTime
		}
		if out.answer = d.response(p, keys); out.answer == nil {
			return out, Malformed
		}
		if d.again(recentKey{m.From, gosnmp.Version3, p.RequestID}, m.Received) {
			return out, Again
		}
	default:
		return out, NoNotice
	}
	out.packet = p
	return out, ""
}

// window is how far a message's time may be off (RFC 3414, section 2.2.3).
const window = 150

// restarted is how old an engine may be that has lost its count of boots: some count from 0 after each.
const restarted = 600

// inTime says whether a sender's engine time is one that was not there before (RFC 3414, section 3.2.7b). A count of
// boots that went back is believed only of an engine that has just started.
func (d *decoder) inTime(h header, now time.Time) bool {
	const most = 10000
	known, ok := d.engines[h.engine]
	if ok {
		expected := known.time + uint32(max(0, now.Sub(known.at)/time.Second)) //nolint:gosec // engine time is 31 bits wide
		switch {
		case h.boots < known.boots && h.time > restarted:
			return false
		case h.boots == known.boots && int64(h.time) < int64(expected)-window:
			return false
		case h.boots == known.boots && h.time < known.time:
			return true // in time, and not the latest
		}
	}
	if ok || len(d.engines) < most {
		d.engines[h.engine] = engineTime{h.boots, h.time, now}
	}
	return true
}

// mine says whether a message's time is this engine's (RFC 3414, section 3.2.7a).
func (d *decoder) mine(h header) bool {
	diff := int64(h.time) - int64(d.now())
	return h.boots == d.boots && diff >= -window && diff <= window
}

func (d *decoder) now() uint32 { return uint32(time.Since(d.started) / time.Second) } //nolint:gosec // 31 bits are 68 years

// OIDs of the reports (RFC 3414, section 5).
const (
	usmStatsNotInTimeWindows = ".1.3.6.1.6.3.15.1.1.2.0"
	usmStatsUnknownEngineIDs = ".1.3.6.1.6.3.15.1.1.4.0"
)

// report tells a sender this engine's id and time. keys, if not nil, sign it. It is nil if it can't be made.
func (d *decoder) report(h header, object string, value uint32, keys *gosnmp.UsmSecurityParameters, level gosnmp.SnmpV3MsgFlags) []byte {
	p := &gosnmp.SnmpPacket{
		Version: gosnmp.Version3, MsgFlags: level, SecurityModel: gosnmp.UserSecurityModel, MsgID: h.id, MsgMaxSize: 65507,
		ContextEngineID: d.engine, PDUType: gosnmp.Report, Logger: quiet,
		Variables: []gosnmp.SnmpPDU{{Name: object, Type: gosnmp.Counter32, Value: uint(value)}},
	}
	return d.marshal(p, keys)
}

// response answers an inform with what it held.
func (d *decoder) response(p *gosnmp.SnmpPacket, keys *gosnmp.UsmSecurityParameters) []byte {
	q := *p
	q.PDUType, q.Error, q.ErrorIndex, q.Logger = gosnmp.GetResponse, gosnmp.NoError, 0, quiet
	q.MsgFlags &^= gosnmp.Reportable
	return d.marshal(&q, keys)
}

func (d *decoder) marshal(p *gosnmp.SnmpPacket, keys *gosnmp.UsmSecurityParameters) []byte {
	if keys == nil {
		keys = &gosnmp.UsmSecurityParameters{Logger: quiet, AuthenticationProtocol: gosnmp.NoAuth, PrivacyProtocol: gosnmp.NoPriv}
	}
	keys.AuthoritativeEngineID, keys.AuthoritativeEngineBoots, keys.AuthoritativeEngineTime = d.engine, d.boots, d.now()
	p.SecurityParameters = keys
	if err := keys.InitPacket(p); err != nil {
		return nil
	}
	b, err := p.MarshalMsg()
	if err != nil {
		return nil
	}
	return b
}
