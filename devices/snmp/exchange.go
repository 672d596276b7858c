package snmp

import (
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/gosnmp/gosnmp"
)

// exchanges writes down the answers of one poll as lines "identifier|tag|value", the format of snmpsim's snmprec
// files: 2 integer, 4 text, 4x text in hex, 6 identifier, 64x address, 65 Counter32, 66 Gauge32, 67 TimeTicks,
// 70 Counter64; 128 and 129 are noSuchObject and noSuchInstance. It does nothing unless it is wanted.
type exchanges struct {
	wanted bool
	lines  strings.Builder
}

func (e *exchanges) reset(wanted bool) {
	e.wanted = wanted
	e.lines.Reset()
}

func (e *exchanges) keep(id string, v gosnmp.SnmpPDU) {
	if !e.wanted {
		return
	}
	tag, value := fmt.Sprint(int(v.Type)), ""
	switch val := v.Value.(type) {
	case []byte:
		tag, value = fmt.Sprint(int(v.Type), "x"), hex.EncodeToString(val)
		if v.Type == gosnmp.OctetString && printable(val) {
			tag, value = "4", string(val)
		}
	case nil:
	default:
		value = fmt.Sprint(val)
	}
	e.lines.WriteString(id + "|" + strings.ReplaceAll(tag, " ", "") + "|" + value + "\n")
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
