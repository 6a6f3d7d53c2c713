package tree

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/pattern"
	"tracex/ui/internal/screen"
)

// Outline is the tree on the screen: the cursor's row and the line where it is shown.
// Everything else follows from these two, whatever is loaded or unloaded around them.
type Outline struct {
	Tree   *lazy.Tree
	Cursor lazy.Row
	Line   int // of the cursor, from the top of the tree's part of the screen
	Height int
	Width  int
	Skip   int        // cells scrolled out on the left
	Wide   bool       // with code locations
	Slid   *lazy.Node // the one row that the user has scrolled, while the cursor is on it
	Slide  int        // by how many cells more than Skip
	Found  int        // by how many cells more the cursor's row is scrolled to show a match; see Rows of package tree

	Rows []lazy.Row // on the screen, at the last Settle
	More bool       // there are rows below them
	// Stuck are rows around the first of Rows that they do not cover, shown over the first lines: at most Sticky.
	Stuck  []lazy.Row
	Sticky int
	Goal   Goal // the rest of a move that waits for a load; nil if none
}

// NewOutline returns the outline of a tree, with the cursor on its first row.
func NewOutline(t *lazy.Tree) *Outline {
	o := &Outline{Tree: t}
	o.Cursor, _ = t.First()
	return o
}

// skipOf returns how many cells of a row's text are scrolled out on the left.
func (o *Outline) skipOf(n *lazy.Node) int {
	if o.Slid == n && o.Cursor.Node == n {
		return o.Skip + o.Slide
	}
	return o.Skip
}

// Settle brings cursor and rows up to date with the tree.
func (o *Outline) Settle() {
	o.Line = max(0, min(o.Line, o.Height-1))
	o.Cursor = o.Tree.Resolve(o.Cursor)
	if o.Slid != o.Cursor.Node {
		o.Slid, o.Slide = nil, 0
	}
	top := o.Cursor
	for i := 0; i < o.Line; i++ {
		up, ok := o.Tree.Prev(top)
		if !ok {
			o.Line = i
			break
		}
		top = up
	}
	if o.Cursor == (lazy.Row{}) {
		o.Rows, o.Stuck = o.Rows[:0], nil
		return
	}
	top, o.Line = o.uncovered(top, o.Line)
	rows := o.Tree.Rows(top, o.Height+1)
	o.More = len(rows) > o.Height
	o.Rows, o.Stuck = rows[:min(len(rows), o.Height)], o.stick(top)
	if _, above := o.Tree.Prev(top); above && len(o.Rows) < o.Height && o.Line < o.Height-1 && !o.loads() {
		o.Line += o.Height - len(o.Rows)
		o.Settle()
	}
}

// loads reports whether more rows may come to those on the screen, so that it is too early to fill it from above.
func (o *Outline) loads() bool { return o.Goal != nil || slices.ContainsFunc(o.Rows, lazy.Row.Gap) }

// Scroll returns which part of the trace the rows on the screen are, by their places in it: rows cannot be counted. It
// tells nothing of sorted rows, nor of a node that is shown alone.
func (o *Outline) Scroll() (s screen.Scroll) {
	if len(o.Rows) <= len(o.Stuck) || o.Tree.Focused() != nil {
		return s
	}
	from, to := o.Rows[len(o.Stuck)], o.Rows[len(o.Rows)-1]
	for _, r := range []lazy.Row{from, to} {
		for n, up := r.Parent, 0; n != nil; n, up = n.Parent(), up+1 {
			if up == mostAround || n.Order() == lazy.OrderWeight {
				return s
			}
		}
	}
	const near = 1e-9 // a row is not at an end only because its place is there
	s.All = float64(o.Tree.ThreadCount())
	s.To = s.All
	if first, _ := o.Tree.First(); from != first {
		s.From = min(max(o.place(from), near), s.All-2*near)
	}
	if o.More {
		s.To = min(max(o.place(to), s.From+near), s.All-near)
	}
	return s
}

// mostAround is how many nodes around a row Scroll looks at: in a deeper one it is not known whether any is sorted.
const mostAround = 1 << 12

// place returns where a row is among all threads, or within its thread: the integer is the thread.
func (o *Outline) place(r lazy.Row) float64 {
	if n := cmp.Or(r.Node, r.Parent); n != nil {
		_, i := o.Tree.Thread(n.Thread())
		return float64(i) + r.Fraction()
	}
	return float64(r.From)
}

// Put sets the cursor to a row, shown at a line of the screen.
func (o *Outline) Put(r lazy.Row, line int) { o.Cursor, o.Line = r, max(0, min(line, o.Height-1)) }

