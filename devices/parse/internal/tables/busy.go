package tables

import (
	"regexp"
	"strconv"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// busy lists how platforms say how busy their processor is, in percent, the surer first.
var busy = []*regexp.Regexp{
	regexp.MustCompile(`(?m)^\s*5 +sec +av[eg]+ *: +(\d+) percent busy`),                // ProCurve, FastIron: of the last 5 seconds
	regexp.MustCompile(`(?m)^\s*(\d+) percent busy`),                                    // the same, of some time
	regexp.MustCompile(`(?m)^\s*CPU usage\(%\) *: *(\d+)`),                              // AOS-CX
	regexp.MustCompile(`(?m)^\s*(\d+)% in last 5 seconds`),                              // Comware
	regexp.MustCompile(`(?m)^\s*(?:System )?CPU (?:[Uu]sage|use rate is) *: *(\d+)%`),   // VRP
	regexp.MustCompile(`(?m)\bfive seconds: *(\d+) ?%`),                                 // switches for small businesses, VRP
	regexp.MustCompile(`(?m)^System +(?:n/a +){0,2}(\d+(?:\.\d+)?) +\d+(?:\.\d+)? +\d`), // ExtremeXOS: 5 seconds first
}

// memory is how AOS-CX says how much of its memory is used.
var memory = regexp.MustCompile(`(?m)^\s*Memory usage\(%\) *: *(\d+)`)

// Busy reads how busy the control plane's processor is, as many platforms print it. Where several units are listed, the
// busiest counts.
func Busy(output string, r *devices.Reading) {
	for _, re := range busy {
		if v, ok := percent(re, output); ok {
			text.Set(&r.CPU, v)
			break
		}
	}
	if v, ok := percent(memory, output); ok {
		text.Set(&r.Memory, v)
	}
}

// percent returns the largest of the percentages that re finds, as a ratio.
func percent(re *regexp.Regexp, output string) (most float64, ok bool) {
	for _, m := range re.FindAllStringSubmatch(output, -1) {
		if v, err := strconv.ParseFloat(m[1], 64); err == nil && v <= 100 {
			most, ok = max(most, v/100), true
		}
	}
	return most, ok
}
