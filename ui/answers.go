package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/table"
	"tracex/ui/internal/help"
	"tracex/ui/internal/list"
	"tracex/ui/internal/sheet"
)

// showTable opens a table over what is in front, with keys of its own. Esc returns to what was
// there before.
func (m *Model) showTable(src sheet.Source, actions ...sheet.Action) tea.Cmd {
	var s *sheet.Sheet
	actions = append(actions,
		sheet.Action{Key: "y", Help: "copy the row", Do: func(t *table.Table, row int) tea.Cmd {
			return m.clip.Copy(t.RowText(row, m.env.Glyphs), "the row")
		}},
		sheet.Action{Key: "?", Always: true, Do: func(*table.Table, int) tea.Cmd {
			items := help.Lines(s.Keys())
			m.front.Push(&list.List{
				Title: "keys of this table", Keys: "PgDn PgUp",
				Len:  func() int { return len(items) },
				Item: func(i int) list.Item { return items[i] },
			}, nil)
			return nil
		}},
		sheet.Action{Key: ":", Always: true, Help: "go to a place, or a command", Do: func(*table.Table, int) tea.Cmd { return m.askCommand(0) }})
	s = m.sheets.Open(src, actions)
	m.front.Push(s, nil)
	return nil
}
