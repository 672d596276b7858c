// Package paloalto_panos reads what Palo Alto Networks' PAN-OS prints.
//
// Sources: the PAN-OS CLI reference, 6.1 to 11.1, and the vendor's articles on what the counters of an interface
// mean. Lines that are not known are in Reading.Unread.
package paloalto_panos
