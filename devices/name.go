package devices

import (
	"net/netip"
	"regexp"
	"strings"
)

var validName = regexp.MustCompile(`^[\pL\pN][\pL\pN._-]{0,63}$`)

// ValidName says whether a device can have the name: letters, digits, '.', '_' and '-', at most 64.
func ValidName(s string) bool { return validName.MatchString(s) }

// ValidAddress says whether s is a host name or an IP address, without a port or the length of a network.
func ValidAddress(s string) bool {
	if _, err := netip.ParseAddr(s); err == nil {
		return true
	}
	return s != "" && len(s) <= 253 && !strings.HasPrefix(s, "-") && !strings.ContainsFunc(s, func(r rune) bool {
		return r <= ' ' || r == 0x7f || strings.ContainsRune(`/@:"'\`, r)
	})
}
