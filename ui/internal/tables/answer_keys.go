package tables

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/tree"
)

// Keys that several answers have.

func (a *Answer) callsKey() Key {
	return Key{Name: "a", Brief: "all calls", Help: "all calls of the method, with their values", Do: a.showCallsOf}
}

func (a *Answer) callersKey() Key {
	return Key{Name: "w", Brief: "callers", Help: "who calls the method", Do: a.callersOf}
}

// undoKeys are those of answers about the edited tree, stepKeys also edit it.
func (a *Answer) undoKeys() []Key {
	return []Key{
		{Name: "Z", Always: true, Help: "undo the last step: focus, merge, drop, only", Do: a.undo},
		{Name: "backspace", Always: true, Help: "end the filter of the tree: count all rows", Do: a.unfilter},
	}
}

func (a *Answer) stepKeys() []Key {
	return append([]Key{
		{Name: "z", Help: "focus: the outermost calls of the method become roots", Do: a.asks(query.Focus)},
		{Name: "-", Brief: "merge", Help: "merge away: the method, its class, package or library, or all but its library; loops", Do: a.asks(query.Merge)},
		{Name: "_", Help: "drop calls with everything below them", Do: a.asks(query.Drop)},
	}, a.undoKeys()...)
}

func (a *Answer) showCallsOf(t *table.Table, row int) tea.Cmd { return a.callsOf(t, row, a.of.Below) }

func (a *Answer) undo(*table.Table, int) tea.Cmd { return tea.Batch(a.steps.Undo(), a.edited()) }

func (a *Answer) unfilter(*table.Table, int) tea.Cmd {
	if !a.filter.Clear() {
		return a.env.Say("no filter is in force")
	}
	return a.edited()
}

// asks returns what asks for a step about a row's method, adds it, and makes the answer again.
func (a *Answer) asks(kind query.StepKind) func(t *table.Table, row int) tea.Cmd {
	return func(t *table.Table, row int) tea.Cmd {
		r := query.RowOf(t, row)
		class, name, ok := r.Method()
		if !ok {
			return a.env.Say("this row is no method")
		}
		about := tree.Subject{Method: r.Call(), Class: class}
		if of := tree.MethodsNamed(a.of.R, class, name); len(of) == 1 {
			about.Method, _ = tree.NamesOf(a.of.R, of[0])
		}
		return a.steps.Ask(kind, about, a)
	}
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
