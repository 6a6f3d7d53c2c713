package ui

import (
	"context"
	"errors"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/screen"
)

// expandLimit is how many rows one key opens at most.
const expandLimit = 50_000

// jobs is the work that a person asked for and waits for: expanding much, or
// going somewhere far. There is one at a time; a new one ends the one before.
type jobs struct {
	id     int // of the current or last one
	name   string
	cancel context.CancelFunc // nil: none is under way
	rows   *atomic.Int64      // rows opened so far; nil: nothing is counted
	part   *part              // how far it has come; nil: that is not known
}

// part is how much of a job is done. It is written in the background.
type part struct{ done, total atomic.Int64 }

// set is the [lazy.Progress] of the job.
func (p *part) set(done, total int64) {
	p.done.Store(done)
	p.total.Store(total)
}

// text is the share, once anything is known: " 42 %".
func (p *part) text() string {
	if p == nil || p.total.Load() <= 0 {
		return ""
	}
	return " " + screen.Percent(p.done.Load(), p.total.Load())
}

// begin starts a job; its results carry the id, and others are dropped.
func (m *Model) beginJob(name string, rows *atomic.Int64) (context.Context, int) {
	m.stopJob()
	ctx, cancel := context.WithCancel(m.life)
	m.jobs.id++
	m.jobs.name, m.jobs.cancel, m.jobs.rows, m.jobs.part = name, cancel, rows, nil
	return ctx, m.jobs.id
}

// beginLook is beginJob for one that looks at all children of a node; it tells
// progress how far it is.
func (m *Model) beginLook(name string) (ctx context.Context, id int, progress lazy.Progress) {
	ctx, id = m.beginJob(name, nil)
	m.jobs.part = new(part)
	return ctx, id, m.jobs.part.set
}

// stopJob ends the current job and reports whether there was one.
func (m *Model) stopJob() bool {
	if m.jobs.cancel == nil {
		return false
	}
	m.jobs.cancel()
	m.jobs.cancel = nil
	m.jobs.id++
	return true
}

// endJob notes that a job has ended; false means that nobody waits for it.
func (m *Model) endJob(id int) bool {
	if id != m.jobs.id || m.jobs.cancel == nil {
		return false
	}
	m.stopJob()
	return true
}

func (m *Model) expandOne(n int) tea.Cmd {
	if n == 0 {
		n = 2
	}
	return m.expand(n)
}

func (m *Model) expandAll(int) tea.Cmd { return m.expand(0) }

// toDepth shows n levels below the cursor's node, and no more.
func (m *Model) toDepth(n int) tea.Cmd {
	if node := m.out.cursor.Node; node != nil {
		m.out.t.CollapseAll(node)
	}
	return m.expand(n)
}

// expand opens what is below the cursor's node, depth levels, 0 for all.
func (m *Model) expand(depth int) tea.Cmd {
	n := m.out.cursor.Node
	if n == nil {
		return m.again()
	}
	if n.Leaf() {
		m.say("no children")
		return nil
	}
	rows := new(atomic.Int64)
	ctx, id := m.beginJob("expanding", rows)
	t := m.out.t
	e, cmd := m.soon(func() effect {
		opened, complete, err := t.ExpandAll(ctx, n, depth, expandLimit, func(k int) { rows.Store(int64(k)) })
		return expanded{id, opened, complete, err}
	})
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// expanded is the end of expanding much.
type expanded struct {
	id       int
	rows     int
	complete bool
	err      error
}

func (e expanded) apply(m *Model) tea.Cmd {
	if !m.endJob(e.id) {
		return nil
	}
	switch {
	case e.err != nil:
		m.fail("cannot expand all", e.err)
	case e.complete:
		m.say("expanded " + screen.Plural(int64(e.rows), "row"))
	case e.rows >= expandLimit:
		m.say("stopped at " + screen.Plural(int64(e.rows), "row") + "; press E on one of them to go on")
	default:
		m.say("stopped at " + screen.Plural(int64(e.rows), "row") + ": the memory's budget is used up (x unloads, --memory gives more)")
	}
	return nil
}

// reveal loads and opens the path to a place; then runs when the node is there.
func (m *Model) reveal(p lazy.Place, then func(*lazy.Node) tea.Cmd) tea.Cmd {
	ctx, id := m.beginJob("going there", nil)
	t := m.out.t
	e, cmd := m.soon(func() effect {
		n, err := t.Reveal(ctx, p)
		return revealed{id, n, err, then}
	})
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// revealed is the end of a way to a place.
type revealed struct {
	id   int
	n    *lazy.Node
	err  error
	then func(*lazy.Node) tea.Cmd
}

func (e revealed) apply(m *Model) tea.Cmd {
	if !m.endJob(e.id) {
		return nil
	}
	if e.err != nil {
		m.fail("cannot go there", e.err)
		return nil
	}
	return e.then(e.n)
}

// show goes to a place and sets the cursor on it.
func (m *Model) show(p lazy.Place) tea.Cmd {
	return m.reveal(p, m.land)
}

// land sets the cursor on a node that was revealed.
func (m *Model) land(n *lazy.Node) tea.Cmd {
	m.out.settle()
	m.out.jump(rowOf(n))
	m.out.packed = true
	return nil
}

// escape stops what is going on; when nothing is, it goes back a step.
func (m *Model) escape(n int) tea.Cmd {
	if n > 0 {
		return nil // it took back the number
	}
	stopped := m.stopJob()
	stopped = m.search.Stop() || stopped
	if m.out.goal != nil || len(m.loads.underWay) > 0 {
		m.out.goal = nil
		stopped = m.loads.stop() || stopped
	}
	if !stopped {
		stopped = m.stopCounting() || m.census.stop()
	}
	switch {
	case stopped:
		m.say("stopped")
	case m.tour != nil:
		m.tour = nil
		m.say("the tour is over; ? lists the keys")
	case m.search.Forget():
	case m.details.Hide():
	case m.follow.on:
		return m.toggleFollow(0)
	case m.known.Growth.On:
		m.r.Unfollow()
		m.say("not followed any more: shown as a recording without its end; " + screen.KeyName("F", m.g) + " follows it again")
	}
	return nil
}

// fail tells of an error, unless it is that a person stopped it.
func (m *Model) fail(what string, err error) {
	if !errors.Is(err, context.Canceled) {
		m.warn(what + ": " + screen.ErrorLine(err))
	}
}
