package cli

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"whydrop/devices"
)

// ProfileLegacy is the value of a device's Profile that also offers old algorithms.
const ProfileLegacy = "legacy"

// Algorithms is what a device and we agreed on for a session, by their names in SSH.
type Algorithms struct {
	KeyExchange string
	HostKey     string
	Cipher      string // what the device sends with
	MAC         string // "" if the cipher brings its own
	// Weak lists those of the above that are not considered safe any more; they are used with profile legacy only.
	Weak []string
	// HostKeyUnchecked says that the device's key was not compared with anything (InsecureHostKey).
	HostKeyUnchecked bool
}

// String returns the algorithms as they stand in a report.
func (a Algorithms) String() string {
	parts := []string{a.KeyExchange, a.HostKey, a.Cipher}
	if a.MAC != "" {
		parts = append(parts, a.MAC)
	}
	s := strings.Join(parts, ", ")
	if len(a.Weak) > 0 {
		s += "; weak: " + strings.Join(a.Weak, ", ")
	}
	if a.HostKeyUnchecked {
		s += "; the host key was not checked"
	}
	return s
}

func negotiated(conn ssh.Conn, insecure bool) Algorithms {
	m, ok := conn.(ssh.AlgorithmsConnMetadata)
	if !ok {
		return Algorithms{HostKeyUnchecked: insecure}
	}
	n := m.Algorithms()
	a := Algorithms{KeyExchange: n.KeyExchange, HostKey: n.HostKey, Cipher: n.Read.Cipher, MAC: n.Read.MAC, HostKeyUnchecked: insecure}
	old := ssh.InsecureAlgorithms()
	for _, x := range []struct {
		name string
		weak []string
	}{{a.KeyExchange, old.KeyExchanges}, {a.HostKey, old.HostKeys}, {a.Cipher, old.Ciphers}, {a.MAC, old.MACs}} {
		if slices.Contains(x.weak, x.name) {
			a.Weak = append(a.Weak, x.name)
		}
	}
	return a
}

// offer returns the algorithms to offer a device: the sound ones, and after them, with profile legacy, the old
// ones.
func offer(profile string) ssh.Algorithms {
	a := ssh.SupportedAlgorithms()
	if profile == ProfileLegacy {
		old := ssh.InsecureAlgorithms()
		a.KeyExchanges = append(a.KeyExchanges, old.KeyExchanges...)
		a.Ciphers = append(a.Ciphers, old.Ciphers...)
		a.MACs = append(a.MACs, old.MACs...)
		a.HostKeys = append(a.HostKeys, old.HostKeys...)
		a.PublicKeyAuths = append(a.PublicKeyAuths, old.PublicKeyAuths...)
	}
	return a
}

// noCommon explains that a device and we share no algorithm: what it offers, and whether profile legacy helps.
func noCommon(who string, profile string, e *ssh.AlgorithmNegotiationError) error {
	what := e.What
	if i := strings.LastIndex(what, " "); strings.HasSuffix(what, "cipher") || strings.HasSuffix(what, "MAC") {
		what = what[i+1:] // "client to server cipher"
	}
	var offers []string
	for _, a := range e.RequestedAlgorithms {
		// Markers of extensions (RFC 8308, strict key exchange) stand among the algorithms.
		if a != "ext-info-s" && a != "kex-strict-s-v00@openssh.com" {
			offers = append(offers, printable(a))
		}
	}
	text := fmt.Sprintf("%s offers only %s %s", who, what, strings.Join(offers, ", "))
	old := ssh.InsecureAlgorithms()
	weak := slices.Concat(old.KeyExchanges, old.Ciphers, old.MACs, old.HostKeys)
	helps := slices.ContainsFunc(e.RequestedAlgorithms, func(a string) bool { return slices.Contains(weak, a) })
	switch {
	case profile != ProfileLegacy && helps:
		text += "; add `profile: legacy` under this device's ssh"
		if strings.HasPrefix(who, jumpHost) {
			text += ", in its jump"
		}
	default:
		text += ", none of which is known here; a newer software on the device offers more"
	}
	return fail(devices.ErrUnsupported, e, "%s", text)
}
