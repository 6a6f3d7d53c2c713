package tables

import (
	"context"
	"errors"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/search"
	"tracex/ui/internal/tree"
)

// Answers has the commands that open tables with answers, and what all answers share.
type Answers struct {
	LogPoints []string    // as typed; the session keeps them
	Compared  *Comparison // what the trace compares, if it is a diff made here; nil otherwise

	env     *env.Env
	tree    *tree.Tree
	search  *search.Search
	changes *search.Differences
	results *search.Results // what an answer has found becomes the current result when the user goes to it
	filter  *search.Filter
	steps   *tree.Steps
	tables  *Tables

	lastCalls *Calls // shown last; nil if none was
}

func NewAnswers(e *env.Env, t *tree.Tree, s *search.Search, r *search.Results, d *search.Differences, f *search.Filter, st *tree.Steps, in *Tables) *Answers {
	return &Answers{env: e, tree: t, search: s, results: r, changes: d, filter: f, steps: st, tables: in}
}

// Comparison is what a diff made here compares.
type Comparison struct {
	Sides [2]query.TopSide // A and B
	// Took returns how long an event of the diff took in A and in B, in nanoseconds, -1 if that is not known; nil if not both
	// have times. It may be called in the background.
	Took func(event int32) ([2]int64, error)
	// Show shows the first call of a method in the tab of A or of B.
	Show func(side int, method string) tea.Cmd
}

// about returns what an answer is about: the whole trace in the view of the tree, or what is below a row. Only what
// where matches counts, unless that is nil.
func (a *Answers) about(below *lazy.Handle, where *filter.Expr) Of {
	return Of{
		R: a.env.Trace.Reader, G: a.env.Glyphs.Glyphs, Raw: !a.tree.Out.Tree.Folded(),
		Below: below, Steps: a.steps.List, Where: where, Filter: a.filter.Expr(),
	}
}

// Arguments splits the arguments of a command at the word where, which a filter follows. The error
// tells what is wrong with the filter; where is nil if there is none.
func (a *Answers) Arguments(args string) (others string, where *filter.Expr, err error) {
	if others, where, err = splitWhere(args); where == nil || err != nil {
		return others, nil, err
	}
	return others, where, query.Check(a.env.Trace.Reader, where)
}

// splitWhere is Arguments for a filter that may not fit the trace.
func splitWhere(args string) (others string, where *filter.Expr, err error) {
	words := strings.Fields(args)
	i := slices.Index(words, "where")
	if i < 0 {
		return args, nil, nil
	}
	_, text, _ := strings.Cut(" "+args+" ", " where ")
	if where, err = filter.Parse(strings.TrimSpace(text)); err != nil {
		return "", nil, err
	}
	if where.Empty() {
		return "", nil, errors.New("where needs a filter, such as dur>10ms or class=Account")
	}
	return strings.Join(words[:i], " "), where, nil
}

// CompleteWhere completes the filter after the word where, or else the last of the words before it.
func (a *Answers) CompleteWhere(args string, words ...string) (from int, with []prompt.Candidate) {
	if i := strings.Index(" "+args, " where "); i >= 0 {
		at := i + len("where ")
		from, with = a.filter.Complete(args[at:])
		return at + from, with
	}
	from = strings.LastIndexByte(args, ' ') + 1
	for _, word := range words {
		if strings.HasPrefix(word, args[from:]) {
			with = append(with, prompt.Candidate{Text: word, Title: strings.TrimSpace(word)})
		}
	}
	return from, with
}

// CompleteNames completes a name of the trace: what a filter takes for one of the fields.
func (a *Answers) CompleteNames(args string, fields ...string) (with []prompt.Candidate) {
	for _, field := range fields {
		term := field + "=" + args
		from, list := query.Complete(a.env.Trace.Reader, term, nil)
		for _, c := range list {
			name, ok := strings.CutPrefix(term[:from]+c.Text, field+"=")
			if name = strings.Trim(name, `"`); ok && name != "" {
				with = append(with, prompt.Candidate{Text: name, Help: c.About})
			}
		}
	}
	return with
}

