package query

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"tracex/format"
	"tracex/lazy/query/display"
	"tracex/lazy/query/histogram"
	"tracex/lazy/query/table"
)

// TopDiffSorts are the words by which a TopDiff sorts; without times only the last two. "" is the first that it has.
var TopDiffSorts = []string{"total", "self", "calls", "name"}

// Sorts reports whether the table has what a word of TopDiffSorts sorts by.
func (d *TopDiff) Sorts(word string) bool { return d.timed || word == "calls" || word == "name" }

// sortKey returns the key of the column that a word of TopDiffSorts names, or the key itself.
func (d *TopDiff) sortKey(word string) string {
	switch {
	case word == "total", word == "" && d.timed:
		return "more"
	case word == "self":
		return "self_more"
	case word == "calls", word == "":
		return "calls_more"
	}
	return word
}

// topPair is a row of a TopDiff: a method of A, of B or of both.
type topPair struct {
	group *Group     // that of B, if B has one
	rows  [2]*topRow // nil on a side that has none
	name  string
	// The difference of the time of calls, and of their own time, may be chance.
	noise, selfNoise bool
}

// value returns a sum of a side.
func (p *topPair) value(side int, of func(*Sums) int64) (n int64, ok bool) {
	if p.rows[side] == nil {
		return 0, false
	}
	return of(&p.rows[side].Sums), true
}

// more returns by how much a sum is larger in B than in A.
func (p *topPair) more(of func(*Sums) int64) int64 {
	a, _ := p.value(0, of)
	b, _ := p.value(1, of)
	return b - a
}

// Alike reports whether two durations differ by less than a tenth of the larger one: for single ones that may be noise.
func Alike(a, b int64) bool { return a == b || 10*max(a-b, b-a) < max(a, b) }

// A difference is told from noise by a test of so many calls on each side at least, at this level.
const (
	leastTested = 5
	mostChance  = 0.01
)

// judge finds out what may be chance. Where the numbers of calls differ, so does their time.
func (p *topPair) judge() {
	a, b := p.rows[0], p.rows[1]
	if a == nil || b == nil {
		return
	}
	p.noise, p.selfNoise = Alike(a.Total, b.Total), Alike(a.Self, b.Self)
	if min(a.times.Count(), b.times.Count()) >= leastTested {
		same := Alike(a.Calls, b.Calls) && histogram.Chance(&a.times, &b.times) >= mostChance
		p.noise, p.selfNoise = same || a.Total == b.Total, same || p.selfNoise
	}
}

// pairTops returns the methods of two Tops, which are locked, with their partners.
func pairTops(tops [2]*Top) (list []*topPair) {
	var left [2][]*topPair // without a partner yet
	for i, t := range tops {
		lines, at := t.lines()
		for k := range lines {
			p := &topPair{group: lines[k].group}
			p.rows[i] = &t.rows[at[k]]
			left[i] = append(left[i], p)
		}
	}
	list = slices.Clone(left[1])
	for _, key := range []func(g *Group) string{
		(*Group).Exact,
		func(g *Group) string { return fmt.Sprintf("%q %q %s %q", g.Class, g.Method, g.special(), g.types()) },
		func(g *Group) string { return fmt.Sprintf("%q %q %s", g.Class, g.Method, g.special()) },
	} {
		var of [2]map[string]*topPair // which one has a key; nil if several have
		for i := range left {
			of[i] = make(map[string]*topPair)
			for _, p := range left[i] {
				k := key(p.group)
				if _, twice := of[i][k]; twice {
					p = nil
				}
				of[i][k] = p
			}
		}
		for k, b := range of[1] {
			if a := of[0][k]; a != nil && b != nil {
				b.rows[0], a.rows[1] = a.rows[0], b.rows[1]
			}
		}
		for i := range left {
			left[i] = slices.DeleteFunc(left[i], func(p *topPair) bool { return p.rows[1-i] != nil })
		}
	}
	return append(list, left[0]...)
}

// special is what tells a group from another one with the same names and types: that it is no method.
func (g *Group) special() string {
	switch {
	case g.Unknown:
		return g.names[0]
	case g.Result == format.GoStatement:
		return "go"
	}
	return ""
}

