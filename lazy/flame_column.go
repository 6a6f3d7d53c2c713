package lazy

import (
	"context"
	"math/bits"
	"slices"
	"unicode/utf8"

	"tracex/format"
	"tracex/lazy/internal/walk"
)

// column finds the containers that are open in the middle of a column, and of them those that are
// shown.
func (x *flameWalk) column(ctx context.Context, k int) error {
	middle := x.at(2*k + 1)
	own, least, open, err := x.axis.around(ctx, middle)
	if err != nil {
		return err
	}
	for n := len(x.stack); n > 0 && x.stack[n-1] < least; n-- {
		x.stack = x.stack[:n-1] // it has ended
	}
	x.seen = x.seen[:min(len(x.seen), len(x.stack))]
	cells := x.S.Cells
	known := len(x.stack)
	for n := 0; own < cells.Len() && (known == 0 || own < x.stack[known-1]); n++ {
		c := cells.At(own)
		if len(x.stack) > known || x.axis.began(own, c, middle) { // what is around is open as well
			x.stack = append(x.stack, own)
		}
		own = cells.FirstAround(own+1, c.Start-1)
		if n%4096 == 4095 && ctx.Err() != nil {
			return ctx.Err()
		}
	}
	slices.Reverse(x.stack[known:])
	opened := 0
	for opened < len(x.open) && x.open[opened].At <= open && x.open[opened].from <= middle {
		opened++
	}
	if err := x.show(ctx, k, opened); err != nil {
		return err
	}
	x.f.Depth = append(x.f.Depth, int32(x.depth(opened)))
	end, at := x.axis.endingAfter(ctx, x.at(2*k+2), x.ends[k])
	x.ends, x.f.Edges = append(x.ends, end), append(x.f.Edges, max(at, x.f.Edges[k]))
	x.f.Ends = append(x.f.Ends, x.ends[k+1]-x.ends[k])
	return nil
}

// depth returns how many of the open containers are not around what is asked about.
func (x *flameWalk) depth(opened int) int {
	n := opened + len(x.stack)
	if x.below == nil {
		return n
	}
	for i := range opened {
		if x.open[i].cell.Start >= x.below.Start {
			return n - i
		}
	}
	for i := range x.seen {
		if x.seen[i].cell.Start >= x.below.Start {
			return len(x.stack) - i
		}
	}
	for i := len(x.seen); i < len(x.stack); i++ {
		if x.S.Cells.At(x.stack[i]).Start >= x.below.Start {
			return len(x.stack) - i
		}
	}
	return 0
}

// entry returns an open container: the first ones never ended. It is valid until the next call.
func (x *flameWalk) entry(i, opened int) *flameEntry {
	if i < opened {
		return &x.open[i].flameEntry
	}
	for n := len(x.seen); n <= i-opened; n++ {
		x.seen = append(x.seen, flameEntry{own: x.stack[n], cell: x.S.Cells.At(x.stack[n])})
	}
	return &x.seen[i-opened]
}

// show decides what is shown of the open containers, and reads it.
func (x *flameWalk) show(ctx context.Context, k, opened int) error {
	outer := flameEntry{kind: flameSpan, span: -1}
	if x.below != nil {
		outer.kind = flameOutside
	}
	for i := range opened + len(x.stack) {
		e := x.entry(i, opened)
		if !e.decided {
			if err := x.decide(ctx, e, outer); err != nil {
				return err
			}
			e.decided = true
		}
		if e.kind == flameNothing {
			if e.span > 0 { // it is below the last level
				x.f.Deeper++
			}
			return nil
		}
		outer = *e
	}
	return nil
}

