package snmp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"syscall"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices"
)

// Error is what went wrong with a device, in words that are safe to show: no secret and no octet of a message is
// in it. It wraps one of the sentinels of package devices.
type Error struct {
	Device string
	Text   string
	// Keys names the keys of the site file that may be wrong, most likely first; nil if none is suspected.
	Keys []string
	Err  error
}

// Error returns the device, what was done and what happened.
func (e *Error) Error() string { return "snmp: " + e.Device + ": " + e.Text }

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }

// SiteKeys returns the keys of the site file to look at, as "snmp.community, snmp.port"; "" if none.
func (e *Error) SiteKeys() string { return strings.Join(e.Keys, ", ") }

// errSettings is wrapped by errors about the site file itself; asking again does not help.
var errSettings = errors.New("setting not usable")

// wrong says that a key of the site file can't be used.
func wrong(d devices.Device, key, text string) error {
	return &Error{Device: d.Name, Text: key + " " + text, Keys: []string{key}, Err: errSettings}
}

// Objects of Reports (RFC 3414, section 5).
const (
	unsupportedSecLevels = "1.3.6.1.6.3.15.1.1.1.0"
	notInTimeWindows     = "1.3.6.1.6.3.15.1.1.2.0"
	unknownUserNames     = "1.3.6.1.6.3.15.1.1.3.0"
	unknownEngineIDs     = "1.3.6.1.6.3.15.1.1.4.0"
	wrongDigests         = "1.3.6.1.6.3.15.1.1.5.0"
	decryptionErrors     = "1.3.6.1.6.3.15.1.1.6.0"
)

// reported returns what a Report means for the person who runs us; nil if it is not about the login.
func (s *session) reported(object string) error {
	c := s.device.SNMP
	e := &Error{Device: s.device.Name, Err: devices.ErrAuth}
	switch object {
	case unknownUserNames:
		e.Text, e.Keys = fmt.Sprintf("the agent does not know the user %q", c.User), []string{"snmp.user"}
	case wrongDigests:
		e.Text = fmt.Sprintf("authentication of %q failed: the pass phrase auth_pass is wrong, or the protocol auth is not %s", c.User, orDefault(c.Auth, "SHA"))
		e.Keys = []string{"snmp.auth_pass", "snmp.auth"}
	case unsupportedSecLevels:
		e.Text = fmt.Sprintf("the agent does not allow level %s for the user %q", s.level(), c.User)
		e.Keys = []string{"snmp.level"}
	case decryptionErrors:
		e.Text = fmt.Sprintf("the agent could not decrypt: the pass phrase priv_pass is wrong, or the protocol priv is not %s", orDefault(c.Priv, "AES"))
		e.Keys = []string{"snmp.priv_pass", "snmp.priv"}
	default:
		return nil
	}
	return e
}

func orDefault(s, def string) string {
	if s == "" {
		return def
	}
	return s
}

// level returns the name of the level in use.
func (s *session) level() string {
	for name, l := range levels {
		if l == s.client.MsgFlags&gosnmp.AuthPriv {
			return name
		}
	}
	return ""
}

// silent returns why there may have been no answer, as far as it can be told: what has worked before is not
// suspected.
func (s *session) silent(ctx context.Context, tries int, strays int) error {
	e := &Error{Device: s.device.Name, Err: devices.ErrTimeout}
	e.Text = fmt.Sprintf("no answer in %s", s.client.Timeout)
	if tries > 1 {
		e.Text += fmt.Sprintf(" (%d tries)", tries)
	}
	other := ""
	if !s.worked && !s.searched && !s.discovered() {
		other, s.searched = s.elsewhere(ctx), true
	}
	switch {
	case s.worked:
	case other != "":
		e.Text += ", but one came from " + other + ", which was not asked; write that address in the site file, or let the device answer from the one it was asked on"
		e.Keys = []string{"address", "snmp.port"}
	case s.client.Version != gosnmp.Version3:
		e.Text += ": the community is wrong (agents do not answer then), or the device is down, filters SNMP or has another address"
		e.Keys = []string{"snmp.community", "address", "snmp.port"}
	case s.discovered() && s.client.MsgFlags&gosnmp.AuthPriv == gosnmp.AuthPriv:
		c := s.device.SNMP
		e.Text += fmt.Sprintf(", though the agent answers SNMPv3: the pass phrase priv_pass is wrong, or the protocol priv is not %s", orDefault(c.Priv, "AES"))
		if other := otherExtension(c.Priv); other != "" {
			e.Text += " (try " + other + ", the other key extension)"
		}
		e.Keys = []string{"snmp.priv_pass", "snmp.priv"}
	case s.discovered():
		e.Text += ", though the agent answers SNMPv3"
		e.Keys = []string{"snmp.user", "snmp.level"}
	default:
		e.Text += ": the device is down, filters SNMP, has another address or does not speak SNMPv3"
		e.Keys = []string{"address", "snmp.port", "snmp.version"}
	}
	if strays > 0 {
		e.Text += fmt.Sprintf("; %d datagrams came that answer nothing we asked", strays)
	}
	return e
}

