package tree

import (
	"context"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
)

// Jobs is the work on the tree that the user waits for: one job at a time, a new one stops the one
// before.
type Jobs struct {
	env.Task
	id       int       // of the current or last job
	name     string    // of the same
	progress *progress // of the same

	tree *Tree
	env  *env.Env
	sent sent // by the last job that led to a node
}

type progress struct{ done, total atomic.Int64 }

// rowsOnly is the total of a job that reports how many rows it has reached.
const rowsOnly = -1

// Run starts a job. work reports its progress, if it has any; then follows it, unless another job has
// begun. failed begins the message about an error.
func (p *Jobs) Run(name, failed string, work func(ctx context.Context, report lazy.Progress) (then func() tea.Cmd, err error)) tea.Cmd {
	so := new(progress)
	p.id++
	p.name, p.progress = name, so
	return p.Task.Run(p.env, func(ctx context.Context) func() tea.Cmd {
		then, err := work(ctx, func(done, total int64) {
			so.done.Store(done)
			so.total.Store(total)
		})
		if err != nil {
			return func() tea.Cmd {
				return p.env.Fail(failed, err)
			}
		}
		return then
	})
}

// Current returns the number of the job under way; 0 if there is none.
func (p *Jobs) Current() int {
	if !p.Running() {
		return 0
	}
	return p.id
}

// Progress returns how far the job has come, of a total if that is known.
func (p *Jobs) Progress() (done, total int64) { return p.progress.done.Load(), p.progress.total.Load() }

// Text tells what the job does and its progress: "looking for … 42 %".
func (p *Jobs) Text() string {
	switch done, total := p.Progress(); {
	case total == rowsOnly:
		return p.name + " " + display.Plural(done, "row")
	case total > 0:
		return p.name + " " + display.Percent(done, total)
	}
	return p.name
}
