package tables

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/pattern"
	"tracex/lazy/query/table"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
)

// HandleKey moves in the sheet, edits its filter, sorts or groups it, or asks for what a key of its source does.
func (s *Sheet) HandleKey(k tea.KeyPressMsg) prompt.ListAction {
	clear(s.tried)
	s.moved = true
	if _, row := s.Row(); s.Scan != nil && row >= 0 {
		defer func() {
			if s.Scan == nil {
				s.Select(row) // all rows are shown again, with the cursor on the same one
			}
		}()
	}
	name := k.String()
	if s.Typing() {
		return s.List.HandleKey(k)
	}
	if key := s.key(name); key != nil {
		return s.ask(key)
	}
	switch name {
	case "s":
		next := ""
		if keys := s.orders(); len(keys) > 0 {
			next = keys[(slices.Index(keys, s.t.Sorted)+1)%len(keys)]
		}
		return s.sort(next, rises(s.t, next))
	case "S":
		return s.reverse()
	case "p":
		names := s.src.Groups()
		if len(names) == 0 {
			return prompt.ListAction{Say: "this table has no groups"}
		}
		next := (s.group + 1) % len(names)
		s.later("grouping by "+names[next], next, func(ctx context.Context) error { return s.src.Group(ctx, names[next]) })
		return prompt.ListAction{}
	case ">", "<":
		return s.slide.key(name == ">")
	case "esc":
		if s.stop() {
			return prompt.ListAction{}
		}
	}
	return s.chosen(s.List.HandleKey(k))
}

// chosen turns what the list makes of a key or a click into what the table does: choosing a row is its key Enter.
func (s *Sheet) chosen(what prompt.ListAction) prompt.ListAction {
	switch what.Kind {
	case prompt.Chosen:
		if s.key("enter") == nil {
			return prompt.ListAction{}
		}
		return s.ask(s.key("enter"))
	case prompt.Unbound:
		what.Say = "? lists the keys"
	}
	return what
}

// Click sorts by the column whose head is clicked, or by its other end if it orders the rows already, and puts
// the cursor on a row. A double click there is Enter.
func (s *Sheet) Click(x, y int, double bool) prompt.ListAction {
	clear(s.tried)
	s.moved = true
	if y != heads || s.Typing() {
		return s.chosen(s.List.Click(x, y, double))
	}
	key, ok := s.layout.At(x)
	if i := s.t.Column(key); i > 0 && s.t.Columns[i].Kind == table.Share && !slices.Contains(s.orders(), key) {
		key = s.t.Columns[i-1].Key // the share of that
	}
	switch {
	case !ok:
		return prompt.ListAction{}
	case key == s.t.Sorted:
		return s.reverse()
	}
	return s.sort(key, rises(s.t, key))
}

// key returns the key of the source, or of all tables, with a name; nil if there is none.
func (s *Sheet) key(name string) *Key {
	for i := range s.keys {
		if s.keys[i].Name == name {
			return &s.keys[i]
		}
	}
	return nil
}

// ask asks for what a key does, if it can be done.
func (s *Sheet) ask(k *Key) prompt.ListAction {
	t, row := s.Row()
	if row < 0 && !k.Always {
		return prompt.ListAction{Say: s.Nothing()}
	}
	return prompt.ListAction{Kind: prompt.Asked, Leave: k.Leaves, Do: func() tea.Cmd { return k.Do(t, row) }}
}

// stop stops what is under way, and reports whether anything was.
func (s *Sheet) stop() bool {
	switch {
	case s.doing() != "":
		s.giveUp()
		s.halt()
	case s.Scan != nil && !s.Scan.Ended:
		s.giveUp()
		s.Scan.Ended, s.Scan.Err = true, errStopped
	default:
		return !s.halted && s.halt()
	}
	return true
}

var errStopped = errors.New("stopped: not all rows were looked at")

// halt stops the source, and reports whether it worked by itself.
func (s *Sheet) halt() bool {
	if !s.src.Running() {
		return false
	}
	s.halted = true
	s.src.Stop()
	return true
}

func (s *Sheet) orders() []string {
	keys := s.src.Orders()
	if keys == nil {
		return s.layout.Shown()
	}
	return slices.DeleteFunc(slices.Clone(keys), func(key string) bool {
		i := s.t.Column(key)
		return i < 0 || s.t.Columns[i].In == table.OnlyData
	})
}

const oneOrder = "this table has one order"

// rises reports in which order the values of a column are read first.
func rises(t *table.Table, key string) bool {
	i := t.Column(key)
	return i >= 0 && t.Columns[i].Rises()
}

func (s *Sheet) sort(key string, rising bool) prompt.ListAction {
	switch keys := s.orders(); {
	case len(keys) == 0:
		return prompt.ListAction{Say: oneOrder}
	case !slices.Contains(keys, key):
		return prompt.ListAction{Say: "this table is not sorted by that column"}
	}
	title := key
	if i := s.t.Column(key); i >= 0 {
		title = s.t.Columns[i].Title
	}
	s.later("sorting by "+title, s.group, func(ctx context.Context) error { return s.src.Sort(ctx, key, rising) })
	return prompt.ListAction{}
}

// reverse sorts the other way round, if the source can.
func (s *Sheet) reverse() prompt.ListAction {
	if s.t.Sorted == "" && len(s.orders()) > 0 {
		return prompt.ListAction{}
	}
	return s.sort(s.t.Sorted, !s.t.Rising)
}

