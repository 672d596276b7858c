package block

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// maxPortName is the longest name taken for a port's.
const maxPortName = 64

// IsPortName says whether s looks like the name of an interface: a letter or digit first, a digit somewhere, and
// nothing that a name does not have.
func IsPortName(s string) bool {
	if s == "" || len(s) > maxPortName || !text.IsLetter(s[0]) && !text.IsDigit(s[0]) {
		return false
	}
	digit := false
	for i := range len(s) {
		c := s[i]
		if text.IsDigit(c) {
			digit = true
		} else if !text.IsLetter(c) && strings.IndexByte("/.:_-", c) < 0 {
			return false
		}
	}
	return digit
}

// LineProtocol takes in "NAME is STATUS, line protocol is PROTOCOL (REASON)": the port's name, its states by the line
// protocol, and the words as facts. It says no to any other line.
func LineProtocol(p *Port, line string) (status, reason string, ok bool) {
	name, status, protocol, reason, ok := Header(line)
	if !ok || protocol == "" {
		return "", "", false
	}
	p.Name = name
	p.Know("status", status)
	p.Know("protocol", protocol)
	p.Know("reason", reason)
	p.Oper = Oper(protocol)
	p.Admin = devices.Some("up")
	if strings.HasPrefix(status, "administratively") {
		p.Admin = devices.Some("down")
	}
	return status, reason, true
}

// Header reads "NAME is STATUS (REASON), line protocol is PROTOCOL (REASON)", with or without its second half.
func Header(line string) (name, status, protocol, reason string, ok bool) {
	name, rest, ok := strings.Cut(line, " is ")
	if !ok || !IsPortName(name) {
		return "", "", "", "", false
	}
	status, protocol, _ = strings.Cut(rest, ", line protocol is ")
	if protocol == "" {
		// The line may go on, but not with a sentence.
		if i := strings.IndexByte(status, '('); i >= 0 {
			if j := strings.IndexByte(status[i:], ')'); j >= 0 {
				status = status[:i+j+1]
			}
		} else {
			status, _, _ = strings.Cut(status, ",")
		}
	}
	if i := strings.IndexByte(protocol, '('); i < 0 {
		protocol, _, _ = strings.Cut(protocol, ",")
	}
	status, reason = brackets(status)
	protocol, other := brackets(protocol)
	if other != "" {
		reason = other
	}
	return name, status, protocol, reason, protocol != "" || isStatus(status)
}

// brackets cuts "down (Link not connected)" in two.
func brackets(s string) (word, reason string) {
	if i := strings.IndexByte(s, '('); i >= 0 {
		reason = s[i+1:]
		if j := strings.IndexByte(reason, ')'); j >= 0 {
			reason = reason[:j]
		}
		s = s[:i]
	}
	return strings.TrimSpace(s), strings.TrimSpace(reason)
}

// isStatus says whether s is the state of an interface by its words, of which there are few.
func isStatus(s string) bool {
	switch strings.ToLower(s) {
	case "up", "down", "administratively down", "admin down", "reset", "disabled", "deleted", "trunking", "not present", "notpresent", "lowerlayerdown", "initializing", "standby mode":
		return true
	}
	return false
}

// Oper returns the operational state in the words of Interface.Oper.
func Oper(word string) devices.Opt[string] {
	switch word = strings.ToLower(strings.TrimSpace(word)); word {
	case "":
		return devices.None[string]()
	case "administratively down", "admin down", "admin-down", "deleted", "disabled":
		word = "down"
	case "not present", "notpresent":
		word = "notPresent"
	case "lowerlayerdown", "lower layer down":
		word = "lowerLayerDown"
	case "trunking", "connected":
		word = "up"
	}
	return devices.Some(word)
}

// ErrDisabled returns why a device shut a port by itself, from the words in brackets behind its state; "" if it did
// not.
func ErrDisabled(reason string) string {
	lower := strings.ToLower(reason)
	switch {
	case strings.Contains(lower, "errdisabled"): // "linkFlapErrDisabled, port: error"
		word, _, _ := strings.Cut(lower, "errdisabled")
		if word = strings.TrimSpace(word); word == "linkflap" {
			word = "link-flap"
		}
		if word == "" {
			word = "err-disabled"
		}
		return word
	case strings.Contains(lower, "err-disabled"), strings.Contains(lower, "errdisable"):
		return "err-disabled"
	}
	return ""
}
