package snmp

import (
	"fmt"
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices"
)

// Defaults of devices.SNMP.
const (
	defaultPort    = 161 // RFC 3417, section 3.1
	defaultTimeout = time.Second
	defaultRetries = 1
)

// minPass is the shortest pass phrase (RFC 3414, section 11.2). gosnmp takes shorter ones and then just fails.
const minPass = 8

// maxCommunity is the longest community whose length gosnmp encodes rightly.
const maxCommunity = 127

// Protocols by the names of devices.SNMP. AES-192 and AES-256 exist with two ways to stretch the key: the plain
// names are Blumenthal's (net-snmp), those with -C Reeder's (Cisco).
var (
	authProtocols = map[string]gosnmp.SnmpV3AuthProtocol{
		"": gosnmp.SHA, "MD5": gosnmp.MD5, "SHA": gosnmp.SHA, "SHA-224": gosnmp.SHA224, "SHA-256": gosnmp.SHA256,
		"SHA-384": gosnmp.SHA384, "SHA-512": gosnmp.SHA512,
	}
	privProtocols = map[string]gosnmp.SnmpV3PrivProtocol{
		"": gosnmp.AES, "DES": gosnmp.DES, "AES": gosnmp.AES, "AES-192": gosnmp.AES192, "AES-256": gosnmp.AES256,
		"AES-192-C": gosnmp.AES192C, "AES-256-C": gosnmp.AES256C,
	}
	levels = map[string]gosnmp.SnmpV3MsgFlags{
		"noAuthNoPriv": gosnmp.NoAuthNoPriv, "authNoPriv": gosnmp.AuthNoPriv, "authPriv": gosnmp.AuthPriv,
	}
)

// settings checks what the site file says and makes a client of it that is not connected yet. Nothing is sent.
func settings(d devices.Device) (*gosnmp.GoSNMP, error) {
	if d.SNMP == nil {
		return nil, fmt.Errorf("snmp: %s: not to be asked by SNMP", d.Name)
	}
	if d.Address == "" {
		return nil, wrong(d, "address", "is missing")
	}
	x := &gosnmp.GoSNMP{
		Target: d.Address, Port: d.SNMP.Port, Transport: "udp", Timeout: d.SNMP.Timeout,
		Retries: 0, // the session repeats, so that each answer has its own round trip
		MaxOids: gosnmp.MaxOids,
	}
	if x.Port == 0 {
		x.Port = defaultPort
	}
	if x.Timeout <= 0 {
		x.Timeout = defaultTimeout
	}
	if d.Source.IsValid() {
		x.LocalAddr = net.JoinHostPort(d.Source.String(), "0")
		if a, err := netip.ParseAddr(d.Address); err == nil && a.Is4() != d.Source.Is4() {
			return nil, wrong(d, "source", "and address are not of one family")
		}
	}
	switch d.SNMP.Version {
	case "1":
		x.Version = gosnmp.Version1
		return x, community(d, x)
	case "2c", "":
		x.Version = gosnmp.Version2c
		return x, community(d, x)
	case "3":
		return x, v3(d, x)
	}
	return nil, wrong(d, "snmp.version", fmt.Sprintf("%q is not 1, 2c or 3", d.SNMP.Version))
}

func community(d devices.Device, x *gosnmp.GoSNMP) error {
	x.Community = d.SNMP.Community.Reveal()
	switch {
	case x.Community == "":
		return wrong(d, "snmp.community", "is missing")
	case len(x.Community) > maxCommunity:
		return wrong(d, "snmp.community", fmt.Sprintf("is longer than %d octets", maxCommunity))
	}
	return nil
}

func v3(d devices.Device, x *gosnmp.GoSNMP) error {
	c := d.SNMP
	if c.User == "" {
		return wrong(d, "snmp.user", "is missing")
	}
	auth, ok := authProtocols[c.Auth]
	if !ok {
		return wrong(d, "snmp.auth", fmt.Sprintf("%q is not MD5, SHA, SHA-224, SHA-256, SHA-384 or SHA-512", c.Auth))
	}
	priv, ok := privProtocols[c.Priv]
	if !ok {
		return wrong(d, "snmp.priv", fmt.Sprintf("%q is not DES, AES, AES-192, AES-256, AES-192-C or AES-256-C", c.Priv))
	}
	level, err := levelOf(d)
	if err != nil {
		return err
	}
	p := &gosnmp.UsmSecurityParameters{
		UserName: c.User, AuthenticationProtocol: gosnmp.NoAuth, PrivacyProtocol: gosnmp.NoPriv,
	}
	if level&gosnmp.AuthNoPriv != 0 {
		if err := passPhrase(d, "snmp.auth_pass", c.AuthPass); err != nil {
			return err
		}
		p.AuthenticationProtocol, p.AuthenticationPassphrase = auth, c.AuthPass.Reveal()
	}
	if level == gosnmp.AuthPriv {
		if err := passPhrase(d, "snmp.priv_pass", c.PrivPass); err != nil {
			return err
		}
		p.PrivacyProtocol, p.PrivacyPassphrase = priv, c.PrivPass.Reveal()
	}
	x.Version, x.SecurityModel, x.MsgFlags = gosnmp.Version3, gosnmp.UserSecurityModel, level
	x.SecurityParameters, x.ContextName = p, c.Context
	return nil
}

// levelOf returns the level that is set or that follows from the pass phrases.
func levelOf(d devices.Device) (gosnmp.SnmpV3MsgFlags, error) {
	c := d.SNMP
	if c.Level != "" {
		for name, level := range levels {
			if strings.EqualFold(name, c.Level) {
				return level, nil
			}
		}
		return 0, wrong(d, "snmp.level", fmt.Sprintf("%q is not noAuthNoPriv, authNoPriv or authPriv", c.Level))
	}
	switch {
	case !c.PrivPass.IsZero() && c.AuthPass.IsZero():
		return 0, wrong(d, "snmp.auth_pass", "is missing: there is no privacy without authentication")
	case !c.PrivPass.IsZero():
		return gosnmp.AuthPriv, nil
	case !c.AuthPass.IsZero():
		return gosnmp.AuthNoPriv, nil
	}
	return gosnmp.NoAuthNoPriv, nil
}

func passPhrase(d devices.Device, key string, s devices.Secret) error {
	switch n := len(s.Reveal()); {
	case n == 0:
		return wrong(d, key, "is missing")
	case n < minPass:
		return wrong(d, key, fmt.Sprintf("is shorter than %d characters (RFC 3414, section 11.2); agents refuse it", minPass))
	}
	return nil
}
