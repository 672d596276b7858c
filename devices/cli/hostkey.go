package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/skeema/knownhosts"
	"golang.org/x/crypto/ssh"
	xknownhosts "golang.org/x/crypto/ssh/knownhosts"

	"whydrop/devices"
)

// hostKeys decides whether a device's host key is accepted. It remembers what it saw, for the words of an error.
type hostKeys struct {
	who      string // the device, as messages name it
	addr     string // host:port, as known_hosts has it
	pin      string
	insecure bool
	db       *knownhosts.HostKeyDB
	file     string   // of the db
	known    []string // the algorithms of the keys that known_hosts has for addr

	accepted bool     // a key was accepted: what comes next is the login
	err      error    // why the last key was refused
	seen     []string // fingerprints of keys that did not match the pin, with their types
	types    []string // types of those keys
	all      bool     // the device has no keys of other types
}

func newHostKeys(who, addr string, s devices.SSH) (*hostKeys, error) {
	h := &hostKeys{who: who, addr: addr, pin: strings.TrimRight(s.HostKey, "="), insecure: s.InsecureHostKey}
	if h.insecure {
		return h, nil
	}
	if h.pin != "" {
		if !strings.HasPrefix(h.pin, "SHA256:") {
			return nil, fail(devices.ErrHostKey, nil, "%s: `host_key` %q is no fingerprint; it looks like \"SHA256:…\"", who, s.HostKey)
		}
		return h, nil
	}
	h.file = s.KnownHosts
	if h.file == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return nil, fail(devices.ErrHostKey, err, "%s: no home directory for known_hosts: %v; set `host_key` or `known_hosts` under this device's ssh", who, err)
		}
		h.file = filepath.Join(home, ".ssh", "known_hosts")
	}
	db, err := knownhosts.NewDB(h.file)
	switch {
	case err == nil:
		h.db, h.known = db, db.HostKeyAlgorithms(addr)
	case errors.Is(err, fs.ErrNotExist) && s.KnownHosts == "":
		// No file yet: every key is unknown.
	default:
		return nil, fail(devices.ErrHostKey, err, "%s: known_hosts can't be read: %v", who, err)
	}
	return h, nil
}

// algorithms returns the host key algorithms to offer, of those in all. A device that has several keys is asked
// for one that is known, or that was not seen yet, so that another of its keys is no false alarm.
func (h *hostKeys) algorithms(all []string) []string {
	var out []string
	for _, a := range all {
		switch {
		case len(h.known) > 0 && !slices.Contains(h.known, a):
		case slices.Contains(h.types, keyType(a)):
		default:
			out = append(out, a)
		}
	}
	if len(out) == 0 {
		return all
	}
	return out
}

// keyType returns the type of key that an algorithm signs with.
func keyType(algorithm string) string {
	switch algorithm {
	case ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSASHA512:
		return ssh.KeyAlgoRSA
	}
	return algorithm
}

// check is an ssh.HostKeyCallback.
func (h *hostKeys) check(addr string, remote net.Addr, key ssh.PublicKey) error {
	h.err = h.verdict(addr, remote, key)
	h.accepted = h.err == nil
	return h.err
}

func (h *hostKeys) verdict(addr string, remote net.Addr, key ssh.PublicKey) error {
	print := ssh.FingerprintSHA256(key)
	if h.insecure {
		return nil
	}
	if h.pin != "" {
		if print == h.pin {
			return nil
		}
		h.seen = append(h.seen, fmt.Sprintf("%s (%s)", print, key.Type()))
		h.types = append(h.types, key.Type())
		return h.pinMismatch()
	}
	var err error = &xknownhosts.KeyError{}
	if h.db != nil {
		err = h.db.HostKeyCallback()(addr, remote, key)
	}
	var revoked *xknownhosts.RevokedError
	switch {
	case err == nil:
		return nil
	case knownhosts.IsHostKeyChanged(err):
		return fail(devices.ErrHostKey, err, "%s: HOST KEY CHANGED: %s has another key for it than the %s key it shows now, %s; it was replaced, or another machine answers in its place: nothing was sent; find out which before you change %s",
			h.who, h.file, key.Type(), print, h.file)
	case knownhosts.IsHostUnknown(err):
		return fail(devices.ErrHostKey, err, "%s: its host key is not known: %s key, fingerprint %s; compare it with the device's own, then add under its ssh: host_key: %q",
			h.who, key.Type(), print, print)
	case errors.As(err, &revoked):
		return fail(devices.ErrHostKey, err, "%s: its host key %s is revoked in %s: refused", h.who, print, h.file)
	}
	return fail(devices.ErrHostKey, err, "%s: host key %s not accepted: %v", h.who, print, err)
}

func (h *hostKeys) pinMismatch() error {
	return fail(devices.ErrHostKey, nil, "%s: HOST KEY CHANGED: it shows %s, not the pinned %s; it was replaced, or another machine answers in its place: nothing was sent; find out which before you change `host_key`",
		h.who, strings.Join(h.seen, " and "), h.pin)
}

// retry says whether to connect again after a refusal, to see the device's key of another type.
func (h *hostKeys) retry() bool {
	const types = 4 // RSA, ECDSA, Ed25519, and one that we don't know yet
	return h.pin != "" && !h.accepted && !h.all && len(h.types) > 0 && len(h.types) < types
}

// negotiation explains that no host key algorithm was found in common, if it was for the keys we know. It
// returns nil if the algorithms themselves are the trouble.
func (h *hostKeys) negotiation(e *ssh.AlgorithmNegotiationError) error {
	if e.What != "host key" {
		return nil
	}
	if len(h.seen) > 0 {
		h.all = true
		return h.pinMismatch()
	}
	if len(h.known) == 0 || slices.ContainsFunc(e.RequestedAlgorithms, func(a string) bool { return slices.Contains(h.known, a) }) {
		return nil
	}
	return fail(devices.ErrHostKey, e, "%s: HOST KEY CHANGED: %s has a %s key for it, which it does not offer any more; it offers %s; it was replaced, or another machine answers in its place: nothing was sent; find out which before you change %s",
		h.who, h.file, keyType(h.known[0]), printable(strings.Join(e.RequestedAlgorithms, ", ")), h.file)
}
