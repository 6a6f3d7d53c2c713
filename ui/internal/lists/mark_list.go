package lists

import (
	"context"
	"maps"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
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
	return prompt.ListAction{Kind: prompt.Did}
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
			{Text: l.m.tree.Named(it.Handle()), Style: theme.Faint, At: 5},
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
		got := make(map[string]row, len(want))
		for _, it := range want {
			q, err := l.quoter.Quote(ctx, &it)
			if got[it.ID] = (row{q.Text, strings.Join(q.Path[max(0, len(q.Path)-3):], sep)}); err != nil {
				got[it.ID] = row{text: screen.ErrorLine(err)}
			}
		}
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

// AskMark waits for the letter of a mark for the row.
func (m *Marks) AskMark() tea.Cmd {
	n := m.tree.Out.Cursor.Node
	if n == nil {
		return m.env.Say("the row is not loaded: it cannot be marked")
	}
	free := byte('a')
	choices := m.choices("move it from ")
	for _, c := range choices {
		if c.Key[0] == free {
			free++
		}
	}
	if free <= 'z' {
		choices = append(choices, env.Choice{Key: string(rune(free)), To: "z", Text: "a new mark"})
	}
	return m.env.Offer(&env.Prefix{Title: "mark", Choices: choices, By: marking{m, n}})
}

// marking is a row that a letter marks.
type marking struct {
	*Marks
	n *lazy.Node
}

func (m marking) Choose(c env.Choice) tea.Cmd { return m.mark(c.Key[0], m.n) }

// choices returns the letters of the marks, in their order, with a text before the places.
func (m *Marks) choices(before string) (all []env.Choice) {
	for l := byte('a'); l <= 'z'; l++ {
		if it, ok := m.book.Marked(l); ok {
			all = append(all, env.Choice{Key: string(rune(l)), Text: before + m.tree.Named(it.Handle())})
		}
	}
	return all
}

// AskMarked waits for the letter of a mark to go to.
func (m *Marks) AskMarked() tea.Cmd {
	return m.env.Offer(&env.Prefix{Title: "go to mark", Choices: append(m.choices("to "), before, unset), By: m})
}

// What follows the key of going to a mark, besides those that are set.
var (
	before = env.Choice{Key: "'", Text: "back to before the jump"}
	unset  = env.Choice{Key: "a", To: "z", Text: "no mark yet"}
)

func (m *Marks) Choose(c env.Choice) tea.Cmd {
	if c.Key == before.Key {
		return m.tree.Jobs.Before()
	}
	it, ok := m.book.Marked(c.Key[0])
	if !ok {
		return m.env.Warn("there is no mark " + c.Key + "; " + keys.ActionKey("notes", m.env.Glyphs) + " lists the marks")
	}
	return m.tree.Jobs.ToPoint(it.At, it.Event)
}

// A note has one line in the prompt: a line break is shown as \n.
var (
	noteToLine = strings.NewReplacer(`\`, `\\`, "\n", `\n`)
	lineToNote = strings.NewReplacer(`\\`, `\`, `\n`, "\n")
)

// longestNote is the longest text that a prompt can edit, in characters.
const longestNote = 500

// AskNote asks for the text of the row's note.
func (m *Marks) AskNote() tea.Cmd {
	n := m.tree.Out.Cursor.Node
	if n == nil {
		return m.env.Say("the row is not loaded: it cannot have a note")
	}
	note, _ := m.note(n)
	text, several := note.Text, strings.Contains(note.Text, "\n")
	if several {
		text = noteToLine.Replace(text)
	}
	if len([]rune(text)) > longestNote {
		return m.env.Warn("the note is too long to be edited here; tracex notes removes and adds notes")
	}
	p := m.env.Front.Typed.Open("note: ", "Markdown; Esc keeps it as it is")
	p.Paste(tea.PasteMsg{Content: text})
	return m.env.Front.Ask(&env.Question{
		Prompt: p,
		Submit: func(t prompt.Text) tea.Cmd {
			typed := t.Text
			if several {
				typed = lineToNote.Replace(typed)
			}
			m.write(note, n, typed)
			return nil
		},
	})
}
