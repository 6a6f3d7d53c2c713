package tree

import (
	"context"
	"errors"
	"strings"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/goroutines"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// Row is a line of the tree as drawn: a value, made in Update.
type Row struct {
	*lazy.Line
	Shown   string        // the text without the mark of a diff, which has its own column, and with what it is extended by
	Styles  []format.Span // of the text shown
	Matches [][2]int      // byte ranges of the text that match a search
	Skip    int           // cells of the text that are scrolled out on the left
	Loading bool          // children are being loaded
	Err     error         // of a gap: why loading it failed
	Sign    string        // that the user has marked the row or made a note; "" if not
	Note    string        // the marks and the beginning of the note
	Stuck   bool          // scrolled out, and shown as it is around others
	Change  string        // what is different in an edited row of a diff, or where it was moved; "" if that is not known
	Equal   bool          // it stands for what is equal in both traces of a diff
}

func newRow(l *lazy.Line) Row {
	r := Row{Line: l, Shown: l.Text[l.Mark:]}
	switch {
	case l.Node == nil:
	case l.IsThread():
		r.Shown, r.Styles = threadHeading(r.Shown)
	case l.Mark == 0:
		r.Styles = l.Spans
	default:
		r.Styles = l.Spans[1:]
		for i := range r.Styles {
			r.Styles[i].Start -= l.Mark
			r.Styles[i].End -= l.Mark
		}
		for i := range r.Extras {
			r.Extras[i].At -= l.Mark
		}
	}
	return r
}

// extend extends the text by what the row has room for, and returns that.
func (r *Row) extend(v *View, room int) (with []format.Extra) {
	if len(r.Extras) == 0 || r.Stuck {
		return nil
	}
	room -= v.Glyphs.TextWidth(v.dropped(r) + v.after(r))
	if r.Change != "" {
		room -= v.Glyphs.TextWidth(r.Change) + 2
	}
	if r.Note != "" {
		room -= 2 + v.Glyphs.TextWidth(r.Note)
	}
	r.Shown, r.Styles, with = screen.Extended(r.Shown, r.Styles, r.Extras, room, v.Glyphs)
	return with
}

// ShortThread returns the heading of a thread without who started it.
func ShortThread(heading string) string {
	text, parts := threadHeading(heading)
	return text[:parts[0].End]
}

// threadHeading shortens the heading of a goroutine's thread to its number and function, with who started it in a
// style of its own: the number of the thread and the word goroutine are the same in every such row.
func threadHeading(text string) (string, []format.Span) {
	_, name, _ := strings.Cut(text, " (")
	end := len(text)
	if n, ok := goroutines.Parse(strings.TrimSuffix(name, ")")); ok && n.Start != "" {
		text, end = n.Heading()
	}
	return text, []format.Span{{Start: 0, End: end}, {Start: end, End: len(text), Style: format.StyleLocation}}
}

// ofHeading returns the role of a part of a thread's heading.
func ofHeading(s format.Style) theme.Role {
	if s == format.StyleLocation {
		return theme.Faint
	}
	return theme.Bold
}

// View tells how rows are drawn.
type View struct {
	Glyphs   *screen.Glyphs
	Spinner  string
	Pending  string   // the mark after a node that has not ended
	Cursor   lazy.Row // the row drawn as a bar
	Timed    bool     // the trace has times
	Choice   Choice   // of columns
	Part     bool     // only some rows are shown
	Edited   bool     // steps leave rows out: what is nested is as recorded
	ByWeight bool     // the children that the user means are sorted by duration, or by what is nested
	Open     string   // what to say of rows that may match; "" while it is being found out whether they do

	Pairs *Pairs // what rows are in A and in B, in a diff that has their times; nil otherwise

	cols    []column // of trees of colsFor cells; nil if not known yet
	colsFor int
}

func (v *View) Draw(r *Row, in Indent, width int) string {
	l := screen.NewRow(width, r.Row == v.Cursor, v.Glyphs)
	mark, s := " ", theme.Plain
	if r.IsPoint() {
		mark, s = theme.DiffMark(r.Diff)
	}
	if mark == " " && r.Sign != "" {
		mark, s = r.Sign, theme.Accent
	}
	l.Put(mark, s)
	in.draw(l, r.Depth)
	t := v.bare(width)
	if r.Node != nil {
		t = v.tailOf(r.Line, width)
	}
	l.Left -= t.width
	switch {
	case r.Left != 0:
		v.leftText(l, r)
	case r.Node == nil:
		v.gapText(l, r)
	default:
		v.nodeText(l, r)
	}
	l.Space(l.Left)
	l.Left = t.width
	t.draw(l, r.Stuck)
	return l.End()
}

// nodeText draws the mark of a node and its text.
func (v *View) nodeText(l *screen.Line, r *Row) {
	if mark := v.mark(r); mark == " " {
		l.Space(2)
	} else {
		style := theme.Accent
		if r.Stuck {
			style = theme.Faint
		}
		l.Put(mark, style).Space(1)
	}
	of := ofHeading
	if r.IsPoint() {
		of = func(s format.Style) theme.Role { return theme.OfSpan(s, r.Class) }
	}
	if r.Around || r.Stuck || r.Equal {
		of = screen.Always(theme.Faint)
	}
	skip := r.Skip
	if skip > 0 && r.Shown != "" {
		before := l.Left
		l.Put(v.Glyphs.More, theme.Faint)
		skip += before - l.Left
	}
	dropped := v.dropped(r)
	width := v.Glyphs.TextWidth(dropped)
	if width > l.Left/2 {
		dropped, width = "", 0
	}
	change := ""
	_, changed := theme.DiffMark(r.Diff)
	switch of := v.Glyphs.TextWidth(r.Change) + 2; {
	case r.Change == "":
	case of <= max(l.Left/2, l.Left-v.Glyphs.TextWidth(r.Shown)):
		change = "  " + r.Change
	case r.Diff != format.DiffEditedNew:
		change = "  " + v.Glyphs.Moved
	}
	width += v.Glyphs.TextWidth(change)
	l.Left -= width
	l.Spans(r.Shown, r.Styles, of, r.Matches, skip)
	l.Left += width
	l.Put(change, changed)
	switch {
	case dropped != "":
		l.Put(dropped, theme.Faint)
	case r.IsThread() && r.CountKnown && r.CountExact && r.Count == 0:
		text := "  no calls in this thread"
		if r.Edited {
			text = "  the steps leave no calls here"
		}
		l.Put(text, theme.Faint)
	case r.State == lazy.StateUnfinished:
		l.Put(v.after(r), theme.Unfinished)
	default:
		l.Put(v.after(r), theme.Faint)
	}
	if r.Note != "" && l.Left >= noteFrom {
		l.Put("  "+r.Note, theme.Faint)
	}
}

// dropped tells how many children steps leave out; "" if none.
func (v *View) dropped(r *Row) string {
	if r.Dropped == 0 {
		return ""
	}
	return "  " + v.Glyphs.Gap + " " + screen.Count(r.Dropped, r.CountExact, true, v.Glyphs) + " dropped"
}

// after tells of a trace point that it has not ended, unless its text does.
func (v *View) after(r *Row) string {
	switch {
	case !r.IsPoint():
	case r.State == lazy.StateUnfinished && r.Class != format.ClassCall: // a call's text has it as the result
		return "  unfinished"
	case r.State == lazy.StatePending:
		return "  " + v.Pending
	}
	return ""
}

// noteFrom is the room, in cells, from which on a note is shown after a row's text.
const noteFrom = 8

// mark tells whether a node is expanded, collapsed, not loaded, a leaf, or loading.
func (v *View) mark(r *Row) string {
	switch {
	case r.Stuck:
		return v.Glyphs.Above
	case r.Leaf:
		return " "
	case r.Loading:
		return v.Spinner
	case r.Expanded && r.Order == lazy.OrderWeight:
		return v.Glyphs.Sorted
	case r.Expanded:
		return v.Glyphs.Open
	case r.Loaded:
		return v.Glyphs.Closed
	}
	return v.Glyphs.Absent
}

// gapText draws the row of children that are not in memory.
func (v *View) gapText(l *screen.Line, r *Row) {
	err := r.Err
	enter := keys.ActionKey("toggle", v.Glyphs)
	switch {
	case errors.Is(err, context.Canceled):
		l.Put(v.Glyphs.Gap+" not loaded, "+screen.Missing(r.Row)+": stopped; "+enter+" loads it", theme.Faint)
	case err != nil:
		l.Put(v.Glyphs.Warn+" cannot be read: "+screen.ErrorLine(err)+" ("+enter+" tries again)", theme.Alarm)
	default:
		l.Put(v.Spinner+" loading "+screen.Missing(r.Row), theme.Faint)
	}
}

// leftText draws the row of what a filter leaves out.
func (v *View) leftText(l *screen.Line, r *Row) {
	one, several := "row", "rows"
	if p := r.Parent; p == nil {
		one, several = "thread", "threads"
	} else if _, inlined := lazy.Inlined(p); !inlined && p.Point() != nil && p.Point().Class == format.ClassLoop {
		one, several = "iteration", "iterations"
	}
	text := several // until they are counted
	if r.LeftKnown && r.LeftRows == 1 {
		text = "1 " + one
	} else if r.LeftKnown {
		text = display.Grouped(r.LeftRows) + " " + several
	}
	switch {
	case r.Left == lazy.LeftOut:
		text = v.Glyphs.Gap + " " + text + " without a match"
	case v.Open != "":
		text = v.Glyphs.Gap + " " + text + " " + v.Open
	default:
		text = v.Spinner + " " + text + " not searched yet"
	}
	l.Put(text, theme.Faint)
}

// Hidden returns how many cells of a row's text do not fit on its line.
func (v *View) Hidden(r *Row, in Indent, width int) int {
	return max(0, v.Glyphs.TextWidth(r.Shown)-v.room(r, in, width))
}

// room returns how many cells of a row are for its text.
func (v *View) room(r *Row, in Indent, width int) int {
	return width - (in.Of(r.Depth) + 2) - v.TailWidth(r.Line, width)
}

// TailWidth returns how many cells of a row its columns take.
func (v *View) TailWidth(of *lazy.Line, width int) int { return v.tailOf(of, width).width }

// Rows returns the contents of rows. lit returns the parts of a node's text that match a search, where it is extended; sign
// returns the sign and the note of a node. The cursor's row is scrolled to its first match, unless the user has scrolled it.
func (p *Tree) Rows(of []lazy.Row, lit func(n *lazy.Node, text string, with []format.Extra) [][2]int, sign func(*lazy.Node) (sign, note string)) []Row {
	lines := p.Out.Tree.Lines(of, p.Out.Wide)
	list := make([]Row, len(lines))
	p.Out.Found = 0
	v, in := p.View(), p.Out.Indent()
	for i := range lines {
		l, r := &lines[i], &list[i]
		*r = newRow(l)
		r.Stuck = i < len(p.Out.Stuck) && l.Row == p.Out.Stuck[i]
		if l.Node == nil {
			r.Err = p.err(l.Row)
			continue
		}
		if p.env.Trace.Diff != nil && l.Parent != nil {
			r.Change = p.change(l.Node)
			_, _, r.Equal = p.Equal(l.Node)
		}
		r.Sign, r.Note = sign(l.Node)
		bare := r.Shown
		with := r.extend(&v, v.room(r, in, p.Out.Width))
		r.Matches, r.Skip = lit(l.Node, bare, with), p.Out.skipOf(l.Node)
		r.Loading = !l.Loaded && p.loading(l.Node)
		if l.Row == p.Out.Cursor && p.Out.Slid != l.Node {
			if len(r.Matches) > 0 {
				r.Skip = screen.Window(r.Shown, r.Matches[0], r.Skip, v.room(r, in, p.Out.Width), v.Glyphs)
			}
			p.Out.Found = r.Skip - p.Out.Skip
		}
	}
	return list
}

func (p *Tree) View() View {
	spinner, sorts := p.env.Spinner(), p.Out.Sortable()
	pending := spinner
	if p.env.Trace.Following() {
		pending = p.env.Glyphs.More
	}
	pairs := p.pairs
	if pairs != nil && !pairs.timed {
		pairs = nil
	}
	return View{
		Pairs: pairs, Glyphs: p.env.Glyphs, Spinner: spinner, Pending: pending, Cursor: p.Out.Cursor,
		Timed: p.env.Trace.Timed(), Choice: p.Columns.Choice, ByWeight: sorts != nil && sorts.Order() == lazy.OrderWeight, Open: p.Open, Part: lazy.ShownIn(p.Out.Tree).Part(), Edited: p.Out.Tree.Edited(),
	}
}

func (p *Tree) hidden(of lazy.Row) int {
	v, r := p.View(), newRow(&p.Out.Tree.Lines([]lazy.Row{of}, p.Out.Wide)[0])
	return v.Hidden(&r, p.Out.Indent(), p.Out.Width)
}

// Indent tells how far rows are indented: in a deep tree less, so that it takes at most a third of the width.
type Indent struct {
	from     int // depths up to this one are not indented
	perLevel int // cells
	root     int // depth of the root
}

// textFrom is the column of the marks of rows without indentation: after the marks of the cursor and of a diff.
const textFrom = 2

func (in Indent) Of(depth int) int { return textFrom + max(0, depth-in.from)*in.perLevel }

// indentFor returns the indentation for rows up to a depth in a tree of a given width.
func indentFor(deepest, width int) Indent {
	room := width / 3
	switch {
	case 2*deepest <= room:
		return Indent{perLevel: 2}
	case deepest <= room:
		return Indent{perLevel: 1}
	}
	return Indent{from: deepest - room, perLevel: 1}
}

// Indent returns how far the rows on the screen are indented.
func (o *Outline) Indent() Indent {
	deepest, root := 0, 0
	if n := o.Tree.Focused(); n != nil {
		root = n.Depth()
	}
	for _, r := range o.Rows {
		deepest = max(deepest, r.Depth)
	}
	in := indentFor(deepest-root, o.Width)
	return Indent{in.from + root, in.perLevel, root}
}

// Guides lead from a row's ancestors, but the first, down to it. Of levels a cell apart, one of sparse has a guide.
const (
	guidesFrom = 4 // the depth of rows
	sparse     = 4
)

// guide reports whether the ancestor at a depth has a guide.
func (in Indent) guide(depth int) bool {
	return depth-in.root >= guidesFrom-1 && (in.perLevel > 1 || depth%sparse == 0)
}

// draw draws the indentation of a row: blanks, with the guides of its ancestors.
func (in Indent) draw(l *screen.Line, depth int) {
	for d := in.from; d < depth; d++ {
		if !in.guide(d) {
			l.Space(in.perLevel)
			continue
		}
		l.Put(l.Glyphs.Side, theme.Faint)
		l.Space(in.perLevel - 1)
	}
}
