package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
)

// listThreads shows the threads to choose from.
func (m *Model) listThreads() tea.Cmd {
	threads := m.r.Threads()
	nodes := make(map[int32]*lazy.Node, len(threads))
	for _, n := range m.out.t.Threads() {
		nodes[n.Thread()] = n
	}
	at, _ := m.cursorThread()
	l := &list{
		title: plural(int64(len(threads)), "thread"), hint: "Enter goes there",
		n:    func() int { return len(threads) },
		item: func(i int) item { return m.threadItem(threads[i], nodes[threads[i].ID]) },
		choose: func(m *Model, i int) tea.Cmd {
			if n := nodes[threads[i].ID]; n != nil {
				m.visit()
				m.out.jump(rowOf(n))
			}
			return nil
		},
	}
	for i, t := range threads {
		if t.ID == at {
			l.sel = i
		}
	}
	m.overlay = l
	return nil
}

// threadItem is a line of the list: a thread, and what is known of it. n is its
// node, nil when there is none yet.
func (m *Model) threadItem(t lazy.ThreadInfo, n *lazy.Node) item {
	what := containers(t.Containers) + ", " + size(t.Bytes)
	if t.Bytes == 0 {
		what = "no calls in this thread"
	}
	from := m.width - 38
	if m.timed() {
		from -= 2
		if n != nil {
			if took, ok := n.Time(); ok {
				what = duration(took.Duration, m.g) + ", " + what
			}
		}
	}
	from = max(28, from)
	return item{whole: threadName(t), cells: []cell{{text: cutMiddle(threadName(t), from-3, m.g), s: plain, at: 2}, {text: what, s: faint, at: from, aside: true}}}
}
