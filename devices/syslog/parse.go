package syslog

import (
	"regexp"
	"strings"
	"time"

	"whydrop/devices"
)

// Parse reads one line. It never fails: the result holds the line as Text, and as much as was understood. ref is
// a moment close to which the line was written, such as when it was received; it gives the year where the line
// has none. A zero ref leaves the time of such a line out.
func Parse(line string, ref time.Time) devices.LogLine {
	l := devices.LogLine{Text: line}
	rest := strings.TrimSpace(line)
	rest, pri := priority(rest)
	head, mnemonic, message := cut(rest)
	if mnemonic.mnemonic == "" {
		head, mnemonic, message = cutSlashes(rest)
	}
	if mnemonic.mnemonic != "" {
		l.Facility, l.Mnemonic = mnemonic.facility, mnemonic.mnemonic
		l.Severity = devices.Some(mnemonic.severity)
		if mnemonic.unit != "" {
			l.Attrs = map[string]string{"unit": mnemonic.unit}
		}
	} else {
		l.Severity = pri
	}
	const header = 1 << 10 // no header is longer
	st := findStamp(head[:min(len(head), header)])
	l.Host = host(head, st)
	if st.ok {
		l.Clock = st.clock
		if t, ok := st.time(ref); ok {
			l.Time = devices.Some(t)
		}
		if mnemonic.mnemonic == "" {
			message = strings.TrimLeft(head[st.end:], ": ")
		}
	} else if mnemonic.mnemonic == "" {
		message = head
	}
	l.Message = strings.TrimSpace(message)
	understand(&l, rest)
	return l
}

// priority takes "<PRI>" from the front (RFC 3164, section 4.1.1) and returns the severity in it.
func priority(s string) (rest string, severity devices.Opt[int]) {
	if !strings.HasPrefix(s, "<") {
		return s, severity
	}
	n, i := 0, 1
	for i < len(s) && i <= 3 && isDigit(s[i]) {
		n = n*10 + int(s[i]-'0')
		i++
	}
	const highest = 191 // facility 23, severity 7
	if i == 1 || i >= len(s) || s[i] != '>' || n > highest {
		return s, severity
	}
	return s[i+1:], devices.Some(n & 7)
}

// host returns the name that a header gives its sender: before the date on Cisco's, behind it on most others.
func host(head string, st stamp) string {
	before, after := "", ""
	if st.ok {
		before, after = head[:st.begin], head[st.end:]
	}
	if name, _, _ := strings.Cut(strings.TrimLeft(after, ": "), " "); hostName(name) {
		return strings.TrimSuffix(name, ":")
	}
	for part := range strings.SplitSeq(strings.TrimRight(before, "*. "), ":") {
		if name, _, _ := strings.Cut(strings.TrimSpace(part), " "); hostName(name) && strings.Trim(name, "0123456789") != "" {
			return name
		}
	}
	return ""
}

// hostName says whether a word can be a host's name or address, and no process or date.
func hostName(s string) bool {
	if s == "" || len(s) > 255 || strings.HasSuffix(s, ":") || s[0] == '-' || s[0] == '%' {
		return false
	}
	for i := range len(s) {
		c := s[i]
		if !isLetter(c) && !isDigit(c) && c != '-' && c != '_' && c != '.' && c != ':' {
			return false
		}
	}
	return true
}

// code is a message's name: %FACILITY-UNIT-SEVERITY-MNEMONIC.
type code struct {
	facility, unit, mnemonic string
	severity                 int
}

// cut finds the message's name in a line and returns what stands before it, the name, and the message after it.
// Without a name all is head.
func cut(s string) (head string, c code, message string) {
	for from := 0; ; {
		i := strings.IndexByte(s[from:], '%')
		if i < 0 {
			return s, code{}, ""
		}
		i += from
		if c, n := readCode(s[i+1:]); n > 0 {
			return s[:i], c, strings.TrimLeft(s[i+1+n:], " ")
		}
		from = i + 1
	}
}

// readCode reads FACILITY-UNIT-SEVERITY-MNEMONIC and the colon after it (which the ASA leaves out of some), and
// returns how long they are; 0 if it is none.
func readCode(s string) (c code, n int) {
	end := 0
	for end < len(s) && (isUpper(s[end]) || isDigit(s[end]) || s[end] == '_' || s[end] == '-' || s[end] == '/' || s[end] >= 'a' && s[end] <= 'z') {
		end++
	}
	name := s[:end]
	after := strings.TrimLeft(s[end:], " ")
	if name == "" || !isUpper(name[0]) || len(after) == len(s[end:]) && after != "" && after[0] != ':' {
		return code{}, 0
	}
	after = strings.TrimPrefix(after, ":")
	parts := strings.Split(name, "-")
	for i := 1; i < len(parts)-1; i++ {
		if len(parts[i]) == 1 && parts[i][0] >= '0' && parts[i][0] <= '7' {
			c = code{facility: parts[0], unit: strings.Join(parts[1:i], "-"), severity: int(parts[i][0] - '0'), mnemonic: strings.Join(parts[i+1:], "-")}
			return c, len(s) - len(after)
		}
	}
	return code{}, 0
}

// slashes is the name of a message of VRP and Comware: %%01IFNET/4/LINK_STATE(l)[7]: or %%10IFNET/3/LINK_UPDOWN:
var slashes = regexp.MustCompile(`(?:^| )%{0,2}(?:0\d|10)?([A-Z][A-Z0-9_]*)/([0-7])/([A-Za-z][A-Za-z0-9_]*)(?:\([a-z]+\))?(?:\[\d+\])?:`)

// cutSlashes is cut for names whose parts slashes part.
func cutSlashes(s string) (head string, c code, message string) {
	if strings.IndexByte(s, '/') < 0 {
		return s, code{}, ""
	}
	const header = 512 // what stands in front of the name is shorter
	m := slashes.FindStringSubmatchIndex(s[:min(len(s), header)])
	if m == nil {
		return s, code{}, ""
	}
	c = code{facility: s[m[2]:m[3]], severity: int(s[m[4]] - '0'), mnemonic: s[m[6]:m[7]]}
	return s[:m[0]], c, strings.TrimLeft(s[m[1]:], " ")
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isUpper(c byte) bool { return c >= 'A' && c <= 'Z' }
