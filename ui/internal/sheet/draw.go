package sheet

import (
	"strings"

	"tracex/format"
	"tracex/lazy/query/table"
	"tracex/ui/internal/list"
	"tracex/ui/internal/screen"
)

// style tells how a part of a table's line is drawn.
func style(s format.Style) screen.Style {
	switch s {
	case table.Plain:
		return screen.Plain
	case table.Faint:
		return screen.Faint
	case table.Strong:
		return screen.Bold
	}
	return screen.SpanStyle(s, format.ClassCall)
}

// item returns the i-th row shown.
func (s *Sheet) item(i int) list.Item {
	line, ok := s.rows[s.number(i)]
	if !ok {
		return list.Item{} // arrives with the next Settle
	}
	return list.Item{Cells: []list.Cell{{Text: line.Text, Spans: line.Spans, Of: style, Skip: margin}}}
}

// above draws the title and the heads of the columns.
func (s *Sheet) above() []string {
	return []string{s.title(), s.line(s.layout.Head())}
}

// title draws the title: with a filter how many rows pass, at the right end what is under way.
func (s *Sheet) title() string {
	right := s.activity()
	out := screen.NewLine(s.width, s.g)
	if right != "" {
		out.Left -= min(out.Left, screen.TextWidth(right, s.g.ASCII)+2)
	}
	room := out.Left
	if f := s.filter; f != nil {
		out.Put(" "+screen.Grouped(int64(len(f.Passed)))+" of "+screen.Grouped(int64(s.t.Rows.Len()))+" ", screen.Bold)
	} else {
		out.Put(" ", screen.Plain)
	}
	if text := s.Filtered(); text != "" {
		out.Put(screen.CutEnd(text, room/2, s.g)+" ", screen.Accent).Put(s.g.Dot+" ", screen.Faint)
	}
	out.Put(s.t.Title, screen.Plain)
	if right != "" {
		out.Space(out.Left)
		out.Left = s.width - room
		out.Put("  "+right, screen.Bold)
	}
	return out.End()
}

// activity tells what is under way.
func (s *Sheet) activity() string {
	switch f := s.filter; {
	case s.work != nil && s.work.what != "":
		return s.work.what + s.g.More
	case s.next != nil:
		return s.next.what + s.g.More
	case s.failed != "":
		return s.failed
	case f != nil && !f.Ended:
		return screen.Percent(int64(f.Looked), int64(f.Of(s.t.Rows.Len()))) + " searched"
	}
	return s.layout.Progress()
}

// below draws the line under the rows: the cursor's row and its histogram, or a note.
func (s *Sheet) below() []string {
	left := ""
	if n := s.len(); n > 0 {
		left = " row " + screen.Grouped(int64(s.Selected()+1)) + " of " + screen.Grouped(int64(n))
	}
	out := screen.NewLine(s.width, s.g)
	out.Put(left, screen.Faint)
	right := s.spread
	if right.Text == "" && len(s.t.Notes) > 0 {
		right = s.layout.Note(strings.Join(s.t.Notes, "; "))
	}
	room := out.Left - 2
	if w := screen.TextWidth(right.Text, s.g.ASCII); w <= room {
		out.Space(out.Left - w - 1)
		out.Spans(right.Text, right.Spans, style, nil, 0)
	} else if room > 0 {
		out.Space(2)
		out.Spans(right.Text, right.Spans, style, nil, 0)
	}
	return []string{out.End()}
}

// line draws a line of the table.
func (s *Sheet) line(l table.Line) string {
	out := screen.NewLine(s.width, s.g)
	out.Spans(l.Text, l.Spans, style, nil, 0)
	return out.End()
}

func join(names []string) string { return strings.Join(names, ", ") }
