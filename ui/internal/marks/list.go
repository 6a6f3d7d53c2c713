package marks

import (
	"context"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/notes"
	"tracex/ui/internal/list"
	"tracex/ui/internal/screen"
)

// List is the list of marks and notes. The rows that they are about are read in the background.
// A [Part] makes it.
type List struct {
	list.List
	p      *Part
	quoter *notes.Quoter
	rows   map[string]row // by the ID of the item
	busy   bool
	do     func() tea.Cmd // what the last key asked for
}

// row is the row that an item is about, as text.
type row struct{ text, path string }

// Open returns the list, with the cursor on the first item at or after a place in the trace.
func (p *Part) Open(at notes.Item) *List {
	l := &List{p: p, rows: make(map[string]row)}
	l.List = list.List{
		Title: "marks and notes", Keys: "d removes   u undoes   Enter goes there",
		Len:       func() int { return len(p.all) },
		Item:      l.line,
		Choosable: true,
		None: func() string {
			g := p.env.Glyphs
			return "none yet: " + screen.ActionKey("mark", g) + " and a letter marks a row, " + screen.ActionKey("note", g) + " writes a note"
		},
	}
	for i := range p.all {
		if notes.Compare(p.all[i], at) <= 0 {
			l.Select(i)
		}
	}
	return l
}

// Choose returns the i-th item.
func (l *List) Choose(i int) notes.Item { return l.p.all[i] }

// HandleKey removes an item or undoes that, or moves in the list.
func (l *List) HandleKey(k tea.KeyPressMsg) list.Action {
	if l.Typing() {
		return l.List.HandleKey(k)
	}
	switch k.String() {
	case "d", "x", "delete":
		i, ok := l.Cursor()
		if !ok {
			return list.Action{}
		}
		id := l.p.all[i].ID
		l.do = func() tea.Cmd { return l.p.remove(id) }
		return list.Action{Kind: list.Asked}
	case "u":
		l.do = l.p.undo
		return list.Action{Kind: list.Asked}
	}
	return l.List.HandleKey(k)
}

// Do does what the last key asked for.
func (l *List) Do() (leave bool, do func() tea.Cmd) {
	what := l.do
	return false, func() tea.Cmd {
		cmd := what()
		l.Changed()
		return cmd
	}
}

func (l *List) line(i int) list.Item {
	p := l.p
	it, r := p.all[i], l.rows[p.all[i].ID]
	g, width := p.env.Glyphs, p.env.Width
	pathAt := 18 + max(24, (width-18)*3/5)
	sign, text, rest := "'"+string(rune(it.Mark)), r.text, r.path
	if it.Mark == 0 {
		sign, text = g.Note, it.FirstLine()
		if rest = r.text; r.path != "" {
			rest += " " + g.Dot + " " + r.path
		}
	}
	return list.Item{
		Cells: []list.Cell{
			{Text: sign, Style: screen.Accent, At: 2, Aside: true},
			{Text: it.Handle().String(), Style: screen.Faint, At: 5},
			{Text: screen.CutEnd(text, pathAt-20, g), Style: screen.Plain, At: 18},
			{Text: rest, Style: screen.Faint, At: pathAt},
		},
		Whole: it.Text,
	}
}

// Settle returns work for the background that reads the rows on the screen of height lines; nil
// if there is none. shown is nil if the list is not shown.
func (p *Part) Settle(shown *List, height int) tea.Cmd {
	if shown == nil || shown.busy {
		return nil
	}
	var want []notes.Item
	from, to := shown.Visible(height)
	for k := from; k < to; k++ {
		it := p.all[shown.Index(k)]
		if _, ok := shown.rows[it.ID]; !ok {
			want = append(want, it)
		}
	}
	if len(want) == 0 {
		return nil
	}
	if shown.quoter == nil {
		shown.quoter = notes.NewQuoter(p.r)
	}
	shown.busy = true
	life, sep := p.env.Life, " "+p.env.Glyphs.Crumb+" "
	msg, cmd := p.env.Soon(func() tea.Msg { return shown.read(life, want, sep) })
	if msg != nil {
		return msg.(Msg).apply(p)
	}
	return cmd
}

// read reads the rows of items.
func (l *List) read(ctx context.Context, want []notes.Item, sep string) Msg {
	got := make(map[string]row, len(want))
	for _, it := range want {
		q, err := l.quoter.Quote(ctx, &it)
		if err != nil {
			got[it.ID] = row{text: screen.ErrorLine(err)}
			continue
		}
		path := q.Path
		if k := len(path) - 3; k > 0 {
			path = path[k:]
		}
		got[it.ID] = row{q.Text, strings.Join(path, sep)}
	}
	return quoted{l, got}
}

// quoted is the rows of some items.
type quoted struct {
	l   *List
	got map[string]row
}

func (q quoted) apply(*Part) tea.Cmd {
	q.l.busy = false
	for id, r := range q.got {
		q.l.rows[id] = r
	}
	return nil
}
