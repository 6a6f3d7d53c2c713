package tables

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
)

// Of tells which part of a trace an answer is about.
type Of struct {
	R     *lazy.LazyTraceReader
	G     *display.Glyphs
	Raw   bool         // as recorded, otherwise as the folded view shows it
	Below *lazy.Handle // only what it names and everything below; nil for the whole trace
	Steps query.Steps  // they edit the tree before
	Where *filter.Expr // only what it matches counts; nil for all
	// Filter is that of the tree, which applies to what lists or adds up what the tree shows; nil if there is none.
	Filter *filter.Expr
	// whole is that the filter of the tree does not apply, and the title of the answer tells what it is below.
	whole bool
}

// unfiltered is what an answer is about to which the filter of the tree does not apply.
func (of Of) unfiltered() Of {
	of.Filter, of.whole = nil, true
	return of
}

// where returns the filter of what counts; nil if all does.
func (of *Of) where() *filter.Expr {
	switch {
	case of.Filter == nil:
		return of.Where
	case of.Where == nil:
		return of.Filter
	}
	return filter.And(of.Where, of.Filter)
}

// maker returns what finds an answer in a scope.
type maker func(query.Scope) (finder, error)

// finder is a runner or a [lazy.Collector]. Its table is made with Answer.mu held.
type finder interface {
	Table(query.View) *table.Table
}

// The methods that a finder may have in addition.
type (
	// runner is one that runs its passes itself.
	runner interface {
		Run(ctx context.Context, tell lazy.Progress) error
	}

	// recaller is one that may know its answer without a pass.
	recaller interface{ Recall() bool }

	// placer is one that knows the places of what it has found so far. done tells that the pass has ended.
	placer interface {
		Places(done bool) *places.Set
	}

	// seated is one that knows which row is about an event.
	seated interface {
		RowOf(t *table.Table, at lazy.Position) (row int, ok bool)
	}
)

// Answer is a table that grows while a pass runs. Any goroutine may call its methods, except those for keys.
type Answer struct {
	*Answers
	of    Of
	now   func() time.Time
	timed bool // the trace has times

	keys         []Key
	sorts        []string                    // see Orders
	one, several string                      // what its rows are that n and N lead to; "" if they lead to none
	growing      interface{ Running() bool } // what adds to their set as long as it runs; nil if nothing does
	prefix       string                      // of the title
	on           *lazy.Position              // where the cursor begins; nil if that is not told

	shown  atomic.Pointer[table.Table]
	latest atomic.Pointer[answerRun] // the same as run: drawing waits for no lock

	mu     sync.Mutex  // guards the fields below
	sort   string      // the key of the column that orders the rows; "" for the order of the answer
	rising bool        // their order
	run    *answerRun  // the last one
	found  finder      // what has found the rows shown
	set    *places.Set // of what was found, once the pass has ended; nil before
}

// newAnswer returns an Answer without a pass: see start.
func newAnswer(a *Answers, of Of) Answer {
	_, timed := of.R.Times()
	return Answer{Answers: a, of: of, now: time.Now, timed: timed, sorts: []string{}}
}

// answerRun is one pass of an answer. It goes on when the key that asked for it is given up.
type answerRun struct {
	make   maker
	finder finder
	cancel context.CancelFunc
	ctx    context.Context
	news   func() // tells of the first rows; nil if no goroutine waits for them
	ended  atomic.Bool
	early  bool // nothing was recorded when it began
	late   bool // it is one again, now that something is
	steps  query.Steps
	about  string // for the title: what the answer is not about
	done   float64
	last   time.Time     // when its table was made
	took   time.Duration // to make it
}

// refresh is how long a table is shown at least while the pass runs; noRows is that for one without rows.
const (
	refresh = 500 * time.Millisecond
	noRows  = 10 * time.Millisecond
)

// open shows the table of the answer while its first pass runs, as start does.
func (a *Answer) open(src Source, m maker) tea.Cmd {
	run := a.start(m)
	if run != nil {
		a.tables.Show(src)
	}
	return run
}

