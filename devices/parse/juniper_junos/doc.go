// Package juniper_junos reads what Juniper Junos OS (EX, QFX, MX, SRX) prints.
//
// Sources: the CLI reference of Junos OS 18 to 23, and captures of EX, QFX, MX and SRX. A logical interface (ge-0/0/0.0)
// is an interface of its own beside its physical one. "Framing errors" are frames with a wrong checksum; "FIFO errors"
// are frames that the port's memory was too slow for. Lines that are not known are in Reading.Unread.
package juniper_junos
