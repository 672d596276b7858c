package cli

import "regexp"

// linuxHost is a Linux host, which has no pager and need not have every tool.
var linuxHost = Platform{
	Counters:  []string{"ip -s -s -d link show [NAME]"},
	States:    []string{"ethtool -S NAME", "ethtool NAME", "bridge -d link"},
	Log:       []string{"date +%FT%T.%N%:z"},
	LogToo:    []string{"journalctl -k -n 200 --no-pager -o short-iso-precise"},
	Slow:      []string{"ethtool -m NAME"},
	Once:      []string{"cat /proc/version"},
	OnRequest: []string{"ip neigh", "bridge fdb show", "dmesg --time-format iso"},
	Lacks:     regexp.MustCompile(`(?i)not found$|no such file or directory|operation not permitted|permission denied`),
	Refused:   regexp.MustCompile(`^(?:Device "\S+" does not exist|Cannot find device |netlink error: No such device|Cannot get device settings: No such device)`),
	Marks:     Marks{Software: regexp.MustCompile(`^Linux version |^Linux \S+ \d+\.\d+\.`), Prompt: regexp.MustCompile(`^(?:\(\S+\) )?[\w.-]+@[\w.-]+:[~/]\S*[$#]$`)},
}

// mikrotikRouterOS is MikroTik RouterOS. The user's suffix switches colours and the guessing of the terminal off and
// gives it a width at which no value is folded. The ports' own counters are asked for before the processor's.
var mikrotikRouterOS = Platform{
	Counters:   []string{"interface ethernet print stats-detail without-paging", "interface print stats-detail without-paging"},
	States:     []string{"interface ethernet monitor NAME once"},
	Log:        []string{"system clock print", "log print without-paging"},
	Slow:       []string{"interface bonding print detail without-paging", "ip neighbor print detail without-paging", "system resource print"},
	OnRequest:  []string{"interface print detail without-paging", "interface bridge host print detail without-paging", "interface vlan print detail without-paging", "ip arp print without-paging"},
	Exit:       "quit",
	UserSuffix: "+cte511w",
	Lacks:      regexp.MustCompile(`^(?:bad command name|expected |syntax error|input does not match|no such item|invalid value|not enough permissions|failure: )`),
	Marks: Marks{
		Banner:   regexp.MustCompile(`ROSSSH`),
		Prompt:   regexp.MustCompile(`^\[[^@\]]+@[^\]]+\] (?:/?[\w /-]+)?>$`),
		Software: regexp.MustCompile(`^RouterOS `),
	},
}
