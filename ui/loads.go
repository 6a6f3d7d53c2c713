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

// loads are the gaps being loaded, and those that failed to load.
type loads struct {
	life     context.Context
	ctx      context.Context // of the loads under way
	cancel   context.CancelFunc
	underWay map[loadKey]bool
	failed   map[gapKey]error
}

// gapKey identifies a gap: by the node and where in it the gap begins; in a sorted node, where
// that is not enough, by everything known about the gap.
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

// stop cancels all loads under way, and reports whether there were any.
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

// soon runs work on another goroutine. If the work ends within the patience of the current
// Update, soon returns its result; otherwise the command delivers it.
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

// later runs work on another goroutine. A message that arrives within the patience of the
// current Update is handled at once; otherwise the command delivers it.
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

// guarded runs work and moves a panic to Bubble Tea's goroutine, where it is caught and the
// terminal restored.
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

// loaded is the result of a load.
type loaded struct {
	t   *lazy.Tree
	key loadKey
	err error
}

// load loads a gap from one end. done is true if it has loaded or failed; otherwise the command
// will report it.
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

// pursue continues a move as far as the loaded nodes and the time allow.
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

// loadVisible requests the gaps on the screen. It loads those above the cursor from their ends,
// so that the rows next to the cursor arrive first.
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

// prefetch requests gaps within a screen of the rows shown.
func (m *Model) prefetch() tea.Cmd {
	if !m.ahead || len(m.out.Rows) == 0 || len(m.loads.underWay) > 0 {
		return nil
	}
	// Only once for each move, so that slabs that exceed the budget do not keep evicting each other.
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

// retry forgets the failed loads of a node, so that they are tried again.
func (m *Model) retry(n *lazy.Node) {
	for k := range m.loads.failed {
		if k.Parent == n {
			delete(m.loads.failed, k)
		}
	}
}
