package ui

import (
	"errors"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/table"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/command"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/sheet"
)

// aroundAnswer shows what all threads did around the cursor.
type aroundAnswer struct{ *asking }

func (a aroundAnswer) commands() []command.Command {
	return []command.Command{{
		Name: "around", Group: groupAnswer, Args: "[FILTER]", Help: "what all threads did around the cursor, in one order",
		Check:    a.check,
		Complete: a.completeFilter,
		Run:      a.show,
	}, {
		Name: "same", Group: groupFind, Args: "THREAD", Help: "what another thread did at this moment: its number or name",
		Check: func(args string) error { _, err := a.threadNamed(args); return err },
		Run: func(args string) tea.Cmd {
			thread, err := a.threadNamed(args)
			if err != nil {
				a.env.Warn(err.Error())
				return nil
			}
			return a.jobs.ToMoment(thread)
		},
	}}
}

// check tells what is wrong with a filter.
func (a *asking) check(text string) error {
	e, err := filter.Parse(text)
	if err == nil {
		err = query.Check(a.trace.Reader, e)
	}
	return err
}

// completeFilter completes the end of a filter. What fits the cursor's row comes first.
func (a *asking) completeFilter(text string) (from int, with []prompt.Candidate) {
	if text == "" {
		for _, c := range a.fitting() {
			with = append(with, prompt.Candidate{Text: c.Text, Help: c.About})
		}
	}
	_, timed := a.trace.Reader.Times()
	a.trace.Reader.WithContext(func(c *format.Context) {
		var list []filter.Candidate
		from, _, list = filter.Complete(text, len(text), filter.About{Context: c, Timed: timed})
		for _, c := range list {
			with = append(with, prompt.Candidate{Text: c.Text, Help: c.About})
		}
	})
	return from, with
}

// fitting returns terms that the cursor's row matches, the most useful first.
func (a *asking) fitting() (list []filter.Candidate) {
	n := a.tree.Out.Cursor.Node
	if n == nil || n.IsThread() {
		return nil
	}
	x := filter.Facts{Point: n.Point(), Footer: n.Footer(), Thread: n.Thread()}
	a.trace.Reader.WithContext(func(c *format.Context) { list = filter.Suggest(c, &x) })
	return list
}

// threadNamed returns the thread with a number, as people count, or a name.
func (a *asking) threadNamed(text string) (int32, error) {
	if n, err := strconv.Atoi(text); err == nil && n > 0 {
		if _, ok := a.trace.Reader.ThreadInfo(int32(n - 1)); ok {
			return int32(n - 1), nil
		}
	}
	found := int32(-1)
	a.trace.Reader.WithContext(func(c *format.Context) {
		list := a.trace.Reader.ThreadList()
		for i := range min(list.Len(), 1<<20) {
			if t := c.Thread(list.ID(i)); t != nil && t.Name == text && found < 0 {
				found = list.ID(i)
			}
		}
	})
	if found < 0 {
		return 0, errors.New("no thread " + text + ": type its number or its name")
	}
	return found, nil
}

// show shows what is around the cursor's row: the events that match a filter, "" for all.
func (a aroundAnswer) show(text string) tea.Cmd {
	n := a.tree.Out.Cursor.Node
	if n == nil || n.IsThread() {
		a.env.Say("the cursor is on no event: nothing is around it")
		return nil
	}
	where, err := filter.Parse(text)
	if err != nil {
		a.env.Warn(err.Error())
		return nil
	}
	x, run := answer.NewAround(a.env.Life, a.about(nil), n.Position(), query.AroundOptions{Where: where}, func() int { return a.env.Width })
	return tea.Batch(a.tables.show(x, a.aroundKeys(x)...), run)
}

// aroundKeys are the keys of the table.
func (a aroundAnswer) aroundKeys(x *answer.Around) []sheet.Action {
	next := func(step int) func(*table.Table, int) tea.Cmd {
		return func(t *table.Table, row int) tea.Cmd {
			i := x.Next(t, row, step)
			if i < 0 {
				a.env.Say("no more rows of this thread: + shows more")
				return nil
			}
			a.tables.Select(i)
			return nil
		}
	}
	return []sheet.Action{
		{Key: "enter", Brief: "shows it", Help: "go to the event in the tree", Leaves: true, Do: func(t *table.Table, row int) tea.Cmd {
			if to, ok := x.At(row); ok {
				event, _ := answer.RowOf(t, row).Event()
				return a.jobs.ToPoint(to, event)
			}
			return nil
		}},
		{Key: "H", Brief: "history", Help: "all values of what the row reads or writes, or of an object in it", Do: func(_ *table.Table, row int) tea.Cmd {
			spots, here := x.Locations(row)
			if here == nil {
				return nil
			}
			of := historyAnswer(a)
			return of.offer(spots, here, of.show)
		}},
		{Key: "J", Brief: "same thread", Help: "next row of the same thread", Do: next(1)},
		{Key: "K", Help: "row before of the same thread", Do: next(-1)},
		{Key: "&", Brief: "narrow", Help: "show only events that match a filter", Always: true, Do: func(*table.Table, int) tea.Cmd {
			text := "around "
			if e := a.steps.filter(); e != nil {
				text += e.String()
			} else if list := a.fitting(); len(list) > 0 {
				text += list[0].Text
			}
			return a.tables.ask(text)
		}},
		{Key: "+", Brief: "more", Help: "twice as many events", Always: true, Do: func(*table.Table, int) tea.Cmd { return x.More() }},
		{Key: "t", Brief: "hide thread", Help: "leave out the thread of the row", Do: func(t *table.Table, row int) tea.Cmd {
			thread, _ := answer.RowOf(t, row).Thread()
			cmd, ok := x.Without(thread)
			if !ok {
				a.env.Say("this is the only thread")
			}
			return cmd
		}},
		{Key: "T", Help: "show all threads again", Always: true, Do: func(*table.Table, int) tea.Cmd {
			cmd, _ := x.Without(0)
			return cmd
		}},
		{Key: ".", Help: "show what is around the row", Do: func(_ *table.Table, row int) tea.Cmd {
			if at, ok := x.At(row); ok {
				return x.Recenter(at)
			}
			return nil
		}},
	}
}