// decide tells what is shown of a container in another.
func (x *flameWalk) decide(ctx context.Context, e *flameEntry, outer flameEntry) error {
	e.kind = flameNothing
	if outer.kind == flameOutside {
		switch {
		case e.cell.Start < x.below.Start:
			if e.kind = flameOutside; e.cell.Start > x.below.At {
				e.kind, e.span = flameInner, 0
			}
		case e.cell.Start == x.below.Start:
			e.kind, e.span = flameSpan, 0
		}
		return nil
	}
	in := &x.kids[outer.span+1]
	if e.cell.Start <= in.start && outer.span >= 0 {
		e.kind, e.span = flameInner, outer.span
		return nil
	}
	recorded, shown, err := x.read(e, in)
	if err != nil {
		return err
	}
	if shown == nil || !shown.Container() {
		in.list = append(in.list, flameKid{recorded.First, recorded.After, 0, 0})
		return nil
	}
	span, ok, err := x.span(ctx, shown, recorded, in)
	switch {
	case err != nil:
		return err
	case !ok:
		x.f.Unknown++
		return nil
	case !x.wide(span.From, span.To):
		return nil
	}
	span.Parent = int(outer.span)
	if outer.span >= 0 {
		span.Depth = x.f.Spans[outer.span].Depth + 1
	}
	if span.Depth >= x.o.Depth {
		e.span = 1
		return nil
	}
	after, err := x.axis.after(ctx, shown, recorded, span.To)
	if err != nil {
		return err
	}
	span.Left, span.Right = x.columns(span.From, span.To)
	in.list = append(in.list, flameKid{recorded.First, recorded.After, span.Left, span.Right})
	x.put(span, shown, recorded, in)
	x.kids[len(x.kids)-1].after = after
	e.kind, e.span = flameSpan, int32(len(x.f.Spans)-1)
	return nil
}

// read reads a container, as recorded and as it is shown; nil if it is not.
func (x *flameWalk) read(e *flameEntry, in *flameKids) (recorded, shown *walk.NodeData, err error) {
	l := &in.within
	var pos, ord int64
	if e.own < 0 {
		pos = e.cell.Start
		for i := range x.open {
			if e == &x.open[i].flameEntry {
				pos = x.open[i].At
			}
		}
		ord = x.S.Cells.FirstEnding(pos)
	} else {
		pos, ord = l.SeekBack(in.start, in.first, e.cell.Start-1, 1)
	}
	for {
		recorded = new(walk.NodeData)
		ok, err := l.Next(pos, ord, l.End, recorded, true)
		if err != nil {
			return nil, nil, err
		}
		if !ok || recorded.At >= e.cell.Start {
			return nil, nil, x.Contradiction(pos, "no header of a container")
		}
		if recorded.Start == e.cell.Start && recorded.Container() {
			break
		}
		pos, ord = recorded.Next, recorded.After
	}
	shown = recorded
	if l.Folded {
		same := *recorded // folding may take over what it gets
		if shown, err = l.Fold(recorded); err == nil && shown != nil {
			shown = l.Inlined(shown)
		}
		recorded = &same
	}
	return recorded, shown, err
}

// span returns the span of a container, without its place among others.
func (x *flameWalk) span(ctx context.Context, shown, recorded *walk.NodeData, in *flameKids) (s FlameSpan, ok bool, err error) {
	within := &in.within
	if recorded == x.below {
		within = nil
	}
	from, to, ok, err := x.axis.span(ctx, shown, within, in.after)
	if recorded.State != StateWhole {
		to = x.f.End
		if i := slices.IndexFunc(x.open, func(o openSpan) bool { return o.Start == recorded.Start }); i >= 0 {
			from, ok = x.open[i].from, true
		}
	}
	return FlameSpan{
		Position: Position{Thread: x.o.Thread, At: shown.At}, Event: shown.Point.Event, Class: shown.Point.Class,
		Parent: -1, From: from, To: to, Nested: shown.Nested(), State: shown.State,
	}, ok, err
}

// mostFlameText is how much of the text of a container is kept, in bytes, without a part of a character.
const mostFlameText = 512

// put adds a span, with what is needed to find its children.
func (x *flameWalk) put(s FlameSpan, shown, recorded *walk.NodeData, in *flameKids) {
	text := x.Walker.R.Ctx.AppendText(nil, &shown.Point, shown.ShownFooter(), in.parent, false)
	if end := mostFlameText; len(text) > end {
		for end > mostFlameText-utf8.UTFMax && !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end]
	}
	s.Text = string(text)
	if c := x.Walker.R.Ctx; s.Class == format.ClassCall {
		if m := c.Method(shown.Point.Ref); m != nil {
			s.Wait = m.Result == format.Wait
			if class := c.Class(m.ClassID); class != nil {
				s.Owner = class.Name
			}
		}
	}
	x.f.Spans = append(x.f.Spans, s)
	beyond := x.S.Cells.Len()
	if shown.State == StateWhole {
		beyond = x.S.Cells.FirstEnding(shown.End) // its own
	}
	x.kids = append(x.kids, flameKids{
		within: nodeReader{walk.ChildReader{Walker: x.Walker, Folded: !x.o.Raw, Start: shown.Start, End: shown.End}},
		after:  s.To, start: shown.Start, first: shown.First, beyond: max(beyond, shown.First), parent: format.ParentOf(&shown.Point),
	})
}

