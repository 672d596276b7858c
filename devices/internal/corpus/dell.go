package corpus

import "regexp"

var dellHeader = regexp.MustCompile(`^[A-Za-z-]+ ?\d\S* is \w[\w ]*, line protocol is `)

// dellSets has no expected file: every header is to be found, and no more.
var dellSets = []Set{
	{Platform: "dell_force10", Dir: "dell_force10/show_interfaces", Command: "show interfaces", Header: dellHeader.MatchString},
}
