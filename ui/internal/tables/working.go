package tables

import (
	"context"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
)

// working is an answer that is shown when its work in the background has ended. Its methods run on Bubble Tea's
// goroutine.
type working struct {
	*Answers
	of     Of
	task   env.Task
	shown  atomic.Pointer[table.Table]
	early  bool // nothing was recorded when it began
	repeat func() tea.Cmd
}

// begin returns the command that runs work in place of that under way. The table of before is shown until
// work shows another one. Work returns a function that takes over its result.
func (w *working) begin(before *table.Table, work func(context.Context) (func(), error)) tea.Cmd {
	r := w.of.R
	w.early = early(r)
	w.repeat = func() tea.Cmd {
		return w.begin(before, func(ctx context.Context) (func(), error) {
			if err := r.CatchUp(ctx); err != nil { // more of the first data may come in at once
				return nil, err
			}
			return work(ctx)
		})
	}
	w.shown.Store(before)
	return w.task.Later(w.env, func(ctx context.Context) func() tea.Cmd {
		var take func()
		err := r.Wait(ctx)
		if err == nil {
			take, err = work(ctx)
		}
		return func() tea.Cmd {
			if err == nil {
				take()
				return nil
			}
			w.stopped()
			return w.env.Fail("the answer is not complete", err)
		}
	})
}

// stopped shows that the table is not complete, and will not be.
func (w *working) stopped() {
	t := *w.shown.Load()
	if t.Partial = false; t.Rows.Len() == 0 {
		t.Empty = "stopped"
	}
	w.shown.Store(&t)
}

// Again is [Answer.Again].
func (w *working) Again() tea.Cmd {
	if !w.early || w.Running() || early(w.of.R) || w.env.Life.Err() != nil {
		return nil
	}
	return w.repeat()
}

func (w *working) Table() *table.Table { return w.shown.Load() }

func (w *working) Running() bool { return w.task.Running() }

func (w *working) Stop() {
	if w.task.Stop() {
		w.stopped()
	}
}