// CompleteMethod completes a method, or after it the word where and a filter.
func (a *Answers) CompleteMethod(args string) (from int, with []prompt.Candidate) {
	if from, with = a.CompleteWhere(args, "where "); from == 0 {
		with = append(with, a.CompleteNames(args, "method")...)
	}
	return from, with
}

// ThreadNamed returns the thread with a number, as people count, or a name.
func ThreadNamed(r *lazy.LazyTraceReader, text string) (int32, error) {
	if ids, _ := query.ThreadsNamed(context.Background(), r, text); len(ids) > 0 {
		return ids[0], nil
	}
	return 0, errors.New("no thread " + text + ": type its number, its goroutine's (g45) or its name")
}

// methodHere returns the method of the call under the cursor. Without one it says so and returns "".
func (a *Answers) methodHere() string {
	n := a.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil || n.Point().Class != format.ClassCall {
		a.env.Say("no call under the cursor")
		return ""
	}
	return tree.MethodName(a.env.Trace.Reader, n.Point().Ref)
}

// walk makes places the current result: n and N go from one to the next. by looks for more; nil if nothing does.
func (a *Answers) walk(one, several string, set *places.Set, by interface{ Running() bool }) {
	a.results.Use(&search.Result{One: one, Several: several, Raw: !a.tree.Out.Tree.Folded(), Set: set, By: by})
}

// goTo goes to the event of a row. From there n and N go to the others of a set, unless that is nil.
func (a *Answers) goTo(t *table.Table, row int, one, several string, set *places.Set, by interface{ Running() bool }) tea.Cmd {
	p, ok := query.PointAt(t, row)
	if !ok {
		return nil
	}
	if set != nil {
		a.walk(one, several, set, by)
	}
	if p.Event < 0 && p.At >= 0 { // it has not been read yet
		a.tree.Visit()
		return a.tree.Jobs.Show(p.Position)
	}
	return a.tree.Jobs.ToPoint(p.Position, p.Event)
}

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
		{Name: "z", Help: "focus: the outermost calls of the method become roots", Do: a.askFocus},
		{Name: "-", Brief: "merge", Help: "merge away: the method, its class, package or library, or all but its library; loops", Do: a.askMerge},
		{Name: "_", Help: "drop calls with everything below them", Do: a.askDrop},
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

func (a *Answer) askFocus(t *table.Table, row int) tea.Cmd { return a.askStep(query.Focus, t, row) }
func (a *Answer) askMerge(t *table.Table, row int) tea.Cmd { return a.askStep(query.Merge, t, row) }
func (a *Answer) askDrop(t *table.Table, row int) tea.Cmd  { return a.askStep(query.Drop, t, row) }

// askStep asks for a step about a row's method, adds it, and makes the answer again.
func (a *Answer) askStep(kind query.StepKind, t *table.Table, row int) tea.Cmd {
	r := query.RowOf(t, row)
	class, name, ok := r.Method()
	if !ok {
		return a.env.Say("this row is no method")
	}
	about := tree.Subject{Method: r.Call(), Class: class}
	if of := tree.MethodsNamed(a.of.R, class, name); len(of) == 1 {
		about.Method, _ = tree.NamesOf(a.of.R, of[0])
	}
	return a.steps.Ask(kind, about, a.Add)
}

// Add adds a step, and makes the answer again.
func (a *Answer) Add(step query.Step) tea.Cmd { return tea.Batch(a.steps.Add(step), a.edited()) }

// edited makes the answer again with the steps and the filter in force, if it has others.
func (a *Answer) edited() tea.Cmd {
	a.mu.Lock()
	if slices.Equal(a.of.Steps, a.steps.List) && (a.of.whole || a.of.Filter == a.filter.Expr()) {
		a.mu.Unlock()
		return nil
	}
	if a.of.Steps = a.steps.List; !a.of.whole {
		a.of.Filter = a.filter.Expr()
	}
	m := a.run.make
	a.mu.Unlock()
	return a.start(m)
}
