package threads

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/goroutines"
	"tracex/ui/internal/env"
)

// Part makes the list of threads and runs its work while the list is shown. Its methods run on
// one goroutine.
type Part struct {
	r       *lazy.LazyTraceReader
	env     *env.Env
	forests *goroutines.Cache
	list    *List // nil if none is shown
	// Statement goes to the go statement that made the goroutine of a thread.
	Statement func(thread int32) tea.Cmd
}

// NewPart returns a Part without a list.
func NewPart(r *lazy.LazyTraceReader, e *env.Env, forests *goroutines.Cache) Part {
	return Part{r: r, env: e, forests: forests}
}

// Open returns a list to be shown, with the cursor on the thread with an id.
func (p *Part) Open(id int32) *List {
	p.Close()
	_, timed := p.r.Times()
	p.list = New(p.r.ThreadList(), p.forests, timed, p.env.Glyphs, id)
	p.list.statement.goTo = p.Statement
	return p.list
}

// List returns the list that is shown, or nil.
func (p *Part) List() *List { return p.list }

// Close ends the work of the list, which is no longer shown.
func (p *Part) Close() {
	if p.list != nil {
		p.list.Close()
		p.list = nil
	}
}

// Settle brings the list up to date, as many lines as height. It repeats while results arrive
// within the patience of an Update.
func (p *Part) Settle(height int) tea.Cmd {
	var cmds []tea.Cmd
	for p.list != nil {
		work := p.list.Settle(p.env.Life, p.r.ThreadList(), p.env.Width, height)
		if work == nil {
			break
		}
		msg, cmd := p.env.Soon(work)
		if msg != nil {
			p.Update(msg.(Msg))
		}
		cmds = append(cmds, cmd)
	}
	return tea.Batch(cmds...)
}

// Update handles the result of the list's work.
func (p *Part) Update(msg Msg) {
	if p.list != nil {
		p.list.Take(msg)
	}
}

// Busy reports whether work of the list runs in the background.
func (p *Part) Busy() bool { return p.list != nil && p.list.Busy() }
