package job

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/tree"
)

// Part starts jobs on a tree. Its methods run on one goroutine. Messages for the user go to the
// line of the environment.
type Part struct {
	Job
	Make Maker // of the trees that are shown
	tree *tree.Part
	r    *lazy.LazyTraceReader
	env  *env.Env
	sent sent // by the last job that led to a node
}

// New returns a Part without a job. Its work ends with e's life.
func New(r *lazy.LazyTraceReader, e *env.Env, t *tree.Part) *Part {
	p := &Part{tree: t, r: r, env: e}
	p.Make = p.plain
	return p
}

// Msg is the result of a job, for Update.
type Msg interface{ apply(p *Part) tea.Cmd }

// Update handles the result of a job.
func (p *Part) Update(msg Msg) tea.Cmd { return msg.apply(p) }

// soon runs work of the current job. A result that arrives at once is handled at once.
func (p *Part) soon(work func() Msg) tea.Cmd {
	msg, cmd := p.env.Soon(func() tea.Msg { return work() })
	if msg != nil {
		return msg.(Msg).apply(p)
	}
	return cmd
}

// timed reports whether the trace has times.
func (p *Part) timed() bool {
	_, timed := p.r.Times()
	return timed
}
