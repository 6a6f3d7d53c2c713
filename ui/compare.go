package ui

import (
	"errors"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/command"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/sheet"
)

// comparing compares two rows: A, which it remembers, and B.
type comparing struct {
	*asking
	a *comparedRow // nil if none is remembered
}

// comparedRow is a row that is compared.
type comparedRow struct {
	name lazy.Handle // of its event
	at   lazy.Handle // exact, also where several threads have an event of this number
}

func (c *comparing) commands() []command.Command {
	return []command.Command{{
		Name: "compare", Group: groupAnswer, Args: "[A] [B]", Help: "where two calls part, and what one did more: of two rows, or :compare #106 #1204",
		Check: func(args string) error { _, err := comparedHandles(args); return err },
		Run: func(args string) tea.Cmd {
			list, err := comparedHandles(args)
			switch {
			case err != nil:
				c.env.Warn(err.Error())
				return nil
			case len(list) == 2:
				return c.show(list[0], list[1])
			case len(list) == 1:
				c.a = &list[0]
			}
			return c.here()
		},
	}}
}

// comparedHandles reads the arguments of the command: none, A, or both.
func comparedHandles(args string) (list []comparedRow, err error) {
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

// here remembers the row under the cursor as A, or compares it with A. On A it forgets A.
func (c *comparing) here() tea.Cmd {
	n := c.tree.Out.Cursor.Node
	key := screen.ActionKey("compare", c.env.Glyphs)
	switch {
	case n == nil:
		c.env.Say("the row is not loaded: it cannot be compared")
		return nil
	case !n.IsThread() && !n.Point().Class.Container():
		c.env.Say("compare takes a call, a loop, an iteration or a thread: nothing is below this row")
		return nil
	}
	row := comparedRow{n.Handle(), lazy.PositionHandle(n.Position())}
	if n.IsThread() {
		row.at = row.name
	}
	switch {
	case c.a == nil:
		c.a = &row
		c.env.Say("A is " + row.name.String() + ": " + key + " on another row compares them, here again forgets it")
		return nil
	case c.a.name == row.name:
		c.a = nil
		c.env.Say("A is forgotten: nothing to compare")
		return nil
	}
	return c.show(*c.a, row)
}

// text tells at the bottom which row is A; "" if none is.
func (c *comparing) text() string {
	if c.a == nil {
		return ""
	}
	return "A is " + c.a.name.String()
}

// show opens the table. A is then forgotten.
func (c *comparing) show(a, b comparedRow) tea.Cmd {
	x, run, err := answer.NewCompare(c.env.Life, c.about(nil), a.at, b.at)
	if err != nil {
		text := screen.ErrorLine(err)
		if errors.Is(err, query.ErrPart) {
			text += ": " + screen.ActionKey("unfilter", c.env.Glyphs) + " ends the range"
		}
		c.env.Warn(text)
		return nil
	}
	c.a = nil
	return tea.Batch(c.tables.show(x, c.keys(x, a, b)...), run)
}

// keys are the keys of the table.
func (c *comparing) keys(x *answer.Compare, a, b comparedRow) []sheet.Action {
	calls := func(side comparedRow, t *table.Table, row int) tea.Cmd {
		what := answer.RowOf(t, row).Calls()
		if what == "" {
			c.env.Say("this row is no method: it has no calls")
			return nil
		}
		return callsAnswer{c.asking}.show(query.CallsOptions{What: what}, &side.name)
	}
	enter := func(t *table.Table, row int) tea.Cmd {
		if at, event, ok := x.PlaceOf(t, row); ok {
			c.tables.front.CloseLists()
			if at.At < 0 {
				c.tree.ToThread(at.Thread)
				return nil
			}
			return c.jobs.ToPoint(at, event)
		}
		side := b
		if r := answer.RowOf(t, row); r.More("calls_a", "calls_b") {
			side = a
		}
		return calls(side, t, row)
	}
	return append([]sheet.Action{
		{Key: "enter", Brief: "go there, or its calls", Help: "go to the place, or show the calls of the method in A or B, whichever has more", Do: enter},
		{Key: "a", Brief: "in A", Help: "the calls of the method in A", Do: func(t *table.Table, row int) tea.Cmd { return calls(a, t, row) }},
		{Key: "b", Brief: "in B", Help: "the calls of the method in B", Do: func(t *table.Table, row int) tea.Cmd { return calls(b, t, row) }},
		{Key: "x", Help: "compare B with A", Always: true, Do: func(*table.Table, int) tea.Cmd { return c.show(b, a) }},
	}, c.steps.undoing(x)...)
}
