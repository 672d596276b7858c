package corpus

import (
	"regexp"
	"strings"
)

var (
	iosHeader  = regexp.MustCompile(`^[ \t>]*[A-Za-z][\w/.:-]*\d[\w/.:-]* is .*, line protocol is |^\s*pseudowire\S+ is `)
	nxosHeader = regexp.MustCompile(`^\s*[A-Za-z][\w-]*\d[\w/.-]* is (?:up|down|trunking|administratively)\b`)
	asaHeader  = regexp.MustCompile(`^\s*Interface \S+ ".*", is `)
)

var ciscoSets = []Set{
	{Platform: "cisco_nxos", Dir: "cisco_nxos/show_interface", Command: "show interface", Header: nxosHeader.MatchString, Fields: Merge(templates, trees, nxosFields)},
	{Platform: "cisco_iosxr", Dir: "cisco_xr/show_interfaces", Command: "show interfaces", Header: iosHeader.MatchString, Fields: Merge(templates, trees, xrFields)},
	{Platform: "cisco_iosxr", Dir: "cisco_xr/show_interfaces_detail", Command: "show interfaces", Header: iosHeader.MatchString, Fields: Merge(templates, trees, xrFields)},
	{Platform: "cisco_asa", Dir: "cisco_asa/show_interface", Command: "show interface", Header: asaHeader.MatchString, Fields: Merge(templates, trees, asaFields)},
	{Platform: "cisco_asa", Dir: "cisco_asa/show_interface_detail", Command: "show interface", Header: asaHeader.MatchString, Fields: Merge(templates, trees, asaFields)},
}

var aristaSets = []Set{
	{Platform: "arista_eos", Dir: "arista_eos/show_interfaces", Command: "show interfaces", Header: iosHeader.MatchString, Fields: Merge(templates, trees, eosFields)},
}

var nxosFields = map[string]Field{}
var xrFields = map[string]Field{}
var asaFields = map[string]Field{}
var eosFields = map[string]Field{
	"ip_address": Fact("ip"),
}

var _ = strings.ToLower
