package cisco_ios

import (
	"strings"

	"whydrop/devices/parse/internal/text"
)

// ShowVersion returns what the software calls itself, in one line, and the device's host name; "" for what is not
// given.
func ShowVersion(output string) (software, hostname string) {
	l := text.NewLines(output)
	for {
		line, _, _, ok := l.Next()
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
