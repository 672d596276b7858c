package parse

import (
	"whydrop/devices/parse/extreme_exos"
	"whydrop/devices/parse/internal/tables"
)

// extremeEXOS is of ExtremeXOS.
var extremeEXOS = map[string]Parser{
	"show ports statistics no-refresh": plain(extreme_exos.ShowPortsCounters),
	"show ports rxerrors no-refresh":   plain(extreme_exos.ShowPortsCounters),
	"show ports txerrors no-refresh":   plain(extreme_exos.ShowPortsCounters),
	"show ports congestion no-refresh": plain(extreme_exos.ShowPortsCounters),
	"show ports information":           plain(extreme_exos.ShowPortsInformation),
	"show ports information detail":    plain(extreme_exos.ShowPortsInformationDetail),
	"show cpu-monitoring":              plain(tables.Busy),
	"show iparp":                       plain(extreme_exos.ShowIPARP),
	"show fdb":                         plain(extreme_exos.ShowFDB),
	"show lldp neighbors":              plain(extreme_exos.ShowLLDPNeighbors),
	"show log":                         datedLog,
	"show switch":                      wallClock("Current Time:"),
	"show version":                     version("ExtremeXOS"),
}
