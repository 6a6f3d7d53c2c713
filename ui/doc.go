// Package ui is the explorer: it shows a trace as a tree in the terminal and
// turns keys into steps through it.
//
// There is one [tea.Model], which routes. The parts of the screen have no
// Update: a part handles a key by returning an action for the model to run, and
// draws itself. What may read the disk runs as a command; its result comes back
// as a message that applies itself, and is dropped when nobody waits for it any
// more.
//
//	key ──► Model.Update ──► keys (one table) ──► action ──► outline, search, …
//	                │                                │
//	                │         results (apply) ◄── commands: load, count, search, …
//	                ▼
//	             settle: which rows are on the screen, what is missing there
//	                ▼
//	             View: header, breadcrumb, tree, details, status
//
// Rows end in columns of numbers: how many children, and, in a trace with times,
// how long it took, in itself and as a share of what it is in. What takes a walk
// over the children (their number, the time in a call itself) is filled in by
// the background, for the rows on the screen.
//
// Nothing is drawn that could disturb the terminal: see [screen.NextCell].
package ui
