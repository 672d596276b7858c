package snmptest

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"strconv"
	"strings"

	"whydrop/devices/snmp/internal/oid"
)

// Load sets the objects of a walk in snmpsim's snmprec format: lines "identifier|tag|value", where the tag is the
// ASN.1 type in decimal (2 integer, 4 text, 5 null, 6 identifier, 64 address, 65 Counter32, 66 Gauge32, 67
// TimeTicks, 70 Counter64), followed by x if the value is in hex. It returns how many lines it did not
// understand; those are left out. An error is one of reading r.
func (a *Agent) Load(r io.Reader) (skipped int, err error) {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		line := strings.TrimRight(lines.Text(), "\r")
		if line == "" || line[0] == '#' {
			continue
		}
		f := strings.SplitN(line, "|", 3)
		if len(f) != 3 {
			skipped++
			continue
		}
		_, bad := oid.Pack(f[0])
		v, err := recorded(f[1], f[2])
		if bad != nil || err != nil {
			skipped++
			continue
		}
		a.Set(f[0], v)
	}
	return skipped, lines.Err()
}

func recorded(tag, value string) (Value, error) {
	if t, ok := strings.CutSuffix(tag, "x"); ok {
		b, err := hex.DecodeString(strings.TrimPrefix(strings.TrimSpace(value), "0x"))
		if err != nil {
			return Value{}, err
		}
		if t == "64" && len(b) == 4 {
			return IP(netip.AddrFrom4([4]byte(b))), nil
		}
		if t != "4" {
			return Value{}, fmt.Errorf("snmptest: tag %q", tag)
		}
		return Bytes(b), nil
	}
	number := func(bits int) (uint64, error) { return strconv.ParseUint(value, 10, bits) }
	switch tag {
	case "2":
		n, err := strconv.ParseInt(value, 10, 32)
		return Int(int(n)), err
	case "4":
		return Str(value), nil
	case "5":
		return Null(), nil
	case "6":
		_, err := oid.Pack(value)
		return OID(value), err
	case "64":
		a, err := netip.ParseAddr(value)
		if err != nil || !a.Is4() {
			return Value{}, fmt.Errorf("snmptest: address %q", value)
		}
		return IP(a), nil
	case "65":
		n, err := number(32)
		return C32(uint32(n)), err
	case "66":
		n, err := number(32)
		return Gauge(uint32(n)), err
	case "67":
		n, err := number(32)
		return Ticks(uint32(n)), err
	case "70":
		n, err := number(64)
		return C64(n), err
	}
	return Value{}, fmt.Errorf("snmptest: tag %q", tag)
}
