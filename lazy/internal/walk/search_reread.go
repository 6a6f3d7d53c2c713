package walk

import (
	"context"
	"strconv"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/trace"
)

// Recalled is a hit that has been read again.
type Recalled struct {
	Hit
	Named
	Path []byte // its containers, see [AppendPath]
}

// PathSep joins the names of a path; PathGap is in place of those that are left out.
const (
	PathSep = " › "
	PathGap = "…"
)

// pathLength is how many names [AppendPath] appends at most: the outermost and the innermost ones.
const pathLength = 8

// AppendPath appends the names of n containers, outermost first. Of a long path the part after the
// first name is left out. name appends the name of the i-th container, counted from the outermost.
func AppendPath(dst []byte, n int, name func(dst []byte, i int) []byte) []byte {
	for i := 0; i < n; i++ {
		if i > 0 {
			dst = append(dst, PathSep...)
		}
		if i == 1 && n > pathLength {
			dst = append(append(dst, PathGap...), PathSep...)
			i = n - pathLength + 1
		}
		dst = name(dst, i)
	}
	return dst
}

// recallBatch is how many hits are read before they are handed on; recallReads is after
// how many trace points a walk lets others in.
const (
	recallBatch = 256
	recallReads = 4096
)

func (r *Reader) Recall(ctx context.Context, s Search, more func() []Hit, visit func(*Recalled) error) error {
	epoch := r.Epoch.Load()
	x := &recall{r: r, v: r.Known.Load(), verbose: s.Verbose, l: &ChildReader{Folded: s.Folded}}
	x.l.Lender = new(DataPool)
	for {
		if len(x.todo) == 0 {
			if x.todo = more(); len(x.todo) == 0 {
				return nil
			}
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		x.done = 0
		err := r.Use(func() error {
			r.CtxMu.RLock()
			defer r.CtxMu.RUnlock()
			return x.fill()
		})
		for i := range x.done {
			if err := visit(&x.batch[i]); err != nil {
				return err
			}
		}
		if err != nil {
			return r.Doubt(err, x.v, epoch)
		}
	}
}

// recall is a walk from hit to hit.
type recall struct {
	r         *Reader
	v         *index.View
	verbose   bool
	l         *ChildReader
	thread    int32
	stack     []recallLevel // empty if in no thread
	todo      []Hit
	batch     []Recalled
	done      int // number in use of the batch
	names     map[calledAs]*callName
	locations map[int32]string // by code location
}

// maxRecalled limits how many names and locations a recall remembers.
const maxRecalled = 1 << 14

// name is [Named.name] with a cache: many hits share a name.
func (x *recall) name(n *Named, p *format.Point) {
	c := x.r.Ctx
	if len(x.names) >= maxRecalled || x.names == nil {
		x.names = make(map[calledAs]*callName)
	}
	if len(x.locations) >= maxRecalled || x.locations == nil {
		x.locations = make(map[int32]string)
	}
	n.called(&noCall)
	if p.Class == format.ClassCall {
		as := calledAsOf(p)
		name, ok := x.names[as]
		if !ok {
			name = nameOf(c, p.Ref, p.Flags)
			x.names[as] = name
		}
		n.called(name)
	}
	location, ok := x.locations[p.Location]
	if !ok {
		location = locationText(c, p.Location)
		x.locations[p.Location] = location
	}
	n.Location = location
}

// recallLevel is a container around the current position of the walk.
type recallLevel struct {
	Level
	start  int64 // of its content
	class  format.Class
	ref    int32
	number int32
	flags  int16
}

// fill reads hits until the batch is full, no hits remain, or the walk must let others
// in.
func (x *recall) fill() error {
	for reads := 0; len(x.todo) > 0 && x.done < recallBatch && reads < recallReads; reads++ {
		if err := x.toThread(x.todo[0]); err != nil {
			return err
		}
		if x.todo[0].At < 0 {
			named := &x.next().Named
			named.Text = trace.AppendThread(named.Text[:0], x.r.Ctx, x.thread)
			*named = Named{Text: named.Text, At: -1, other: named.other}
			x.drop()
			continue
		}
		if err := x.advance(); err != nil {
			return err
		}
	}
	return nil
}

// toThread enters the thread of a hit, or returns to its beginning if the walk is past
// the hit.
func (x *recall) toThread(h Hit) error {
	// The mappings may have changed since the last batch.
	w, err := x.r.WalkerOn(x.v, h.Thread)
	if err != nil {
		return err
	}
	x.l.Walker = w
	if len(x.stack) == 0 || h.Thread != x.thread || h.At < x.stack[len(x.stack)-1].Pos {
		x.thread = h.Thread
		x.stack = append(x.stack[:0], recallLevel{Level: Level{End: w.S.Size}})
	}
	return nil
}

// drop moves to the next hit.
func (x *recall) drop() { x.todo = x.todo[1:] }

// advance reads the trace point at the current position.
func (x *recall) advance() error {
	want := x.todo[0].At
	for len(x.stack) > 1 && x.stack[len(x.stack)-1].End <= want {
		x.stack = x.stack[:len(x.stack)-1]
	}
	top := &x.stack[len(x.stack)-1]
	x.l.Start, x.l.End, x.l.Lender.Lent = top.start, top.End, 0
	if want-top.Pos > 1024 && want < top.End {
		top.Pos, top.Ord = x.l.SeekBack(top.Pos, top.Ord, want, 1)
	}
	e := x.l.Lender.take()
	ok, err := x.l.Next(top.Pos, top.Ord, top.End, e, false)
	switch {
	case err != nil:
		return err
	case !ok || e.At > want:
		x.drop() // it no longer exists
		return nil
	case e.Next <= want:
		top.Pos, top.Ord = e.Next, e.After
		return nil
	}
	if _, err := x.l.Next(top.Pos, top.Ord, top.End, e, true); err != nil {
		return err
	}
	if x.l.Folded {
		if e, err = x.l.Fold(e); err != nil {
			return err
		}
	}
	if e == nil || e.At != want && !(e.Start <= want && want < e.End) {
		x.drop()
		return nil
	}
	parent := top.Parent
	top.Pos, top.Ord = e.Next, e.After
	if e.At == want {
		x.emit(e, parent)
	}
	if e.HasContent() && e.Container() {
		x.stack = append(x.stack, recallLevel{
			Level: Level{Pos: e.Start, Ord: e.First, End: e.End, Parent: format.ParentOf(&e.Point)},
			start: e.Start, class: e.Point.Class, ref: e.Point.Ref, number: e.Point.Number, flags: e.Point.Flags,
		})
	}
	return nil
}

// next returns a slot for the current hit.
func (x *recall) next() *Recalled {
	if x.done == len(x.batch) {
		x.batch = append(x.batch, Recalled{})
	}
	x.done++
	out := &x.batch[x.done-1]
	out.Hit, out.Path = x.todo[0], out.Path[:0]
	return out
}

// emit adds the current hit to the batch, and moves to the next one.
func (x *recall) emit(e *NodeData, parent format.Parent) {
	out, c := x.next(), x.r.Ctx
	x.name(&out.Named, &e.Point)
	out.of(c, &e.Point, e.ShownFooter(), parent, x.verbose)
	out.Path = AppendPath(out.Path, len(x.stack), func(dst []byte, i int) []byte {
		in := &x.stack[i]
		if i == 0 {
			return trace.AppendThread(dst, c, x.thread)
		}
		return AppendName(dst, c, &format.Point{Class: in.class, Ref: in.ref, Number: in.number, Flags: in.flags})
	})
	x.drop()
}

func AppendName(dst []byte, c *format.Context, p *format.Point) []byte {
	switch p.Class {
	case format.ClassLoop:
		return append(dst, "loop"...)
	case format.ClassIteration:
		return append(strconv.AppendInt(append(dst, "<iteration "...), int64(p.Number)+1, 10), '>')
	}
	name, _ := c.CallName(p.Ref, p.Flags)
	return append(append(dst, name...), "()"...)
}
