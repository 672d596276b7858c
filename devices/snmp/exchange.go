package snmp

import (
	"encoding/hex"
	"fmt"
	"strconv"
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

func (e *exchanges) keep(id string, v value) {
	if !e.wanted {
		return
	}
	tag, value := recorded(v)
	e.lines.WriteString(id + "|" + tag + "|" + value + "\n")
}

// recorded returns a value's tag and text in the format of snmprec files.
func recorded(v value) (tag, text string) {
	tag = strconv.Itoa(int(v.typ))
	switch val := v.other.(type) {
	case []byte:
		if v.typ == gosnmp.OctetString && printable(val) {
			return tag, string(val)
		}
		return tag + "x", hex.EncodeToString(val)
	case nil:
		switch {
		case !v.given():
			return tag, ""
		case v.typ == gosnmp.Integer:
			return tag, strconv.FormatInt(int64(v.number), 10)
		}
		return tag, strconv.FormatUint(v.number, 10)
	case string:
		return tag, trimDot(val)
	default:
		return tag, fmt.Sprint(val)
	}
}

func printable(b []byte) bool {
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	return true
}
