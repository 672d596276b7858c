package corpus

import (
	"regexp"
	"strings"

	"whydrop/devices"
)

var (
	exosPort = regexp.MustCompile(`^Port:\t`)
	exosRow  = regexp.MustCompile(`^\d+(?::\d+)? +[ED]\S+ +(?:ready|active) `)
)

var extremeSets = []Set{
	{Platform: "extreme_exos", Dir: "extreme_exos/show_ports_information_detail", Command: "show ports information detail", Header: exosPort.MatchString, Fields: exosDetail},
	{Platform: "extreme_exos", Dir: "extreme_exos/show_ports_information", Command: "show ports information", Header: exosRow.MatchString, Fields: exosTable},
}

var exosDetail = map[string]Field{
	"interface": templates["interface"], "description": templates["description"], "admin_state": Fact("admin_state"), "link_state": Fact("link_state").As(Prefix(" ")), "type": Fact("type"),
	"link_ups_num": Fact("link_ups").As(Prefix(" ")), "link_downs_num": Fact("link_downs").As(Prefix(" ")), "link_ups_last": word("link_ups", "Last: "), "link_downs_last": word("link_downs", "Last: "),
	"random_early_drop": Fact("random_early_drop"), "virtual_router": Fact("virtual_router"), "vlan_id": allOf("vlan"),
}

var exosTable = map[string]Field{
	"interface": templates["interface"], "flags": Fact("flags"), "link_state": Fact("link_state"), "link_ups": Fact("link_ups"), "elsm": Fact("elsm"), "oam": Fact("oam"), "num_stp": Fact("stp_domains"),
	"num_vlan": Fact("vlans"), "num_proto": Fact("protocols"), "jumbo_size": Fact("jumbo_size"), "qos_profile": Fact("qos_profile"), "load_master": Fact("load_master"),
}

// allOf returns every value of a fact, with blanks between them.
func allOf(name string) Field {
	return Field{Get: func(i *devices.Interface) string {
		var out []string
		for _, f := range i.Facts {
			if f.Name == name {
				out = append(out, f.Value)
			}
		}
		return strings.Join(out, " ")
	}}
}