// Jump sets the cursor to a row, which stays at its line if it is on the screen; otherwise it is a third from the top. Above
// an edited row of a diff there is room for the row as it was.
func (o *Outline) Jump(r lazy.Row) {
	above, line := 0, o.Height/3
	if n := r.Node; n != nil && n.Point() != nil && n.Point().Diff == format.DiffEditedNew {
		above, line = 1, max(line, o.Sticky+1)
	}
	if i := slices.Index(o.below(), r); i >= above {
		o.Put(r, len(o.Stuck)+i)
		return
	}
	o.Put(r, line)
}

// RowOf returns the row of a node on the path to a shown one.
func RowOf(n *lazy.Node) lazy.Row {
	return lazy.Row{Node: n, Parent: n.Parent(), Depth: n.Depth(), From: n.Position().At}
}

// PlaceOf returns the position of a node; a thread is at -1.
func PlaceOf(n *lazy.Node) lazy.Position {
	if n.IsThread() {
		return lazy.Position{Thread: n.Thread(), At: -1}
	}
	return n.Position()
}

// Here returns the position of the cursor; ok is false if it has none.
func (o *Outline) Here() (p lazy.Position, ok bool) {
	switch row := o.Cursor; {
	case row.Node != nil:
		return PlaceOf(row.Node), true
	case row.Parent != nil:
		return lazy.Position{Thread: row.Parent.Thread(), At: row.From}, true
	case row.Left != 0:
		if n := o.Tree.ThreadAt(int(row.From)); n != nil {
			return PlaceOf(n), true
		}
	}
	return p, false
}

func (o *Outline) Thread() (id int32, ok bool) {
	p, ok := o.Here()
	return p.Thread, ok
}

// Sortable returns the node whose children the user means: the cursor's own if it is open, otherwise its parent.
func (o *Outline) Sortable() *lazy.Node {
	row := o.Cursor
	if n := row.Node; n != nil && !n.Leaf() && o.Tree.IsExpanded(n) {
		return n
	}
	return row.Parent
}

// maxSkip bounds how far lines scroll.
const maxSkip = 1 << 20

// Shift scrolls all lines sideways, to the right if cells is positive.
func (o *Outline) Shift(cells int) {
	if cells < 0 && o.Skip == 0 {
		o.Slid, o.Slide = o.Cursor.Node, 0 // back from a match to the beginning of the row
	}
	o.Skip = max(0, min(o.Skip+cells, maxSkip))
}

// slideBy scrolls only the cursor's line, unless nothing more is to the right; hidden cells of its text do not fit.
func (o *Outline) slideBy(cells, hidden int) bool {
	if o.Slid != o.Cursor.Node {
		o.Slide = o.Found
	}
	more := hidden - o.Skip
	if cells > 0 && more <= o.Slide {
		return false
	}
	o.Slid, o.Slide = o.Cursor.Node, max(0, min(o.Slide+cells, more))
	return true
}

// How many rows above and below the cursor Expanded looks at, how many threads among them; how many nodes it returns.
const (
	expandedRows    = 1000
	expandedThreads = 50
	expandedNodes   = 100
)

// Expanded returns the expanded nodes around the cursor, outer ones before those within; a thread is at -1.
func (o *Outline) Expanded() (list []lazy.Position) {
	look := func(r lazy.Row, ok bool, neighbour func(lazy.Row) (lazy.Row, bool)) {
		for rows, threads := 0, 0; ok && rows < expandedRows && threads < expandedThreads; rows++ {
			if n := r.Node; n != nil {
				if n.IsThread() {
					threads++
				}
				if len(list) < expandedNodes && !n.Leaf() && o.Tree.IsExpanded(n) {
					list = append(list, PlaceOf(n))
				}
			}
			r, ok = neighbour(r)
		}
	}
	look(o.Cursor, true, o.Tree.Prev)
	slices.Reverse(list)
	below, ok := o.Tree.Next(o.Cursor)
	look(below, ok, o.Tree.Next)
	return list
}

// stick returns the rows that stay over the first lines of a screen: those around the first row that they do not cover.
// If more of them are scrolled out than may stay, the innermost do. A thread does not: the path above the tree begins
// with it. Nothing moves when they come and go, except that the cursor's row is never covered.
func (o *Outline) stick(top lazy.Row) []lazy.Row {
	outermost := 1
	if root := o.Tree.Focused(); root != nil {
		outermost = root.Depth()
	}
	around := func(r lazy.Row) int { return min(o.Sticky, max(0, r.Depth-outermost)) }
	covered, first := []lazy.Row(nil), top
	for around(first) > len(covered) {
		next, ok := o.Tree.Next(first)
		if !ok || around(next) <= len(covered) {
			break // the row after is less deep: first gets as many as there are lines above it
		}
		covered, first = append(covered, first), next
	}
	if len(covered) == 0 {
		return nil
	}
	stuck := make([]lazy.Row, 0, o.Sticky)
	for up := first.Parent; len(stuck) < around(first); up = up.Parent() {
		stuck = append(stuck, RowOf(up))
	}
	slices.Reverse(stuck)
	n := min(len(covered), len(stuck))
	for n > 0 && stuck[n-1] == covered[n-1] {
		n-- // it is where it would stay
	}
	return stuck[:n]
}

