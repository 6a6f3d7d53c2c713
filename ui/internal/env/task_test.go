package env

import (
	"context"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/screen"
)

// TestTask: what follows work is done once, at once if the work ends in time, and not if it was stopped
// or replaced.
func TestTask(t *testing.T) {
	e := New(&screen.Unicode)
	t.Cleanup(e.Close)
	var task Task
	if task.Running() || task.Stop() {
		t.Error("there is work from the start")
	}
	var done []string
	var last context.Context
	work := func(name string) func(context.Context) func() tea.Cmd {
		return func(ctx context.Context) func() tea.Cmd {
			last = ctx
			return func() tea.Cmd { done = append(done, name); return nil }
		}
	}
	first := task.Run(e, work("first"))().(Ran)
	second := task.Run(e, work("second"))().(Ran)
	if first.Then(); len(done) > 0 || !task.Running() {
		t.Errorf("work that was replaced is followed by %v", done)
	}
	if second.Then(); len(done) != 1 || task.Running() || last.Err() == nil {
		t.Errorf("work is followed by %v", done)
	}
	if second.Then(); len(done) != 1 {
		t.Errorf("%v", done)
	}
	third := task.Run(e, work("third"))().(Ran)
	if !task.Stop() || last.Err() == nil {
		t.Error("it does not stop")
	}
	if third.Then(); len(done) != 1 {
		t.Errorf("work that was stopped is followed by %v", done)
	}
	e.Patience = time.Hour
	e.Start()
	if task.Run(e, work("fourth")) != nil || len(done) != 2 || task.Running() {
		t.Errorf("work that ends in time is followed by %v", done)
	}
	later := task.Later(e, work("fifth"))
	if len(done) != 2 || !task.Running() {
		t.Errorf("work that is not waited for is followed by %v", done)
	}
	ran := later().(Ran)
	if task.Cancel(); last.Err() == nil || !task.Running() {
		t.Error("it is not canceled")
	}
	if ran.Then(); len(done) != 3 || task.Running() {
		t.Errorf("work that was canceled is followed by %v", done)
	}
}

// TestTaskFeed: news of work and its end arrive in order, and nothing after it was stopped; nothing follows a panic.
func TestTaskFeed(t *testing.T) {
	e := New(&screen.Unicode)
	t.Cleanup(e.Close)
	var task Task
	var done []int
	note := func(n int) func() tea.Cmd { return func() tea.Cmd { done = append(done, n); return nil } }
	feed := func() tea.Cmd {
		return task.Feed(e, func(_ context.Context, send func(func() tea.Cmd)) func() tea.Cmd {
			send(note(1))
			send(note(2))
			return note(3)
		})
	}
	for next := feed(); next != nil; {
		next = next().(Ran).Then()
	}
	if !slices.Equal(done, []int{1, 2, 3}) || task.Running() {
		t.Errorf("%v arrive", done)
	}
	next := feed()().(Ran).Then()
	task.Stop()
	if msg, ok := next().(Ran); ok && msg.Then() != nil || len(done) != 4 {
		t.Errorf("%v arrive", done)
	}
	next = task.Feed(e, func(context.Context, func(func() tea.Cmd)) func() tea.Cmd { panic("planted") })
	if _, ok := next().(Panic); !ok || next() != nil {
		t.Error("a panic is lost")
	}
}
