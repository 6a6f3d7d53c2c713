package search

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/places"
	"tracex/ui/internal/env"
	"tracex/ui/internal/tree"
)

// Differences are the places where the two traces of a diff differ. They are counted as soon as the trace is known, and
// n and N go through them unless something else was looked for.
type Differences struct {
	// Lead makes the cursor go to the first place once that is found, if the user has not pressed a key before.
	Lead bool

	env     *env.Env
	tree    *tree.Tree
	results *Results
	run     *differencesRun // the last one; nil before there was one
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
	return &Differences{env: e, tree: t, results: r}
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
	return run.task.Feed(d.env, func(ctx context.Context, send func(func() tea.Cmd)) func() tea.Cmd {
		err := run.find(ctx, r, func() { send(func() tea.Cmd { return nil }) })
		return func() tea.Cmd {
			run.err = err
			return d.env.Fail("the search for differences ended early", err)
		}
	})
}

// find makes the pass, on a goroutine of its own. It calls news when there is something to draw.
func (r *differencesRun) find(ctx context.Context, of *lazy.LazyTraceReader, news func()) error {
	if err := of.Wait(ctx); err != nil {
		return err
	}
	scope, err := query.ScopeOf(ctx, of, r.raw, nil, query.TreeSteps(r.steps), nil)
	if err != nil {
		return err
	}
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

// Text tells how many places differ and how, as far as known, the most telling part first.
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
	case n.All() == 0:
		return []string{"equal"}
	}
	list := n.Text()
	list[0] = least + list[0]
	return list
}
