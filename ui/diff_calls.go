package ui

import (
	"context"
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
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
	list, _ := c.comparedRows(args) // was checked
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
func (c *comparing) comparedRows(args string) (list []comparedRow, err error) {
	for _, word := range strings.Fields(args) {
		at := strings.TrimPrefix(strings.TrimPrefix(word, c.m.env.Trace.File()), c.m.env.Trace.Name())
		h, ok := lazy.ParseHandle(at)
		if !ok {
			h, ok = lazy.ParseHandle("#" + at)
		}
		if i := strings.LastIndexAny(word, "#@"); !ok && i > 0 {
			if _, is := lazy.ParseHandle(word[i:]); is {
				return nil, errors.New(word + " is of another trace: compare takes two events of this one; :diff compares traces")
			}
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
	e, r := c.m.env, c.m.env.Trace.Reader
	return c.opening.Run(e, func(ctx context.Context) func() tea.Cmd {
		var how comparison
		for i, row := range []comparedRow{a, b} {
			at, _, err := r.Find(ctx, row.at)
			if err == nil && at.At >= 0 {
				var scope query.Scope
				scope.Raw = true
				err = scope.In(ctx, r, row.at)
			}
			if err != nil {
				return func() tea.Cmd { return e.Warn("the two cannot be compared: " + screen.ErrorLine(err)) }
			}
			exact := lazy.PositionHandle(at)
			how.parts[i] = &exact
		}
		if *how.parts[0] == *how.parts[1] {
			return func() tea.Cmd { return e.Warn("both are " + a.name.String() + ": name two rows to compare") }
		}
		return func() tea.Cmd {
			for i, row := range []comparedRow{a, b} {
				how.sides[i] = c.m.tabs.sideOf(c.m)
				how.sides[i].name = row.name.String()
			}
			return c.m.tabs.compare(how)
		}
	})
}

// remembered tells at the bottom which row is A; "" if none is.
func (c *comparing) remembered() string {
	if c.first == nil {
		return ""
	}
	return "A is " + c.first.name.String()
}
