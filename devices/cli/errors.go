package cli

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"

	"whydrop/devices"
)

// failure is an error with words of our own that still is one of the sentinels of package devices.
type failure struct {
	text  string
	kind  error // devices.ErrAuth, ...
	cause error // may be nil
}

func (f *failure) Error() string { return f.text }

func (f *failure) Unwrap() []error {
	if f.cause == nil {
		return []error{f.kind}
	}
	return []error{f.kind, f.cause}
}

// ErrPlatform is wrapped, next to devices.ErrUnsupported, by errors about a device that lets us in but is none of
// the platform that the site file says: it does not have its commands.
var ErrPlatform = errors.New("not of this platform")

// jumpHost begins the name of a jump host in messages.
const jumpHost = "jump host of "

// SiteKeys returns the keys of the site file to look at, as "ssh.user, ssh.password"; "" if none. They are those
// that stand in backquotes in the text.
func (f *failure) SiteKeys() string {
	under := "ssh."
	if strings.HasPrefix(f.text, jumpHost) {
		under = "ssh.jump."
	}
	var keys []string
	for i, part := range strings.Split(f.text, "`") {
		key, _, _ := strings.Cut(part, ":")
		if i%2 == 0 || key == "" || strings.ContainsFunc(key, func(r rune) bool { return r != '_' && (r < 'a' || r > 'z') }) {
			continue
		}
		if key != "platform" && (key != "address" || under != "ssh.") {
			key = under + key
		}
		if !slices.Contains(keys, key) {
			keys = append(keys, key)
		}
	}
	return strings.Join(keys, ", ")
}

func fail(kind error, cause error, format string, args ...any) error {
	return &failure{text: fmt.Sprintf(format, args...), kind: kind, cause: cause}
}

// unreachable says why no connection came about, and which keys of the site file it hangs on.
func unreachable(addr string, err error) error {
	var dns *net.DNSError
	var ne net.Error
	switch {
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &ne) && ne.Timeout():
		return fail(devices.ErrTimeout, err, "%s: no answer in time; check `address` and `port` under ssh, and that a firewall lets SSH through", addr)
	case errors.Is(err, context.Canceled):
		return fail(devices.ErrTimeout, err, "%s: stopped while connecting", addr)
	case errors.As(err, &dns):
		return fail(devices.ErrUnreachable, err, "%s: the name is not known; check `address`", addr)
	case errors.Is(err, syscall.ECONNREFUSED):
		return fail(devices.ErrUnreachable, err, "%s: connection refused: nothing listens there; check `port` under ssh, and that SSH is enabled on the device", addr)
	}
	var open *ssh.OpenChannelError
	if errors.As(err, &open) {
		return fail(devices.ErrUnreachable, err, "%s: the jump host does not reach it: %s", addr, printable(open.Message))
	}
	return fail(devices.ErrUnreachable, err, "%s: unreachable: %v", addr, err)
}

// printable makes a device's words safe to show and short enough for a message: control characters become
// blanks, and what is longer than 200 characters is cut.
func printable(s string) string {
	const most = 200
	var b strings.Builder
	n := 0
	for _, r := range strings.TrimSpace(s) {
		if n++; n > most {
			b.WriteString("…")
			break
		}
		if !isShown(r) {
			r = ' '
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isShown says whether a character of device text may reach a terminal: no control character (C0, DEL, C1), no
// mark that changes the direction of writing, nothing of no width.
func isShown(r rune) bool {
	switch {
	case r < ' ', r >= 0x7f && r <= 0x9f, r == '\uFFFD':
		return false
	case r >= 0x200b && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2060 && r <= 0x206f, r == 0xfeff:
		return false
	}
	return true
}
