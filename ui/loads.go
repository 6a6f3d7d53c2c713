package ui

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/background"
	"tracex/ui/internal/outline"
)

// loads are the gaps that are being loaded, and those that could not be.
type loads struct {
	life     context.Context
	ctx      context.Context // of the loads under way
	cancel   context.CancelFunc
	underWay map[loadKey]bool
	failed   map[gapKey]error
}

// gapKey tells gaps apart: by where in which node they begin; in a sorted node,
// where that says nothing, by all that is known of them.
type gapKey lazy.Row

type loadKey struct {
	gap lazy.Row
	end lazy.End
}

func keyOf(gap lazy.Row) gapKey {
	if gap.From == gap.To {
		return gapKey(gap)
	}
	return gapKey{Parent: gap.Parent, From: gap.From}
}

func newLoads(life context.Context) *loads {
	l := &loads{life: life, underWay: make(map[loadKey]bool), failed: make(map[gapKey]error)}
	l.ctx, l.cancel = context.WithCancel(life)
	return l
}

// stop cancels what is under way, and reports whether there was anything.
func (l *loads) stop() bool {
	busy := len(l.underWay) > 0
	l.cancel()
	l.ctx, l.cancel = context.WithCancel(l.life)
	return busy
}

// of reports whether children of n are being loaded.
func (l *loads) of(n *lazy.Node) bool {
	for k := range l.underWay {
		if k.gap.Parent == n {
			return true
		}
	}
	return false
}

// soon runs work on another goroutine. When that is done before the patience of
// the current Update ends, the result comes at once; else the command brings it.
func (m *Model) soon(work func() effect) (effect, tea.Cmd) {
	done := make(chan effect, 1)
	go func() { done <- guarded(work) }()
	timer := time.NewTimer(time.Until(m.deadline))
	defer timer.Stop()
	select {
	case e := <-done:
		return e, nil
	case <-timer.C:
		return nil, func() tea.Msg { return <-done }
	}
}

// later runs work on another goroutine. A message that comes before the patience of
// the current Update ends is handled at once; else the command brings it.
func (m *Model) later(work func() tea.Msg) tea.Cmd {
	done := make(chan tea.Msg, 1)
	go func() { done <- background.Guarded(work) }()
	timer := time.NewTimer(time.Until(m.deadline))
	defer timer.Stop()
	select {
	case msg := <-done:
		return m.route(msg)
	case <-timer.C:
		return func() tea.Msg { return <-done }
	}
}

// guarded runs work; a panic in it becomes one of Bubble Tea's goroutine, where
// it is caught and the terminal restored.
func guarded(work func() effect) (e effect) {
	defer func() {
		if r := recover(); r != nil {
			e = panicked{r, debug.Stack()}
		}
	}()
	return work()
}

type panicked struct {
	value any
	stack []byte
}

func (p panicked) apply(*Model) tea.Cmd { panic(fmt.Sprintf("%v\n%s", p.value, p.stack)) }

// loaded is the end of a load.
type loaded struct {
	t   *lazy.Tree
	key loadKey
	err error
}

// load loads a gap from one end. done says that it has been, or has failed;
// else the command will say so.
func (m *Model) load(gap lazy.Row, end lazy.End) (cmd tea.Cmd, done bool) {
	key := loadKey{gap, end}
	if m.loads.underWay[key] {
		return nil, false
	}
	t, ctx := m.out.Tree, m.loads.ctx
	e, cmd := m.soon(func() effect { return loaded{t, key, t.Load(ctx, gap, end)} })
	if e == nil {
		m.loads.underWay[key] = true
		return cmd, false
	}
	if l, ok := e.(loaded); ok {
		l.note(m)
		return nil, true
	}
	return e.apply(m), true
}

func (l loaded) note(m *Model) {
	delete(m.loads.underWay, l.key)
	if l.t != m.out.Tree {
		return
	}
	if l.err != nil {
		m.loads.failed[keyOf(l.key.gap)] = l.err
		if !errors.Is(l.err, context.Canceled) {
			m.fail("cannot load", l.err)
		}
	}
}

func (l loaded) apply(m *Model) tea.Cmd {
	l.note(m)
	return m.pursue()
}

// goOn continues a move that took longer than one Update may.
type goOn struct{}

func (goOn) apply(m *Model) tea.Cmd { return m.pursue() }

// aim begins a move.
func (m *Model) aim(g outline.Goal) tea.Cmd {
	m.out.Goal = g
	return m.pursue()
}

// pursue goes on with a move as far as what is loaded, and the time, let it.
func (m *Model) pursue() tea.Cmd {
	for last := (loadKey{}); m.out.Goal != nil; {
		gap, end, wait := m.out.Goal(m.out)
		if !wait {
			m.out.Goal = nil
			m.out.Packed = true
			return nil
		}
		key := loadKey{gap, end}
		if m.loads.failed[keyOf(gap)] != nil || key == last {
			m.out.Goal = nil
			m.out.Jump(gap)
			return nil
		}
		cmd, done := m.load(gap, end)
		if !done {
			return cmd
		}
		if last = key; time.Now().After(m.deadline) {
			return tea.Batch(cmd, func() tea.Msg { return goOn{} })
		}
	}
	return nil
}

// loadVisible asks for the gaps on the screen: those above the cursor from
// their ends, so that what is next to it comes first.
func (m *Model) loadVisible() tea.Cmd {
	var cmds []tea.Cmd
	for tries := 0; tries < 4; tries++ {
		again := false
		above := true
		for _, row := range m.out.Rows {
			if row == m.out.Cursor {
				above = false
			}
			if !row.Gap() || m.loads.failed[keyOf(row)] != nil {
				continue
			}
			end := lazy.AtStart
			if above {
				end = lazy.AtEnd
			}
			cmd, done := m.load(row, end)
			cmds = append(cmds, cmd)
			again = again || done
		}
		if !again {
			break
		}
		before := slices.Clone(m.out.Rows)
		m.out.Settle()
		if time.Now().After(m.deadline) {
			if !slices.Equal(before, m.out.Rows) {
				cmds = append(cmds, func() tea.Msg { return goOn{} })
			}
			break
		}
	}
	return tea.Batch(cmds...)
}

// prefetch asks for gaps within a screen of what is shown.
func (m *Model) prefetch() tea.Cmd {
	if !m.ahead || len(m.out.Rows) == 0 || len(m.loads.underWay) > 0 {
		return nil
	}
	// Once for each move, so that pages that are too many for the budget do
	// not push each other out for ever.
	m.ahead = false
	find := func(r lazy.Row, neighbour func(lazy.Row) (lazy.Row, bool), end lazy.End) tea.Cmd {
		for range m.out.Height {
			next, ok := neighbour(r)
			if !ok {
				return nil
			}
			if r = next; r.Gap() {
				break
			}
		}
		key := loadKey{r, end}
		if !r.Gap() || m.loads.failed[keyOf(r)] != nil || m.loads.underWay[key] {
			return nil
		}
		m.loads.underWay[key] = true
		t, ctx := m.out.Tree, m.loads.ctx
		return func() tea.Msg { return loaded{t, key, t.Load(ctx, r, end)} }
	}
	return tea.Batch(
		find(m.out.Rows[len(m.out.Rows)-1], m.out.Tree.Next, lazy.AtStart),
		find(m.out.Rows[0], m.out.Tree.Prev, lazy.AtEnd))
}

// retry clears what failed to load in a node, so that it is tried again.
func (m *Model) retry(n *lazy.Node) {
	for k := range m.loads.failed {
		if k.Parent == n {
			delete(m.loads.failed, k)
		}
	}
}
