package cisco_ios

import "strings"

// ShowVersion returns what the software calls itself, in one line, and the device's host name; "" for what is not
// given.
func ShowVersion(text string) (software, hostname string) {
	l := lines{text: text}
	for {
		line, _, _, ok := l.next()
		switch {
		case !ok:
			return software, hostname
		case software == "" && strings.Contains(line, "Version ") && (strings.Contains(line, "IOS") || strings.Contains(line, "Cisco")):
			software = line
		case hostname == "":
			if name, _, ok := strings.Cut(line, " uptime is "); ok && strings.IndexByte(name, ' ') < 0 {
				hostname = name
			}
		}
	}
}
