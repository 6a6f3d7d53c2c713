package ui

import (
	"cmp"
	"slices"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/list"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
)

// listThreads shows the threads to choose from.
func (m *Model) listThreads() tea.Cmd {
	threads := m.r.Threads()
	t := m.out.t
	node := func(i int) *lazy.Node {
		n, _ := t.Thread(threads[i].ID)
		return n
	}
	l := &list.List{
		Title: screen.Plural(int64(len(threads)), "thread"), Keys: "Enter goes there",
		Len:       func() int { return len(threads) },
		Item:      func(i int) list.Item { return m.threadItem(threads[i], node(i)) },
		Text:      threadTexts(threads),
		Choosable: true,
	}
	if at, ok := m.cursorThread(); ok {
		i, _ := slices.BinarySearchFunc(threads, at, func(t lazy.ThreadInfo, id int32) int { return cmp.Compare(t.ID, id) })
		l.Select(i)
	}
	m.overlay = &opened{l, func(m *Model, i int) tea.Cmd {
		if n := node(i); n != nil {
			m.visit()
			m.out.jump(rowOf(n))
		}
		return nil
	}}
	return nil
}

// threadTexts returns what a filter looks at: the names alone, since there may be
// very many, one behind the other in memory.
func threadTexts(threads []lazy.ThreadInfo) func(i int) []byte {
	var all []byte
	var ends []int
	return func(i int) []byte {
		if ends == nil { // first there is a filter
			all, ends = make([]byte, 0, 32*len(threads)), make([]int, 0, len(threads))
			for _, t := range threads {
				all = nodetext.AppendThread(all, t)
				ends = append(ends, len(all))
			}
		}
		from := 0
		if i > 0 {
			from = ends[i-1]
		}
		return all[from:ends[i]]
	}
}

// threadItem is a line of the list: a thread, and what is known of it. n is its
// node, nil when there is none yet.
func (m *Model) threadItem(t lazy.ThreadInfo, n *lazy.Node) list.Item {
	what := nodetext.Calls(t.Population, "", m.g) + ", " + screen.Size(t.Bytes)
	if t.Bytes == 0 {
		what = "no calls in this thread"
	}
	from := m.width - 38
	if m.timed() {
		from -= 2
		if n != nil {
			if took, ok := n.Time(); ok {
				what = screen.Duration(took.Duration, m.g) + ", " + what
			}
		}
	}
	from = max(28, from)
	return list.Item{Whole: nodetext.Thread(t), Cells: []list.Cell{{Text: screen.CutMiddle(nodetext.Thread(t), from-3, m.g), Style: screen.Plain, At: 2}, {Text: what, Style: screen.Faint, At: from, Aside: true}}}
}
