package lazy

import (
	"context"
	"math/bits"

	"tracex/lazy/internal/index"
)

// hidden are the containers that a folded tree of the explorer has no rows for, in its threads: what folds to
// nothing, what another one is shown in place of, and the only iteration of a loop, see [Inline]. Each
// is the ordinal of its cell. It is of one view, and does not change.
type hidden struct {
	v       *index.View
	threads map[int32]*hiddenIn // without those that hide nothing
}

// hiddenIn are those of a thread: a bit for each cell, and how many are before each word.
type hiddenIn struct {
	bits   []uint64
	before []int64
}

// count returns how many are in [from, to).
func (h *hidden) count(thread int32, from, to int64) int64 {
	in := h.threads[thread]
	if in == nil || from >= to {
		return 0
	}
	return in.upTo(to) - in.upTo(from)
}

// upTo returns how many are before an ordinal.
func (in *hiddenIn) upTo(ord int64) int64 {
	i := ord / 64
	if i >= int64(len(in.bits)) {
		return in.before[len(in.bits)]
	}
	return in.before[i] + int64(bits.OnesCount64(in.bits[i]&(1<<(ord%64)-1)))
}

// add adds those in [from, to).
func (in *hiddenIn) add(from, to int64) {
	if n := (to + 63) / 64; n > int64(len(in.bits)) {
		in.bits = append(in.bits, make([]uint64, max(n, int64(2*len(in.bits)))-int64(len(in.bits)))...)
	}
	for ; from < to; from++ {
		in.bits[from/64] |= 1 << (from % 64)
	}
}

// hiddenFor returns what a tree that folds, and inlines, has no rows for; nil if that is not known, or if the
// tree is another.
func (ld *loader) hiddenFor() *hidden {
	if !ld.folded || !ld.inline || ld.edits != nil {
		return nil
	}
	if h := ld.r.hidden.Load(); h != nil && h.v == ld.r.known.Load() {
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
	p := Pass{unawaited: gently}
	if gently {
		p.cut = usualPassCut()
		p.cut.width = 1
		p.Progress = func(int64, int64) { t.r.summary.passes.idle(ctx) }
	}
	return t.findHidden(ctx, p)
}

// ShownUncounted reports whether [CountShown] would make a pass.
func ShownUncounted(t *Tree) bool { return t.uncounted() }

func (ld *loader) uncounted() bool {
	if !ld.folded || !ld.inline || ld.edits != nil || !ld.r.known.Load().Complete || ld.hiddenFor() != nil {
		return false
	}
	size, _ := ld.r.Size()
	return size <= hiddenUpTo && !ld.r.Status().Growth.On
}

// findHidden makes the pass.
func (ld *loader) findHidden(ctx context.Context, p Pass) error {
	h := &hidden{v: ld.r.known.Load()}
	p.Collect = []Collector{h}
	if err := ld.r.Pass(ctx, p); err != nil {
		return err
	}
	for _, in := range h.threads {
		in.before = make([]int64, len(in.bits)+1)
		for i, word := range in.bits {
			in.before[i+1] = in.before[i] + int64(bits.OnesCount64(word))
		}
	}
	if ld.r.known.Load() == h.v {
		ld.r.hidden.Store(h)
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

// Visitor is for the pass.
func (h *hidden) Visitor() Visitor { return new(hiddenVisitor) }

// Reset is for the pass.
func (h *hidden) Reset() { h.threads = make(map[int32]*hiddenIn) }

// Merge is for the pass.
func (h *hidden) Merge(v Visitor) error {
	for _, r := range v.(*hiddenVisitor).list {
		in := h.threads[r.thread]
		if in == nil {
			in = new(hiddenIn)
			h.threads[r.thread] = in
		}
		in.add(r.from, r.to)
	}
	return nil
}

// hiddenVisitor is told by the walk what it passes without a visit.
type hiddenVisitor struct {
	list   []hiddenRun
	thread int32
}

type hiddenRun struct {
	thread   int32
	from, to int64
}

func (v *hiddenVisitor) Begin(thread int32, _ []PassFrame) { v.thread = thread }
func (v *hiddenVisitor) Enter(*PassPoint)                  {}
func (v *hiddenVisitor) Leaf(*PassPoint)                   {}
func (v *hiddenVisitor) Exit(*PassPoint)                   {}

// hide notes that the containers with the cells [from, to) are not shown.
func (v *hiddenVisitor) hide(from, to int64) {
	if n := len(v.list); n > 0 && v.list[n-1].thread == v.thread && v.list[n-1].to == from {
		v.list[n-1].to = to
	} else if from < to {
		v.list = append(v.list, hiddenRun{v.thread, from, to})
	}
}

// inlined hides the iteration in whose place a loop shows what is in it.
func (v *hiddenVisitor) inlined(x *passWalk, e *nodeData) {
	if e.foot.Iterations == 1 {
		if out := x.l.inlined(e); out != e {
			own := x.s.Cells.FirstEnding(out.end)
			v.hide(own, own+1)
		}
	}
}
