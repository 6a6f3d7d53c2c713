package search

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/diff"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
	"tracex/ui/internal/env"
	"tracex/ui/internal/tree"
)

// Differences are the places where the two traces of a diff differ. They are counted as soon as the trace is known, and
// n and N go through them unless something else was looked for.
type Differences struct {
	// Lead makes the cursor go to the first place once that is found, if the user has not pressed a key before.
	Lead bool
	// Ignored are filters of differences that do not count. See Ignore and Count.
	Ignored []diff.Ignored

	env     *env.Env
	tree    *tree.Tree
	results *Results
	sides   []*lazy.LazyTraceReader // A and B, if they are open
	told    []diff.Ignored          // which were ignored in the last run
	run     *differencesRun         // the last one; nil before there was one
}

// differencesRun is one pass over the trace.
type differencesRun struct {
	task   env.Task
	found  *query.Differences
	result *Result
	raw    bool
	steps  query.Steps
	err    error // why it ended early; context.Canceled if it was stopped
}

func (r *differencesRun) Running() bool { return r != nil && r.task.Running() }

func NewDifferences(e *env.Env, t *tree.Tree, r *Results) *Differences {
	d := &Differences{env: e, tree: t, results: r}
	if e.Trace.Diff != nil && e.Trace.Diff.Made {
		d.sides = []*lazy.LazyTraceReader{e.Trace.Diff.Sides[0].Reader, e.Trace.Diff.Sides[1].Reader}
	}
	return d
}

// Counting returns the filter of the differences that count; nil for all. It fails if an ignored one has a name that no
// trace has; not by e is also ignored, unless that is nil.
func (d *Differences) Counting(e *filter.Expr) (*filter.Expr, error) {
	not := slices.Clone(d.Ignored)
	if e != nil {
		not = append(not, diff.Ignored{Expr: e})
	}
	return diff.Counting(nil, not, d.env.Trace.Reader, d.sides...)
}

// Ignore makes the differences that a filter matches not count.
func (d *Differences) Ignore(e *filter.Expr) tea.Cmd {
	d.Ignored = append(slices.Clone(d.Ignored), diff.Ignored{Expr: e})
	return d.Adopt()
}

// Count makes differences count again: those that the i-th filter matches, and, if a file has it, all of the file; those
// of all filters if i is negative.
func (d *Differences) Count(i int) tea.Cmd {
	switch {
	case i < 0:
		d.Ignored = nil
	case i < len(d.Ignored):
		of := d.Ignored[i]
		d.Ignored = slices.DeleteFunc(slices.Clone(d.Ignored), func(x diff.Ignored) bool { return x == of || x.File != "" && x.File == of.File })
	}
	return d.Adopt()
}

// Counted are the differences of the last count; nil before there was one.
func (d *Differences) Counted() *query.Differences {
	if d.run == nil {
		return nil
	}
	return d.run.found
}

// LeftOut returns how many differences are known that do not count.
func (d *Differences) LeftOut() int64 {
	if d.run == nil {
		return 0
	}
	return d.run.found.LeftOut()
}

// Diff reports whether the trace is a diff of two.
func (d *Differences) Diff() bool {
	if d.env.Trace.Diff != nil {
		return true
	}
	n := d.tree.Out.Cursor.Node // of one that was unpacked
	return n != nil && n.Point() != nil && n.Point().Diff != format.DiffNone
}

// Running reports whether differences are being looked for.
func (d *Differences) Running() bool { return d.run.Running() }

// Stop stops looking for differences, and reports whether they were being looked for. Those found stay.
func (d *Differences) Stop() bool {
	if !d.run.Running() {
		return false
	}
	d.run.task.Stop()
	d.run.err = context.Canceled
	return true
}

// Go goes to the n-th row from the cursor that differs.
func (d *Differences) Go(dir, n int) tea.Cmd {
	d.Lead = false
	cmd := d.begin()
	d.results.Use(d.run.result)
	return tea.Batch(cmd, d.results.Hit(dir, n))
}

