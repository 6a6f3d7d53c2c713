package lazy

import (
	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

func newLoader(r *walk.Reader, folded bool) *loader {
	l := &loader{r: r, folded: folded, leap: leapFirst}
	l.memory.init(r.Opts.Memory)
	return l
}

// Folded reports whether this is the folded view.
func (ld *loader) Folded() bool { return ld.folded }

// Stats returns what is held.
func (ld *loader) Stats() Stats {
	ld.mu.Lock()
	defer ld.mu.Unlock()
	return ld.memory.stats()
}

// newThread makes the node of a thread.
func (ld *loader) newThread(id int32) *Node {
	n := &Node{loader: ld, thread: id, epoch: int32(ld.now.Epoch)}
	n.e.Store(&walk.NodeData{State: StatePending})
	if s := ld.now.View.Stream(id); s != nil {
		ld.grow(n, ld.now.View, s)
	}
	return n
}

// grow brings a thread, and the chain of its last children, up to date.
func (ld *loader) grow(n *Node, v *index.View, s *index.Stream) {
	if was := n.e.Load(); was.State != StatePending || was.End == s.Size && was.After == s.Cells.Len() && s.Size > 0 && !v.Complete {
		return
	}
	e := &walk.NodeData{End: s.Size, Next: s.Size, State: StatePending, After: s.Cells.Len()}
	if v.Complete {
		e.State = StateWhole
	}
	n.e.Store(e)
	for n != nil && n.kids != nil && len(n.kids.slabs) > 0 {
		n.kids.exact = false
		n = ld.growLast(n)
	}
}

// growLast brings the last loaded child of n up to date if its end was not
// known, and returns it if it stays loaded.
func (ld *loader) growLast(n *Node) *Node {
	p := n.kids.slabs[len(n.kids.slabs)-1]
	if len(p.nodes) == 0 {
		return nil
	}
	last := p.nodes[len(p.nodes)-1]
	old := last.e.Load()
	if old.State != StatePending {
		return nil
	}
	e, folds, gone := *old, false, false // gone: the edits leave it out
	e.State, e.Foot = StateWhole, format.Footer{}
	err := ld.r.Use(func() error {
		w, err := ld.r.WalkerOn(ld.now.View, n.thread)
		if err != nil {
			return err
		}
		l := &nodeReader{walk.ChildReader{Walker: w, Folded: ld.folded, Start: n.e.Load().Start, End: n.e.Load().End}}
		end := l.End
		if ld.edits != nil {
			end = w.S.Size // that of what it was recorded in may be another one than n's
		}
		if err := w.Content(e.First, end, &e, true); err != nil || e.State == StatePending {
			return err
		}
		ld.r.CtxMu.RLock()
		defer ld.r.CtxMu.RUnlock()
		shown := &e
		if ld.folded {
			shown, err = l.Fold(&e)
			folds = shown != &e || ld.inline && l.Inlined(&e) != &e
		}
		if l.Edit = ld.editing(n, ld.now); l.Edit != nil && shown != nil && err == nil {
			var how Edit
			how, shown.Inside, err = l.Decide(shown, e.In, true)
			gone = how != EditNone
		}
		return err
	})
	if ld.r.Doubt(err, ld.now.View, ld.now.Epoch) != nil {
		// It is no longer true, and cannot be brought up to date.
		ld.memory.forgetFrom(p, len(p.nodes)-1)
		return nil
	}
	if gone || folds && !last.expanded() {
		// Only now can its folding be decided.
		ld.memory.forgetFrom(p, len(p.nodes)-1)
		return nil
	}
	last.e.Store(&e)
	ld.memory.heavier(p, weigh(&e)-weigh(old))
	p.to, p.toOrd = e.Next, e.After
	return last
}

// read runs f with a reader of the children of n. The loader must not be locked.
func (ld *loader) read(n *Node, f func(*nodeReader) error) error {
	ld.mu.Lock()
	m, e, epoch := ld.now, n.e.Load(), int64(n.epoch)
	l := &nodeReader{walk.ChildReader{Folded: ld.folded, Inline: ld.inline, Start: e.Start, End: e.End, Moment: m}}
	if n.kids != nil {
		l.Checkpoints = n.kids.checkpoints
	}
	l.Edit = ld.editing(n, m)
	ld.mu.Unlock()
	defer ld.keepWay(n, l)
	return ld.r.Doubt(ld.r.Use(func() error {
		if ld.r.Epoch.Load() != epoch {
			return trace.ErrStale
		}
		w, err := ld.r.WalkerOn(m.View, n.thread)
		if err != nil {
			return err
		}
		if e.State == StatePending && e.End != w.S.Size {
			return trace.ErrStale // it was forgotten, and has not grown since
		}
		ld.r.CtxMu.RLock()
		defer ld.r.CtxMu.RUnlock()
		l.Walker = w
		return f(l)
	}), m.View, m.Epoch)
}

// nodeReader reads children of a node for the tree. It must be used within use.
type nodeReader struct{ walk.ChildReader }
