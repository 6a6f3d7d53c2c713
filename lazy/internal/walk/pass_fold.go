package walk

import (
	"encoding/binary"

	"tracex/format"
	"tracex/lazy/internal/fold"
	"tracex/lazy/internal/trace"
)

// plain reports whether a point is shown as recorded. If not, plain visits what is shown in
// its place, if anything.
func (x *PassWalk) plain(p *PassPoint, n int) (bool, error) {
	switch p.Class {
	case format.ClassCall:
		if !x.R.Ctx.MayFold(p.Ref) || x.callStays(p.Ref, x.window[n:]) {
			return true, nil
		}
	case format.ClassIteration:
		if n < len(x.window) && format.Kind(x.window[n]) == format.KindTracePoint {
			return true, nil
		}
	case format.ClassLoop:
		if x.hides == nil && x.loopStays(x.ord, x.pos+int64(n)) {
			return true, nil
		}
	case format.ClassVariableRead, format.ClassVariableWrite, format.ClassFieldRead, format.ClassFieldWrite,
		format.ClassArrayRead, format.ClassArrayWrite:
		x.leaf.Class, x.leaf.Ref, x.leaf.Location = p.Class, p.Ref, p.Location
		if x.R.Ctx.Coverage(&x.leaf) {
			x.Changed = true
			x.advance(n)
			return false, nil
		}
		return true, nil
	default:
		return true, nil
	}
	return false, x.fold(p)
}

// callStays reports whether a call folds to itself, as most do whose method may fold. It looks
// only at the beginning of the content, and at the object after the first child.
func (x *PassWalk) callStays(method int32, content []byte) bool {
	if len(content) < format.LeafValueAt+format.MaxObjectSize {
		return false
	}
	switch format.Kind(content[0]) {
	case format.KindFooter:
		return true // nothing in it
	case format.KindTracePoint:
	default:
		return false
	}
	class, _ := x.version.PointClass(content[format.PointClassAt])
	ref := refOf(x.version, class, content)
	more := false
	if class == format.ClassFieldRead {
		n, err := x.version.Size(content, 0)
		more = err == nil && n < len(content) && format.Kind(content[n]) == format.KindTracePoint
	}
	return fold.Stays(x.R.Ctx, method, class, ref, more)
}

// loopStays reports whether the loop whose content begins at start folds to itself, as nearly
// all do: whether its last iteration has points. It is [ChildReader.stays] without decoding.
// ord is the ordinal of the first cell that ends at or after its header.
func (x *PassWalk) loopStays(ord, start int64) bool {
	cells := x.S.Cells
	own, c, _ := cells.Around(ord, start, &x.near)
	if own == 0 || own >= cells.Len() || c.Start != start || c.End <= start {
		return false
	}
	last := cells.At(own - 1)
	if last.End != c.End-1 || last.Start < start || !x.l.beginsWithPoint(last.Start, last.End) {
		return false
	}
	b, err := x.Bytes(c.End)
	return err == nil && len(b) >= format.LoopFooterSize && format.Kind(b[0]) == format.KindFooter &&
		binary.BigEndian.Uint32(b[format.LoopIterationsAt:]) != 0
}

// fold visits what the folded view shows in place of the container at pos.
func (x *PassWalk) fold(p *PassPoint) error {
	e := &x.read
	if err := x.Walker.point(x.pos, x.ord, x.S.Size, x.window, e, true); err != nil {
		return err
	}
	if err := x.checkEnd(x.ord, e); err != nil {
		return err
	}
	x.lent.Lent = 0
	out, err := x.l.Fold(e)
	if err != nil {
		return err
	}
	x.Changed = x.Changed || out != e
	if x.hides != nil {
		x.hide(e, out)
	}
	if out == nil {
		x.jump(e.Next, e.After)
		return nil
	}
	start, next, after := e.Start, e.Next, e.After
	if out != e {
		p.PassFrame = frameOf(&out.Point, p.At)
		if p.Class.Container() {
			out = kept(out)
		}
		p.data = out
	}
	if !p.Class.Container() {
		for _, v := range x.visit {
			v.Leaf(p)
		}
		x.jump(next, after)
		return nil
	}
	for _, v := range x.visit {
		v.Enter(p)
	}
	f := passFrame{PassFrame: p.PassFrame, Start: out.Start}
	if out.Start != start {
		f.resume, f.after = next, after
	}
	x.stack.enter(f, p.data)
	x.jump(out.Start, out.First)
	return nil
}

// hide notes which cells of a container are of what is not shown, as far as is known when it is entered.
func (x *PassWalk) hide(e, out *NodeData) {
	switch {
	case out == nil || !out.Container():
		x.hides.hide(x.ord, e.After)
	default:
		x.hides.hide(x.ord, out.First)
		if out.Point.Class == format.ClassLoop {
			x.hides.inlined(x, out)
		}
	}
}

// kept returns lent data to keep: what was lent no longer shares any slice with it.
func kept(e *NodeData) *NodeData {
	out := new(NodeData)
	*out, *e = *e, NodeData{}
	return out
}

// HiddenCollector fills in what is hidden.
type HiddenCollector struct{ *trace.Hidden }

// Visitor is for the pass.
func (h HiddenCollector) Visitor() Visitor { return new(hiddenVisitor) }

// Reset is for the pass.
func (h HiddenCollector) Reset() { h.Threads = make(map[int32]*trace.HiddenIn) }

// Merge is for the pass.
func (h HiddenCollector) Merge(v Visitor) error {
	for _, r := range v.(*hiddenVisitor).list {
		in := h.Threads[r.thread]
		if in == nil {
			in = new(trace.HiddenIn)
			h.Threads[r.thread] = in
		}
		in.Add(r.from, r.to)
	}
	return nil
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
func (v *hiddenVisitor) inlined(x *PassWalk, e *NodeData) {
	if e.Foot.Iterations == 1 {
		if out := x.l.Inlined(e); out != e {
			own := x.S.Cells.FirstEnding(out.End)
			v.hide(own, own+1)
		}
	}
}

func (x *PassWalk) advance(n int) {
	x.window = x.window[n:]
	x.pos += int64(n)
}

// jump continues at a logical offset.
func (x *PassWalk) jump(pos, ord int64) {
	if n := pos - x.pos; n >= 0 && n < int64(len(x.window)) {
		x.window = x.window[n:]
	} else {
		x.window = nil
	}
	x.pos, x.ord = pos, ord
}

// refOf returns the Ref of the point of a class at the start of b, which must be whole.
func refOf(v format.Version, class format.Class, b []byte) int32 {
	switch class {
	case format.ClassCall, format.ClassLoop, format.ClassIteration:
		at := format.StatusCountAt + format.StatusCountSize + v.StatusCount(b[format.StatusCountAt])
		if at+format.IDSize > len(b) {
			return -1
		}
		return int32(binary.BigEndian.Uint32(b[at:]))
	case format.ClassVariableRead, format.ClassVariableWrite, format.ClassFieldRead, format.ClassFieldWrite:
		return int32(binary.BigEndian.Uint32(b[format.LeafIDAt:]))
	}
	return 0
}
