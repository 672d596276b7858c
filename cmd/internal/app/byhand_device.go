package app

import (
	"net"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/devices"
)

// Letters are net-snmp's letters for one agent, as they were given. Secrets are references.
type Letters struct {
	Version, Community              string // -v, -c
	User, Level                     string // -u, -l
	Auth, AuthPass, Priv, PrivPass  string // -a, -A, -x, -X
	Context, Timeout, Retries, Host string // --context, -t, -r; Host may have a port behind it
}

// Given says whether any letter was given, so that the device is not looked up in a site file.
func (l Letters) Given() bool {
	return l.Version != "" || l.Community != "" || l.User != "" || l.Level != "" || l.AuthPass != "" || l.PrivPass != "" || l.Auth != "" || l.Priv != ""
}

// Device returns the agent as a device. Its error names the letter that is wrong and holds no secret.
func (l Letters) Device(secrets *Secrets) (devices.Device, error) {
	d := devices.Device{Name: l.Host, Address: l.Host, Role: "switch"}
	s := &devices.SNMP{Version: strings.TrimPrefix(l.Version, "v"), User: l.User, Context: l.Context, Port: 161}
	if host, port, err := net.SplitHostPort(l.Host); err == nil {
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			return d, Usagef("%s: %q is no port number", l.Host, port)
		}
		d.Address, s.Port = host, uint16(n)
	}
	switch s.Version {
	case "":
		if s.Version = "2c"; l.User != "" {
			s.Version = "3"
		}
	case "2":
		s.Version = "2c"
	case "1", "2c", "3":
	default:
		return d, Usagef("-v %s: want 1, 2c or 3", l.Version)
	}
	for _, x := range []struct {
		letter, ref string
		to          *devices.Secret
	}{{"-c", l.Community, &s.Community}, {"-A", l.AuthPass, &s.AuthPass}, {"-X", l.PrivPass, &s.PrivPass}} {
		if x.ref == "" {
			continue
		}
		v, err := secrets.Resolve(x.ref)
		if err != nil {
			return d, Usagef("%s: %w", x.letter, err)
		}
		*x.to = v
	}
	if s.Version == "3" && s.User == "" {
		return d, Usagef("-u: missing; version 3 needs a user")
	}
	if s.Version != "3" && s.Community.IsZero() {
		return d, Usagef("-c: missing; version %s needs a community by reference, for instance -c env:SNMP_COMMUNITY", s.Version)
	}
	var ok bool
	for _, x := range []struct {
		letter, text string
		to           *string
		of           []string
	}{
		{"-l", l.Level, &s.Level, []string{"noAuthNoPriv", "authNoPriv", "authPriv"}},
		{"-a", l.Auth, &s.Auth, []string{"MD5", "SHA", "SHA-224", "SHA-256", "SHA-384", "SHA-512"}},
		{"-x", l.Priv, &s.Priv, []string{"DES", "AES", "AES-192", "AES-256", "AES-192-C", "AES-256-C"}},
	} {
		if *x.to, ok = oneOfWords(x.text, x.of); !ok {
			return d, Usagef("%s %s: want one of %s", x.letter, x.text, strings.Join(x.of, ", "))
		}
	}
	d.SNMP = s
	return d, l.times(s)
}

func (l Letters) times(s *devices.SNMP) error {
	if l.Timeout != "" {
		t, err := ParseSeconds(l.Timeout)
		if err != nil || t <= 0 || t > time.Minute {
			return Usagef("-t %s: want seconds, up to 60", l.Timeout)
		}
		s.Timeout = t
	}
	if l.Retries != "" {
		n, err := strconv.Atoi(l.Retries)
		if err != nil || n < 0 || n > 10 {
			return Usagef("-r %s: want 0 to 10", l.Retries)
		}
		if s.Retries = n; n == 0 {
			s.Retries = -1
		}
	}
	return nil
}

// oneOfWords returns a word in the spelling of the list, with or without hyphens; "" stays "".
func oneOfWords(s string, list []string) (string, bool) {
	if s == "" {
		return "", true
	}
	bare := func(s string) string { return strings.ReplaceAll(strings.ToLower(s), "-", "") }
	i := slices.IndexFunc(list, func(w string) bool {
		return bare(w) == bare(s) || w == "AES" && bare(s) == "aes128" || w == "SHA" && bare(s) == "sha1"
	})
	if i < 0 {
		return "", false
	}
	return list[i], true
}
