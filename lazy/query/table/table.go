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

import (
	"context"

	"tracex/format"
	"tracex/lazy/query/histogram"
)

// Table is an answer. Its fields may change between two calls of the functions that draw or write
// it, not during one.
type Table struct {
	// Row is what a row is, in the singular: "method". It is the kind of the lines of JSON.
	Row string
	// Title is a line that says what was asked, in which order the rows are, how many there are.
	Title   string
	Columns []Column
	Rows    Source
	// Sorted is the key of the column that orders the rows, "" if none does. The order is from the
	// largest to the smallest, or the other way round if Rising.
	Sorted string
	Rising bool
	// Partial tells that not all data has been read: values will change and rows will be added.
	// Done is the share that has been read, from 0 to 1; 0 if unknown.
	Partial bool
	Done    float64
	// Empty is shown in place of rows if there are none.
	Empty string
	// Notes are lines after the rows: limits of the answer, and what it does not know.
	Notes []string
	// Spread returns the histogram of a row, or of the whole table if row is -1, and what it
	// counts; nil if there is none. Spread itself may be nil.
	Spread func(row int) (caption string, h *histogram.Histogram)
}

// Source gives the rows of a table, from 0. It may have any number of them, and more later.
type Source interface {
	Len() int
	// Row returns a value for each column of the table; nil if the row is not known yet. The
	// caller does not keep the slice beyond the next call.
	Row(i int) []Value
}

// Loader is a Source whose rows become known on request.
type Loader interface {
	// Load makes the rows known, from from and before to. It may read the disk, until ctx ends.
	Load(ctx context.Context, from, to int) error
}

// List is a Source in memory.
type List [][]Value

// Len returns the number of rows.
func (l List) Len() int { return len(l) }

// Row returns a row.
func (l List) Row(i int) []Value { return l[i] }

// Kind is what the values of a column are, and so how they are written.
type Kind uint8

const (
	Text     Kind = iota // a name, or the text of a value, with styles or without
	Count                // how many: 1,204,332
	Number               // any other whole number: 1204332
	Decimal              // a number with a fraction: 3.25
	Duration             // nanoseconds: 12.3 ms
	Share                // a part of a whole, from 0 to 1: 42 %
	Bytes                // a size: 1.4 GiB
	Event                // the handle of an event: #1204332
	Change               // a difference, as a part of what there was before: +61 %
)

// Column is a column of a table. Widths are in cells; one that is 0 is chosen by the kind and by
// the rows that are shown.
type Column struct {
	// Key names the column in JSON, in CSV and to sort by: lower case, words joined by "_". The keys
	// "schema", "kind" and "partial" are taken.
	Key   string
	Title string
	Kind  Kind
	// Named returns how an event is shown to users, if not by its number.
	Named func(event int64) string
	// Priority tells which columns are left out where not all fit: those with the largest go
	// first, and of two with the same the right one. A column of priority 0 is always shown.
	Priority int
	// Least and Most bound the width of a column of texts; others are as wide as their values.
	Least, Most int
	Align       Align
	// Style is that of the texts without styles of their own; that of methods is for Class.method(…), where the class
	// has another. Without one they are plain.
	Style     format.Style
	Signed    bool // the numbers are differences: +5.0 ms
	CutMiddle bool // cut a text that does not fit in its middle, not at its end
	// Stretch gives the column the cells that are left over. Without it in any column, the last
	// one of texts gets them.
	Stretch bool
	// Worth tells that a column of texts says more than the others: where not all fit, others are left
	// out before its texts are cut to few cells.
	Worth bool
	// Even columns get the same share of the cells that the others leave.
	Even bool
	In   Medium
}

// Align tells at which end of its column a value is.
type Align uint8

const (
	ByKind Align = iota // texts at the left, all others at the right
	Left
	Right
)

// Medium tells where a column is.
type Medium uint8

const (
	Everywhere Medium = iota
	OnlyShown         // not in JSON and CSV
	OnlyData          // only in JSON and CSV
)

// right reports whether the values are at the right end of the column.
func (c *Column) right() bool {
	return c.Align == Right || c.Align == ByKind && c.Kind != Text
}

// Column returns the index of the column with a key; -1 if there is none.
func (t *Table) Column(key string) int {
	for i := range t.Columns {
		if t.Columns[i].Key == key {
			return i
		}
	}
	return -1
}
