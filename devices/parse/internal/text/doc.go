// Package text holds what the parsers of all platforms read texts with: lines, counters with and without thousands
// separators, rates in any unit, lengths of time, addresses, and tables by the columns of their header.
//
// Nothing here knows a platform. A value that is not in the text, or that the device says it does not count ("-",
// "--", "n/a"), is not given; it is never 0.
package text