// Hint returns the bottom line: the source's keys first, and always how to leave.
func (s *Sheet) Hint(width int, g *screen.Glyphs) string {
	if s.Typing() {
		return s.List.Hint(width, g)
	}
	var hints []keys.Hint
	for rank, k := range s.keys {
		if k.Brief != "" {
			hints = append(hints, keys.Hint{Text: keys.KeyName(k.Name, g) + " " + k.Brief, Rank: 1 + rank})
		}
	}
	add := func(text string, rank int) { hints = append(hints, keys.Hint{Text: text, Rank: rank}) }
	if len(s.orders()) > 0 {
		add("s sort", 20)
		add("S reverse", 23)
	}
	if len(s.src.Groups()) > 1 {
		add("p group", 21)
	}
	add("/ filter", 22)
	if s.slide.hidden > 0 {
		add("> cut text", 5)
	}
	if s.key("?") != nil {
		add("? keys", 4)
	}
	switch {
	case s.src.Running() && !s.halted || s.doing() != "":
		add("Esc stops", 0)
	case s.Filtered() != "":
		add("Esc shows all", 0)
	default:
		add("Esc back", 0)
	}
	return keys.HintsText(keys.Hints(hints, width, g))
}

func (s *Sheet) Keys() (lines []keys.Line) {
	add := func(group, names, does string) {
		lines = append(lines, keys.Line{Group: group, Names: names, Does: does})
	}
	for _, k := range s.keys {
		if k.Help != "" {
			add("This table", keys.KeyName(k.Name, s.env.Glyphs), k.Help)
		}
	}
	add("This table", ":", "go to a place, or a command: :export csv writes the table to a file")
	if len(s.orders()) > 0 {
		add("This table", "s", "sort by the next column")
		add("This table", "S", "the other way round")
	}
	if names := s.src.Groups(); len(names) > 1 {
		add("This table", "p", "group by the next of: "+strings.Join(names, ", "))
	}
	add("This table", "/", "show the rows that contain a text; Ctrl-R there: regular expression")
	add("This table", "Esc q", "stop work, show all rows again, or go back")
	add("Move", "j k", "down and up; 5j: five rows")
	add("Move", "PgDn PgUp", "a screen down and up; Ctrl-D Ctrl-U: half a screen")
	add("Move", "g G", "first and last row; 100G: row 100")
	add("Move", "> <", "the rest of the texts that are cut in the row, and back")
	return lines
}

// work is what a sheet does in the background: it sorts, groups, loads rows or filters.
type work struct {
	what string // for the title: "sorting by calls"; "" if it is not told
	do   func(ctx context.Context) error
	done func(err error)
}

// toDo returns the next work, if none is under way: what a key asked for, then the rows on the screen, then a turn of
// the filter; nil if there is nothing to do.
func (s *Sheet) toDo(from, to int) (w *work) {
	if s.task.Running() {
		return nil
	}
	w, s.next = s.next, nil
	if w == nil {
		w = s.loading(from, to)
	}
	if w == nil {
		w = s.filtering()
	}
	return w
}

// later sets what is to be done next, in place of the work under way. Then group is shown, from its first row on.
func (s *Sheet) later(what string, group int, do func(ctx context.Context) error) {
	s.giveUp()
	s.next = &work{what: what, do: do, done: func(err error) {
		if err == nil {
			s.group = group
			s.Select(0)
		}
		s.fail(err)
	}}
}

func (s *Sheet) fail(err error) {
	if err != nil && !errors.Is(err, context.Canceled) {
		s.failed = screen.ErrorLine(err)
	}
}

// doing tells what a key has asked for that is under way; "" if nothing is.
func (s *Sheet) doing() string {
	switch {
	case s.next != nil:
		return s.next.what
	case s.task.Running():
		return s.what
	}
	return ""
}

func (s *Sheet) giveUp() {
	s.task.Stop()
	s.next, s.failed = nil, ""
}

// loading returns the work of loading rows on the screen; nil if all are known, or were requested since the last key.
func (s *Sheet) loading(from, to int) *work {
	l, ok := s.t.Rows.(table.Loader)
	if !ok {
		return nil
	}
	first, last := -1, -1
	for i := from; i < to; i++ {
		n := s.number(i)
		switch {
		case s.tried[n], s.t.Rows.Row(n) != nil:
		case first < 0:
			first, last = n, n
		case n == last+1:
			last = n
		}
	}
	if first < 0 {
		return nil
	}
	for n := first; n <= last; n++ {
		s.tried[n] = true
	}
	return &work{do: func(ctx context.Context) error { return l.Load(ctx, first, last+1) }, done: s.fail}
}

// loadedRows is how many rows are made known at once.
const loadedRows = 256

// filtering returns a turn of the filter; nil if it has ended. It loads rows, and skips those that stay unknown.
func (s *Sheet) filtering() *work {
	if s.Scan == nil || s.Scan.Ended {
		return nil
	}
	t, g := s.t, s.env.Glyphs.Glyphs
	l, _ := t.Rows.(table.Loader)
	turn := s.Scan.Turn(t.Rows.Len(), func(i int) int { return i }, func(ctx context.Context, numbers []int, test func(int, func(*pattern.Pattern) bool)) error {
		for _, i := range numbers {
			if l != nil && t.Rows.Row(i) == nil {
				if err := l.Load(ctx, i, min(i+loadedRows, t.Rows.Len())); err != nil {
					return err
				}
			}
			text := []byte(t.RowText(i, g))
			test(i, func(p *pattern.Pattern) bool { return p.Match(text) })
		}
		return nil
	})
	var found func()
	return &work{do: func(ctx context.Context) error {
		found = turn(ctx)
		return nil
	}, done: func(error) {
		found()
		clear(s.tried) // rows on the screen may have made room for those that were looked at
	}}
}
