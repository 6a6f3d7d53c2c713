package lazy

import (
	"tracex/format"
	"tracex/lazy/internal/index"
)

func newLoader(r *walkReader, folded bool) *loader {
	l := &loader{r: r, folded: folded, leap: leapFirst}
	l.memory.init(r.opts.Memory)
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
	n := &Node{loader: ld, thread: id, epoch: int32(ld.now.epoch)}
	n.e.Store(&nodeData{state: StatePending})
	if s := ld.now.view.Stream(id); s != nil {
		ld.grow(n, ld.now.view, s)
	}
	return n
}

// grow brings a thread, and the chain of its last children, up to date.
func (ld *loader) grow(n *Node, v *index.View, s *index.Stream) {
	if was := n.e.Load(); was.state != StatePending || was.end == s.Size && was.after == s.Cells.Len() && s.Size > 0 && !v.Complete {
		return
	}
	e := &nodeData{end: s.Size, next: s.Size, state: StatePending, after: s.Cells.Len()}
	if v.Complete {
		e.state = StateWhole
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
	if old.state != StatePending {
		return nil
	}
	e, folds, gone := *old, false, false // gone: the edits leave it out
	e.state, e.foot = StateWhole, format.Footer{}
	err := ld.r.use(func() error {
		w, err := ld.r.walkerOn(ld.now.view, n.thread)
		if err != nil {
			return err
		}
		l := &nodeReader{childReader{walker: w, folded: ld.folded, start: n.e.Load().start, end: n.e.Load().end}}
		end := l.end
		if ld.edits != nil {
			end = w.s.Size // that of what it was recorded in may be another one than n's
		}
		if err := w.content(e.first, end, &e, true); err != nil || e.state == StatePending {
			return err
		}
		ld.r.ctxMu.RLock()
		defer ld.r.ctxMu.RUnlock()
		shown := &e
		if ld.folded {
			shown, err = l.fold(&e)
			folds = shown != &e || ld.inline && l.inlined(&e) != &e
		}
		if l.edit = ld.editing(n, ld.now); l.edit != nil && shown != nil && err == nil {
			var how Edit
			how, shown.inside, err = l.decide(shown, e.in, true)
			gone = how != EditNone
		}
		return err
	})
	if ld.r.doubt(err, ld.now.view, ld.now.epoch) != nil {
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
	p.to, p.toOrd = e.next, e.after
	return last
}

// read runs f with a reader of the children of n. The loader must not be locked.
func (ld *loader) read(n *Node, f func(*nodeReader) error) error {
	ld.mu.Lock()
	m, e, epoch := ld.now, n.e.Load(), int64(n.epoch)
	l := &nodeReader{childReader{folded: ld.folded, inline: ld.inline, start: e.start, end: e.end, moment: m}}
	if n.kids != nil {
		l.checkpoints = n.kids.checkpoints
	}
	l.edit = ld.editing(n, m)
	ld.mu.Unlock()
	defer ld.keepWay(n, l)
	return ld.r.doubt(ld.r.use(func() error {
		if ld.r.epoch.Load() != epoch {
			return errStale
		}
		w, err := ld.r.walkerOn(m.view, n.thread)
		if err != nil {
			return err
		}
		if e.state == StatePending && e.end != w.s.Size {
			return errStale // it was forgotten, and has not grown since
		}
		ld.r.ctxMu.RLock()
		defer ld.r.ctxMu.RUnlock()
		l.walker = w
		return f(l)
	}), m.view, m.epoch)
}
