package query

import (
	"cmp"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

// CompareSorts are the columns that methods can be sorted by. Differences are in the order of their
// size, whatever their sign.
func CompareSorts(timed bool) []string {
	if timed {
		return []string{"total_change", "calls_change", "self_change", "total_a", "total_b", "calls_a", "calls_b"}
	}
	return []string{"events_change", "calls_change", "own_change", "events_a", "events_b", "calls_a", "calls_b"}
}

// compareRows are the rows of the table: first what was found by walking, then methods.
type compareRows struct {
	answerRows[compareRow]
	timed bool
	g     *display.Glyphs
}

// compareRow is a row: one of these is nil.
type compareRow struct {
	*compareHead
	*comparedMethod
}

// compareHead is a row that is no method.
type compareHead struct {
	what    string // "equal", "own_value", "value" or "event"
	side    int
	same    int64
	parting *Parting // nil if equal
}

// comparedMethod is a method with its sums in A and B.
type comparedMethod struct {
	group *Group
	name  string
	sums  [2]Sums
}

// change returns how much more B has, size how much that is.
func (m *comparedMethod) change(of func(*Sums) int64) int64 { return of(&m.sums[1]) - of(&m.sums[0]) }
func (m *comparedMethod) size(of func(*Sums) int64) int64   { return max(m.change(of), -m.change(of)) }

func sumCalls(s *Sums) int64  { return s.Calls }
func sumPoints(s *Sums) int64 { return s.Points }
func sumOwn(s *Sums) int64    { return s.Own }
func sumTotal(s *Sums) int64  { return s.Total }
func sumSelf(s *Sums) int64   { return s.Self }
func sumThrew(s *Sums) int64  { return s.Threw }

// differs reports whether the sums differ in more than time.
func (m *comparedMethod) differs() bool {
	return m.change(sumCalls) != 0 || m.change(sumPoints) != 0 || m.change(sumOwn) != 0 || m.change(sumThrew) != 0
}

// timesDiffer reports whether the times do.
func (m *comparedMethod) timesDiffer() bool { return m.change(sumTotal) != 0 || m.change(sumSelf) != 0 }

// comparedMethods joins the methods of two Tops.
func comparedMethods(counts [2]*Top) (list []comparedMethod) {
	at := make(map[string]int)
	for side, top := range counts {
		if top == nil {
			continue
		}
		top.mu.Lock()
		for i, g := range top.groups.list() {
			if i >= len(top.rows) || !top.rows[i].shown() {
				continue
			}
			n, known := at[g.only]
			if !known {
				n = len(list)
				at[g.only] = n
				list = append(list, comparedMethod{group: g})
			}
			list[n].sums[side].add(&top.rows[i].Sums)
		}
		top.mu.Unlock()
	}
	return list
}

// Table returns the table of what has been found so far. Any goroutine may use it.
func (c *Compare) Table(v View) *table.Table {
	c.mu.Lock()
	f := c.found
	c.mu.Unlock()
	rows := &compareRows{answerRows[compareRow]{list: f.heads(), at: compareRow.point}, c.timed, v.G}
	heads := len(rows.list)
	var alike int64
	for _, m := range comparedMethods(f.counts) {
		if m.differs() || c.timed && m.timesDiffer() {
			rows.list = append(rows.list, compareRow{comparedMethod: &m})
		} else {
			alike++
		}
	}
	key := cmp.Or(v.Sort, CompareSorts(c.timed)[0])
	rows.addColumns()
	rows.sort(rows.list[heads:], key, v.Rising)
	t := &table.Table{
		Row: "difference", Title: c.title(&f, v.G), Columns: rows.columns.Heads(), Rows: rows, Sorted: key, Rising: v.Rising,
		Partial: v.Done < 1, Done: v.Done, Empty: "nothing found yet", Notes: f.notes(c.r, v.Done >= 1),
	}
	if v.Done >= 1 && alike > 0 {
		t.Notes = append([]string{display.Plural(alike, "method") + " with the same numbers in both"}, t.Notes...)
	}
	return t
}

// heads returns the rows before the methods.
func (f *comparison) heads() (list []compareRow) {
	for _, p := range []struct {
		what string
		*Parting
	}{{"own_value", f.own}, {"value", f.value}, {"event", f.event}} {
		if p.Parting == nil {
			continue
		}
		for side := range Sides {
			list = append(list, compareRow{compareHead: &compareHead{p.what, side, p.Same, p.Parting}})
		}
	}
	if f.walked && len(list) == 0 {
		list = append(list, compareRow{compareHead: &compareHead{what: "equal", same: f.same}})
	}
	return list
}

// Differences returns how many differences there are: the places, and the methods whose numbers differ, not only their times.
func (c *Compare) Differences() (n int64) {
	c.mu.Lock()
	f := c.found
	c.mu.Unlock()
	for _, p := range []*Parting{f.own, f.value, f.event} {
		n += int64(b2i(p != nil))
	}
	for _, m := range comparedMethods(f.counts) {
		n += int64(b2i(m.differs()))
	}
	return n
}

// title tells what was found, and of what.
func (c *Compare) title(f *comparison, g *display.Glyphs) string {
	events := display.Plural(f.same, "event")
	text := "comparing"
	values := ""
	if f.others > 0 {
		values = " with " + display.Plural(f.others, "other value")
	}
	switch {
	case f.event != nil && f.same == 0:
		text = "they begin with other events"
	case f.event != nil:
		text = "the same " + events + values + ", then others"
	case f.walked && f.others > 0:
		text = "the same " + events + values
	case f.walked:
		text = "equal: " + events + " each"
	case f.same > 0:
		text = "comparing: the same " + events + values + " so far"
	}
	for i, h := range c.sides {
		text += " " + g.Dot + " " + Sides[i] + " " + cmp.Or(f.sides[i].name, h.String())
	}
	return text
}

// longestCompared bounds the text of a side in the title, in bytes.
const longestCompared = 60

// notes tells what the table does not.
func (f *comparison) notes(r *lazy.LazyTraceReader, done bool) (list []string) {
	for i := range f.sides {
		switch s := &f.sides[i]; s.state {
		case lazy.StatePending:
			list = append(list, Sides[i]+" has not ended yet: it is compared as far as it is known")
		case lazy.StateUnfinished:
			list = append(list, Sides[i]+" had not ended when the recording did: it is compared as far as it was recorded")
		}
	}
	if done && r.Status().Problem != nil {
		list = append(list, "the trace is damaged: what is not damaged is compared")
	}
	if f.shared {
		list = append(list, "what A and B share counts for both")
	}
	return list
}

// addColumns makes the columns of the table. Methods are ordered by the size of a difference, whatever its sign.
func (s *compareRows) addColumns() {
	const all, data = table.Everywhere, table.OnlyData
	// numbers adds the columns of a number, which is not exact for calls that never ended if it is a time. The difference is left out last.
	numbers := func(key string, kind table.Kind, of func(*Sums) int64, sides, change table.Medium, priority, least int) {
		unended := func(m *comparedMethod, side int) bool { return kind == table.Duration && m.sums[side].Unended > 0 }
		for i, side := range []string{"a", "b"} {
			s.method(table.Column{Key: key + "_" + side, Title: key + " " + Sides[i], Kind: kind, In: sides, Priority: priority}, func(m *comparedMethod) table.Value {
				if unended(m, i) {
					return table.Int(of(&m.sums[i])).Is(table.AtLeast)
				}
				return table.Int(of(&m.sums[i]))
			})
		}
		s.method(table.Column{Key: key + "_change", Title: key + " B-A", Kind: kind, In: change, Priority: least}, func(m *comparedMethod) table.Value {
			v := table.Int(m.change(of)).Change()
			if unended(m, 0) || unended(m, 1) {
				return v.Is(table.About)
			}
			return v
		})
		s.columns[len(s.columns)-1].By = func(a, b compareRow) int { return cmp.Compare(a.size(of), b.size(of)) }
	}
	numbers("calls", table.Count, sumCalls, all, all, 2, 1)
	if s.timed {
		numbers("total", table.Duration, sumTotal, all, all, 3, 0)
		numbers("self", table.Duration, sumSelf, data, all, 4, 4)
		numbers("events", table.Count, sumPoints, data, data, 5, 5)
		numbers("own", table.Count, sumOwn, data, data, 5, 5)
	} else {
		numbers("events", table.Count, sumPoints, all, all, 3, 0)
		numbers("own", table.Count, sumOwn, data, all, 4, 4)
	}
	numbers("threw", table.Count, sumThrew, data, data, 5, 5)
	s.columns.Add(table.Column{Key: "name", Title: "method", Stretch: true, CutMiddle: true, Style: format.StyleMethod}, s.name)
	s.columns.Add(table.Column{Key: "what", In: data}, func(r compareRow) table.Value {
		if r.compareHead == nil {
			return table.Str("method")
		}
		return table.Str(r.what)
	})
	s.place("side", table.Text, func(h *compareHead, _ *PartingSide) table.Value { return table.Str(Sides[h.side]) })
	addMethod(&s.columns, func(r compareRow) *Group {
		if r.comparedMethod == nil {
			return nil
		}
		return r.group
	})
	s.columns.Add(table.Column{Key: "same_events", Kind: table.Number, In: data}, func(r compareRow) table.Value {
		if r.compareHead == nil {
			return table.Value{}
		}
		return table.Int(r.same)
	})
	s.place("thread", table.Number, func(_ *compareHead, p *PartingSide) table.Value { return table.Int(int64(p.Position.Thread) + 1) })
	s.place("event", table.Event, func(_ *compareHead, p *PartingSide) table.Value {
		return table.IntIf(int64(p.Event), p.Position.At >= 0)
	})
	s.place("end", table.Number, func(_ *compareHead, p *PartingSide) table.Value { return table.Truth(true).If(p.End) })
	s.place("missing", table.Number, func(_ *compareHead, p *PartingSide) table.Value { return table.Truth(true).If(p.Missing) })
	s.place("text", table.Text, func(_ *compareHead, p *PartingSide) table.Value { return table.Str(p.Text.Text) })
	s.place("path", table.Text, func(_ *compareHead, p *PartingSide) table.Value {
		return table.Str(strings.Join(p.Path, " "+s.g.Crumb+" ")).If(len(p.Path) > 0)
	})
	s.place("handle", table.Text, func(_ *compareHead, p *PartingSide) table.Value {
		return table.Str(lazy.EventHandle(p.Event).String()).If(p.Position.At >= 0)
	})
}

// method adds a column that only methods have.
func (s *compareRows) method(c table.Column, value func(*comparedMethod) table.Value) {
	s.columns.Add(c, func(r compareRow) table.Value {
		if r.comparedMethod == nil {
			return table.Value{}
		}
		return value(r.comparedMethod)
	})
}

// place adds a column for programs that only the sides of places have.
func (s *compareRows) place(key string, kind table.Kind, value func(*compareHead, *PartingSide) table.Value) {
	s.columns.Add(table.Column{Key: key, Kind: kind, In: table.OnlyData}, func(r compareRow) table.Value {
		if r.compareHead == nil || r.parting == nil {
			return table.Value{}
		}
		return value(r.compareHead, &r.parting.Sides[r.side])
	})
}

// name returns the name of a method, or the line of another row, which is in place of all columns.
func (s *compareRows) name(r compareRow) table.Value {
	if r.comparedMethod != nil {
		return table.Str(r.comparedMethod.name)
	}
	line := r.line(s.g)
	name := line.Value().Line()
	if r.parting != nil {
		name = name.JSON(format.AppendJSONString(nil, r.parting.Sides[r.side].Text.Text))
	}
	return name
}

// partings are the words before the rows of places. They have the same width.
var partings = map[string]string{
	"own_value": "own value    ",
	"value":     "first value  ",
	"event":     "first event  ",
}

// shownPath is how many names of a path a line has.
const shownPath = 3

// line returns the line of a row that is no method.
func (h *compareHead) line(g *display.Glyphs) (out Styled) {
	if h.parting == nil {
		out.Add("equal: "+display.Plural(h.same, "event")+" each", table.Plain)
		return out
	}
	what := partings[h.what]
	if h.side > 0 {
		what = strings.Repeat(" ", len(what))
	}
	out.Add(what, table.Faint)
	p := &h.parting.Sides[h.side]
	out.Add(Sides[h.side]+" ", table.Strong)
	if p.Position.At >= 0 {
		out.Add(lazy.EventHandle(p.Event).String()+"  ", table.Plain)
	}
	switch {
	case p.Missing:
		out.Add("nothing more", table.Faint)
		return out
	case p.End && h.what == "event":
		out.Add("end of ", table.Faint)
	}
	out.Append(h.text(g))
	if p.End && p.State != lazy.StateWhole {
		out.Add(", which "+neverEnded(p.State == lazy.StatePending), table.Faint)
	}
	if n := len(p.Path); n > 0 {
		path := strings.Join(p.Path[max(0, n-shownPath):], " "+g.Crumb+" ")
		if n > shownPath {
			path = g.More + " " + g.Crumb + " " + path
		}
		out.Add("  in "+path, table.Faint)
	}
	return out
}

// Of two texts that begin alike, at most this much is shown of the beginning: they differ in what a
// narrow screen still shows.
const (
	alikeHead = 14 // bytes
	alikeTail = 8
)

// text returns the text of the side's row. Where it has another value, the middle of what is before it
// is left out if it is long.
func (h *compareHead) text(g *display.Glyphs) Styled {
	mine, other := h.parting.Sides[h.side].Text, h.parting.Sides[1-h.side].Text
	n := 0
	for n < min(len(mine.Text), len(other.Text)) && mine.Text[n] == other.Text[n] {
		n++
	}
	if h.what == "event" || n <= alikeHead+alikeTail+len(g.More) {
		return mine
	}
	from := cutRune(mine.Text, n-alikeTail)
	head := mine.To(cutRune(mine.Text, alikeHead))
	head.Add(g.More, table.Faint)
	head.Append(mine.From(from))
	return head
}

// cutRune returns where the character at a byte begins.
func cutRune(text string, at int) int {
	for at > 0 && at < len(text) && text[at]&0xc0 == 0x80 {
		at--
	}
	return at
}

// sort puts methods in order: of equals those first whose numbers of calls differ more.
func (s *compareRows) sort(methods []compareRow, key string, rising bool) {
	groups := make([]*Group, len(methods))
	for i := range methods {
		groups[i] = methods[i].group
	}
	for i, name := range names(groups) {
		methods[i].name = name
	}
	slices.SortFunc(methods, func(a, b compareRow) int {
		return cmp.Or(cmp.Compare(b.size(sumCalls), a.size(sumCalls)), cmp.Compare(a.name, b.name))
	})
	s.columns.Sort(methods, key, rising)
}

// point returns what a row is about; ok is false for a method.
func (r compareRow) point() (at HistoryPoint, ok bool) {
	if r.compareHead == nil || r.parting == nil {
		return at, false
	}
	p := &r.parting.Sides[r.side]
	return HistoryPoint{p.Position, p.Event}, true
}
