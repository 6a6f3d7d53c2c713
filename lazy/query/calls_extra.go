package query

import (
	"context"
	"slices"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// extraColumns returns the columns that a table with a row for each call has only if they are asked for,
// or sort it.
func (a *callsAbout) extraColumns() []callColumn {
	var list []callColumn
	for _, col := range append(slices.Clone(a.cols), a.sort) {
		extra := col.path != "" || col.kind == columnIter || col.kind == columnIn || col.kind == columnCalling
		if extra && !slices.ContainsFunc(list, func(c callColumn) bool { return c.word() == col.word() }) {
			list = append(list, col)
		}
	}
	return list
}

// lines reports whether the line of each call is asked for, or sorts the table.
func (a *callsAbout) lines() bool {
	return a.sort.kind == columnLine || slices.ContainsFunc(a.cols, func(c callColumn) bool { return c.kind == columnLine })
}

// readExtra reads the values of columns of calls at places.
func readExtra(ctx context.Context, of *Calls, cols []callColumn, g *display.Glyphs, at []lazy.Position) (map[lazy.Position][]table.Value, error) {
	if len(cols) == 0 {
		return nil, nil
	}
	found := make(map[lazy.Position][]table.Value)
	list, err := readAt(ctx, of.r, &of.scope, at, func() look[placedValues] {
		part := &callsPart{of: of} // evaluates
		return look[placedValues]{
			begin: func(thread int32) { part.thread, part.iterations = thread, part.iterations[:0] },
			around: func(p *lazy.PassPoint) error {
				part.iteration(p)
				return nil
			},
			at: func(p *lazy.PassPoint) (placedValues, bool, error) {
				values, err := part.extra(p, cols, g)
				return placedValues{placeOf(p), values}, p.Class == format.ClassCall, err
			},
		}
	})
	for _, x := range list {
		found[x.at] = x.values
	}
	return found, err
}

// placedValues are values of a call and where it is.
type placedValues struct {
	at     lazy.Position
	values []table.Value
}

// extra returns the values of a call in columns; none for other points.
func (v *callsPart) extra(p *lazy.PassPoint, cols []callColumn, g *display.Glyphs) (values []table.Value, err error) {
	if p.Class != format.ClassCall {
		return nil, nil
	}
	for i := range cols {
		value, err := v.value(p, &cols[i])
		if err != nil {
			return nil, err
		}
		if value.kind == valueAbsent {
			values = append(values, table.Value{})
			continue
		}
		values = append(values, table.Str(value.shown(g.Threw)).JSON(value.appendJSON(nil)))
	}
	return values, nil
}