// Table returns the table. It has no rows before Run has ended.
func (d *TopDiff) Table(view View) *table.Table {
	d.mu.Lock()
	tops := d.tops
	d.mu.Unlock()
	var list []*topPair
	var all [2]Totals
	if tops[1] != nil {
		for i, t := range tops {
			t.mu.Lock()
			defer t.mu.Unlock()
			all[i] = t.all
		}
		list = pairTops(tops)
	}
	groups := make([]*Group, len(list))
	for i, p := range list {
		groups[i] = p.group
	}
	chance := false
	for i, name := range names(groups) {
		list[i].name = name
		list[i].judge()
		chance = chance || d.timed && (list[i].noise || list[i].selfNoise)
	}
	slices.SortFunc(list, func(a, b *topPair) int { return cmp.Compare(a.name, b.name) })
	x := &answerRows[*topPair]{columns: d.columns(), list: list}
	key := d.sortKey(view.Sort)
	x.columns.Sort(x.list, key, view.Rising)
	if i := slices.IndexFunc(x.columns, func(c table.ColumnOf[*topPair]) bool { return c.Key == key }); i >= 0 {
		x.columns[i].Priority = 0 // it is shown at any width
	}
	out := &table.Table{
		Row: "method", Title: d.title(view.G, len(list), all), Columns: x.columns.Heads(), Rows: x, Sorted: key, Rising: view.Rising,
		Partial: view.Done < 1, Done: view.Done, Empty: "no calls",
	}
	if chance {
		out.Notes = append(out.Notes, "~ may be chance")
	}
	for i, s := range d.sides {
		if s.R.Status().Problem != nil {
			out.Notes = append(out.Notes, s.Word+": of what is not damaged")
		}
		of := topTable{timed: d.timed, grows: grows(s.R), all: all[i]}
		for _, note := range append(of.notes(view.G), gapNotes(s.R, of.timed)...) {
			out.Notes = append(out.Notes, s.Word+": "+note)
		}
	}
	return out
}

// title tells what the table is about.
func (d *TopDiff) title(g *display.Glyphs, methods int, all [2]Totals) string {
	parts := []string{"time by method"}
	if !d.timed {
		parts[0] = "calls by method: not both have times"
	}
	if d.where != nil {
		parts = append(parts, "where "+d.where.String())
	}
	parts = append(parts, display.Plural(int64(methods), "method"))
	for i, s := range d.sides {
		text := s.Word + " " + s.Name + " " + display.Plural(all[i].Calls, "call")
		if d.timed {
			text = s.Word + " " + s.Name + " " + g.Duration(all[i].Time)
		}
		parts = append(parts, text)
	}
	return strings.Join(parts, " "+g.Dot+" ")
}

// addMore adds a column of differences. They are sorted by how large they are, those that may be chance last.
func addMore[R any](list *table.Columns[R], c table.Column, value func(row R) table.Value) {
	c.Signed = true
	list.AddBy(c, value, func(a, b R) int {
		x, y := value(a), value(b)
		switch chance := x.Bound() == table.Noise; {
		case chance == (y.Bound() == table.Noise):
			return cmp.Compare(max(x.Int(), -x.Int()), max(y.Int(), -y.Int()))
		case chance:
			return -1
		}
		return 1
	})
}

// noisy is a difference, which may be chance.
func noisy(n int64, chance bool) table.Value {
	if chance {
		return table.Int(n).Is(table.Noise)
	}
	return table.Int(n)
}

func (d *TopDiff) columns() (list table.Columns[*topPair]) {
	words := [...]string{d.sides[0].Word, d.sides[1].Word}
	keys := [...]string{"old", "new"}
	total, self, calls := func(s *Sums) int64 { return s.Total }, func(s *Sums) int64 { return s.Self }, func(s *Sums) int64 { return s.Calls }
	sides := func(key, title string, kind table.Kind, priority int, of func(*Sums) int64) {
		for i := range keys {
			list.Add(table.Column{Key: key + keys[i], Title: title + words[i], Kind: kind, Priority: priority}, func(p *topPair) table.Value {
				n, ok := p.value(i, of)
				v := table.IntIf(n, ok)
				if ok && kind == table.Duration && p.rows[i].Unended > 0 {
					v = v.Is(table.AtLeast)
				}
				return v
			})
		}
	}
	more := func(c table.Column, of func(*Sums) int64, noise func(*topPair) bool) {
		c.Title += words[1] + " - " + words[0]
		addMore(&list, c, func(p *topPair) table.Value { return noisy(p.more(of), noise(p)) })
	}
	part := func(of func(*Sums) int64, noise func(*topPair) bool) {
		list.Add(table.Column{Key: "more_share", Title: "%", Kind: table.Change, Priority: 2}, func(p *topPair) table.Value {
			a, _ := p.value(0, of)
			more := p.more(of)
			return table.Float(float64(more) / float64(a)).If(a > 0 && p.rows[1] != nil && more != 0 && !noise(p))
		})
	}
	never := func(*topPair) bool { return false }
	if d.timed {
		noise, selfNoise := func(p *topPair) bool { return p.noise }, func(p *topPair) bool { return p.selfNoise }
		sides("total_", "", table.Duration, 1, total)
		more(table.Column{Key: "more", Kind: table.Duration}, total, noise)
		part(total, noise)
		sides("self_", "self ", table.Duration, 5, self)
		more(table.Column{Key: "self_more", Title: "self ", Kind: table.Duration, Priority: 4}, self, selfNoise)
		sides("calls_", "calls ", table.Count, 3, calls)
		more(table.Column{Key: "calls_more", Kind: table.Count, In: table.OnlyData}, calls, never)
	} else {
		sides("calls_", "calls ", table.Count, 1, calls)
		more(table.Column{Key: "calls_more", Kind: table.Count}, calls, never)
		part(calls, never)
	}
	list.Add(table.Column{Key: "name", Title: "method", Stretch: true, CutMiddle: true, Style: format.StyleMethod}, func(p *topPair) table.Value { return table.Str(p.name) })
	addMethod(&list, func(p *topPair) *Group { return p.group })
	return list
}
