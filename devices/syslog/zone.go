package syslog

import "time"

// zones lists the abbreviations of time zones that devices are configured with and that mean one thing, in hours
// from UTC. CST, IST and the like mean several and are not in it.
var zones = map[string]float64{
	"UTC": 0, "GMT": 0, "Z": 0, "WET": 0, "WEST": 1, "BST": 1, "CET": 1, "MET": 1, "MEZ": 1, "CEST": 2, "MEST": 2, "MESZ": 2,
	"EET": 2, "EEST": 3, "MSK": 3, "EST": -5, "EDT": -4, "CDT": -5, "MST": -7, "MDT": -6, "PST": -8, "PDT": -7,
	"AKST": -9, "AKDT": -8, "HST": -10, "JST": 9, "KST": 9, "HKT": 8, "SGT": 8, "AWST": 8, "ACST": 9.5, "AEST": 10, "AEDT": 11,
	"NZST": 12, "NZDT": 13,
}

// Zone returns the time zone that an abbreviation in a device's clock stands for. One that looks like a zone but
// is not known, such as a name of the operator's own, is taken as UTC, which the location's name shows; ok is
// false for a word that can be no zone.
func Zone(word string) (zone *time.Location, ok bool) {
	if h, ok := zones[word]; ok {
		if h == 0 {
			return time.UTC, true
		}
		return time.FixedZone(word, int(h*3600)), true
	}
	if len(word) < 3 || len(word) > 5 { // IOS takes up to seven letters; longer ones are host names here
		return nil, false
	}
	for i := range len(word) {
		if !isUpper(word[i]) {
			return nil, false
		}
	}
	return time.FixedZone(word, 0), true
}

// known says whether an abbreviation means one zone.
func known(word string) bool {
	_, ok := zones[word]
	return ok
}
