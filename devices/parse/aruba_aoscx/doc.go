// Package aruba_aoscx reads what AOS-CX prints on Aruba CX switches.
//
// Sources: the AOS-CX Command-Line Interface Guide, 10.04 to 10.13, and captures of CX 6000 to 8000 switches. Lines
// that are not known are in Reading.Unread.
package aruba_aoscx
