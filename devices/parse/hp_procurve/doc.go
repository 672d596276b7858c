// Package hp_procurve reads what HP ProCurve and ArubaOS-Switch (AOS-S) print.
//
// Sources: the ArubaOS-Switch Management and Configuration Guide, 16.04 to 16.11, the ProCurve guides of K.15 and
// before, and captures of 2500 to 5400 switches. What a table counts in both directions together (total bytes, total
// frames) is a fact, since no counter of one direction may hold it.
package hp_procurve
