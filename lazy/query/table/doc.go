// Package table holds answers as tables of typed values. A command prints a table as text, JSON
// Lines or CSV, and the explorer draws the same table on the screen: both use the lines of a
// [Layout], so they show the same text.
//
//	Table    title, columns, rows, notes: what the answer is
//	Column   key, title, kind and widths
//	Source   the rows, one at a time and any number of them
//	Value    a cell: a number, a text, one that is absent, one that is not known yet
//	Layout   which columns fit a width, and the lines of head and rows
//
// A table knows no trace and no screen. Its owner makes it anew, or lets it grow, while the pass
// over the data runs.
package table
