// Package arista_eos reads what Arista EOS prints.
//
// Sources: the EOS manual, 4.20 to 4.32, and captures of DCS-7000 switches and vEOS. Lines that are not known are in
// Reading.Unread.
package arista_eos
