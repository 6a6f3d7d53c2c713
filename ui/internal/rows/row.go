package rows

import (
	"context"
	"errors"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
)

// Row is a line of the tree as drawn: a value, made in Update.
type Row struct {
	lazy.Line
	Shown   string        // the text without the mark of a diff, which has its own column
	Styles  []format.Span // of the text shown
	Matches [][2]int      // byte ranges of the text that match a search
	Skip    int           // cells of the text that are scrolled out on the left
	Loading bool          // children are being loaded
	Err     error         // of a gap: why loading it failed
	Sign    string        // that the user has marked the row or made a note; "" if not
	Note    string        // the marks and the beginning of the note
	Stuck   bool          // scrolled out, and shown as it is around others
}

// New returns the row for a line of the tree.
func New(l lazy.Line) Row {
	r := Row{Line: l, Shown: l.Text[l.Mark:]}
	switch {
	case l.Node == nil:
	case l.IsPoint():
		r.Styles = spansAfter(l.Spans, l.Mark)
	default:
		r.Styles = []format.Span{{Start: 0, End: len(r.Shown)}}
	}
	return r
}

// spansAfter returns the styles of a text without the mark at its start.
func spansAfter(spans []format.Span, mark int) []format.Span {
	if mark == 0 {
		return spans
	}
	spans = spans[1:]
	for i := range spans {
		spans[i].Start -= mark
		spans[i].End -= mark
	}
	return spans
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
	// Open is what to say of rows of which it is not known whether they match; "" while that is being
	// found out.
	Open string
}

// Draw draws a row: a line of width cells.
func (v *View) Draw(r *Row, in Indent, width int) string {
	l := screen.NewLine(width, v.Glyphs)
	if r.Row == v.Cursor {
		l.Cursor = true
		l.Put(v.Glyphs.Cursor, screen.Accent)
	} else {
		l.Put(" ", screen.Plain)
	}
	mark, s := " ", screen.Plain
	if r.IsPoint() {
		mark, s = screen.DiffMark(r.Diff)
	}
	if mark == " " && r.Sign != "" {
		mark, s = r.Sign, screen.Accent
	}
	l.Put(mark, s)
	in.draw(l, r.Depth)
	switch {
	case r.Left != 0:
		v.leftText(l, r)
		return l.End()
	case r.Node == nil:
		v.gapText(l, r)
		return l.End()
	}
	t := v.tailOf(&r.Line, width)
	l.Left -= t.width
	v.nodeText(l, r)
	if t.width > 0 {
		l.Space(l.Left)
		l.Left = t.width
		t.draw(l, r.Stuck)
	}
	return l.End()
}

// nodeText draws the mark of a node and its text.
func (v *View) nodeText(l *screen.Line, r *Row) {
	if mark := v.mark(r); mark == " " {
		l.Space(2)
	} else {
		l.Put(mark, markStyle(r)).Space(1)
	}
	of := screen.Always(screen.Bold)
	if r.IsPoint() {
		of = func(s format.Style) screen.Style { return screen.SpanStyle(s, r.Class) }
	}
	if r.Around || r.Stuck {
		of = screen.Always(screen.Faint)
	}
	skip := r.Skip
	if skip > 0 && r.Shown != "" {
		before := l.Left
		l.Put(v.Glyphs.More, screen.Faint)
		skip += before - l.Left
	}
	dropped := ""
	if r.Dropped > 0 {
		dropped = "  " + v.Glyphs.Gap + " " + nodetext.Count(r.Dropped, r.CountExact, true, v.Glyphs) + " dropped"
	}
	width := screen.TextWidth(dropped, v.Glyphs.ASCII)
	if width > l.Left/2 {
		dropped, width = "", 0
	}
	l.Left -= width
	l.Spans(r.Shown, r.Styles, of, r.Matches, skip)
	l.Left += width
	switch {
	case dropped != "":
		l.Put(dropped, screen.Faint)
	case r.IsThread() && r.CountKnown && r.CountExact && r.Count == 0 && r.Edited:
		l.Put("  the steps leave no calls here", screen.Faint)
	case r.IsThread() && r.CountKnown && r.CountExact && r.Count == 0:
		l.Put("  no calls in this thread", screen.Faint)
	case r.State == lazy.StateUnfinished && r.IsPoint() && r.Class != format.ClassCall: // a call's text has it as the result
		l.Put("  unfinished", screen.Unfinished)
	case r.State == lazy.StatePending && r.IsPoint():
		l.Put("  "+v.Pending, screen.Faint)
	}
	v.note(l, r)
}

func markStyle(r *Row) screen.Style {
	if r.Stuck {
		return screen.Faint
	}
	return screen.Accent
}

// noteFrom is the room, in cells, from which on a note is shown after a row's text.
const noteFrom = 8

// note draws the user's marks and note after the text of a row, if there is room.
func (v *View) note(l *screen.Line, r *Row) {
	if r.Note != "" && l.Left >= noteFrom {
		l.Put("  "+r.Note, screen.Faint)
	}
}

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
	enter := screen.ActionKey("toggle", v.Glyphs)
	switch {
	case errors.Is(err, context.Canceled):
		l.Put(v.Glyphs.Gap+" not loaded, "+nodetext.Missing(r.Row)+": stopped; "+enter+" loads it", screen.Faint)
	case err != nil:
		l.Put(v.Glyphs.Warn+" cannot be read: "+screen.ErrorLine(err)+" ("+enter+" tries again)", screen.Alarm)
	default:
		l.Put(v.Spinner+" loading "+nodetext.Missing(r.Row), screen.Faint)
	}
}

// leftText draws the row of what a filter leaves out.
func (v *View) leftText(l *screen.Line, r *Row) {
	text := nodetext.Left(&r.Line)
	switch {
	case r.Left == lazy.LeftOut:
		text = v.Glyphs.Gap + " " + text + " without a match"
	case v.Open != "":
		text = v.Glyphs.Gap + " " + text + " " + v.Open
	default:
		text = v.Spinner + " " + text + " not searched yet"
	}
	l.Put(text, screen.Faint)
}

// Hidden returns how many cells of a row's text do not fit on its line.
func (v *View) Hidden(r *Row, in Indent, width int) int {
	return max(0, screen.TextWidth(r.Shown, v.Glyphs.ASCII)-v.room(r, in, width))
}

// room returns how many cells of a row are for its text.
func (v *View) room(r *Row, in Indent, width int) int {
	before := 2 + in.Of(r.Depth) - textFrom + 2
	return width - before - v.tailOf(&r.Line, width).width
}

// ShowMatch scrolls a row until its first match is visible.
func (v *View) ShowMatch(r *Row, in Indent, width int) {
	if len(r.Matches) > 0 {
		r.Skip = screen.Window(r.Shown, r.Matches[0], r.Skip, v.room(r, in, width), v.Glyphs)
	}
}

// TailWidth returns how many cells of a row its columns take.
func (v *View) TailWidth(of *lazy.Line, width int) int { return v.tailOf(of, width).width }
