package cli

import (
	"errors"
	"strings"

	"whydrop/devices"
)

// Allowed lists, by platform, every command that can be sent to a device. NAME stands for the name of an
// interface, checked by [validName]. A command that is not here is refused before a byte is sent. The log-out at
// the end of a session is the only other thing that is ever typed, besides the key that turns a pager's page.
var Allowed = map[string][]string{
	"cisco_ios":   iosCommands,
	"cisco_iosxe": iosCommands,
}

var iosCommands = []string{
	"terminal length 0",
	"terminal width 0",
	"terminal width 511",
	"show interfaces",
	"show interfaces NAME",
	"show spanning-tree detail",
	"show logging",
	"show clock",
	"show version",
}

// placeholder is what stands for an interface's name in Allowed.
const placeholder = "NAME"

// defaultPlatform is what a device is asked as whose platform the site file does not give.
const defaultPlatform = "cisco_iosxe"

func platformOf(d devices.Device) string {
	if d.Platform == "" {
		return defaultPlatform
	}
	return d.Platform
}

// errNotAllowed marks a command that was refused here and not sent.
var errNotAllowed = errors.New("not allowed")

// check returns an error unless the command may be sent to the platform, word for word.
func check(platform, command string) error {
	list, ok := Allowed[platform]
	if !ok {
		return fail(devices.ErrUnsupported, nil, "platform %q has no command line here; `platform` is cisco_ios or cisco_iosxe", printable(platform))
	}
	for _, allowed := range list {
		if command == allowed && !strings.HasSuffix(allowed, placeholder) {
			return nil
		}
		before, ok := strings.CutSuffix(allowed, placeholder)
		if !ok {
			continue
		}
		if name, ok := strings.CutPrefix(command, before); ok && validName(name) {
			return nil
		}
	}
	return fail(devices.ErrUnsupported, errNotAllowed, "command %q is not on the list of commands that may be sent", command)
}

// maxName is the longest name of an interface that is sent.
const maxName = 64

// validName says whether s is ^[A-Za-z][A-Za-z0-9/.:_-]{0,63}$, so that no name from a site file or a device can
// carry a second command.
func validName(s string) bool {
	if s == "" || len(s) > maxName {
		return false
	}
	for i := range len(s) {
		c := s[i]
		letter := c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (i == 0 || !(c >= '0' && c <= '9') && strings.IndexByte("/.:_-", c) < 0) {
			return false
		}
	}
	return true
}
