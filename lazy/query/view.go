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
