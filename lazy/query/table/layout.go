package table

import (
	"slices"

	"tracex/lazy/query/display"
)

// gap is how many cells are between two columns.
const gap = 2

// Layout decides which columns of a table fit a width, and how wide each is. Columns are as wide
// as the values of the rows that it was shown with [Layout.Fit]; they never become narrower, so
// they stay in place while one scrolls.
type Layout struct {
	t      *Table
	g      *display.Glyphs
	width  int   // of a line; 0 if as wide as needed
	margin int   // blank cells at the beginning of a line
	need   []int // for each column, the widest value or title
	bars   int   // from which width on there is one: see Bars
	bar    int   // cells of the bar after the first column of shares, with the blank before it; 0 for none
	shown  []slot
}

// barWidth is how many cells a bar takes, and BarsFrom from which width on an answer has one.
const (
	barWidth = 9
	BarsFrom = 110
)

// slot is the place of a column in a line.
type slot struct {
	column   int
	at, wide int // the first cell, and how many there are
	bar      int // cells after them
}

// NewLayout returns the layout of a table in lines of width cells, which begin with
// margin blank ones. If width is 0, lines are as wide as their columns.
func NewLayout(t *Table, width, margin int, g *display.Glyphs) *Layout {
	l := &Layout{t: t, g: g, width: width, margin: margin, need: make([]int, len(t.Columns))}
	l.arrange()
	return l
}

// Bars draws a bar after the first share of each row, in lines of so many cells or more.
func (l *Layout) Bars(from int) *Layout {
	l.bars = from
	l.arrange()
	return l
}

// Resize changes the width of the lines.
func (l *Layout) Resize(width int) {
	if l.width != width {
		l.width = width
		l.arrange()
	}
}

// Show changes the table to one with the same columns: the same answer, sorted or grown.
func (l *Layout) Show(t *Table) {
	if len(t.Columns) != len(l.need) {
		l.need = make([]int, len(t.Columns))
	}
	l.t = t
	l.arrange()
}

// Fit makes room for the values of the rows from from, and before to.
func (l *Layout) Fit(from, to int) {
	grown := false
	for row := max(0, from); row < min(to, l.t.Rows.Len()); row++ {
		grown = l.fit(l.t.Rows.Row(row)) || grown
	}
	if grown {
		l.arrange()
	}
}

// FitRows makes room for the values of rows.
func (l *Layout) FitRows(rows [][]Value) {
	grown := false
	for _, row := range rows {
		grown = l.fit(row) || grown
	}
	if grown {
		l.arrange()
	}
}

// fit notes how wide the values of a row are, and reports whether a column grows.
func (l *Layout) fit(row []Value) (grown bool) {
	for i, v := range row {
		c := &l.t.Columns[i]
		if c.In == OnlyData {
			continue
		}
		text, _ := c.shown(v, l.g)
		if w := widthUpTo(text, max(l.most(i), longest), l.g); w > l.need[i] {
			l.need[i], grown = w, true
		}
	}
	return grown
}

// longest is how many cells of a text a column gets at most, once all others have what they want.
const longest = 200

// most is the largest width that a column wants.
func (l *Layout) most(i int) int {
	const usual, all = 48, 1 << 12
	switch c := &l.t.Columns[i]; {
	case c.Most > 0:
		return c.Most
	case c.Kind != Text, i == l.stretched():
		return all
	}
	return usual
}

// widthUpTo returns the width of a text, or most if it is wider.
func widthUpTo(text string, most int, g *display.Glyphs) int {
	width := 0
	for len(text) > 0 && width < most {
		_, w, n := g.NextCells(text, most-width)
		width += w
		text = text[n:]
	}
	return min(width, most)
}

// stretched returns the column that gets the cells left over; -1 if there is none.
func (l *Layout) stretched() int {
	last := -1
	for i := range l.t.Columns {
		c := &l.t.Columns[i]
		switch {
		case c.In == OnlyData:
		case c.Stretch:
			return i
		case c.Kind == Text:
			last = i
		}
	}
	return last
}

// head returns the title of a column, with a mark if it orders the rows.
func (l *Layout) head(c *Column) string {
	if c.Key != l.t.Sorted || c.Key == "" {
		return c.Title
	}
	if l.t.Rising {
		return l.g.Rising + " " + c.Title
	}
	return l.g.Sorted + " " + c.Title
}

// Need returns how wide a line is with all columns, as wide as they need, and a bar.
func (l *Layout) Need() int {
	cells := l.margin + barWidth - gap
	for i, c := range l.t.Columns {
		if c.In != OnlyData {
			_, want := l.bounds(i)
			cells += max(want, l.need[i]) + gap
		}
	}
	return cells
}

// bounds returns the least width of a column, and the width that it wants.
func (l *Layout) bounds(i int) (least, want int) {
	c := &l.t.Columns[i]
	want = max(min(l.need[i], l.most(i)), l.g.TextWidth(l.head(c)), c.Least)
	if c.Kind == Duration {
		want = max(want, 7) // as wide as any: the column stays in place while values change
	}
	if c.Kind != Text {
		return want, want
	}
	const usual, named, stretched, worth = 12, 20, 24, 32
	least = max(c.Least, l.g.TextWidth(l.head(c)))
	switch {
	case c.Even:
		least = c.Least // its title may be cut
	case c.Least > 0:
	case c.Worth:
		least = max(least, min(want, worth))
	case c.Stretch, i == l.stretched() && !c.CutMiddle:
		least = max(least, min(want, stretched))
	case c.CutMiddle:
		least = max(least, min(want, named))
	default:
		least = max(least, min(want, usual))
	}
	return least, want
}