// uncovered returns the first line from line on at which a row is not covered, and the row at the top of the screen.
func (o *Outline) uncovered(top lazy.Row, line int) (lazy.Row, int) {
	for ; line < len(o.stick(top)); line++ {
		top, _ = o.Tree.Prev(top) // there is one: the rows that stay are above
	}
	return top, line
}

// Shown returns the rows that the screen shows: those that stay at the top, then the others.
func (o *Outline) Shown() []lazy.Row {
	if len(o.Stuck) == 0 {
		return o.Rows
	}
	return append(slices.Clone(o.Stuck), o.below()...)
}

// below returns the rows of the screen below those that stay at the top.
func (o *Outline) below() []lazy.Row { return o.Rows[min(len(o.Stuck), len(o.Rows)):] }

// scrolledOut returns the n-th row around the cursor, from inside, that is not on the screen, or the outermost of them.
func (o *Outline) scrolledOut(n int) (row lazy.Row, ok bool) {
	shown := make(map[*lazy.Node]bool)
	for _, r := range o.below() {
		shown[r.Node] = true
	}
	root := o.Tree.Focused()
	for up := o.Cursor; n > 0 && up.Parent != nil && (root == nil || up.Node != root); {
		if up = RowOf(up.Parent); !shown[up.Node] {
			row, ok = up, true
			n--
		}
	}
	return row, ok
}

// Climb goes to a row around others. One that stays at the top is shown where it is, if what is around it allows that.
func (o *Outline) Climb(r lazy.Row) {
	if i := slices.Index(o.Stuck, r); i >= 0 {
		o.Put(r, i)
		return
	}
	o.Jump(r)
}

// Text returns the text of a node without the mark of a diff.
func (o *Outline) Text(n *lazy.Node) (string, []format.Span) {
	r := newRow(&o.Tree.Lines([]lazy.Row{RowOf(n)}, o.Wide)[0])
	return r.Shown, r.Styles
}

// ShortName returns the name of a node in a path: a call without its arguments, a goroutine without who started it.
func (o *Outline) ShortName(n *lazy.Node) string {
	if p := n.Point(); p != nil && p.Class.Container() {
		if name := string(o.Tree.AppendName(nil, n)); !strings.HasPrefix(name, format.DiffClass+"."+format.EqualMethod) {
			return name
		}
	}
	text, parts := o.Text(n)
	if n.IsThread() {
		return text[:parts[0].End]
	}
	return text
}

// Named returns all that a user can read of a node, without the mark of a diff, which has its own column.
func (o *Outline) Named(n *lazy.Node) lazy.Named {
	named := o.Tree.Named(n, o.Wide)
	if p := n.Point(); p != nil {
		cut := len(p.Mark())
		named.Text = named.Text[cut:]
		if named.At >= 0 {
			named.At -= cut
		}
	}
	return named
}

// Crumbs returns the path to the cursor, as much as fits into width cells.
func (o *Outline) Crumbs(width int, g *screen.Glyphs) []string {
	path := screen.Path(o.Cursor)
	return screen.Crumbs(len(path), func(i int) string { return o.ShortName(path[i]) }, width-2, g)
}

// CrumbAt returns the row of the crumb at a cell of their line. The crumb that stands for others is the last of them.
func (o *Outline) CrumbAt(crumbs []string, x int, g *screen.Glyphs) (r lazy.Row, ok bool) {
	path := screen.Path(o.Cursor)
	i := screen.CrumbAt(crumbs, x, g)
	if i > 0 {
		i += len(path) - len(crumbs) // those before the last are left out
	}
	if i < 0 || i >= len(path) {
		return r, false
	}
	return RowOf(path[i]), true
}

// While a pattern is typed, ToMatch looks at this many open rows, and for this long.
const (
	incremental    = 20_000
	incrementalFor = 5 * time.Millisecond
)

// ToMatch goes to the first match at or after a row, among the open rows, and reports whether there is one.
func (p *Tree) ToMatch(what *pattern.Pattern, from lazy.Row) bool {
	until := time.Now().Add(incrementalFor)
	t, r, ok := p.Out.Tree, from, true
	for i := 0; ok && i < incremental; i++ {
		if r.Node != nil {
			if named := p.Out.Named(r.Node); named.Match(what.Find, what.Limits) {
				p.Out.Jump(r)
				return true
			}
		}
		if i%64 == 63 && time.Now().After(until) {
			break
		}
		r, ok = t.Next(r)
	}
	return false
}
