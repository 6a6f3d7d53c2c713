package lists

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/env"
	"tracex/ui/internal/tree"
)

// Threads shows the list of threads, and runs its work while it is shown.
type Threads struct {
	env    *env.Env
	tree   *tree.Tree
	starts *tree.Starts
	list   *ThreadList // nil if none is shown
}

func NewThreads(e *env.Env, t *tree.Tree, starts *tree.Starts) *Threads {
	return &Threads{env: e, tree: t, starts: starts}
}

// Show shows the threads to choose from, with the cursor on that of the tree's.
func (p *Threads) Show() tea.Cmd {
	p.close()
	id, _ := p.tree.Out.Thread()
	l := newThreadList(p.env, p.starts, p.env.Trace.Reader.ThreadList(), p.env.Trace.Size.Timed, id)
	p.list = l
	p.env.Front.Show(l, func(i int) tea.Cmd {
		p.tree.ToThread(l.ID(i))
		return nil
	})
	return nil
}

func (p *Threads) close() {
	if p.list != nil {
		p.list.close()
		p.list = nil
	}
}

// Settle brings the list up to date, as many lines as height, if it is in front, and ends its work once it is closed.
func (p *Threads) Settle(height int) tea.Cmd {
	if p.list == nil {
		return nil
	}
	if p.env.Front.List() != env.List(p.list) {
		if !p.env.Front.Kept(p.list) {
			p.close()
		}
		return nil
	}
	return p.list.settle(p.env.Trace.Reader.ThreadList(), height)
}

func (p *Threads) Busy() bool { return p.list != nil && p.list.busy() }
