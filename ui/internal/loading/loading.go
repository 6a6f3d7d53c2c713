// Package loading loads the gaps of a tree in the background: those in the way of a move, those
// on the screen, and those next to it. It remembers which loads failed.
package loading

import (
	"context"
	"errors"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/outline"
)

// Loader loads the gaps of one tree at a time, see Reset. Its methods run on one goroutine.
type Loader struct {
	env      *env.Env
	ctx      context.Context // of the loads under way
	cancel   context.CancelFunc
	underWay map[load]bool
	failed   map[gapKey]error
}

// load is a load of a gap from one of its ends.
type load struct {
	gap lazy.Row
	end lazy.End
}

// gapKey identifies a gap: by the node and where in it the gap begins; in a sorted node, where
// that is not enough, by everything known about the gap.
type gapKey lazy.Row

func keyOf(gap lazy.Row) gapKey {
	if gap.From == gap.To {
		return gapKey(gap)
	}
	return gapKey{Parent: gap.Parent, From: gap.From}
}

// New returns a Loader. Its work ends with e's life.
func New(e *env.Env) *Loader {
	l := &Loader{env: e, underWay: make(map[load]bool), failed: make(map[gapKey]error)}
	l.ctx, l.cancel = context.WithCancel(e.Life)
	return l
}

// Busy reports whether loads are under way.
func (l *Loader) Busy() bool { return len(l.underWay) > 0 }

// Stop cancels all loads under way, and reports whether there were any.
func (l *Loader) Stop() bool {
	l.cancel()
	l.ctx, l.cancel = context.WithCancel(l.env.Life)
	return l.Busy()
}

// Reset stops all loads and forgets them, as another tree is shown.
func (l *Loader) Reset() {
	l.Stop()
	clear(l.underWay)
	clear(l.failed)
}

// Of reports whether children of a node are being loaded.
func (l *Loader) Of(n *lazy.Node) bool {
	for k := range l.underWay {
		if k.gap.Parent == n {
			return true
		}
	}
	return false
}

// Err returns why loading a gap failed; nil if it did not.
func (l *Loader) Err(gap lazy.Row) error { return l.failed[keyOf(gap)] }

// Retry forgets the failed loads of a node, so that they are tried again.
func (l *Loader) Retry(n *lazy.Node) {
	for k := range l.failed {
		if k.Parent == n {
			delete(l.failed, k)
		}
	}
}

// Msg is the message of a load, for Update.
type Msg interface {
	apply(l *Loader, o *outline.Outline)
}

// loaded is the result of a load.
type loaded struct {
	t *lazy.Tree
	load
	err error
}

func (m loaded) apply(l *Loader, o *outline.Outline) {
	delete(l.underWay, m.load)
	if m.t != o.Tree || m.err == nil {
		return
	}
	l.failed[keyOf(m.gap)] = m.err
	if !errors.Is(m.err, context.Canceled) {
		l.env.Fail("cannot load", m.err)
	}
}

// more continues a move that took longer than one Update may.
type more struct{}

func (more) apply(*Loader, *outline.Outline) {}

// Update handles the message of a load, and continues the move of the outline.
func (l *Loader) Update(msg Msg, o *outline.Outline) tea.Cmd {
	msg.apply(l, o)
	return l.Pursue(o)
}

// start loads a gap from one end. done is true if it has loaded or failed; otherwise the
// command will report it.
func (l *Loader) start(o *outline.Outline, what load) (cmd tea.Cmd, done bool) {
	if l.underWay[what] {
		return nil, false
	}
	msg, cmd := l.env.Soon(l.work(o.Tree, what))
	if msg == nil {
		l.underWay[what] = true
		return cmd, false
	}
	msg.(loaded).apply(l, o)
	return nil, true
}

func (l *Loader) work(t *lazy.Tree, what load) func() tea.Msg {
	ctx := l.ctx
	return func() tea.Msg { return loaded{t, what, t.Load(ctx, what.gap, what.end)} }
}
