package lazy

import (
	"context"
	"math/bits"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// Nested returns how many calls, loops and iterations a node contains, at any depth. The index tells how many were
// recorded, without reading anything. exact is false while more may be known later, and for what did not end: then there
// may be more.
//
// A folded tree with [Inline] shows fewer. Once [CountShown] has ended, these are counted; [AtMost] tells that
// they are not yet. Other trees, and those with edits, tell what was recorded.
func (n *Node) Nested() (count int64, exact bool) { return nestedIn(n, n.loader.hiddenFor()) }

func nestedIn(n *Node, h *trace.Hidden) (count int64, exact bool) {
	e := n.e.Load()
	switch {
	case n.IsThread():
		count, exact = max(0, e.After-e.First), e.State != StatePending && n.loader.r.Now().Unfinished == 0 // open containers are not in the index
		if h != nil {
			count -= h.Count(n.thread, e.First, e.After)
		}
		return count, exact
	case !e.Container():
		return 0, true
	}
	return nestedBut(e, h, n.thread), e.State == StateWhole
}

// AtMost reports whether the rows in a node may be fewer than [Node.Nested] returns, as it is not known yet which are hidden.
func AtMost(n *Node) bool {
	ld := n.loader
	if !ld.folded || !ld.inline || ld.edits != nil || ld.hiddenFor() != nil {
		return false
	}
	count, _ := nestedIn(n, nil)
	return count > 0
}

// nestedBut is nested without what is hidden; nil if that is not known.
func nestedBut(e *walk.NodeData, h *trace.Hidden, thread int32) int64 {
	count := e.Nested()
	if h != nil {
		count -= h.Count(thread, e.First, e.First+count)
	}
	return count
}

// hiddenFor returns what a tree that folds, and inlines, has no rows for; nil if that is not known, or if the
// tree is another.
func (ld *loader) hiddenFor() *trace.Hidden {
	if !ld.folded || !ld.inline || ld.edits != nil {
		return nil
	}
	if h := ld.r.Hidden.Load(); h != nil && h.V == ld.r.Known.Load() {
		return h
	}
	return nil
}

// hiddenUpTo is how many bytes of data are read at most to find out what is hidden.
const hiddenUpTo = 1 << 30

// CountShown finds out, in a pass, which of the recorded containers a folded tree with [Inline] has no rows for: what
// [Node.Nested] leaves out from then on. gently takes one processor, and none while other passes run. It does nothing if that is
// known, or does not concern the tree, and while the trace grows or if its data is larger than 1 GiB.
func CountShown(ctx context.Context, t *Tree, gently bool) error {
	if !ShownUncounted(t) {
		return nil
	}
	if gently {
		return t.findHidden(ctx, walk.GentlePass(ctx, t.r))
	}
	return t.findHidden(ctx, Pass{})
}

// ShownUncounted reports whether [CountShown] would make a pass.
func ShownUncounted(t *Tree) bool { return t.uncounted() }

func (ld *loader) uncounted() bool {
	if !ld.folded || !ld.inline || ld.edits != nil || !ld.r.Known.Load().Complete || ld.hiddenFor() != nil {
		return false
	}
	size, _ := ld.r.Sizes()
	return size <= hiddenUpTo && !ld.r.Now().Growth.On
}

// findHidden makes the pass.
func (ld *loader) findHidden(ctx context.Context, p Pass) error {
	h := &trace.Hidden{V: ld.r.Known.Load()}
	p.Collect = []Collector{walk.HiddenCollector{Hidden: h}}
	if err := ld.r.Pass(ctx, p); err != nil {
		return err
	}
	for _, in := range h.Threads {
		in.Before = make([]int64, len(in.Bits)+1)
		for i, word := range in.Bits {
			in.Before[i+1] = in.Before[i] + int64(bits.OnesCount64(word))
		}
	}
	if ld.r.Known.Load() == h.V {
		ld.r.Hidden.Store(h)
	}
	return nil
}

// countHidden is CountShown for work that needs it.
func (ld *loader) countHidden(ctx context.Context) error {
	if !ld.uncounted() {
		return nil
	}
	return ld.findHidden(ctx, Pass{})
}