// begin looks for the differences, unless those of the view of the tree are known.
func (d *Differences) begin() tea.Cmd {
	raw, steps := !d.tree.Out.Tree.Folded(), d.tree.Steps.Now()
	if r := d.run; r != nil && r.err == nil && r.raw == raw && slices.Equal(r.steps, steps) {
		return nil
	}
	if d.run != nil {
		d.run.task.Stop()
	}
	r := d.env.Trace.Reader
	run := &differencesRun{raw: raw, steps: steps, found: query.NewDifferences(r, query.Scope{Raw: raw})}
	run.result = &Result{One: "difference", Several: "differences", Raw: raw, Set: run.found.Set, By: run}
	d.run = run
	tells := len(d.Ignored) > 0 && !slices.Equal(d.Ignored, d.told)
	d.told = d.Ignored
	ignored, sides := d.Ignored, d.sides
	where := func() (*filter.Expr, error) { return diff.Counting(nil, ignored, r, sides...) }
	return run.task.Feed(d.env, func(ctx context.Context, send func(func() tea.Cmd)) func() tea.Cmd {
		err := run.find(ctx, r, where, func() { send(func() tea.Cmd { return nil }) })
		return func() tea.Cmd {
			if run.err = err; err == nil && tells {
				d.env.Say(d.Ignoring())
			}
			return d.env.Fail("the search for differences ended early", err)
		}
	})
}

// find makes the pass, on a goroutine of its own. It calls news when there is something to draw.
func (r *differencesRun) find(ctx context.Context, of *lazy.LazyTraceReader, where func() (*filter.Expr, error), news func()) error {
	if err := of.Wait(ctx); err != nil {
		return err
	}
	count, err := where()
	if err != nil {
		return err
	}
	scope, err := query.ScopeOf(ctx, of, r.raw, nil, query.TreeSteps(r.steps), count)
	if err != nil {
		return err
	}
	r.found.Within(scope)
	pass, last, some := scope.Over(r.found), time.Time{}, false
	pass.Progress = func(_, _ int64) {
		n, _ := r.found.Set.Count()
		if now := time.Now(); n > 0 && !some || now.Sub(last) >= newsEvery {
			last, some = now, n > 0
			news()
		}
	}
	if err := of.Pass(ctx, pass); err != nil {
		return err
	}
	r.found.Finish()
	return nil
}

// Adopt looks for the differences again, as another tree is shown.
func (d *Differences) Adopt() tea.Cmd {
	if d.run == nil {
		return nil
	}
	d.run.task.Stop()
	d.run = nil
	cmd := d.begin()
	d.results.Use(d.run.result)
	return cmd
}

// Settle counts the places of a diff, and goes to the first if the user has not gone anywhere else.
func (d *Differences) Settle() tea.Cmd {
	if d.env.Trace.Diff == nil || !d.env.Trace.Settled() || d.env.Trace.Known.Phase == lazy.PhaseFailed {
		return nil
	}
	var cmd tea.Cmd
	if d.run == nil {
		cmd = d.begin()
	}
	if d.results.Now() == nil {
		d.results.Use(d.run.result)
	}
	if d.Lead = d.Lead && !d.env.Keyboard.Touched; !d.Lead {
		return cmd
	}
	at, ok := d.run.found.Set.Place(0)
	if d.Lead = !ok && d.run.Running(); !ok {
		return cmd
	}
	return tea.Batch(cmd, d.tree.Jobs.Reveal(at, func(n *lazy.Node) tea.Cmd {
		if !d.env.Keyboard.Touched {
			d.tree.Out.Settle()
			d.tree.Out.Jump(tree.RowOf(n))
		}
		return nil
	}))
}

// Places returns where the differences found so far are.
func (d *Differences) Places() *places.Set {
	if d.run == nil {
		return places.New()
	}
	return d.run.found.Set
}

// Text tells how many differences there are and of which kinds, as far as known, the most telling part first.
func (d *Differences) Text() []string {
	if d.run == nil {
		return []string{"counting " + d.env.Glyphs.More}
	}
	n, least := d.run.found.Counts(), ""
	switch running := d.run.Running(); {
	case n.All() == 0 && running:
		return []string{"counting " + d.env.Spinner()}
	case running || d.run.err != nil:
		least = d.env.Glyphs.AtLeast
	}
	list := n.Text()
	if n.All() == 0 {
		list[0] = "equal"
	}
	if left := d.LeftOut(); left > 0 {
		list = append(list, display.Grouped(left)+" ignored")
	}
	list[0] = least + list[0]
	return list
}

// Ignoring tells how many differences are ignored, and why.
func (d *Differences) Ignoring() string {
	var by []string
	for _, x := range d.Ignored {
		if of := cmp.Or(x.File, x.Expr.String()); !slices.Contains(by, of) {
			by = append(by, of)
		}
	}
	return display.Plural(d.LeftOut(), "difference") + " ignored by " + strings.Join(by, ", ")
}
