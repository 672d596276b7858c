package tables

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// Processor reads "CPU utilization for five seconds: 15%/1%; one minute: 12%; five minutes: 10%" of IOS, NX-OS, IOS XR
// and ASA: the shortest interval, and behind the slash the share of interrupts.
func Processor(output string, r *devices.Reading) {
	for line := range text.Each(output) {
		rest, ok := strings.CutPrefix(line, "CPU utilization for ")
		if !ok {
			continue
		}
		_, rest, _ = strings.Cut(rest, "second")
		if rest == "" { // XR: for one minute
			_, rest, _ = strings.Cut(line, "minute")
		}
		_, rest, _ = strings.Cut(rest, ":")
		v, rest, ok := text.Float(strings.TrimLeft(rest, " ="))
		if !ok || v < 0 || v > 100 {
			continue
		}
		text.Set(&r.CPU, v/100)
		if rest, ok := strings.CutPrefix(rest, "%/"); ok {
			if v, _, ok := text.Float(rest); ok && v <= 100 {
				text.Set(&r.Interrupt, v/100)
			}
		}
	}
}
