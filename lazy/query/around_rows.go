package query

import (
	"context"
	"math"

	"tracex/format"
	"tracex/lazy"
)

// AroundRow is a row of an Around: a point, or the end of a call.
type AroundRow struct {
	Moment
	Whole bool // the begin and the end of a call in one row: nothing was between them
	Here  bool // the point asked for
	// About tells that it may have been before or after a row of another thread near it.
	About bool
	// Again tells that it writes what the row before it of the same field or element, in another thread,
	// wrote too.
	Again bool
}

// Rows returns the rows, in order.
func (a *Around) Rows() []AroundRow {
	rows := make([]AroundRow, 0, len(a.Moments))
	about := a.unsure()
	again := a.writtenAgain()
	for i := 0; i < len(a.Moments); i++ {
		row := AroundRow{Moment: a.Moments[i], Here: i == a.Middle, About: about[i], Again: again[i]}
		if next := i + 1; next < len(a.Moments) && !row.End {
			if end := &a.Moments[next]; end.End && end.Position == row.Position {
				row.Whole = true
				i = next
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// unsure tells for each moment whether it may have been on the other side of one of another thread.
func (a *Around) unsure() []bool {
	out := make([]bool, len(a.Moments))
	near := int64(1)
	if a.Timeline == lazy.TimelineTimes {
		near = sameTime
	}
	for _, back := range [...]bool{true, false} {
		// Of the moments passed, by thread, the nearest.
		last, exact := map[int32]*Moment{}, map[int32]*Moment{}
		keep := func(near map[int32]*Moment, m *Moment) {
			if o := near[m.Thread]; o == nil || back && m.To >= o.To || !back && m.From <= o.From {
				near[m.Thread] = m
			}
		}
		for k := range a.Moments {
			i := k
			if !back {
				i = len(a.Moments) - 1 - k
			}
			m := &a.Moments[i]
			others := last
			if m.exact() {
				others = exact
			}
			for thread, o := range others {
				if thread != m.Thread && overlap(m, o, near) {
					out[i] = true
				}
			}
			keep(last, m)
			if m.exact() {
				keep(exact, m)
			}
		}
	}
	return out
}

// overlap reports whether the times of two moments do not tell which was first: they are less than near
// apart.
func overlap(a, b *Moment, near int64) bool {
	return before(a.From, b.To, near) && before(b.From, a.To, near)
}

func before(from, to, near int64) bool { return to == math.MaxInt64 || from < to+near }

// writtenAgain tells for each moment whether it writes what another thread has just written.
func (a *Around) writtenAgain() []bool {
	out := make([]bool, len(a.Moments))
	last := make(map[memory]*Moment)
	for i := range a.Moments {
		m := &a.Moments[i]
		if m.place == (memory{}) {
			continue
		}
		was := last[m.place]
		out[i] = m.writes && was != nil && was.writes && was.Thread != m.Thread
		last[m.place] = m
	}
	return out
}

// read reads the texts of the rows, by position.
func (a *Around) read(ctx context.Context) (map[lazy.Position]*aroundText, error) {
	var places []lazy.Position
	asked := make(map[lazy.Position]bool)
	for i := range a.Moments {
		if at := a.Moments[i].Position; !asked[at] {
			asked[at] = true
			places = append(places, at)
		}
	}
	list, err := readAt(ctx, a.r, &Scope{Raw: a.o.Raw}, places, func() look[*aroundText] { return look[*aroundText]{at: newAroundText} })
	found := make(map[lazy.Position]*aroundText, len(list))
	for _, t := range list {
		found[t.at] = t
	}
	return found, err
}

// Locations returns the locations at the point of a row, see [LocationsAt], once Table has read the rows.
func (a *Around) Locations(row int) (spots []Spot, point *HistoryPoint) {
	rows := a.Rows()
	if row < 0 || row >= len(rows) {
		return nil, nil
	}
	m := &rows[row]
	if t := a.texts[m.Position]; t != nil {
		spots = t.spots
	}
	return spots, &HistoryPoint{m.Position, m.Event}
}

func newAroundText(p *lazy.PassPoint) (t *aroundText, ok bool, err error) {
	point, foot, err := wholePoint(p)
	if err != nil {
		return nil, false, err
	}
	state, err := p.Ended()
	if err != nil {
		return nil, false, err
	}
	c := p.Context()
	t = &aroundText{at: placeOf(p), whole: styledText(c, point, foot, p.Parent())}
	t.begin = t.whole
	if p.Class == format.ClassCall {
		t.name, _ = c.CallName(point.Ref, point.Flags)
		if state == lazy.StateWhole {
			t.begin = styledText(c, point, nil, p.Parent())
			t.end = t.whole.From(len(t.begin.Text))
		}
	}
	t.spots = locationsIn(p, point, foot)
	t.time, t.timed = p.Time()
	return t, true, nil
}

func styledText(c *format.Context, p *format.Point, f *format.Footer, parent format.Parent) Styled {
	text, spans := c.AppendSpans(nil, nil, p, f, parent, false)
	return Styled{Text: string(text), Spans: spans}
}