// start begins a pass in place of the one under way, and returns the command that runs it. News comes with the first
// rows, so that they are drawn at once. If there can be no such pass, it says why, and returns nil.
func (a *Answer) start(m maker) tea.Cmd {
	r, err := a.begin(m)
	if err != nil {
		return a.steps.Refuse(err)
	}
	return a.feed(r)
}

// feed returns the command that runs a pass.
func (a *Answer) feed(r *answerRun) tea.Cmd {
	return new(env.Task).Feed(a.env, func(_ context.Context, send func(func() tea.Cmd)) func() tea.Cmd {
		a.mu.Lock()
		r.news = func() { send(func() tea.Cmd { return nil }) }
		a.mu.Unlock()
		err := a.end(r)
		return func() tea.Cmd { return a.env.Fail("the answer is not complete", err) }
	})
}

// anew makes a pass in place of the one under way. It returns when it has ended: it is for the background.
func (a *Answer) anew(m maker) error {
	r, err := a.begin(m)
	if err != nil {
		return err
	}
	return a.end(r)
}

// begin prepares a pass in place of the one under way; end runs it.
func (a *Answer) begin(m maker) (*answerRun, error) {
	scope := query.Scope{Raw: a.of.Raw}
	scope.Titled(a.of.where())
	finder, err := m(scope)
	if err != nil {
		return nil, err
	}
	r := &answerRun{make: m, finder: finder, early: early(a.of.R)}
	r.ctx, r.cancel = context.WithCancel(a.env.Life)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run != nil {
		a.run.cancel()
	}
	r.steps, r.about = a.of.Steps, a.title()
	a.run = r
	a.latest.Store(r)
	a.show(r)
	return r, nil
}

// title returns what the title tells first.
func (a *Answer) title() (text string) {
	if a.of.Below != nil && !a.of.whole {
		text = "below " + a.of.Below.String() + ": "
	}
	switch n := len(a.of.Steps); {
	case n == 1:
		text = a.of.Steps[0].String() + ": " + text
	case n > 1:
		text = fmt.Sprintf("%d steps, the last %s: %s", n, a.of.Steps[n-1], text)
	}
	if a.of.R.Status().Growth.On {
		text = "recorded so far: " + text
	}
	return a.prefix + text
}

// early reports whether a trace grows in which nothing is recorded yet.
func early(r *lazy.LazyTraceReader) bool {
	_, some := r.Newest()
	return !some && r.Status().Growth.On
}

// nothingYet is what a table has in place of rows then.
const nothingYet = "nothing recorded yet: it is counted once there is something"

// Again returns the command that finds the answer again if nothing was recorded before, and something is now, or nil.
func (a *Answer) Again() tea.Cmd {
	a.mu.Lock()
	r := a.run
	again := r != nil && r.early && r.ended.Load() && !early(a.of.R) && a.env.Life.Err() == nil
	a.mu.Unlock()
	if !again {
		return nil
	}
	if r, _ = a.begin(r.make); r == nil {
		return nil
	}
	r.late = true
	return a.feed(r)
}

// Sifted reports whether the filter of the tree applies to the rows, if there is one.
func (a *Answer) Sifted() bool { return !a.of.whole }

// show makes the table of a run. a.mu must be held.
func (a *Answer) show(r *answerRun) {
	if a.run != r {
		return // another one has taken its place
	}
	r.last = a.now()
	t := r.finder.Table(query.View{Sort: a.sort, Rising: a.rising, Done: r.done, G: a.of.G})
	r.took = a.now().Sub(r.last)
	if a.found != r.finder {
		a.found, a.set = r.finder, nil
	}
	if p, ok := r.finder.(placer); ok && r.done == 1 && a.set == nil {
		a.set = p.Places(true) // here, as it may take longer than a key may
	}
	t.Title = r.about + t.Title
	r.steps.Tell(t, a.of.G)
	switch {
	case r.early && early(a.of.R):
		t.Empty = nothingYet
	case a.of.Filter != nil && t.Empty != "":
		t.Empty += ": only what the filter matches counts"
	}
	a.shown.Store(t)
}

// finder returns what has found the rows shown.
func (a *Answer) finder() finder {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.found
}