// otherExtension names the same cipher with the other way to stretch the key.
func otherExtension(priv string) string {
	return map[string]string{
		"AES-192": "AES-192-C", "AES-192-C": "AES-192", "AES-256": "AES-256-C", "AES-256-C": "AES-256",
	}[priv]
}

// failed turns an error of gosnmp or the system into ours. gosnmp's own words are not passed on: some hold
// octets of the message or a stack.
func (s *session) failed(ctx context.Context, err error) error {
	e := &Error{Device: s.device.Name, Err: devices.ErrUnreachable}
	port := s.client.Port
	var dns *net.DNSError
	var errno syscall.Errno
	switch {
	case over(ctx) != nil:
		e.Text, e.Err = "stopped while asking", fmt.Errorf("%w: %w", devices.ErrTimeout, over(ctx))
	case closedPort(err):
		e.Text = fmt.Sprintf("connection refused: nothing listens on UDP port %d: SNMP is off, or the port is another", port)
		e.Keys = []string{"snmp.port", "address"}
	case errors.As(err, &dns):
		e.Text, e.Keys = fmt.Sprintf("the name %q is not known", s.device.Address), []string{"address"}
	case errors.As(err, &errno):
		e.Text, e.Keys = errno.Error(), []string{"address"}
	case isTimeout(err):
		e.Text, e.Err = "no answer in time", devices.ErrTimeout
	default:
		e.Text, e.Err = "the answer could not be decoded", devices.ErrPartial
	}
	return e
}

func isTimeout(err error) bool {
	var ne net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, gosnmp.ErrMaxRetriesExceeded) || errors.As(err, &ne) && ne.Timeout()
}

// refusedPDU turns an error status that concerns the access as a whole into an error; nil for others.
func (s *session) refusedPDU(p *gosnmp.SnmpPacket) error {
	switch p.Error {
	case gosnmp.AuthorizationError, gosnmp.NoAccess:
		e := &Error{Device: s.device.Name, Err: devices.ErrAuth, Keys: []string{"snmp.community"}}
		e.Text = "the agent answered " + statusName(p.Error) + ": its access control does not let this community read"
		if s.client.Version == gosnmp.Version3 {
			e.Text = fmt.Sprintf("the agent answered %s: its access control does not let the user %q read at level %s", statusName(p.Error), s.device.SNMP.User, s.level())
			e.Keys = []string{"snmp.level", "snmp.user"}
		}
		return e
	}
	return nil
}

// statusName returns an error status as RFC 3416 spells it.
func statusName(e gosnmp.SNMPError) string {
	names := []string{
		"noError", "tooBig", "noSuchName", "badValue", "readOnly", "genErr", "noAccess", "wrongType", "wrongLength",
		"wrongEncoding", "wrongValue", "noCreation", "inconsistentValue", "resourceUnavailable", "commitFailed",
		"undoFailed", "authorizationError", "notWritable", "inconsistentName",
	}
	if int(e) < len(names) {
		return names[e]
	}
	return fmt.Sprintf("error status %d", int(e))
}

// lockout is how long a device is left alone after two refused logins in a row, so that no account is locked.
const lockout = 5 * time.Minute

// paused is the refusal with the time until which the device is not asked.
func paused(err error, until time.Time) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	again := *e
	again.Text += "; refused twice, not asked again before " + until.UTC().Format(time.TimeOnly) + " UTC so that the account is not locked"
	return &again
}
