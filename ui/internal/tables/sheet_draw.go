package tables

import (
	"strings"

	"tracex/lazy/query/display"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
)

// item returns the i-th row shown.
func (s *Sheet) item(i int) prompt.Item {
	line, ok := s.rows[s.number(i)]
	if !ok {
		return prompt.Item{} // arrives with the next Settle
	}
	return prompt.Item{Cells: []prompt.Cell{{Text: line.Text, Spans: line.Spans, Of: screen.OfTable, Skip: margin}}}
}

// above draws the title and the heads of the columns.
func (s *Sheet) above() []string {
	head, out := s.layout.Head(), screen.NewLine(s.env.Width, s.env.Glyphs)
	out.Spans(head.Text, head.Spans, screen.OfHead, nil, 0)
	return []string{s.title(), out.Put(out.Glyphs.Rule, theme.Faint).End()}
}

// title draws the title: with a filter how many rows pass, at the right end what is under way.
func (s *Sheet) title() string {
	right := s.activity()
	out := screen.NewLine(s.env.Width, s.env.Glyphs)
	if right != "" {
		out.Left -= min(out.Left, s.env.Glyphs.TextWidth(right)+2)
	}
	room := out.Left
	if f := s.filter; f != nil {
		out.Put(" "+display.Grouped(int64(len(f.Passed)))+" of "+display.Grouped(int64(s.t.Rows.Len()))+" ", theme.Bold)
	} else {
		out.Put(" ", theme.Plain)
	}
	if text := s.Filtered(); text != "" {
		out.Put(s.env.Glyphs.CutEnd(text, room/2)+" ", theme.Accent).Put(s.env.Glyphs.Dot+" ", theme.Faint)
	}
	out.Put(s.t.Title, theme.Plain)
	if right != "" {
		out.Space(out.Left)
		out.Left = s.env.Width - room
		out.Put("  "+right, theme.Bold)
	}
	return out.End()
}

// activity tells what is under way.
func (s *Sheet) activity() string {
	switch f := s.filter; {
	case s.doing() != "":
		return s.doing() + s.env.Glyphs.More
	case s.failed != "":
		return s.failed
	case f != nil && !f.Ended:
		return display.Percent(int64(f.Looked), int64(f.Of(s.t.Rows.Len()))) + " searched"
	}
	return s.layout.Progress()
}

// ordinal tells which of the rows the i-th is; "" if there are none.
func ordinal(i, rows int) string {
	if rows == 0 {
		return ""
	}
	return " row " + display.Grouped(int64(i+1)) + " of " + display.Grouped(int64(rows))
}

// gap is how many cells are between the cursor's row and the histogram at least.
const gap = 3

// leastNote is how many cells of notes are shown at least.
const leastNote = 24

// below draws the line under the rows: the cursor's row, the notes as far as there is room, and its histogram.
func (s *Sheet) below() []string {
	out := screen.NewLine(s.env.Width, s.env.Glyphs)
	out.Put(ordinal(s.Selected(), s.len()), theme.Faint)
	right, notes := s.spread, strings.Join(s.t.Notes, "; ")
	if right.Text == "" && notes != "" {
		right = s.layout.Note(notes)
	} else if free := out.Left - s.env.Glyphs.TextWidth(right.Text) - 6; notes != "" && free >= leastNote {
		out.Space(3)
		out.Put(s.env.Glyphs.CutEnd(notes, free), theme.Faint)
	}
	room := out.Left - 2
	if w := s.env.Glyphs.TextWidth(right.Text); w <= room {
		out.Space(out.Left - w - 1)
		out.Spans(right.Text, right.Spans, screen.OfTable, nil, 0)
	} else if room > 0 {
		out.Space(2)
		out.Spans(right.Text, right.Spans, screen.OfTable, nil, 0)
	}
	return []string{out.End()}
}
