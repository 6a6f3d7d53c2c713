package sheet

import (
	"context"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/help"
	"tracex/ui/internal/list"
	"tracex/ui/internal/screen"
)

// HandleKey moves in the sheet, edits its filter, sorts or groups it, or asks for what a key of its
// owner does.
func (s *Sheet) HandleKey(k tea.KeyPressMsg) list.Action {
	clear(s.tried)
	s.moved = true
	if _, row := s.Row(); s.filter != nil && row >= 0 {
		defer func() {
			if s.filter == nil {
				s.Select(row) // all rows are shown again, with the cursor on the same one
			}
		}()
	}
	name := k.String()
	if s.Typing() {
		return s.List.HandleKey(k)
	}
	if a := s.action(name); a != nil {
		return s.ask(a)
	}
	switch name {
	case "s", "S":
		switch {
		case len(s.orders()) == 0:
			return list.Action{Say: "this table has one order"}
		case name == "s":
			s.sortByNext()
		default:
			s.reverse()
		}
		return list.Action{}
	case "p":
		if !s.groupByNext() {
			return list.Action{Say: "this table has no groups"}
		}
		return list.Action{}
	case "esc":
		if s.stop() {
			return list.Action{}
		}
	}
	return s.owners(s.List.HandleKey(k))
}

// owners turns what the list makes of a key or a click into what the owner does: a row is chosen as by
// Enter, wherever that key is.
func (s *Sheet) owners(what list.Action) list.Action {
	switch what.Kind {
	case list.Chosen:
		if s.action("enter") == nil {
			return list.Action{}
		}
		return s.ask(s.action("enter"))
	case list.Unbound:
		what.Say = "? lists the keys"
	}
	return what
}

// Click sorts by the column whose head is clicked, or by its other end if it orders the rows already, and puts
// the cursor on a row. A double click there is Enter.
func (s *Sheet) Click(x, y int, double bool) list.Action {
	clear(s.tried)
	s.moved = true
	if y != heads || s.Typing() {
		return s.owners(s.List.Click(x, y, double))
	}
	key, ok := s.layout.At(x)
	switch {
	case !ok:
	case key == s.t.Sorted:
		s.reverse()
	case len(s.orders()) == 0:
		return list.Action{Say: "this table has one order"}
	default:
		i := s.t.Column(key)
		if !s.SortBy(key, i >= 0 && s.t.Columns[i].Rises()) {
			return list.Action{Say: "this table is not sorted by that column"}
		}
	}
	return list.Action{}
}

// action returns the owner's action of a key, or nil.
func (s *Sheet) action(key string) *Action {
	for i := range s.actions {
		if s.actions[i].Key == key {
			return &s.actions[i]
		}
	}
	return nil
}

// ask asks for an action, if it can be done.
func (s *Sheet) ask(a *Action) list.Action {
	if _, row := s.Row(); row < 0 && !a.Always {
		return list.Action{Say: s.nothing()}
	}
	s.asked = a
	return list.Action{Kind: list.Asked}
}

// Do does what the last key asked for. leave tells to close all sheets first.
func (s *Sheet) Do() (leave bool, do func() tea.Cmd) {
	a := s.asked
	t, row := s.Row()
	return a.Leaves, func() tea.Cmd { return a.Do(t, row) }
}

// stop stops what is under way, and reports whether anything was.
func (s *Sheet) stop() bool {
	switch {
	case s.work != nil && s.work.what != "", s.next != nil:
		s.giveUp()
		if s.running() {
			s.halt()
		}
	case s.filter != nil && !s.filter.Ended:
		s.giveUp()
		s.filter.Ended = true
		s.failed = "stopped: not all rows were looked at"
	case s.running() && !s.halted:
		s.halt()
	default:
		return false
	}
	return true
}

// orders returns the keys by which the source sorts.
func (s *Sheet) orders() []string {
	by, ok := s.src.(Sorter)
	if !ok {
		return nil
	}
	if keys := by.Orders(); keys != nil {
		return keys
	}
	return s.layout.Shown()
}

