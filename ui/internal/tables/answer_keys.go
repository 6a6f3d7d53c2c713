package tables

import (
	"cmp"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/tree"
)

// Keys that several answers have: see Answer.Do.
var (
	callsKey   = Key{Name: "a", Brief: "all calls", Help: "all calls of the method, with their values"}
	callersKey = Key{Name: "w", Brief: "callers", Help: "who calls the method"}
	undoKeys   = []Key{
		{Name: "Z", Always: true, Help: "undo the last step: focus, merge, drop, only"},
		{Name: "backspace", Always: true, Help: "end the filter of the tree: count all rows"},
	}
	stepKeys = append([]Key{
		{Name: "z", Help: "focus: the outermost calls of the method become roots"},
		{Name: "-", Brief: "merge", Help: "merge away: the method, its class, package or library, or all but its library; loops"},
		{Name: "_", Help: "drop calls with everything below them"},
	}, undoKeys...)
)

// Do does what a key does that several answers have.
func (a *Answer) Do(key string, t *table.Table, row int) tea.Cmd {
	switch key {
	case "a":
		return a.callsOf(t, row, a.of.Below)
	case "w":
		return a.callersOf(t, row)
	case "z":
		return a.askStep(query.Focus, t, row)
	case "-":
		return a.askStep(query.Merge, t, row)
	case "_":
		return a.askStep(query.Drop, t, row)
	case "Z":
		return tea.Batch(a.steps.Undo(), a.edited())
	case "backspace":
		if !a.filter.Clear() {
			return a.env.Say("no filter is in force")
		}
		return a.edited()
	}
	return nil
}

// askStep asks for a step about a row's method, adds it, and makes the answer again.
func (a *Answer) askStep(kind query.StepKind, t *table.Table, row int) tea.Cmd {
	r := RowOf(t, row)
	class, name, ok := r.Method()
	if !ok {
		return a.env.Say("this row is no method")
	}
	about := tree.Subject{Method: cmp.Or(shortName(a.of.R, class, name), r.Call()), Class: class}
	return a.steps.Ask(kind, about, a)
}

// Add adds a step, and makes the answer again.
func (a *Answer) Add(step query.Step) tea.Cmd { return tea.Batch(a.steps.Add(step), a.edited()) }

// edited makes the answer again with the steps and the filter in force.
func (a *Answer) edited() tea.Cmd {
	a.mu.Lock()
	if a.of.Steps = a.steps.List; !a.of.whole {
		a.of.Filter = a.filter.Expr()
	}
	m := a.run.make
	a.mu.Unlock()
	run, _ := a.start(m)
	return run
}

// shortName returns the name of the only method with the names of a row; "" if there are several.
func shortName(r *lazy.LazyTraceReader, class, method string) (name string) {
	id := int32(-1)
	r.WithContext(func(c *format.Context) {
		for m := range c.Methods() {
			if m.Name != method {
				continue
			}
			if of := c.Class(m.ClassID); of == nil || of.Name != class {
				continue
			}
			if id >= 0 {
				id = -1
				return
			}
			id = m.ID
		}
	})
	if id < 0 {
		return ""
	}
	name, _ = tree.NamesOf(r, id)
	return name
}
