package tables

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// errorColumns lists the columns of "show interfaces counters errors" by their title, of all releases.
var errorColumns = map[string]func(i *devices.Interface) *devices.Opt[devices.Counter]{
	"Align-Err":   func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Alignment },
	"FCS-Err":     func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.FCS },
	"Xmit-Err":    func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutErrors },
	"Rcv-Err":     func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InErrors },
	"UnderSize":   func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Runts },
	"OutDiscards": func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutDrops },
	"InDiscards":  func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InDrops },
	"Late-Col":    func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.LateCollisions },
	"Excess-Col":  func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.ExcessiveCollisions },
	"Exces-Col":   func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.ExcessiveCollisions },
	"Carri-Sen":   func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.CarrierSense },
	"Runts":       func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Fragments },
	"Giants":      func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Giants },
	"OverSize":    func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Giants },
	"Deferred-Tx": func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Deferred },
	"IntMacTx-Er": func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.MACOut },
	"IntMacRx-Er": func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.MACIn },
	"Symbol-Err":  func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Symbol },
	"Stomped-CRC": func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Stomped },
	// EOS
	"FCS":    func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.FCS },
	"Align":  func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Alignment },
	"Symbol": func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.Symbol },
	"Rx":     func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.InErrors },
	"Tx":     func(i *devices.Interface) *devices.Opt[devices.Counter] { return &i.OutErrors },
}

// PortErrors reads "show interfaces counters errors": several tables with the same ports, which are joined. A column
// that is not known is kept as a fact of its title; "--" is not counted.
func PortErrors(output string, r *devices.Reading) {
	lines := text.NewLines(output)
	var titles []string
	at := map[string]int{}
	var ports []devices.Interface
	for {
		line, _, _, ok := lines.Next()
		if !ok {
			break
		}
		f := strings.Fields(line)
		switch {
		case len(f) < 2:
		case f[0] == "Port":
			titles = f[1:]
		case titles != nil && block.IsPortName(f[0]) && len(f)-1 <= len(titles):
			i, ok := at[f[0]]
			if !ok {
				i = len(ports)
				at[f[0]] = i
				ports = append(ports, devices.Interface{Name: f[0]})
			}
			for n, cell := range f[1:] {
				errorCell(&ports[i], titles[n], cell)
			}
		}
	}
	into.Ports(r, ports)
}

func errorCell(i *devices.Interface, title, cell string) {
	n := text.Count(cell)
	if !n.OK {
		return
	}
	if to := errorColumns[title]; to != nil {
		text.SetOpt(to(i), n)
		return
	}
	i.Facts = append(i.Facts, devices.Fact{Name: strings.ReplaceAll(strings.ToLower(title), "-", "_"), Value: cell})
}
