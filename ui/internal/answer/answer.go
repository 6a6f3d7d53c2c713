package answer

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
	"tracex/lazy/query/table"
	"tracex/ui/internal/background"
)

// Of tells which part of a trace an answer is about.
type Of struct {
	R     *lazy.LazyTraceReader
	Raw   bool         // as recorded, otherwise as the folded view shows it
	Below *lazy.Handle // only what it names and everything below; nil for the whole trace
	Steps query.Steps  // they edit the tree before
	Where *filter.Expr // only what it matches counts; nil for all
	// Filter is that of the tree: an answer that lists or adds up what the tree shows applies it, too; nil if
	// there is none.
	Filter *filter.Expr
	G      *display.Glyphs
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

// unsifted is what an answer is about to which the filter of the tree does not apply.
func (of Of) unsifted() Of {
	of.Filter = nil
	return of
}

// Msg tells that an answer has its first rows, or that it has ended. Err is why it is not complete; nil
// if it is, or if it was stopped. Next is the command that waits for the end; nil if that has come.
type Msg struct {
	Err  error
	Next tea.Cmd
}

// maker returns a collector for a scope, and the function that makes its table; done is the share
// of the data read.
type maker func(query.Scope) (lazy.Collector, func(done float64) *table.Table, error)

// runner is a collector that runs its pass itself.
type runner interface {
	Run(ctx context.Context, tell lazy.Progress) error
}

// Answer is a table that grows while a pass runs. Any goroutine may call its methods.
type Answer struct {
	of   Of
	now  func() time.Time
	life context.Context // ends with the explorer
	// titled is that the title of the table tells what it is below.
	titled bool
	// whole is that the filter of the tree does not apply.
	whole bool

	shown atomic.Pointer[table.Table]

	mu  sync.Mutex // guards run and what its table is made from
	run *run       // the last one
}

// run is one pass.
type run struct {
	make   maker
	table  func(done float64) *table.Table
	cancel context.CancelFunc
	ctx    context.Context
	ended  bool
	early  bool // nothing was recorded when it began
	late   bool // it is one again, now that something is
	steps  query.Steps
	about  string // for the title: what the answer is not about
	done   float64
	last   time.Time     // when its table was made
	took   time.Duration // to make it
	rows   chan struct{} // closed once its table has rows
	some   bool          // it has been closed
}

// refresh is how long a table is shown at least while the pass runs; noRows is that for one without rows.
const (
	refresh = 500 * time.Millisecond
	noRows  = 10 * time.Millisecond
)

// begin prepares a pass in place of the one under way; work runs it.
func (a *Answer) begin(ctx context.Context, maker maker) (*run, error) {
	scope := query.Scope{Raw: a.of.Raw}
	scope.Titled(a.of.where())
	_, made, err := maker(scope)
	if err != nil {
		return nil, err
	}
	r := &run{make: maker, table: made, rows: make(chan struct{})}
	r.ctx, r.cancel = context.WithCancel(ctx)
	r.early = early(a.of.R)
	a.Stop()
	a.mu.Lock()
	defer a.mu.Unlock()
	r.steps, r.about = a.of.Steps, a.about()
	a.run = r
	a.show(r)
	return r, nil
}

// about returns what the title tells first.
func (a *Answer) about() (text string) {
	if a.of.Below != nil && !a.titled {
		text = "below " + a.of.Below.String() + ": "
	}
	switch n := len(a.of.Steps); {
	case n == 1:
		text = a.of.Steps[0].String() + ": " + text
	case n > 1:
		text = fmt.Sprintf("%d steps, the last %s: %s", n, a.of.Steps[n-1], text)
	}
	return soFar(a.of.R) + text
}

// early reports whether a trace grows in which nothing is recorded yet.
func early(r *lazy.LazyTraceReader) bool {
	_, some := r.Newest()
	return !some && r.Status().Growth.On
}

// nothingYet is what a table has in place of rows then.
const nothingYet = "nothing recorded yet: it is counted once there is something"

// Again finds the answer again if it began before anything was recorded, and something is now. It returns
// the command that runs its pass; nil if not.
func (a *Answer) Again() tea.Cmd {
	a.mu.Lock()
	r := a.run
	again := r != nil && r.early && r.ended && !early(a.of.R) && a.life.Err() == nil
	a.mu.Unlock()
	if !again {
		return nil
	}
	if r, _ = a.begin(a.life, r.make); r == nil {
		return nil
	}
	r.late = true
	return a.doing(r)
}

// soFar returns what the title of an answer tells first of a trace that grows.
func soFar(r *lazy.LazyTraceReader) string {
	if r.Status().Growth.On {
		return "recorded so far: "
	}
	return ""
}

// undamaged returns what it tells before that, once the trace has been read.
func undamaged(r *lazy.LazyTraceReader) string {
	if r.Status().Problem != nil {
		return "of what is not damaged: "
	}
	return ""
}

// Sifted reports whether the filter of the tree applies to the rows, if there is one.
func (a *Answer) Sifted() bool { return !a.whole }

// Edit makes the answer again with other steps, and another filter of the tree. It returns the command that
// runs its pass.
func (a *Answer) Edit(steps query.Steps, e *filter.Expr) (tea.Cmd, error) {
	a.mu.Lock()
	if a.of.Steps = steps; !a.whole {
		a.of.Filter = e
	}
	make := a.run.make
	a.mu.Unlock()
	r, err := a.begin(a.life, make)
	if err != nil {
		return nil, err
	}
	return a.doing(r), nil
}

// show makes the table of a run. a.mu must be held.
func (a *Answer) show(r *run) {
	if a.run != r {
		return // another one has taken its place
	}
	r.last = a.now()
	t := r.table(r.done)
	r.took = a.now().Sub(r.last)
	t.Title = r.about + t.Title
	r.steps.Tell(t, a.of.G)
	switch {
	case r.early && early(a.of.R):
		t.Empty = nothingYet
	case a.of.Filter != nil && t.Empty != "":
		t.Empty += ": only what the filter matches counts"
	}
	a.shown.Store(t)
	if !r.some && t.Rows.Len() > 0 {
		r.some = true
		close(r.rows)
	}
}

// work runs a pass to its end.
func (a *Answer) work(r *run) error {
	defer r.cancel() // it does not run any longer, whatever happens
	err := a.pass(r)
	a.mu.Lock()
	defer a.mu.Unlock()
	r.ended = true
	if err == nil {
		r.done = 1
	}
	r.about = undamaged(a.of.R) + r.about
	a.show(r)
	return err
}

// recaller is a collector that may know its answer without a pass.
type recaller interface{ Recall() bool }

// recall makes the table without a pass, if the collector knows it.
func (a *Answer) recall(r *run) bool {
	if a.of.Below != nil || len(r.steps) > 0 || a.of.where() != nil {
		return false
	}
	collect, made, err := r.make(query.Scope{Raw: a.of.Raw})
	if err != nil {
		return false
	}
	if c, ok := collect.(recaller); !ok || !c.Recall() {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	r.table = made
	return true
}

func (a *Answer) pass(r *run) error {
	if a.recall(r) {
		return nil
	}
	t := a.of.R
	wait := t.Wait
	if r.late {
		wait = t.CatchUp // more of the first data may come in at once
	}
	if err := wait(r.ctx); err != nil {
		return err
	}
	scope, err := a.scope(r.ctx, r.steps)
	if err != nil {
		return err
	}
	collect, made, err := r.make(scope)
	if err != nil {
		return err
	}
	a.mu.Lock()
	r.table = made
	a.mu.Unlock()
	progress := func(done, total int64) { a.progress(r, done, total) }
	if own, ok := collect.(runner); ok {
		return own.Run(r.ctx, progress)
	}
	pass := scope.Over(collect)
	pass.Progress = progress
	return t.Pass(r.ctx, pass)
}

// scope returns what the answer is about, prepared for passes.
func (a *Answer) scope(ctx context.Context, steps query.Steps) (query.Scope, error) {
	s := query.Scope{Raw: a.of.Raw}
	if a.of.Below != nil {
		if err := s.In(ctx, a.of.R, *a.of.Below); err != nil {
			return s, err
		}
	}
	if err := s.Edit(ctx, a.of.R, steps); err != nil {
		return s, err
	}
	return s, s.Where(ctx, a.of.R, a.of.where())
}

// progress makes another table once the one shown is old enough. Making them takes a tenth of the
// time at most.
func (a *Answer) progress(r *run, done, total int64) {
	if total <= 0 || done >= total {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	r.done = float64(done) / float64(total)
	least := refresh
	if a.Table().Rows.Len() == 0 {
		least = noRows
	}
	if a.now().Sub(r.last) >= max(least, 10*r.took) {
		a.show(r)
	}
}

// doing returns the command that runs a pass. Its message comes with the first rows, so that they are
// drawn at once.
func (a *Answer) doing(r *run) tea.Cmd {
	return func() tea.Msg {
		end := make(chan tea.Msg, 1)
		go func() { end <- background.Guarded(a.ending(r)) }()
		select {
		case msg := <-end:
			return msg
		case <-r.rows:
			return Msg{Next: func() tea.Msg { return <-end }}
		}
	}
}

// ending returns the command that runs a pass to its end.
func (a *Answer) ending(r *run) tea.Cmd {
	return func() tea.Msg {
		err := a.work(r)
		if errors.Is(err, context.Canceled) {
			err = nil
		}
		return Msg{Err: err}
	}
}

// Table returns the table of what has been read.
func (a *Answer) Table() *table.Table { return a.shown.Load() }

// Running reports whether the pass runs.
func (a *Answer) Running() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.run != nil && !a.run.ended && a.run.ctx.Err() == nil
}

// Stop ends the pass. What has been read stays.
func (a *Answer) Stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.run != nil {
		a.run.cancel()
	}
}
