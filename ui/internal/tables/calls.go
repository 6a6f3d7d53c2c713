package tables

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/prompt"
)

// Calls is all calls of a method, or those that match a filter, with their values: one by one, or grouped.
type Calls struct {
	Answer
	options query.CallsOptions // guarded by mu
	first   string             // how it is grouped at first; "" if it is not, and never will be
}

// Calls shows all calls of a method, or the iterations of a loop.
func (a *Answers) Calls(args string) tea.Cmd {
	what, by, cols := callsArguments(args)
	iterations := what == "kind=iteration" || what == "" && by == "" && onLoop(a.tree.Out.Cursor.Node)
	switch {
	case by != "" && len(cols) > 0:
		return a.env.Warn("by and col exclude each other: a row for each value has no further columns")
	case iterations && len(cols) > 0:
		return a.env.Warn("the table of iterations has no further columns")
	case iterations:
		return a.Iterations()
	}
	return a.showCalls(query.CallsOptions{What: what, By: by, Cols: cols}, nil)
}

func onLoop(n *lazy.Node) bool {
	if n == nil || n.Point() == nil {
		return false
	}
	class := n.Point().Class
	return class == format.ClassLoop || class == format.ClassIteration
}

// Column adds a column to the table of calls shown last.
func (a *Answers) Column(name string) tea.Cmd {
	if a.lastCalls == nil || name == "" {
		return a.env.Say("a table of calls gets a column by its name: iter, arg.1.name, recv.size, ret.id")
	}
	o := a.lastCalls.asked()
	o.Cols, o.By = append(slices.Clone(o.Cols), name), ""
	return a.showCalls(o, a.lastCalls.of.Below)
}

// callsOf shows the calls that a row is about.
func (a *Answer) callsOf(t *table.Table, row int, below *lazy.Handle) tea.Cmd {
	what := query.RowOf(t, row).Calls()
	if what == "" {
		return a.env.Say("this row is no method: it has no calls")
	}
	return a.showCalls(query.CallsOptions{What: what}, below)
}

// showCalls shows calls: of the method under the cursor if options name none.
func (a *Answers) showCalls(o query.CallsOptions, below *lazy.Handle) tea.Cmd {
	var on *lazy.Position
	if o.What == "" {
		if o.What = a.methodHere(); o.What == "" {
			return nil
		}
		if at := a.tree.Out.Cursor.Node.Position(); o.By == "" {
			on = &at
		}
	}
	of := a.about(below, nil)
	c := &Calls{Answer: newAnswer(a, of), options: o, first: o.By}
	c.on = on
	c.keys = []Key{{Name: "enter", Brief: "its calls", Help: "the calls of the row", Do: c.ofGroup}}
	if o.By == "" {
		c.keys = []Key{
			{Name: "enter", Brief: "go to it", Help: "go to the call; n and N there: to the others", Leaves: true, Do: c.toCall},
			{Name: "p", Brief: "group", Help: "group by the column that sorts the rows (s), or by the caller", Do: c.grouped},
			c.callersKey(),
		}
	}
	c.keys = append(c.keys, c.undoKeys()...)
	run := c.open(c, c.with(o))
	if run != nil {
		a.lastCalls = c
	}
	return run
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

// CompleteCalls completes a filter, or the column after by or col.
func (a *Answers) CompleteCalls(args string) (from int, with []prompt.Candidate) {
	from = strings.LastIndexByte(args, ' ') + 1
	if before := " " + args[:from]; !strings.HasSuffix(before, " by ") && !strings.HasSuffix(before, " col ") {
		return a.filter.Complete(args)
	}
	for _, word := range query.CallGroups() {
		if strings.HasPrefix(word, args[from:]) && !strings.Contains(word, ":") {
			with = append(with, prompt.Candidate{Text: word, Title: word})
		}
	}
	return from, with
}

func (a *Answers) CompleteColumn(args string) (from int, with []prompt.Candidate) {
	const before = " col "
	from, with = a.CompleteCalls(before + args)
	return from - len(before), with
}

// toCall goes to the call of a row. From there n and N go to the others.
func (c *Calls) toCall(t *table.Table, row int) tea.Cmd {
	found := c.finder().(*query.Calls)
	return c.goTo(t, row, found.Name(), strings.Replace(found.Name(), "call", "calls", 1), found.Set, c)
}

// grouped opens a table with a row for each value of the column that sorts the rows.
func (c *Calls) grouped(t *table.Table, _ int) tea.Cmd {
	o := c.asked()
	word, ok := query.CallsGroup(t.Sorted)
	if o.By = word; !ok {
		o.By = "caller"
	}
	o.Sort, o.Reverse = "", false
	return c.showCalls(o, c.of.Below)
}

// ofGroup opens the table of the calls that a row is for.
func (c *Calls) ofGroup(t *table.Table, row int) tea.Cmd {
	o := c.asked()
	if o.Only = query.GroupOf(t, o.By, row); o.Only == nil {
		return nil
	}
	o.By, o.Sort, o.Reverse = "", "", false
	return c.showCalls(o, c.of.Below)
}

func (c *Calls) with(o query.CallsOptions) maker {
	return func(scope query.Scope) (finder, error) { return query.NewCalls(c.of.R, scope, o) }
}

func (c *Calls) asked() query.CallsOptions {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.options
}

func (c *Calls) Orders() []string {
	switch by := c.Table().Columns[0].Key; {
	case c.first == "":
		return nil
	case c.timed:
		return []string{"calls", "total", "mean", "p99", "max", "threw", by}
	default:
		return []string{"calls", "threw", by}
	}
}

// Sort sorts by a column. If that takes another pass, it returns when that has ended.
func (c *Calls) Sort(_ context.Context, key string, rising bool) error {
	c.mu.Lock()
	found, o, ended := c.found.(*query.Calls), c.options, c.run.ended.Load()
	c.mu.Unlock()
	o.Sort, o.Reverse = key, rising != query.CallsRise(key)
	if o.By != "" {
		o.Reverse = rising != (key == c.Table().Columns[0].Key)
	}
	if ended && found.Sort(key, o.Reverse) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.found == finder(found) {
			c.options = o
			c.show(c.run)
		}
		return nil
	}
	return c.ask(o)
}

// Groups returns the words by which groups can be made, first that of now; nil if each call has a row.
func (c *Calls) Groups() []string {
	if c.first == "" {
		return nil
	}
	list := []string{"arg.1", "ret", "recv", "thread", "caller", "caller.event", "threw", "line"}
	if i := slices.Index(list, c.first); i >= 0 {
		return slices.Concat(list[i:], list[:i])
	}
	return append([]string{c.first}, list...)
}

func (c *Calls) Group(_ context.Context, by string) error {
	o := c.asked()
	o.By, o.Sort, o.Reverse = by, "", false
	return c.ask(o)
}

// ask asks for other calls, or in another order.
func (c *Calls) ask(o query.CallsOptions) error {
	r, err := c.begin(c.with(o))
	if err != nil {
		return err
	}
	c.mu.Lock()
	c.options = o
	c.mu.Unlock()
	return c.end(r)
}