// arrange chooses the columns and their places.
func (l *Layout) arrange() {
	var shown []int
	for i := range l.t.Columns {
		if l.t.Columns[i].In != OnlyData {
			shown = append(shown, i)
		}
	}
	l.bar = 0
	if l.bars > 0 && l.width >= l.bars && l.leastWidth(shown)+barWidth <= l.width {
		l.bar = barWidth
	}
	for l.width > 0 && l.leastWidth(shown) > l.width {
		leave := -1
		for at, i := range shown {
			p := l.t.Columns[i].Priority
			if p > 0 && (leave < 0 || p >= l.t.Columns[shown[leave]].Priority) {
				leave = at
			}
		}
		if leave < 0 {
			break
		}
		shown = slices.Delete(shown, leave, leave+1)
	}
	l.place(shown)
}

// barred returns the column among some that has a bar; -1 if none has.
func (l *Layout) barred(shown []int) int {
	if i := slices.IndexFunc(shown, func(i int) bool { return l.t.Columns[i].Kind == Share }); i >= 0 && l.bar > 0 {
		return shown[i]
	}
	return -1
}

// leastWidth is the smallest width of a line with these columns.
func (l *Layout) leastWidth(shown []int) int {
	sum := l.margin + gap*max(0, len(shown)-1)
	if l.barred(shown) >= 0 {
		sum += l.bar
	}
	for _, i := range shown {
		least, _ := l.bounds(i)
		sum += least
	}
	return sum
}

// place gives each column its cells: first what it needs at least, then, if none is to stretch, a fair
// share to each column of texts, then, by priority, what it wants, and some of the rest to the one that stretches: the
// columns after it stay near.
func (l *Layout) place(shown []int) {
	l.shown = l.shown[:0]
	left := l.width - l.leastWidth(shown)
	wide := make(map[int]int, len(shown))
	byPriority := slices.Clone(shown)
	slices.SortStableFunc(byPriority, func(a, b int) int { return l.t.Columns[a].Priority - l.t.Columns[b].Priority })
	left = l.even(shown, left, wide)
	var rest []int
	for _, i := range byPriority {
		if wide[i] == 0 {
			wide[i], _ = l.bounds(i)
			rest = append(rest, i)
		}
	}
	left = l.share(rest, left, wide)
	for _, i := range rest {
		_, want := l.bounds(i)
		if more := want - wide[i]; l.width == 0 {
			wide[i] = want
		} else if more = min(more, left); more > 0 {
			wide[i] += more
			left -= more
		}
	}
	for _, i := range byPriority { // no column is cut while another has blanks
		if more := min(l.need[i]-wide[i], left); more > 0 && l.width > 0 {
			wide[i] += more
			left -= more
		}
	}
	if i := l.stretched(); l.width > 0 && left > 0 && slices.Contains(shown, i) {
		const roomy = 40
		wide[i] = max(wide[i], min(wide[i]+left, roomy))
	}
	at, barred := l.margin, l.barred(shown)
	for _, i := range shown {
		s := slot{column: i, at: at, wide: wide[i]}
		if i == barred {
			s.bar = l.bar
		}
		l.shown = append(l.shown, s)
		at += s.wide + s.bar + gap
	}
}

// share gives cells to the narrowest columns of texts until each has fairly many, or all that it wants. It
// returns how many cells are left over.
func (l *Layout) share(columns []int, left int, wide map[int]int) int {
	const fair = 24
	if slices.ContainsFunc(l.t.Columns, func(c Column) bool { return c.Stretch }) {
		return left
	}
	for left > 0 {
		narrow := -1
		for _, i := range columns {
			if _, want := l.bounds(i); wide[i] < min(want, fair) && (narrow < 0 || wide[i] < wide[narrow]) {
				narrow = i
			}
		}
		if narrow < 0 {
			break
		}
		wide[narrow]++
		left--
	}
	return left
}

// even shares what the other columns leave among those that are even: each has as many cells as the others,
// or all that it wants if that is less. It returns how many cells are left over.
func (l *Layout) even(shown []int, left int, wide map[int]int) int {
	var even []int
	room := left
	for _, i := range shown {
		least, want := l.bounds(i)
		if l.t.Columns[i].Even {
			even = append(even, i)
			room += least
		} else {
			room -= want - least
		}
	}
	if l.width == 0 || len(even) == 0 {
		return left
	}
	slices.SortStableFunc(even, func(a, b int) int {
		_, wantA := l.bounds(a)
		_, wantB := l.bounds(b)
		return wantA - wantB
	})
	for k, i := range even {
		least, want := l.bounds(i)
		wide[i] = max(least, min(want, room/(len(even)-k)))
		room -= wide[i]
		left -= wide[i] - least
	}
	return left
}

// Shown returns the keys of the columns that fit, from left to right.
func (l *Layout) Shown() []string {
	var keys []string
	for _, s := range l.shown {
		keys = append(keys, l.t.Columns[s.column].Key)
	}
	return keys
}

// At returns the key of the column at a cell of a line.
func (l *Layout) At(x int) (key string, ok bool) {
	for i, s := range l.shown {
		end := s.at + s.wide
		if i+1 < len(l.shown) {
			end = l.shown[i+1].at
		}
		if x >= s.at && x < end || i == 0 && x < s.at {
			return l.t.Columns[s.column].Key, true
		}
	}
	return "", false
}

// total is the width of a line.
func (l *Layout) total() int {
	if l.width > 0 || len(l.shown) == 0 {
		return l.width
	}
	last := l.shown[len(l.shown)-1]
	return last.at + last.wide
}
