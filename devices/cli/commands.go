package cli

import (
	"errors"
	"net/netip"
	"slices"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse"
)

// Allowed returns every command that can be sent to a device of the platform, nil for a platform that is not
// listed, and for "" what is asked of a device whose platform is not known yet. NAME, MAC and IP stand for what is checked before it is put in. A command that is not here is refused
// before a byte is sent. The log-out at the end of a session, the enable secret and the key that turns a pager's
// page are the only other things that are ever typed.
func Allowed(platform string) []string {
	if platform == "" {
		return questionsOfWho
	}
	p, ok := Platforms[parse.Canonical(platform)]
	if !ok {
		return nil
	}
	out := []string{}
	for _, list := range [][]string{p.Setup, p.Counters, p.States, p.Log, p.LogToo, p.Slow, p.Once, p.OnRequest} {
		for _, c := range list {
			if strings.Contains(c, optional) {
				out = append(out, without(c))
			}
			out = append(out, strings.Replace(c, optional, "NAME", 1))
		}
	}
	return out
}

// optional is what stands in a command for a name that may be left out.
const optional = "[NAME]"

// without returns a command without the name that may be left out.
func without(command string) string {
	return strings.Join(strings.Fields(strings.Replace(command, optional, "", 1)), " ")
}

// placeholders lists what stands for something else in a command, and what may be put in.
var placeholders = []struct {
	word  string
	valid func(string) bool
}{
	{"NAME", validName},
	{"MAC", validMAC},
	{"IP", validIP},
}

// errNotAllowed marks a command that was refused here and not sent.
var errNotAllowed = errors.New("not allowed")

// check returns an error unless the command may be sent to the platform, word for word.
func check(platform, command string) error {
	list := Allowed(platform)
	if list == nil {
		return fail(devices.ErrUnsupported, nil, "platform %q has no command line here; `platform` is one of %s", printable(platform), strings.Join(Names(), ", "))
	}
	if slices.ContainsFunc(list, func(allowed string) bool { return fits(allowed, command) }) {
		return nil
	}
	return fail(devices.ErrUnsupported, errNotAllowed, "command %q is not on the list of commands that may be sent", command)
}

// fits says whether a command is the allowed one, with something that is valid in place of a placeholder.
func fits(allowed, command string) bool {
	for _, p := range placeholders {
		before, after, ok := strings.Cut(" "+allowed+" ", " "+p.word+" ")
		if !ok {
			continue
		}
		before, after = strings.TrimPrefix(before+" ", " "), strings.TrimSuffix(" "+after, " ")
		rest, ok := strings.CutPrefix(command, before)
		if !ok || len(rest) < len(after) {
			return false
		}
		value, ok := strings.CutSuffix(rest, after)
		return ok && p.valid(value)
	}
	return command == allowed
}

// maxName is the longest name of an interface that is sent.
const maxName = 64

// validName says whether s is ^[A-Za-z0-9][A-Za-z0-9/.:_-]*( [0-9][0-9/.:]*)?$ of at most 64 characters, so that no
// name from a site file or a device can carry a second command. "Ethernet 1/1" is a name on some platforms.
func validName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	kind, unit, two := strings.Cut(s, " ")
	for i := range len(kind) {
		if c := kind[i]; !isAlnum(c) && (i == 0 || strings.IndexByte("/.:_-", c) < 0) {
			return false
		}
	}
	if !two {
		return true
	}
	for i := range len(unit) {
		if c := unit[i]; !(c >= '0' && c <= '9') && (i == 0 || strings.IndexByte("/.:", c) < 0) {
			return false
		}
	}
	return kind != "" && unit != ""
}

func isAlnum(c byte) bool {
	return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
}

// validMAC says whether s is twelve hexadecimal digits with at most five of ".:-" between them.
func validMAC(s string) bool {
	digits := 0
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
			digits++
		case strings.IndexByte(".:-", c) < 0 || i == 0 || i == len(s)-1:
			return false
		}
	}
	return digits == 12 && len(s) <= digits+5
}

// validIP says whether s is an address without a zone.
func validIP(s string) bool {
	a, err := netip.ParseAddr(s)
	return err == nil && a.Zone() == ""
}
