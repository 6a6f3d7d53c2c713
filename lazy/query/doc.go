// Package query answers questions about a trace: which methods take the time, who calls a method,
// where exceptions go. An answer is made by a [lazy.Pass] over the data and becomes a table, which
// the explorer draws and a command prints.
//
//	Scope    which part of a trace is asked about
//	Top      a table of methods, classes, packages, files or threads: time, points and calls
//	TopDiff  two Tops beside each other, by method: what took longer in the second
//	Callers  paths by which a method is called, or what it calls
//	Throws   exceptions: where they were thrown and caught
//	Find     the points that match a filter, as a set of places
//	Around   the points of all threads around one of them, in one order
//	At       what all threads were in at a moment, and what they waited for
//	Lines    what a call itself did at each line of its source
//	Log      lines for points, in the order of all threads
//	Calls    all calls of a method with their values, in any order or grouped
//
// An answer can be asked for its table at any time: while the pass runs it is that of the data
// read so far.
//
// The file of an answer has what it finds, NAME_part its visitor, NAME_table its columns; package table puts rows in order
// and limits them. Below the answers are scope, edits and steps, the part of the trace that is asked about; filters, match
// and set, what filters hold for; pass, the readers of single points; points and groups.
package query

import (
	"context"

	"tracex/lazy/query/display"
)

// View is how an answer is shown.
type View struct {
	Sort   string // the key of the column that orders the rows; "" for the usual order
	Rising bool
	Done   float64 // how much of the data has been read, from 0 to 1
	G      *display.Glyphs
	List   bool // of Throws: one by one, not sorted
	Last   int  // of a History: only so many values, the last ones; 0 for all
	// Read reads rows of found points, calls and log lines when they are asked for, until it ends. If it is nil, they are
	// known once they are loaded. A row that could not be read is not known.
	Read context.Context
}
