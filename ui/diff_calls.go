package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/keys"
)

// sideNames are the names of the two sides of a comparison.
var sideNames = [2]string{"A", "B"}

// comparedRow is a row of the trace that is compared with another.
type comparedRow struct {
	name lazy.Handle // of its event
	at   lazy.Handle // exact, also where several threads have an event of this number
}

// rows compares two rows of the trace, as :compare and = do. Without arguments it remembers the cursor's row as A, compares it
// with A, or, on A, forgets A.
func (c *comparing) rows(args string) tea.Cmd {
	switch {
	case c.m.changes.Diff():
		return c.m.env.Say("this is a diff of two traces already")
	case c.m.tabs == nil || c.m.tabs.diffs.engine == nil:
		return c.m.env.Say("rows of this trace cannot be compared")
	}
	list, _ := comparedRows(args) // was checked
	switch len(list) {
	case 2:
		return c.compareRows(list[0], list[1])
	case 1:
		c.first = &list[0]
	}
	n := c.m.tree.Out.Cursor.Node
	switch {
	case n == nil:
		return c.m.env.Say("the row is not loaded: it cannot be compared")
	case !n.IsThread() && !n.Point().Class.Container():
		return c.m.env.Say("compare takes a call, a loop, an iteration or a thread: nothing is below this row")
	}
	row := comparedRow{n.Handle(), lazy.PositionHandle(n.Position())}
	if n.IsThread() {
		row.at = row.name
	}
	switch {
	case c.first == nil:
		c.first = &row
		return c.m.env.Say("A is " + row.name.String() + ": " + keys.ActionKey("compare", c.m.env.Glyphs) + " on another row compares them, here again forgets it")
	case c.first.name == row.name:
		c.first = nil
		return c.m.env.Say("A is forgotten: nothing to compare")
	}
	return c.compareRows(*c.first, row)
}

// comparedRows reads the arguments of the command: none, A, or both.
func comparedRows(args string) (list []comparedRow, err error) {
	for _, word := range strings.Fields(args) {
		h, ok := lazy.ParseHandle(word)
		if !ok {
			h, ok = lazy.ParseHandle("#" + word)
		}
		if !ok {
			return nil, errors.New(word + " names no event: compare takes two, such as #106 #1204")
		}
		list = append(list, comparedRow{h, h})
	}
	if len(list) > 2 {
		return nil, errors.New("compare takes two events at most")
	}
	return list, nil
}

// compareRows compares two rows, with everything below them, in a tab of its own. A is then forgotten.
func (c *comparing) compareRows(a, b comparedRow) tea.Cmd {
	c.first = nil
	c.m.env.Front.Leave()
	side := func(row comparedRow) diffSide {
		return diffSide{name: row.name.String(), reader: c.m.env.Trace.Reader, model: c.m}
	}
	return c.m.tabs.compare(side(a), side(b), [2]*lazy.Handle{&a.at, &b.at})
}

// remembered tells at the bottom which row is A; "" if none is.
func (c *comparing) remembered() string {
	if c.first == nil {
		return ""
	}
	return "A is " + c.first.name.String()
}