// narrow finds where narrow containers are, in the known columns.
func (x *flameWalk) narrow(f *Flame) {
	f.Narrow = nil
	known := f.Done
	if known < f.Columns {
		known-- // one that begins there may be wide
	}
	f.Spans = slices.Clone(f.Spans)
	f.Depth, f.Ends, f.Edges = slices.Clone(f.Depth), slices.Clone(f.Ends), slices.Clone(f.Edges)
	for i := range x.kids {
		in, parent := &x.kids[i], i-1
		depth, left, right := 0, 0, known
		if parent >= 0 {
			s := &f.Spans[parent]
			depth, left, right = s.Depth+1, s.Left, min(s.Right, known)
		}
		if depth >= x.o.Depth || parent < 0 && x.below != nil {
			continue
		}
		first := in.first
		for _, kid := range append(slices.Clone(in.list), flameKid{in.beyond, in.beyond, right, right}) {
			if kid.left == kid.right && kid.first < in.beyond { // nothing is shown of it: no column is its own
				x.gap(f, FlameNarrow{Depth: depth, Parent: parent, Left: left, Right: right}, first, kid.first)
				first = max(first, kid.beyond)
				continue
			}
			x.gap(f, FlameNarrow{Depth: depth, Parent: parent, Left: left, Right: min(kid.left, right)}, first, kid.first)
			first, left = max(first, kid.beyond), max(left, kid.right)
		}
	}
}

// gap finds where narrow containers are whose cells are from first, before beyond.
func (x *flameWalk) gap(f *Flame, n FlameNarrow, first, beyond int64) {
	left, right := n.Left, n.Right
	n.Right = n.Left
	flush := func() {
		if n.Right > n.Left {
			f.Narrow = append(f.Narrow, n)
		}
		n.Count = 0
	}
	for k := left; k < right; k++ {
		from, to := max(x.ends[k], first), min(x.ends[k+1], beyond)
		if to <= from && !x.covers(x.ends[k+1], beyond, x.at(2*k+2)) {
			flush()
			n.Left, n.Right = k+1, k+1
			continue
		}
		if n.Right == n.Left {
			n.Left = k
		}
		n.Right = k + 1
		n.Count += max(0, to-from)
	}
	flush()
}

// covers reports whether one of the containers from an ordinal, before another, or one around them before that,
// begins before a place.
func (x *flameWalk) covers(own, beyond, at int64) bool {
	cells := x.S.Cells
	for n := 0; own < beyond && n < walk.MostAround; n++ {
		c := cells.At(own)
		if x.axis.began(own, c, at-1) {
			return true
		}
		own = cells.FirstAround(own+1, c.Start-1)
	}
	return false
}

// at returns a place on the axis: numerator columns of half a width, from the left.
func (x *flameWalk) at(halves int) int64 {
	return x.f.From + mulDiv(int64(halves), x.f.To-x.f.From, 2*int64(x.f.Columns))
}

// columns returns the columns that a span takes.
func (x *flameWalk) columns(from, to int64) (left, right int) {
	edge := func(at int64) int {
		at = min(max(at, x.f.From), x.f.To) - x.f.From
		return int((mulDiv(int64(x.f.Columns), 2*at, x.f.To-x.f.From) + 1) / 2)
	}
	return edge(from), edge(to)
}

// wide reports whether a span is at least a column wide, as far as it is shown.
func (x *flameWalk) wide(from, to int64) bool {
	from, to = max(from, x.f.From), min(to, x.f.To)
	if from >= to {
		return false
	}
	hi, lo := bits.Mul64(uint64(to-from), uint64(x.f.Columns))
	return hi > 0 || lo >= uint64(x.f.To-x.f.From)
}