// sortByNext sorts by the column after the one that orders the rows.
func (s *Sheet) sortByNext() {
	keys := s.orders()
	if len(keys) == 0 {
		return
	}
	key := keys[(slices.Index(keys, s.t.Sorted)+1)%len(keys)]
	i := s.t.Column(key)
	s.SortBy(key, i >= 0 && s.t.Columns[i].Rises())
}

// reverse reverses the order.
func (s *Sheet) reverse() {
	if s.t.Sorted != "" {
		s.SortBy(s.t.Sorted, !s.t.Rising)
	}
}

// SortBy sorts by a column, and reports whether the source can.
func (s *Sheet) SortBy(key string, rising bool) bool {
	by, ok := s.src.(Sorter)
	if !ok || !slices.Contains(s.orders(), key) {
		return false
	}
	title := key
	if i := s.t.Column(key); i >= 0 {
		title = s.t.Columns[i].Title
	}
	s.later("sorting by "+title, func(ctx context.Context) error { return by.Sort(ctx, key, rising) }, func() { s.Select(0) })
	return true
}

// groupByNext groups by the source's next name, and reports whether it has any.
func (s *Sheet) groupByNext() bool {
	by, ok := s.src.(Grouper)
	if !ok || len(by.Groups()) == 0 {
		return false
	}
	names := by.Groups()
	next := (s.group + 1) % len(names)
	s.later("grouping by "+names[next], func(ctx context.Context) error { return by.Group(ctx, names[next]) }, func() {
		s.group = next
		s.Select(0)
	})
	return true
}

// Hint returns the bottom line: the owner's keys first, and always how to leave.
func (s *Sheet) Hint(width int, g *screen.Glyphs) string {
	if s.Typing() {
		return s.List.Hint(width, g)
	}
	var hints []help.Hint
	for rank, a := range s.actions {
		if a.Brief != "" {
			hints = append(hints, help.Hint{Text: screen.KeyName(a.Key, g) + " " + a.Brief, Rank: 1 + rank})
		}
	}
	add := func(text string, rank int) { hints = append(hints, help.Hint{Text: text, Rank: rank}) }
	if len(s.orders()) > 0 {
		add("s sort", 20)
		add("S reverse", 23)
	}
	if by, ok := s.src.(Grouper); ok && len(by.Groups()) > 1 {
		add("p group", 21)
	}
	add("/ filter", 22)
	if s.action("?") != nil {
		add("? keys", 4)
	}
	switch {
	case s.running() && !s.halted || s.work != nil && s.work.what != "":
		add("Esc stops", 0)
	case s.Filtered() != "":
		add("Esc shows all", 0)
	default:
		add("Esc back", 0)
	}
	return help.Hints(hints, width, g)
}

// Keys returns the keys of the sheet, for help.
func (s *Sheet) Keys() []help.Key {
	var keys []help.Key
	add := func(group, names, does string) { keys = append(keys, help.Key{Group: group, Names: names, Does: does}) }
	for _, a := range s.actions {
		if a.Help != "" {
			add("This table", screen.KeyName(a.Key, s.g), a.Help)
		}
	}
	if len(s.orders()) > 0 {
		add("This table", "s", "sort by the next column")
		add("This table", "S", "the other way round")
	}
	if by, ok := s.src.(Grouper); ok && len(by.Groups()) > 1 {
		add("This table", "p", "group by the next of: "+join(by.Groups()))
	}
	add("This table", "/", "show the rows that contain a text; Ctrl-R there: regular expression")
	add("This table", "Esc q", "stop work, show all rows again, or go back")
	add("Move", "j k", "down and up; 5j: five rows")
	add("Move", "PgDn PgUp", "a screen down and up; Ctrl-D Ctrl-U: half a screen")
	add("Move", "g G", "first and last row; 100G: row 100")
	return keys
}
