package answer

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/table"
	"tracex/ui/internal/background"
)

// Top is a table of methods, classes, packages, files or threads.
type Top struct {
	Answer
	first  query.By // how it is grouped at first
	timed  bool
	sort   string
	rising bool
}

// NewTop returns a Top, and the command that runs its pass. life ends with the explorer.
func NewTop(life context.Context, of Of, by query.By) (*Top, tea.Cmd) {
	t := &Top{Answer: Answer{of: of, now: time.Now, life: life}, first: by}
	_, t.timed = of.R.Times()
	r, _ := t.begin(life, t.by(by)) // it makes no error
	return t, t.doing(r)
}

// by returns how a Top is made.
func (t *Top) by(by query.By) maker {
	return func(scope query.Scope) (lazy.Collector, func(float64) *table.Table, error) {
		top := query.NewTop(t.of.R, scope, by)
		return top, func(done float64) *table.Table {
			return top.Table(query.TopView{Sort: t.sort, Rising: t.rising, Done: done, G: t.of.G})
		}, nil
	}
}

// Orders returns the columns by which it sorts.
func (t *Top) Orders() []string {
	if t.timed {
		return []string{"self", "total", "calls", "mean", "p99", "max", "threw"}
	}
	return []string{"own_events", "events", "calls", "threw"}
}

// Sort sorts by a column.
func (t *Top) Sort(_ context.Context, key string, rising bool) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch key {
	case "own_events":
		key = "self"
	case "events":
		key = "total"
	}
	t.sort, t.rising = key, rising
	t.show(t.run)
	return nil
}

// Groups returns what rows can be, first what they are at first.
func (t *Top) Groups() []string {
	n := len(query.Bys)
	list := make([]string, n)
	for i := range list {
		list[i] = query.Bys[(int(t.first)+i)%n]
	}
	return list
}

// Group groups by another word of Groups. It reads the trace again, and returns when that has
// ended. If ctx ends first, the pass goes on: it ends with Stop.
func (t *Top) Group(ctx context.Context, name string) error {
	by, _ := query.ParseBy(name)
	r, err := t.begin(t.life, t.by(by))
	if err != nil {
		return err
	}
	done := make(chan tea.Msg, 1)
	go func() { done <- background.Guarded(t.ending(r)) }()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case msg := <-done:
		if p, ok := msg.(background.Panic); ok {
			p.Again()
		}
		return msg.(Msg).Err
	}
}
