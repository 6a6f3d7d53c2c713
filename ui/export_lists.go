package ui

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
	"tracex/ui/internal/saving"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/sheet"
)

// placed is a source of rows that are events.
type placed interface {
	// EventAt returns the place of a row's event; ok is false if the row is none.
	EventAt(t *table.Table, row int) (at lazy.Position, ok bool)
}

// ofSheet returns the piece of a table: its rows, and if they are events these with all below them.
func (x *exporting) ofSheet(s *sheet.Sheet) (*piece, error) {
	t, numbers, err := s.Content().Shown()
	if err != nil {
		return nil, err
	}
	rows := &saving.Rows{Table: t, Numbers: numbers, Load: s.Content().Load()}
	several := severalOf(t.Row)
	p := &piece{what: "this table of " + several, name: several, rows: func(context.Context) (*saving.Rows, error) { return rows, nil }}
	if rows.Len() == 0 {
		return nil, errors.New("the table is empty")
	}
	src, ok := s.Content().Source().(placed)
	if !ok {
		return p, nil
	}
	if _, ok := src.EventAt(t, rows.Number(0)); !ok { // rows of groups
		return p, nil
	}
	at := func(ctx context.Context) (list []lazy.Position, err error) {
		for i := range rows.Len() {
			if i%4096 == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if at, ok := src.EventAt(t, rows.Number(i)); ok {
				list = append(list, at)
			}
		}
		return list, nil
	}
	ranges, one := x.ranges(), t.Row
	if l, found := src.(*resultList); found {
		ranges, one, several = nil, l.of.one, l.of.several // of the tree, which knows no range
	}
	p.take(x.among(countOf(rows.Len(), one, several), several, at, ranges))
	return p, nil
}

// severalOf returns the plural of what a row is.
func severalOf(row string) string {
	switch {
	case row == "":
		return "rows"
	case strings.HasSuffix(row, "s"):
		return row + "es"
	}
	return row + "s"
}

// countOf tells how many there are.
func countOf(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return screen.Grouped(int64(n)) + " " + several
}

// take adds the events of another piece.
func (p *piece) take(of *piece) {
	rows := p.rows
	*p = *of
	p.rows = rows
}

// among returns the piece of events, which at returns in the background, with all below them.
func (x *exporting) among(what, name string, at func(context.Context) ([]lazy.Position, error), ranges query.Steps) *piece {
	r, steps := x.trace.Reader, x.ofTree()
	p := &piece{what: what + ", with all below", name: name, raw: !x.tree.Out.Tree.Folded(), ranged: len(ranges) > 0}
	p.scope = func(ctx context.Context, raw bool) (query.Scope, error) {
		s := query.Scope{Raw: raw}
		list, err := at(ctx)
		if err != nil {
			return s, err
		}
		err = s.Edit(ctx, r, append(slices.Concat(steps, ranges), query.FocusOn(what, setOf(list))))
		return s, err
	}
	return p
}

// setOf returns the set of places, in any order.
func setOf(list []lazy.Position) *places.Set {
	slices.SortFunc(list, func(a, b lazy.Position) int { return cmp.Or(cmp.Compare(a.Thread, b.Thread), cmp.Compare(a.At, b.At)) })
	set := places.New()
	for _, at := range slices.Compact(list) {
		set.Add(at.Thread, at.At)
	}
	set.Finish()
	return set
}

// listed returns the piece of events that are listed without a table, which is made.
func (x *exporting) listed(one, several, of string, list []lazy.Position) (*piece, error) {
	list = slices.DeleteFunc(slices.Clone(list), func(at lazy.Position) bool { return at.At < 0 }) // threads are no events
	if len(list) == 0 {
		return nil, errors.New("there are no " + several)
	}
	r, g := x.trace.Reader, x.env.Glyphs
	p := x.among(countOf(len(list), one, several), several, func(context.Context) ([]lazy.Position, error) { return list, nil }, nil)
	raw := p.raw
	p.rows = func(ctx context.Context) (*saving.Rows, error) {
		t := query.FoundIn(r, setOf(slices.Clone(list)), raw, one, several, of).Table(ctx, query.FindView{Done: 1, G: g})
		return &saving.Rows{Table: t, Load: func(context.Context, *table.Table, int, int) error { return query.RowsErr(t) }}, nil
	}
	return p, nil
}

// hits returns the piece of the hits of a search.
func (x *exporting) hits(l *search.HitList) (*piece, error) {
	found, of, ended := l.Found()
	if !ended {
		return nil, errors.New("still searching: wait, or " + screen.ActionKey("stop", x.env.Glyphs) + " stops it")
	}
	list := make([]lazy.Position, 0, found.Len())
	for i := range found.Len() {
		list = append(list, found.At(i).Position)
	}
	return x.listed("hit", "hits", of, list)
}

// marked returns the piece of the rows with marks and notes.
func (x *exporting) marked() (*piece, error) {
	return x.listed("marked row", "marked rows", "", x.marks.Places())
}
