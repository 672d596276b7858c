// Package cisco_asa reads what Cisco ASA firewalls, and the ASA side of Firepower Threat Defense, print.
//
// Sources: the command reference of ASA 9, and captures of ASA 5500 and Firepower 1000 to 4100. An interface has two
// sets of counters: those of the hardware, and the "Traffic Statistics" of the named interface. The hardware's are
// read where there are any; drops of the traffic statistics are what the firewall dropped by policy. Rates are packets
// first and in bytes. Lines that are not known are in Reading.Unread.
package cisco_asa
