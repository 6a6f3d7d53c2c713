package answer

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/table"
)

// working is work in the background that makes a table at its end. Any goroutine may call its methods.
type working struct {
	shown atomic.Pointer[table.Table]

	mu     sync.Mutex // guards the fields below
	id     int        // of the last work
	cancel context.CancelFunc
	ended  bool
	early  bool // nothing was recorded when it began
	repeat func() tea.Cmd
}

// begin returns the command that runs work in place of that under way. The table of before is shown until
// work shows another one. Work returns a function that takes over its result, unless it was replaced
// or stopped.
func (w *working) begin(life context.Context, r *lazy.LazyTraceReader, before *table.Table, work func(context.Context) (func(), error)) tea.Cmd {
	w.Stop()
	ctx, cancel := context.WithCancel(life)
	w.mu.Lock()
	w.id++
	id := w.id
	w.cancel, w.ended = cancel, false
	w.early = early(r)
	w.repeat = func() tea.Cmd {
		if early(r) || life.Err() != nil {
			return nil
		}
		return w.begin(life, r, before, func(ctx context.Context) (func(), error) {
			if err := r.CatchUp(ctx); err != nil { // more of the first data may come in at once
				return nil, err
			}
			return work(ctx)
		})
	}
	w.mu.Unlock()
	w.shown.Store(before)
	return func() tea.Msg {
		defer cancel()
		var take func()
		err := r.Wait(ctx)
		if err == nil {
			take, err = work(ctx)
		}
		w.mu.Lock()
		defer w.mu.Unlock()
		switch {
		case w.id != id:
			return Msg{}
		case err == nil && ctx.Err() == nil:
			take()
		default:
			t := *w.shown.Load()
			if t.Partial = false; t.Rows.Len() == 0 {
				t.Empty = "stopped"
			}
			w.shown.Store(&t)
		}
		if w.ended = true; errors.Is(err, context.Canceled) {
			err = nil
		}
		return Msg{Err: err}
	}
}

// Again is [Answer.Again].
func (w *working) Again() tea.Cmd {
	w.mu.Lock()
	again := w.early && w.ended
	w.mu.Unlock()
	if !again {
		return nil
	}
	return w.repeat()
}

// Running reports whether the work runs.
func (w *working) Running() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.cancel != nil && !w.ended
}

// Stop ends the work.
func (w *working) Stop() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cancel != nil {
		w.cancel()
	}
	w.ended = true
}
