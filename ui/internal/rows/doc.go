// Package rows draws the rows of the tree: the mark and the text of each, and the
// columns of numbers at its right end. A [Row] is a value: drawing it asks nothing of
// the trace.
package rows
