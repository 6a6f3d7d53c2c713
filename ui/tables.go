package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/front"
	"tracex/ui/internal/sheet"
)

// tables are the tables that are open.
type tables struct {
	sheet.Part
	env   *env.Env
	front *front.Front
	clip  *copying
	ask   func(text string) tea.Cmd // opens the command line with a text
}

// show opens a table over what is in front, with keys of its own. Esc returns to what was there
// before.
func (t *tables) show(src sheet.Source, actions ...sheet.Action) tea.Cmd {
	var s *sheet.Sheet
	actions = append(actions,
		sheet.Action{Key: "y", Help: "copy the row", Do: func(shown *table.Table, row int) tea.Cmd {
			return t.clip.Copy(shown.RowText(row, t.env.Glyphs), "the row")
		}},
		sheet.Action{Key: "?", Always: true, Do: func(*table.Table, int) tea.Cmd {
			t.front.Push(keyList("keys of this table", s.Keys()), nil)
			return nil
		}},
		sheet.Action{Key: ":", Always: true, Help: "go to a place, or a command: :export csv writes the table to a file", Do: func(*table.Table, int) tea.Cmd { return t.ask("") }})
	s = t.Open(src, actions)
	t.front.Push(s, nil)
	return nil
}
