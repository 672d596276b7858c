// Package brocade_fastiron reads what FastIron (Brocade, now Ruckus ICX) and NetIron (MLX, XMR, CES, CER) print; the two
// print interfaces alike.
//
// Sources: the command references of FastIron 08.0 to 09.0 and of NetIron 5.9 to 6.3. Lines that are not known are in
// Reading.Unread.
package brocade_fastiron
