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

// extraReader reads the values of columns of calls at places. It is a collector.
type extraReader struct {
	of    *Calls
	cols  []callColumn
	g     *display.Glyphs
	found map[lazy.Position][]table.Value
}

// readExtra reads the values of columns of calls at places.
func readExtra(ctx context.Context, of *Calls, cols []callColumn, g *display.Glyphs, at []lazy.Position) (map[lazy.Position][]table.Value, error) {
	if len(cols) == 0 || len(at) == 0 {
		return nil, nil
	}
	c := &extraReader{of: of, cols: cols, g: g}
	c.Reset()
	p := lazy.Pass{Raw: of.scope.Raw, Collect: of.scope.Over(c).Collect}
	for _, at := range at {
		p.Ranges = append(p.Ranges, lazy.PassRange{Thread: at.Thread, From: at.At, To: at.At + 1})
	}
	err := of.r.Pass(ctx, p)
	return c.found, err
}

// Visitor is for the pass.
func (c *extraReader) Visitor() lazy.Visitor {
	return &extraVisitor{c: c, part: callsPart{of: c.of}, found: make(map[lazy.Position][]table.Value)}
}

// Reset is for the pass.
func (c *extraReader) Reset() { c.found = make(map[lazy.Position][]table.Value) }

// Merge is for the pass.
func (c *extraReader) Merge(v lazy.Visitor) error {
	for at, values := range v.(*extraVisitor).found {
		c.found[at] = values
	}
	return nil
}

// extraVisitor is the visitor of an extraReader, of one point.
type extraVisitor struct {
	c     *extraReader
	part  callsPart // evaluates
	found map[lazy.Position][]table.Value
}

// Begin is for the pass.
func (v *extraVisitor) Begin(thread int32, _ []lazy.PassFrame) {
	v.part.thread, v.part.iterations = thread, v.part.iterations[:0]
}

// Around is for the pass.
func (v *extraVisitor) Around(p *lazy.PassPoint) { v.part.iteration(p) }

// Leaf is for the pass.
func (v *extraVisitor) Leaf(*lazy.PassPoint) {}

// Exit is for the pass.
func (v *extraVisitor) Exit(*lazy.PassPoint) {}

// Enter is for the pass.
func (v *extraVisitor) Enter(p *lazy.PassPoint) {
	if p.Class != format.ClassCall {
		return
	}
	values := make([]table.Value, 0, len(v.c.cols))
	for i := range v.c.cols {
		value, err := v.part.value(p, &v.c.cols[i])
		if err != nil {
			p.Fail(err)
			return
		}
		if value.kind == valueAbsent {
			values = append(values, table.Value{})
			continue
		}
		values = append(values, table.Str(value.shown(v.c.g.Threw)).JSON(value.appendJSON(nil)))
	}
	v.found[lazy.Position{Thread: p.Thread, At: p.At}] = values
}
