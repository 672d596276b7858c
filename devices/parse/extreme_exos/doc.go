// Package extreme_exos reads what ExtremeXOS (EXOS, Switch Engine) prints.
//
// Sources: the command references of ExtremeXOS 16.2 to 32.x. A port's name is its number, "5" or "1:5" in a stack.
// Lines of show ports information detail that are not known are in Reading.Unread.
package extreme_exos
