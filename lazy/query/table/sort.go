package table

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"tracex/lazy/query/histogram"
)

// Sort returns the table with its rows ordered by the column with a key: from the largest to the
// smallest, or the other way round if rising. Texts are compared by their bytes. Rows without a
// value are last in both orders; equal ones stay in their order. The rows of t must all be known,
// and must not change. The error is that of ctx.
func Sort(ctx context.Context, t *Table, key string, rising bool) (*Table, error) {
	sorted := *t
	sorted.Sorted, sorted.Rising = key, rising
	at := t.Column(key)
	if at < 0 {
		return &sorted, ctx.Err()
	}
	values := make([]Value, t.Rows.Len())
	for i := range values {
		if i%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if row := t.Rows.Row(i); row != nil {
			values[i] = row[at]
		}
	}
	order := order(values, t.Columns[at].compare, rising)
	sorted.Rows = permuted{t.Rows, order}
	if spread := t.Spread; spread != nil { // t may be overwritten with the result
		sorted.Spread = func(row int) (string, *histogram.Histogram) {
			if row >= 0 {
				row = order[row]
			}
			return spread(row)
		}
	}
	return &sorted, ctx.Err()
}

// order returns the numbers of values in order: those that are not known last, equal ones as they were.
func order(values []Value, compare func(x, y Value) int, rising bool) []int {
	order := make([]int, len(values))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := values[a], values[b]
		switch {
		case !x.Known() || !y.Known():
			return cmp.Compare(boolean(y.Known()), boolean(x.Known()))
		case rising:
			return compare(x, y)
		}
		return compare(y, x)
	})
	return order
}

// Rises reports whether the natural order of a column begins with the smallest value, as that of
// names does.
func (c *Column) Rises() bool { return c.Kind == Text || c.Kind == Event }

func boolean(b bool) int {
	if b {
		return 1
	}
	return 0
}

// compare compares two values of a column.
func (c *Column) compare(x, y Value) int {
	switch c.Kind {
	case Text:
		return strings.Compare(x.text, y.text)
	case Share, Decimal:
		return cmp.Compare(x.f, y.f)
	}
	return cmp.Compare(x.n, y.n)
}

// permuted is a source in another order.
type permuted struct {
	Source
	order []int
}

func (p permuted) Row(i int) []Value { return p.Source.Row(p.order[i]) }

// Original returns the number that a row had before [Sort].
func Original(t *Table, row int) int {
	for s, ok := t.Rows.(permuted); ok; s, ok = s.Source.(permuted) {
		row = s.order[row]
	}
	return row
}

// Unsorted returns the rows of a table before [Sort].
func Unsorted(t *Table) Source {
	rows := t.Rows
	for s, ok := rows.(permuted); ok; s, ok = rows.(permuted) {
		rows = s.Source
	}
	return rows
}
