// Package fortios reads what Fortinet's FortiOS prints.
//
// Sources: the FortiOS CLI reference and administration guide, 5.0 to 7.6. The names of counters in "diagnose
// hardware deviceinfo nic" are those of the driver, of which there are three families: with colons and blanks, with
// "=" and underscores, and of network processors. Labels that are not known are facts.
package fortios
