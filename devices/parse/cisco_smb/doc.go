// Package cisco_smb reads what the small-business switches of Cisco (SF/SG 200 to 500, 250 to 550, CBS 250 and 350)
// print.
//
// Sources: the command reference of the 300 and 350 series and of Catalyst 1200 and 1300. Most of it is tables, whose
// columns are where the header has them; "--" is no value.
package cisco_smb
