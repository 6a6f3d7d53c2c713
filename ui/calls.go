package ui

import (
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
	"tracex/ui/internal/answer"
	"tracex/ui/internal/command"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/sheet"
)

// callsAnswer shows all calls of a method with their values.
type callsAnswer struct{ *asking }

func (a callsAnswer) commands() []command.Command {
	return []command.Command{{
		Name: "calls", Group: groupAnswer, Args: "[METHOD|FILTER] [by COLUMN] [col COLUMN]", Help: "all calls of a method, or that of the cursor, with their values; of a loop: its iterations",
		Complete: a.complete,
		Run: func(args string) tea.Cmd {
			what, by, cols := callsArguments(args)
			loop := iterationsAnswer(a)
			iterations := what == "kind=iteration" || what == "" && by == "" && loop.onLoop()
			switch {
			case by != "" && len(cols) > 0:
				a.env.Warn("by and col exclude each other: a row for each value has no further columns")
				return nil
			case iterations && len(cols) > 0:
				a.env.Warn("the table of iterations has no further columns")
				return nil
			case iterations:
				return loop.show()
			}
			return a.show(query.CallsOptions{What: what, By: by, Cols: cols}, nil)
		},
	}, {
		Name: "col", Group: groupAnswer, Args: "COLUMN", Help: "one more column in the table of calls: iter, or a captured field: arg.1.name",
		Complete: func(args string) (int, []prompt.Candidate) {
			const before = " col "
			from, with := a.complete(before + args)
			return from - len(before), with
		},
		Run: func(col string) tea.Cmd {
			if a.calls == nil || col == "" {
				a.env.Say("a table of calls gets a column by its name: iter, arg.1.name, recv.size, ret.id")
				return nil
			}
			o := a.calls.Options()
			o.Cols, o.By = append(slices.Clone(o.Cols), col), ""
			return a.show(o, a.calls.Below())
		},
	}}
}

// callsArguments reads the arguments of the command calls.
func callsArguments(args string) (what, by string, cols []string) {
	for {
		args = " " + strings.TrimSpace(args)
		i := max(strings.LastIndex(args, " by "), strings.LastIndex(args, " col "))
		if i < 0 {
			break
		}
		key, word, _ := strings.Cut(args[i+1:], " ")
		if word = strings.TrimSpace(word); word == "" || strings.Contains(word, " ") || key == "by" && by != "" {
			break
		}
		if args = args[:i]; key == "by" {
			by = word
		} else {
			cols = slices.Insert(cols, 0, word)
		}
	}
	return calledWhere(strings.TrimSpace(args)), by, cols
}

// calledWhere returns the filter of "where FILTER" and "METHOD where FILTER", as other commands have it: in a
// filter, where would be a text to look for.
func calledWhere(what string) string {
	if text, ok := strings.CutPrefix(what, "where "); ok {
		return strings.TrimSpace(text)
	}
	if method, text, ok := strings.Cut(what, " where "); ok && !strings.ContainsAny(method, " =<>~\"(") {
		return "method=" + method + " " + strings.TrimSpace(text)
	}
	return what
}

// complete completes a filter, or the column after by or col.
func (a callsAnswer) complete(args string) (from int, with []prompt.Candidate) {
	from = strings.LastIndexByte(args, ' ') + 1
	if before := " " + args[:from]; !strings.HasSuffix(before, " by ") && !strings.HasSuffix(before, " col ") {
		return a.completeFilter(args)
	}
	for _, word := range query.CallGroups() {
		if strings.HasPrefix(word, args[from:]) && !strings.Contains(word, ":") {
			with = append(with, prompt.Candidate{Text: word, Title: word})
		}
	}
	return from, with
}

// show shows calls: of the method under the cursor if options name none.
func (a callsAnswer) show(o query.CallsOptions, below *lazy.Handle) tea.Cmd {
	var on *lazy.Position
	if o.What == "" {
		if o.What = a.methodHere(); o.What == "" {
			a.env.Say("no call under the cursor")
			return nil
		}
		at := a.tree.Out.Cursor.Node.Position()
		on = &at
	}
	c, run, err := answer.NewCalls(a.env.Life, a.about(below), o, on)
	if err != nil {
		a.refuse(err)
		return nil
	}
	a.calls = c
	actions := []sheet.Action{
		{Key: "enter", Brief: "go to it", Help: "go to the call; n and N there: to the others", Leaves: true, Do: func(t *table.Table, row int) tea.Cmd { return a.goTo(c, t, row) }},
		{Key: "p", Brief: "group", Help: "group by the column that sorts the rows (s), or by the caller", Do: func(t *table.Table, _ int) tea.Cmd { return a.group(c, t, below) }},
		pathsAnswer(a).ofRow(below),
	}
	if o.By != "" {
		actions = []sheet.Action{{Key: "enter", Brief: "its calls", Help: "the calls of the row", Do: func(t *table.Table, row int) tea.Cmd { return a.ofGroup(c, t, row, below) }}}
	}
	return tea.Batch(a.tables.show(c, append(actions, a.steps.undoing(c)...)...), run)
}

// refuse tells why there is no such table.
func (a callsAnswer) refuse(err error) {
	var column *query.ColumnError
	if errors.As(err, &column) {
		a.env.Warn(screen.ErrorLine(err) + "; there are " + strings.Join(column.Can, ", "))
		return
	}
	a.noMethod(err)
}

// group opens a table with a row for each value of the column that sorts the rows.
func (a callsAnswer) group(c *answer.Calls, t *table.Table, below *lazy.Handle) tea.Cmd {
	o := c.Options()
	word, ok := query.CallsGroup(t.Sorted)
	if o.By = word; !ok {
		o.By = "caller"
	}
	o.Sort, o.Reverse = "", false
	return a.show(o, below)
}

// ofGroup opens the table of the calls that a row is for.
func (a callsAnswer) ofGroup(c *answer.Calls, t *table.Table, row int, below *lazy.Handle) tea.Cmd {
	o := c.Options()
	if o.Only = query.GroupOf(t, o.By, row); o.Only == nil {
		return nil
	}
	o.By, o.Sort, o.Reverse = "", "", false
	return a.show(o, below)
}

// goTo goes to the call of a row. From there n and N go to the others.
func (a callsAnswer) goTo(c *answer.Calls, t *table.Table, row int) tea.Cmd {
	event, ok := answer.RowOf(t, row).Event()
	found := c.Found()
	if !ok || found == nil {
		a.env.Say("the row is not read yet")
		return nil
	}
	a.results.use(&result{
		one: found.Name(), several: strings.Replace(found.Name(), "call", "calls", 1), raw: !a.tree.Out.Tree.Folded(),
		set: func() *places.Set { return found.Set }, running: c.Running,
	})
	a.tree.Visit()
	if at, ok := found.Place(t, row); ok {
		return a.jobs.Show(at)
	}
	return a.jobs.ToHandle(lazy.EventHandle(event), nil)
}

// ofRow returns the key of a table that shows the calls that a row is about.
func (a callsAnswer) ofRow(below *lazy.Handle) sheet.Action {
	return sheet.Action{Key: "a", Brief: "all calls", Help: "all calls of the method, with their values", Do: func(t *table.Table, row int) tea.Cmd {
		what := answer.RowOf(t, row).Calls()
		if what == "" {
			a.env.Say("this row is no method: it has no calls")
			return nil
		}
		return a.show(query.CallsOptions{What: what}, below)
	}}
}
