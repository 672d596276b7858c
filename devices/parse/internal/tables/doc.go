// Package tables reads the tables and lists that command lines of several vendors print alike: counters of errors,
// port states, ARP, forwarding databases, neighbours, groups of routers, optics, channels. Each function puts what it
// finds into a reading; a line that is no row is passed over.
package tables
