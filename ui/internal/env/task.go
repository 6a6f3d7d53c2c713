package env

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// Task is work in the background, one piece at a time: a new one stops the one before. The zero value is
// no work. Its methods run on Bubble Tea's goroutine.
type Task struct {
	id     int // of the current or last piece
	cancel context.CancelFunc
}

// Run starts work, which is stopped when the Env closes. What work returns is called on Bubble Tea's
// goroutine, unless it is nil, if the work is still wanted then: before Run returns if the work ends within the patience
// of the current Update, otherwise when the Model routes the [Ran] of the command.
func (t *Task) Run(e *Env, work func(ctx context.Context) (then func() tea.Cmd)) tea.Cmd {
	msg, cmd := e.Soon(t.Later(e, work))
	if msg != nil {
		return msg.(Ran).Then()
	}
	return cmd
}

// Later is Run for work that no key waits for: what follows it always arrives as a message.
func (t *Task) Later(e *Env, work func(ctx context.Context) (then func() tea.Cmd)) tea.Cmd {
	ctx, id := t.begin(e)
	return func() tea.Msg { return Ran{t, id, work(ctx), nil} }
}

// Feed is Later for work that has news before its end: what it sends is called like what it returns, in the same order.
func (t *Task) Feed(e *Env, work func(ctx context.Context, send func(news func() tea.Cmd)) (then func() tea.Cmd)) tea.Cmd {
	ctx, id := t.begin(e)
	feed := make(chan tea.Msg, 4)
	next := func() tea.Msg { return <-feed }
	put := func(msg tea.Msg) {
		select {
		case feed <- msg:
		case <-ctx.Done():
		}
	}
	go func() {
		defer close(feed)
		put(Guarded(func() tea.Msg {
			return Ran{t, id, work(ctx, func(news func() tea.Cmd) { put(Ran{t, id, news, next}) }), nil}
		}))
	}()
	return next
}

func (t *Task) begin(e *Env) (ctx context.Context, id int) {
	t.Stop()
	t.id++
	ctx, t.cancel = context.WithCancel(e.Life)
	return ctx, t.id
}

func (t *Task) Running() bool { return t.cancel != nil }

// Stop stops the work under way, and reports whether there was any. Its result is dropped.
func (t *Task) Stop() bool {
	if t.cancel == nil {
		return false
	}
	t.cancel()
	t.cancel = nil
	return true
}

// Cancel cancels the context of the work under way. The work is running until it has noticed.
func (t *Task) Cancel() {
	if t.cancel != nil {
		t.cancel()
	}
}

// Done is what follows work that asks for nothing more.
func Done(do func()) (then func() tea.Cmd) {
	return func() tea.Cmd {
		do()
		return nil
	}
}

// Ran is the message that the work of a task has ended, or has news.
type Ran struct {
	task *Task
	id   int
	then func() tea.Cmd
	next tea.Cmd // waits for the next message after news; nil at the end
}

// Then does what follows the work, unless it was stopped or other work of the task has begun.
func (r Ran) Then() tea.Cmd {
	switch {
	case r.id != r.task.id || !r.task.Running():
		return nil
	case r.next != nil:
		return tea.Batch(r.then(), r.next)
	}
	if r.task.Stop(); r.then == nil {
		return nil
	}
	return r.then()
}
