package tables

import (
	"strings"

	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/text"
)

// freeRow reads a row whose columns are not under their titles, as EOS prints some: it is cut at the words that only
// a status can be. ok is false if there is none.
func freeRow(line string) (cells map[string]string, ok bool) {
	f := strings.Fields(line)
	for n := 1; n < len(f); n++ {
		if !isStatus(f[n]) {
			continue
		}
		cells = map[string]string{"Port": f[0], "Name": strings.Join(f[1:n], " "), "Status": f[n]}
		rest := f[n+1:]
		if len(rest) > 1 && rest[0] == "in" {
			rest = rest[1:] // in Po49
		}
		for i, title := range []string{"Vlan", "Duplex", "Speed"} {
			if i < len(rest) {
				cells[title] = rest[i]
			}
		}
		if len(rest) > 3 {
			cells["Type"] = strings.Join(rest[3:], " ")
		}
		return cells, block.IsPortName(f[0])
	}
	return nil, false
}

func isStatus(s string) bool {
	switch s {
	case "connected", "notconnect", "disabled", "errdisabled", "inactive":
		return true
	}
	return false
}

// under says whether a row's port and status lie under their titles: a status is one word of letters, and of hyphens.
func under(c text.Columns, line string) bool {
	status := c.Cell(line, "Status")
	other := func(r rune) bool { return r > 0x7f || r != '-' && !text.IsLetter(byte(r)) }
	return c.Begins(line, "Status") && !strings.ContainsFunc(status, other) && block.IsPortName(c.Cell(line, "Port"))
}
