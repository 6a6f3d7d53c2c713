package table

import (
	"cmp"
	"slices"
	"strings"
)

// Sort orders rows by the column with a key: from the largest to the smallest, or the other way round if rising. Texts
// are compared by their bytes. Rows without a value are last in both orders. Equal rows stay in their order, and all rows
// do if there is no such column.
func (l Columns[R]) Sort(rows []R, key string, rising bool) {
	at := slices.IndexFunc(l, func(c ColumnOf[R]) bool { return c.Key == key })
	if at < 0 {
		return
	}
	c, order, values, sorted := &l[at], make([]int, len(rows)), make([]Value, len(rows)), make([]R, len(rows))
	for i := range rows {
		order[i], values[i] = i, c.Value(rows[i])
	}
	slices.SortStableFunc(order, func(a, b int) int {
		x, y := values[a], values[b]
		if !x.Known() || !y.Known() {
			return cmp.Compare(boolean(y.Known()), boolean(x.Known()))
		}
		if !rising {
			a, b, x, y = b, a, y, x
		}
		if c.By != nil {
			return c.By(rows[a], rows[b])
		}
		return c.compare(x, y)
	})
	for i, k := range order {
		sorted[i] = rows[k]
	}
	copy(rows, sorted)
}

// Rises reports whether the natural order of a column begins with the smallest value, as that of
// names does.
func (c *Column) Rises() bool { return c.Kind == Text || c.Kind == Event }

// compare compares two values of a column.
func (c *Column) compare(x, y Value) int {
	switch c.Kind {
	case Text:
		return strings.Compare(x.text, y.text)
	case Share, Decimal, Change:
		return cmp.Compare(x.f, y.f)
	}
	return cmp.Compare(x.n, y.n)
}
