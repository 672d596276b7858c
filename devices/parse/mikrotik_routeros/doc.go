// Package mikrotik_routeros reads what MikroTik's RouterOS prints.
//
// Sources: the RouterOS manual, 6.40 to 7.16. The forms with "detail" are read, in which every value has its name,
// and not the tables, whose columns depend on the width of the terminal. Names that are not known are facts.
package mikrotik_routeros
