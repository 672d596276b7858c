// Package cisco_iosxr reads what Cisco IOS XR (ASR 9000, NCS, 8000) prints.
//
// Sources: the command reference of IOS XR 6 and 7, and captures of ASR 9000 and NCS 5500. "Unknown" and "Input/output
// data rate is disabled." are no figures. Lines that are not known are in Reading.Unread.
package cisco_iosxr
