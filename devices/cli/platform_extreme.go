package cli

import "regexp"

// extremeEXOS is ExtremeXOS. Its prompt counts the commands, and shows by a star that the configuration was not saved:
// "* sw1.12 # ". Commands that end in no-refresh print their table once.
var extremeEXOS = Platform{
	Setup: []string{"disable clipaging"},
	Counters: []string{
		"show ports statistics no-refresh", "show ports rxerrors no-refresh", "show ports txerrors no-refresh", "show ports congestion no-refresh", "show ports [NAME] information detail",
	},
	Log:       []string{"show log", "show switch"},
	Slow:      []string{"show lldp neighbors", "show cpu-monitoring"},
	Once:      []string{"show version"},
	OnRequest: []string{"show ports information", "show fdb", "show iparp"},
	Volatile:  regexp.MustCompile(`\.\d+ [>#]`),
	Unsaved:   "* ",
	Refused:   regexp.MustCompile(`^(?:%% |Error: |Permission denied)`),
	Marks:     Marks{Software: regexp.MustCompile(`ExtremeXOS|Switch Engine`), Prompt: regexp.MustCompile(`\.\d+ [>#] ?$`)},
}
