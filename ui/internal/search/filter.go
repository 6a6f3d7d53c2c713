package search

import (
	"context"
	"math"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

// Filter is the filter of the tree: it shows only what matches, with what is around that.
type Filter struct {
	Cur  *FilterRun // nil if none
	Last string     // the text of the last filter, also of the last session

	env     *env.Env
	tree    *tree.Tree
	results *Results

	counting env.Task // of the matches of a filter that is being typed

	home *lazy.Position // where the cursor returns to once that is known to match; nil if nowhere
	// resumed is that the filter is of the last session, and ends if it has no matches.
	resumed bool
}

// Run filters the tree, or asks for a filter.
func (f *Filter) Run(args string) tea.Cmd {
	f.env.Front.Leave()
	if args == "" {
		return f.Ask()
	}
	return f.begin(args)
}

// Parse reads a filter for this trace.
func (f *Filter) Parse(text string) (*filter.Expr, error) {
	e, err := filter.Parse(text)
	if err == nil {
		err = query.Check(f.env.Trace.Reader, e)
	}
	return e, err
}

// Complete returns what can be typed at the end of a filter; where a term begins first what the cursor's row has.
func (f *Filter) Complete(text string) (from int, with []prompt.Candidate) {
	from, list := query.Complete(f.env.Trace.Reader, text, f.tree.Out.Cursor.Node)
	if n := f.tree.Out.Cursor.Node; n != nil && from == len(text) && (text == "" || strings.HasSuffix(text, " ") || strings.HasSuffix(text, "(")) {
		list = append(query.Suggest(f.env.Trace.Reader, n), list...)
	}
	for _, c := range list {
		if f.env.Trace.Made() && (strings.Contains(c.Text, format.DiffClass) || strings.Contains(c.Text, format.EqualMethod)) {
			continue // of rows that stand for what is equal
		}
		with = append(with, prompt.Candidate{Text: c.Text, Help: c.About})
	}
	return from, with
}

// Ask asks for a filter, beginning with the last one.
func (f *Filter) Ask() tea.Cmd {
	p := f.env.Front.Typed.Open("& ", "a filter: method=get ret=null dur>10ms in(…); "+keys.KeyName("tab", f.env.Glyphs)+": terms made of this row")
	p.Complete(f.Complete)
	if text := f.Last; text != "" {
		p.Propose(text)
	}
	f.env.Front.Ask(&env.Question{
		Prompt: p,
		Typed:  func(t prompt.Text) tea.Cmd { return f.edited(t.Text) },
		Refuse: func(t prompt.Text) string {
			if _, err := f.Parse(t.Text); err != nil {
				return screen.ErrorLine(err)
			}
			return ""
		},
		Submit: func(t prompt.Text) tea.Cmd { return f.begin(t.Text) },
		Cancel: func() { f.counting.Stop() },
	})
	return f.edited(f.Last)
}

// begin filters the tree, and goes to the first match from the cursor on; an empty filter shows everything.
func (f *Filter) begin(text string) tea.Cmd {
	f.env.Status.Clear() // it was about the text typed
	f.counting.Stop()
	text = strings.TrimSpace(text)
	if text == "" {
		f.Clear()
		return nil
	}
	e, err := f.Parse(text)
	if err != nil {
		return f.env.Warn(screen.ErrorLine(err))
	}
	f.Last, f.home, f.resumed = text, nil, false
	from, ok := f.tree.Out.Here()
	if f.Cur == nil {
		f.tree.Visit()
	}
	cmd := f.start(e)
	if ok {
		f.results.want = &step{wanted: &wanted{from: from, dir: 1, count: 1, here: true}, of: f.Cur.result, calm: true}
	}
	return cmd
}

// Resume filters the tree as in the last session, if the filter still fits the trace.
func (f *Filter) Resume(text string, at lazy.Position) tea.Cmd {
	e, err := f.Parse(text)
	if err != nil {
		return nil
	}
	f.Last, f.home, f.resumed = text, &at, true
	return f.start(e)
}

// Text returns the filter of the tree as it was typed; "" if there is none.
func (f *Filter) Text() string {
	if f.Cur == nil {
		return ""
	}
	return f.Last
}

// Expr returns the filter of the tree; nil if there is none.
func (f *Filter) Expr() *filter.Expr {
	if f.Cur == nil {
		return nil
	}
	return f.Cur.of
}

// start looks for the matches in the view of the tree, in place of those of the filter before, and shows them.
func (f *Filter) start(e *filter.Expr) tea.Cmd {
	if f.Cur != nil {
		f.Cur.task.Stop()
	}
	run, cmd := f.run(e, "match", "matches")
	f.Cur = run
	lazy.ShownIn(f.tree.Out.Tree).Only(run.shown)
	return cmd
}

// run starts looking for the matches in the view of the tree, and makes them the current result.
func (f *Filter) run(e *filter.Expr, one, several string) (*FilterRun, tea.Cmd) {
	run := &FilterRun{of: e, raw: !f.tree.Out.Tree.Folded(), steps: f.tree.Steps.Now()}
	cmd := f.look(run)
	run.result = &Result{One: one, Several: several, Of: e.String(), Raw: run.raw, Set: run.Set(), By: run, Lost: e.Lost}
	f.results.Use(run.result)
	return run, cmd
}

// Clear shows all rows again, and reports whether there was a filter.
func (f *Filter) Clear() bool {
	if f.Cur == nil {
		return false
	}
	f.Cur.task.Stop()
	if f.results.cur == f.Cur.result {
		f.results.Use(nil)
	}
	f.Cur, f.home = nil, nil
	f.tree.Unfilter()
	return true
}

// Back is the key that shows all rows again.
func (f *Filter) Back() tea.Cmd {
	if !f.Clear() {
		f.env.Say("all rows are shown; " + keys.ActionKey("filter", f.env.Glyphs) + " filters them")
	}
	return nil
}

// Adopt filters another tree: that of the other view, or of another recording.
func (f *Filter) Adopt() tea.Cmd {
	f.results.Use(nil)
	if f.Cur == nil {
		return nil
	}
	if here, ok := f.tree.Out.Here(); ok {
		f.home = &here
	}
	return f.start(f.Cur.of)
}

// Settle brings the tree up to date with the matches. The cursor goes home once it is known whether that matches.
func (f *Filter) Settle() tea.Cmd {
	run := f.Cur
	if run == nil {
		f.tree.Open = ""
		return nil
	}
	cmd := f.lookAgain()
	kept, beyond := run.Set().Count()
	switch {
	case run.Running():
		f.tree.Open = ""
	case run.err != nil:
		f.tree.Open = "not searched: the search has ended early"
	case beyond > 0:
		f.tree.Open = "after the matches that can be listed: narrow the filter down"
	default:
		f.tree.Open = "recorded since"
	}
	at, none := f.home, f.resumed && kept == 0 && beyond == 0
	if at == nil || f.tree.Jobs.Running() || run.Running() && (none || run.shown.Known(at.Thread) <= at.At) {
		return cmd
	}
	f.home, f.resumed = nil, false
	if none && run.err == nil && run.shown.sizes == nil {
		if f.Clear(); f.tree.Out.Cursor.Node != nil {
			f.tree.Out.Tree.Expand(f.tree.Out.Cursor.Node) // nothing in it was shown
		}
		return tea.Batch(cmd, f.env.Say("the filter of last time, "+f.Last+", has no matches: all rows are shown"))
	}
	return tea.Batch(cmd, f.tree.Jobs.Show(*at))
}

// Found tells how many matches there are, as far as is known.
func (f *Filter) Found() (text string) {
	run, g := f.Cur, f.env.Glyphs
	kept, beyond := run.Set().Count()
	text = display.Grouped(int64(kept) + beyond)
	found := run.shown
	done, total := found.bytes.Told()
	switch {
	case run.Running():
		text += " " + f.env.Spinner()
		if total > 0 {
			text += " " + display.Percent(done, total)
		}
	case run.err != nil && total > 0:
		text += " in " + display.Percent(done, total)
	case found.sizes != nil:
		text = g.AtLeast + text
	}
	return text
}

// FilterRun is a filter with its matches, which grow while they are looked for.
type FilterRun struct {
	of     *filter.Expr
	result *Result
	raw    bool // matches are points as recorded
	steps  query.Steps

	shown *found
	next  *found // found again, as the trace has grown; nil if none is under way
	task  env.Task
	err   error // why it ended early; context.Canceled if it was stopped
	at    time.Time
	took  time.Duration
}

// found is the matches of one pass, the [lazy.Places] of a tree.
type found struct {
	*places.Set
	bytes    env.Progress    // read
	sizes    map[int32]int64 // of the threads of a growing trace, when the pass began; nil otherwise
	recorded int64           // their sum
}

// look starts a pass. What was found by one before is shown until it ends.
func (f *Filter) look(run *FilterRun) tea.Cmd {
	r, pass := f.env.Trace.Reader, &found{Set: places.New()}
	if r.Status().Growth.On {
		pass.sizes = make(map[int32]int64)
		list := r.ThreadList()
		for i := range list.Len() {
			id := list.ID(i)
			info, _ := r.ThreadInfo(id)
			pass.sizes[id] = info.Bytes
			pass.recorded += info.Bytes
		}
	}
	if run.shown == nil {
		run.shown = pass
	} else {
		run.next = pass
	}
	run.err, run.at = nil, f.env.Clock.Now()
	return run.task.Feed(f.env, func(ctx context.Context, send func(func() tea.Cmd)) func() tea.Cmd {
		err := run.find(ctx, r, pass, func() { send(func() tea.Cmd { return nil }) })
		return func() tea.Cmd { f.found(run, err); return nil }
	})
}

const (
	newsEvery  = 50 * time.Millisecond  // news of matches may wait so long; the first ones do not
	againAfter = 500 * time.Millisecond // a growing trace is not searched again before, and a tenth of the time at most
)

// find runs a pass on a goroutine of its own. It calls news when there is something to draw.
func (run *FilterRun) find(ctx context.Context, r *lazy.LazyTraceReader, pass *found, news func()) error {
	if err := r.Wait(ctx); err != nil {
		return err
	}
	scope, err := query.ScopeOf(ctx, r, run.raw, nil, query.TreeSteps(run.steps), nil)
	if err != nil {
		return err
	}
	find := query.NewFind(r, scope.Pass(), run.of, 0)
	find.Edit(scope)
	find.Set = pass.Set
	last, some := time.Time{}, false
	return find.Run(ctx, func(done, total int64) {
		pass.bytes.Tell(done, total)
		n, _ := pass.Count()
		first := n > 0 && !some
		if now := time.Now(); first || now.Sub(last) >= newsEvery {
			last, some = now, n > 0
			news()
		}
	})
}

// found notes the end of a pass.
func (f *Filter) found(run *FilterRun, err error) {
	run.err = err
	run.took = f.env.Clock.Now().Sub(run.at)
	if run.next != nil && err == nil {
		run.shown, run.result.Set = run.next, run.next.Set
	}
	if run.next = nil; run == f.Cur {
		lazy.ShownIn(f.tree.Out.Tree).Again(run.shown)
	}
	f.env.Fail("the search for matches ended early", err)
}

// Stop stops looking for matches, and reports whether they were being looked for. Those found stay.
func (f *Filter) Stop() bool {
	if f.Cur == nil || !f.Cur.task.Stop() {
		return false
	}
	f.Cur.err, f.Cur.next = context.Canceled, nil
	return true
}

// lookAgain looks for the matches again if the trace has grown.
func (f *Filter) lookAgain() tea.Cmd {
	run := f.Cur
	was := run.shown
	if run.Running() || run.err != nil || was.sizes == nil || was.recorded >= f.env.Trace.Recorded {
		return nil
	}
	if f.env.Clock.Now().Sub(run.at) < max(againAfter, 10*run.took) {
		return nil
	}
	return f.look(run)
}

// Running reports whether matches are being looked for. The methods may be called on nil, which is no filter.
func (run *FilterRun) Running() bool { return run != nil && run.task.Running() }

func (run *FilterRun) Set() *places.Set { return run.shown.Set }

// Bytes returns the memory that the matches take.
func (run *FilterRun) Bytes() int64 {
	if run == nil {
		return 0
	}
	n, _ := run.Set().Count()
	return 8 * int64(n)
}

// Known returns up to which offset all matches of a thread are known.
func (f *found) Known(thread int32) int64 {
	known := f.Set.Known(thread)
	if known == math.MaxInt64 && f.sizes != nil {
		return f.sizes[thread]
	}
	return known
}

// edited tells what is wrong with the text of a filter, or, once that is known, how many matches it has at most.
func (f *Filter) edited(text string) tea.Cmd {
	f.env.Say("")
	f.counting.Stop()
	e, err := f.Parse(text)
	switch {
	case text == "":
		return nil
	case err != nil:
		return f.env.Say(screen.ErrorLine(err))
	}
	r, raw := f.env.Trace.Reader, !f.tree.Out.Tree.Folded()
	return f.counting.Run(f.env, func(ctx context.Context) func() tea.Cmd {
		most, ok := query.AtMost(ctx, r, raw, e)
		return env.Done(func() {
			switch {
			case ok && most == 0:
				f.env.Say("no matches")
			case ok && most == 1:
				f.env.Say(f.env.Glyphs.AtMost + " 1 match")
			case ok:
				f.env.Say(f.env.Glyphs.AtMost + " " + display.Grouped(most) + " matches")
			}
		})
	})
}
