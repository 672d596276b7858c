package block

import (
	"strings"

	"whydrop/devices/parse/internal/text"
)

// Labelled puts the counter that a value is where its label says, and says whether it knew the label. A value of
// any other label is kept as a fact of that name, with underscores for what is no letter or digit.
func Labelled(p *Port, label, value string, fields map[string]Where) (known bool) {
	if w := fields[label]; w != nil {
		text.SetOpt(w(p), text.Count(value))
		return true
	}
	p.KnowOnce(FactName(label), value)
	return false
}

// FactName returns a label as the name of a fact: "Rx Crc err" is rx_crc_err.
func FactName(label string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(label), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "_")
}