// places returns where what was found is. The finder must be a placer.
func (a *Answer) places() *places.Set {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.set != nil {
		return a.set
	}
	return a.found.(placer).Places(false)
}

func (a *Answer) Keys() []Key { return a.keys }

func (a *Answer) Orders() []string { return a.sorts }

// An answer has no groups, if what is made of it has not.
func (a *Answer) Groups() []string                    { return nil }
func (a *Answer) Group(context.Context, string) error { return nil }

func (a *Answer) Place(t *table.Table, moved bool) (row int, ok bool) {
	if moved || a.on == nil {
		return 0, false
	}
	return a.finder().(seated).RowOf(t, *a.on)
}

// toEvent goes to the event of a row.
func (a *Answer) toEvent(t *table.Table, row int) tea.Cmd {
	if a.one == "" {
		return a.goTo(t, row, "", "", nil, nil)
	}
	return a.goTo(t, row, a.one, a.several, a.places(), a.growing)
}

// Sort sorts by a column. It is for answers that have all their rows.
func (a *Answer) Sort(_ context.Context, key string, rising bool) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sort, a.rising = key, rising
	a.show(a.run)
	return nil
}

// end runs a pass to its end. The error is why it is not complete; nil if it is, or if it was stopped.
func (a *Answer) end(r *answerRun) error {
	defer r.cancel()                                   // it does not run any longer, whatever happens
	err, problem := a.pass(r), a.of.R.Status().Problem // before the lock, which the screen waits for
	a.mu.Lock()
	defer a.mu.Unlock()
	if r.ended.Store(true); err == nil {
		r.done = 1
	}
	if problem != nil {
		r.about = "of what is not damaged: " + r.about
	}
	if a.show(r); errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// pass makes the pass of a run, unless its finder knows the answer without.
func (a *Answer) pass(r *answerRun) error {
	if c, ok := r.finder.(recaller); ok && a.of.Below == nil && len(r.steps) == 0 && a.of.where() == nil && c.Recall() {
		return nil
	}
	wait := a.of.R.Wait
	if r.late {
		wait = a.of.R.CatchUp // more of the first data may come in at once
	}
	if err := wait(r.ctx); err != nil {
		return err
	}
	scope, err := a.of.scope(r.ctx, r.steps)
	if err != nil {
		return err
	}
	finder, err := r.make(scope)
	if err != nil {
		return err
	}
	a.mu.Lock()
	r.finder = finder
	a.mu.Unlock()
	progress := func(done, total int64) { a.progress(r, done, total) }
	if own, ok := finder.(runner); ok {
		return own.Run(r.ctx, progress)
	}
	pass := scope.Over(finder.(lazy.Collector))
	pass.Progress = progress
	return a.of.R.Pass(r.ctx, pass)
}

// scope returns what an answer is about, prepared for passes.
func (o *Of) scope(ctx context.Context, steps query.Steps) (query.Scope, error) {
	return query.ScopeOf(ctx, o.R, o.Raw, o.Below, steps, o.where())
}

// progress makes another table once the one shown is old enough. That takes a tenth of the time at most.
func (a *Answer) progress(r *answerRun, done, total int64) {
	if total <= 0 || done >= total {
		return
	}
	if news := a.reach(r, float64(done)/float64(total)); news != nil {
		news() // it may wait
	}
}

// reach notes the share of the data read. It returns what tells of the first rows, once there are some.
func (a *Answer) reach(r *answerRun, done float64) (news func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	r.done = done
	least := refresh
	if a.Table().Rows.Len() == 0 {
		least = noRows
	}
	if a.now().Sub(r.last) >= max(least, 10*r.took) {
		a.show(r)
	}
	if a.run == r && a.Table().Rows.Len() > 0 {
		news, r.news = r.news, nil
	}
	return news
}

func (a *Answer) Table() *table.Table { return a.shown.Load() }

func (a *Answer) Running() bool {
	r := a.latest.Load()
	return r != nil && !r.ended.Load() && r.ctx.Err() == nil
}

// Stop ends the pass. What has been read stays.
func (a *Answer) Stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run != nil {
		a.run.cancel()
	}
}
