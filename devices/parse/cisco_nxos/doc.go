// Package cisco_nxos reads what Cisco NX-OS (Nexus switches) prints.
//
// Sources: the command reference of NX-OS 7 to 10, and captures of Nexus 3000 to 9000. What a line does not say is
// not in the reading; lines that are not known are in Reading.Unread.
package cisco_nxos
