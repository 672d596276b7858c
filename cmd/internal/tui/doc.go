// Package tui shows a run in the terminal, live or replayed: is it dropping now, since when, where, why.
//
// A [Model] is built from a snapshot and knows no widgets; views draw it on a canvas of cells and know no terminal;
// one primitive of tview (github.com/rivo/tview, on tcell v2) puts the canvas on the screen. Device text is drawn
// cell by cell and never goes through tview's markup; it passes report.Clean before.
//
// One goroutine builds models and queues updates, four times a second; it is the only one that does, and it ends
// before the application is stopped, because an update that is queued after that would wait for ever.
package tui
