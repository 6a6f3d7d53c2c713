package env

import (
	"context"
	"fmt"
	"runtime/debug"
	"sync"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"
)

// Task is work in the background, one piece at a time: a new one stops the one before. The zero value is no work.
type Task struct {
	id     int // of the current or last piece
	cancel context.CancelFunc
}

// Run starts work, which is stopped when the Env closes. What work returns, unless nil, is called on Bubble Tea's
// goroutine if it is still wanted: before Run returns if the work ends within the patience of the current Update,
// otherwise when the Model routes the [Ran] of the command.
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
	begin := sync.OnceFunc(func() {
		go func() {
			defer close(feed)
			put(Guarded(func() tea.Msg {
				return Ran{t, id, work(ctx, func(news func() tea.Cmd) { put(Ran{t, id, news, next}) }), nil}
			}))
		}()
	})
	return func() tea.Msg {
		begin()
		return next()
	}
}

func (t *Task) begin(e *Env) (ctx context.Context, id int) {
	t.Stop()
	t.id++
	ctx, t.cancel = context.WithCancel(e.Life)
	return ctx, t.id
}

func (t *Task) Running() bool { return t.cancel != nil }

// Current returns the number of the piece under way; 0 if there is none.
func (t *Task) Current() int {
	if !t.Running() {
		return 0
	}
	return t.id
}

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

// Progress is how far work has come, of a total if that is known. Any goroutine may call its methods.
type Progress struct{ done, total atomic.Int64 }

func (p *Progress) Tell(done, total int64) {
	p.done.Store(done)
	p.total.Store(total)
}

func (p *Progress) Told() (done, total int64) { return p.done.Load(), p.total.Load() }

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

// Guarded runs work and returns its message, or its panic as one: only after a panic of Update or View does Bubble Tea
// restore the terminal in time, and print it all.
func Guarded(work func() tea.Msg) (msg tea.Msg) {
	defer func() {
		if r := recover(); r != nil {
			msg = Panic{r, debug.Stack()}
		}
	}()
	return work()
}

// Watched is a command that runs cmd, and the commands of its batch, as [Guarded] does. Watched(nil) is nil.
func Watched(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() tea.Msg {
		msg := Guarded(cmd)
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i, cmd := range batch {
				batch[i] = Watched(cmd)
			}
		}
		return msg
	}
}

// Panic is a panic of work in the background.
type Panic struct {
	Value any
	Stack []byte
}

// Again repeats the panic. In Update it is caught, and the terminal restored.
func (p Panic) Again() { panic(fmt.Sprintf("%v\n%s", p.Value, p.Stack)) }
