package tables

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// FlowControl reads "show flowcontrol" and "show interfaces flow-control": a row for each port, whose last two words are the
// pause frames received and sent.
func FlowControl(output string, r *devices.Reading) {
	var ports []devices.Interface
	table := false
	for line := range text.Each(output) {
		const fewest = 5
		f := strings.Fields(line)
		n := len(f)
		switch {
		case n > 2 && f[n-2] == "RxPause" && f[n-1] == "TxPause":
			table = true
		case table && n >= fewest && block.IsPortName(f[0]):
			p := devices.Interface{Name: f[0]}
			p.InPause, p.OutPause = text.Count(f[n-2]), text.Count(f[n-1])
			ports = append(ports, p)
		}
	}
	into.Ports(r, ports)
}
