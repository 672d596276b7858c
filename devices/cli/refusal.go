package cli

import (
	"regexp"
	"strings"
)

// refusal returns the device's own words if the answer is a refusal of the command and nothing else: a line
// that begins with "% ", or is one of the platform's refusals, within the first lines. (A log message begins with
// %FAC-SEV-MNEM.)
func refusal(text string, others *regexp.Regexp) string {
	const first = 4
	for i, line := range strings.SplitN(text, "\n", first+1) {
		line = strings.TrimSpace(line)
		if i < first && (strings.HasPrefix(line, "% ") || strings.HasPrefix(line, "Command authorization failed") || others != nil && others.MatchString(line)) {
			return printable(line)
		}
	}
	return ""
}

// notKnown matches what shells and systems other than IOS say to a command that they do not have.
var notKnown = regexp.MustCompile(`(?i)command not found|: not found$|^command '.{0,40}' not found|not recognized as an internal|` +
	`unrecognized command|^unknown (?:command|action)|^bad command name|^-?\w{0,10}: .{0,40}: no such file or directory`)

// foreign returns the device's own words if it is none of this platform: a short answer of another system's to a
// command that it does not have.
func foreign(text string) string {
	const first, most = 3, 12 // lines
	lines := strings.SplitN(strings.TrimSpace(text), "\n", most+1)
	if len(lines) > most {
		return ""
	}
	for _, line := range lines[:min(first, len(lines))] {
		if line = strings.TrimSpace(line); notKnown.MatchString(line) {
			return strings.ReplaceAll(printable(line), "`", "'")
		}
	}
	return ""
}

// general returns a command without the name of a port.
func general(platform, command string) string {
	p := Platforms[platform]
	for _, c := range p.Counters {
		if strings.Contains(c, optional) && fits(strings.Replace(c, optional, "NAME", 1), command) {
			return without(c)
		}
	}
	return command
}
