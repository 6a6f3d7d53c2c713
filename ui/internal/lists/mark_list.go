package lists

import (
	"context"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/notes"
	"tracex/lazy/query/places"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/theme"
)

// MarkList is the list of marks and notes. The rows that they are about are read in the background.
type MarkList struct {
	prompt.List
	m       *Marks
	quoter  *notes.Quoter
	rows    map[string]row // by the ID of the item
	reading env.Task
	wide    int // cells of the longest text
}

// row is the row that an item is about, as text.
type row struct{ text, path string }

// ShowList shows the marks and notes to choose from, with the cursor on the last one up to the tree's.
func (m *Marks) ShowList() tea.Cmd {
	l := &MarkList{m: m, rows: make(map[string]row), wide: 24, quoter: notes.NewQuoter(m.env.Trace.Reader)}
	l.List = prompt.List{
		Title: "marks and notes", Called: "marks", Keys: "d removes   u undoes   Enter goes there",
		Len:       func() int { return len(m.all) },
		Item:      l.line,
		Choosable: true,
		None: func() string {
			g := m.env.Glyphs
			return "none yet: " + keys.ActionKey("mark", g) + " and a letter marks a row, " + keys.ActionKey("note", g) + " writes a note"
		},
	}
	here, _ := m.tree.Out.Here()
	for i := range m.all {
		if notes.Compare(m.all[i], notes.Item{At: here}) <= 0 {
			l.Select(i)
		}
	}
	m.env.Front.Show(l, func(i int) tea.Cmd {
		it := m.all[i]
		m.walk()
		return m.tree.Jobs.ToPoint(it.At, it.Event)
	})
	return nil
}

// walk makes the marks and notes the current result.
func (m *Marks) walk() {
	set := places.New()
	for _, at := range m.Places {
		set.Add(at.Thread, at.At)
	}
	set.Finish()
	m.results.Use(&search.Result{
		One: "marked row", Several: "marked rows", Raw: !m.tree.Out.Tree.Folded(), Set: set,
	})
}

// HandleKey removes an item or undoes that, or moves in the list.
func (l *MarkList) HandleKey(k tea.KeyPressMsg) prompt.ListAction {
	switch name := k.String(); {
	case l.Typing():
		return l.List.HandleKey(k)
	case name == "u":
		l.m.undo()
	case name == "d", name == "x", name == "delete":
		if i, ok := l.Cursor(); ok {
			l.m.remove(l.m.all[i].ID)
		}
	default:
		return l.List.HandleKey(k)
	}
	l.Changed()
	return prompt.ListAction{}
}

// texts returns the text of an item, and what is known of its place.
func (l *MarkList) texts(it *notes.Item) (text, rest string) {
	r := l.rows[it.ID]
	switch {
	case it.Mark != 0:
		return r.text, r.path
	case r.path != "":
		r.text += " " + l.m.env.Glyphs.Dot + " " + r.path
	}
	return it.FirstLine(), r.text
}

func (l *MarkList) line(i int) prompt.Item {
	it := l.m.all[i]
	g := l.m.env.Glyphs
	room := min(l.wide, (screen.FloatWidth(l.m.env.Width)-18)*3/5)
	sign := "'" + string(rune(it.Mark))
	if it.Mark == 0 {
		sign = g.Note
	}
	text, rest := l.texts(&it)
	return prompt.Item{
		Cells: []prompt.Cell{
			{Text: sign, Style: theme.Accent, At: 2, Aside: true},
			{Text: it.Handle().String(), Style: theme.Faint, At: 5},
			{Text: g.CutEnd(text, room), Style: theme.Plain, At: 18},
			{Text: rest, Style: theme.Faint, At: 20 + room},
		},
		Whole: it.Text,
	}
}

// Settle saves changes, and reads the rows of the list's lines, if the list is in front with height lines.
func (m *Marks) Settle(height int) tea.Cmd {
	saving := m.save()
	if l, ok := m.env.Front.List().(*MarkList); ok && !l.reading.Running() {
		return tea.Batch(saving, l.settle(height))
	}
	return saving
}

// settle reads the rows of lines on the screen that are not known yet.
func (l *MarkList) settle(height int) tea.Cmd {
	m := l.m
	var want []notes.Item
	from, to := l.Visible(height)
	for k := from; k < to; k++ {
		it := m.all[l.Index(k)]
		if _, ok := l.rows[it.ID]; !ok {
			want = append(want, it)
		}
	}
	if len(want) == 0 {
		return nil
	}
	sep := " " + m.env.Glyphs.Crumb + " "
	return l.reading.Run(m.env, func(ctx context.Context) func() tea.Cmd {
		got := l.read(ctx, want, sep)
		return env.Done(func() {
			maps.Copy(l.rows, got)
			for i := range m.all {
				text, _ := l.texts(&m.all[i])
				l.wide = max(l.wide, m.env.Glyphs.TextWidth(text))
			}
			l.Changed()
		})
	})
}

func (l *MarkList) read(ctx context.Context, want []notes.Item, sep string) map[string]row {
	got := make(map[string]row, len(want))
	for _, it := range want {
		q, err := l.quoter.Quote(ctx, &it)
		if err != nil {
			got[it.ID] = row{text: screen.ErrorLine(err)}
			continue
		}
		got[it.ID] = row{q.Text, strings.Join(q.Path[max(0, len(q.Path)-3):], sep)}
	}
	return got
}
