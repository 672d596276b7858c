package snmp

import "strings"

// objectNames lists what the names of a table's objects begin with, for the tables of counters that no recording of a
// real device has. Sources of metrics are given by the names of objects.
var objectNames = map[string][]string{
	"dot3HCStatsTable":               {"dot3HCStats"},
	"dot3PauseTable":                 {"dot3InPause", "dot3OutPause", "dot3HCInPause", "dot3HCOutPause"},
	"ifMauTable counters":            {"ifMauMediaAvailableStateExits"},
	"ifMauAutoNegTable":              {"ifMauAutoNeg"},
	"lifTable":                       {"locIf"},
	"aristaIfTable":                  {"aristaIf"},
	"aristaEgressQueueTable":         {"aristaEgressQueue"},
	"cpscStatusTable broadcast":      {"cpsc"},
	"cportQosClassIngressStatsTable": {"cportQos"},
	"cbQosCMStatsTable":              {"cbQos"},
	"cdaiStatisticsTable":            {"cdai"},
	"hh3cEntityExtStateTable":        {"hh3cEntityExt"},
}

// Unseen says whether an object of that name, as the sources of metrics give it, is of a table that no recording of a
// real device has: it is read as its MIB describes it, and tested against agents of our own alone.
func Unseen(object string) bool {
	for _, t := range Tables {
		if !t.Unseen {
			continue
		}
		for _, begins := range objectNames[t.Name] {
			if strings.HasPrefix(object, begins) {
				return true
			}
		}
	}
	return false
}
