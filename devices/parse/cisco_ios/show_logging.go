package cisco_ios

import (
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
	"whydrop/devices/syslog"
)

// maxMessage is how long a message of several lines may get; IOS's own end within some hundred characters.
const maxMessage = 16 << 10

// ShowLogging reads the buffer in the output of "show logging", oldest line first, as the device keeps it. ref is
// when it was asked; it gives the lines their year. What a message goes on with on further lines is joined to it
// with newlines, up to a limit. The first line is left out where the buffer has overwritten its beginning. Without
// a log buffer in the text, or one that is switched off, the result is nil; for an empty buffer it is empty.
func ShowLogging(output string, ref time.Time) []devices.LogLine {
	if text.Noisy(output) {
		output = text.Denoise(output)
	}
	var out []devices.LogLine
	if _, buffer, ok := strings.Cut(output, "Log Buffer ("); ok {
		out = []devices.LogLine{}
		_, output, _ = strings.Cut(buffer, "\n")
	} else if strings.Contains(output, "Syslog logging:") {
		return nil
	}
	for line := range strings.SplitSeq(output, "\n") {
		line = strings.TrimRight(line, " \t\r")
		line = strings.TrimPrefix(strings.TrimPrefix(line, " --More--"), "--More--")
		if strings.TrimSpace(line) == "" {
			continue
		}
		l := syslog.Parse(strings.TrimLeft(line, " "), ref)
		if l.Mnemonic == "" && !l.Time.OK {
			if n := len(out); n > 0 && len(out[n-1].Text) < maxMessage {
				out[n-1].Text += "\n" + line
				out[n-1].Message += "\n" + line
			}
			continue
		}
		out = append(out, l)
	}
	if len(out) > 1 && !out[0].Time.OK && out[1].Time.OK {
		out = out[1:] // "7:04: %LINEPROTO-5-UPDOWN: ...": its front was overwritten
	}
	return out
}
