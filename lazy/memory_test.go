package lazy

import (
	"testing"

	"tracex/format"
	"tracex/lazy/internal/walk"
)

// held returns a thread with slabs of nodes of 1 KiB each, in a memory.
func held(m *memory, slabs, nodes int) *Node {
	thread := &Node{kids: new(kids)}
	thread.e.Store(&walk.NodeData{End: int64(slabs * nodes), State: StateWhole})
	for i := range slabs {
		p := &slab{parent: thread, from: int64(i * nodes), to: int64((i + 1) * nodes)}
		for k := range nodes {
			at := p.from + int64(k)
			n := &Node{parent: thread, slab: p, slot: int32(k)}
			e := &walk.NodeData{At: at, Next: at + 1}
			e.Point.Subtree = make([]format.DiffStatus, 1024)
			n.e.Store(e)
			p.nodes = append(p.nodes, n)
		}
		m.add(p)
	}
	return thread
}

// TestMemoryForgetsTheLeastRecentlyUsed: over the budget, the least recently used slabs
// are forgotten; those on the screen stay, and so does the one just added.
func TestMemoryForgetsTheLeastRecentlyUsed(t *testing.T) {
	m := new(memory)
	m.init(1 << 40)
	thread := held(m, 10, 8)
	slabs := append([]*slab(nil), thread.kids.slabs...)
	all := m.stats()
	if all.Loaded != 80 || all.Forgotten != 0 || all.Bytes < 80<<10 {
		t.Fatalf("%+v", all)
	}
	m.tick++
	m.touch(slabs[2].nodes[0]) // the oldest but two: used a while ago
	m.tick++
	m.touch(slabs[0].nodes[3]) // the oldest of all: on the screen
	m.budget = all.Bytes / 2
	m.enforce(slabs[1])
	stays := map[int]bool{0: true, 1: true, 2: true, 8: true, 9: true}
	for i, p := range slabs {
		if kept, _ := thread.covering(p.from); (kept != nil) != stays[i] {
			t.Errorf("page %d: kept %v", i, kept != nil)
		}
	}
	st := m.stats()
	if st.Bytes > m.budget || st.Loaded+st.Forgotten != 80 || st.Loaded != 40 {
		t.Errorf("%+v", st)
	}
	if m.forget(thread) != 40 || m.stats().Bytes != 0 || m.stats().Loaded != 0 || m.recent.oldest() != nil {
		t.Errorf("forgotten, but %+v", m.stats())
	}
}

// TestMemoryTrims: if only the rows on the screen are left, the other nodes of their
// slab are forgotten.
func TestMemoryTrims(t *testing.T) {
	m := new(memory)
	m.init(1)
	thread := held(m, 1, 8)
	m.tick++
	for _, n := range thread.kids.slabs[0].nodes[3:5] {
		m.touch(n)
	}
	m.enforce(nil)
	if p := thread.kids.slabs[0]; len(p.nodes) != 2 || p.from != 3 || p.to != 5 || m.stats().Loaded != 2 || p.nodes[0].slot != 0 {
		t.Errorf("%d nodes from %d to %d, %+v", len(p.nodes), p.from, p.to, m.stats())
	}
}
