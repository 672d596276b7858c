// Package cisco_ios reads what Cisco IOS and IOS-XE print for show interfaces, show spanning-tree detail, show
// logging, show clock and show version, as their command references describe it.
//
// The parsers scan line by line and know fields by their labels, never by their place. Every field is optional:
// what a device does not print, or prints as - or -- or -1, stays not given and is never 0. Lines and labels that
// are not known are passed over. Text around the output (an echoed command, a prompt, "Load for five secs", a
// pager's remains, carriage returns) does no harm.
//
// What it leaves to others: sending the commands (cli), and subtracting counters (devices.Differ).
package cisco_ios
