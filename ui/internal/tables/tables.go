package tables

import (
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/tree"
)

// CommandLine is where commands are typed.
type CommandLine interface {
	// OpenLine opens it with a text in it.
	OpenLine(text string) tea.Cmd
}

// Tables opens sheets, and runs their work while they are open. Its methods run on one goroutine.
type Tables struct {
	Line CommandLine

	env  *env.Env
	clip *tree.Copying
	open []*Sheet // with those that Esc in the tree leads back to; the one in front last
}

func NewTables(e *env.Env, clip *tree.Copying, line CommandLine) *Tables {
	return &Tables{env: e, clip: clip, Line: line}
}

// Show opens a table over what is in front. Esc returns to what was there before.
func (t *Tables) Show(src Source) tea.Cmd {
	s := newSheet(src, t.env)
	s.keys = append(s.keys,
		Key{Name: "y", Help: "copy the row", Do: func(shown *table.Table, row int) tea.Cmd {
			return t.clip.Copy(shown.RowText(row, t.env.Glyphs.Glyphs), "the row")
		}},
		Key{Name: "?", Always: true, Do: func(*table.Table, int) tea.Cmd {
			t.env.Front.Push(prompt.NewLines("keys of this table", keys.Items(s.Keys())), nil)
			return nil
		}})
	t.open = append(t.open, s)
	t.env.Front.Push(s, nil)
	return nil
}

// Settle brings the sheet in front up to date, as many lines as height, and ends the work of those that are
// closed for good.
func (t *Tables) Settle(height int) tea.Cmd {
	t.open = slices.DeleteFunc(t.open, func(s *Sheet) bool {
		closed := !t.env.Front.Kept(s)
		if closed {
			s.Close()
		}
		return closed
	})
	s := t.front()
	if s == nil {
		return nil
	}
	var again tea.Cmd
	if w, ok := s.src.(Waiter); ok {
		again = w.Again()
	}
	return tea.Batch(again, s.Settle(height))
}

// Select puts the cursor of the sheet in front on a row of its table, if it is shown.
func (t *Tables) Select(row int) {
	s := t.front()
	for i := range s.len() {
		if s.number(i) == row {
			s.List.Select(i)
			return
		}
	}
}

// Edited makes the answer in front again, if it has the keys that end steps and the filter: these are others now.
func (t *Tables) Edited() tea.Cmd {
	s := t.front()
	if s == nil || s.key("backspace") == nil {
		return nil
	}
	return s.src.(interface{ edited() tea.Cmd }).edited()
}

// Retry makes the next Settle load rows on the screen that are not known: another reader of the table may have
// taken their place.
func (t *Tables) Retry() {
	if s := t.front(); s != nil {
		clear(s.tried)
	}
}

// front returns the sheet in front; nil if none is open.
func (t *Tables) front() *Sheet {
	for _, s := range slices.Backward(t.open) {
		if t.env.Front.Open(s) {
			return s
		}
	}
	return nil
}

// Progress returns how far the answer in front is, in millionths.
func (t *Tables) Progress() (done, total int64) {
	if s := t.front(); s != nil && s.t.Partial {
		return int64(1e6 * s.t.Done), 1e6
	}
	return 0, 0
}

func (t *Tables) Busy() bool { return slices.ContainsFunc(t.open, (*Sheet).Busy) }
