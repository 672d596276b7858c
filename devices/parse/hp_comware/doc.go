// Package hp_comware reads what HPE and H3C Comware print.
//
// Sources: the H3C and HPE FlexNetwork Command References of Comware 5 and Comware 7, and captures of 5500, 5900, 10500
// and MSR. "-" is not counted. Physical ports give rates in bytes, others in bytes and bits. Lines that are not known
// are in Reading.Unread.
package hp_comware
