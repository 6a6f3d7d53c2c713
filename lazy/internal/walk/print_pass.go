package walk

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"

	"tracex/lazy/internal/lines"
	"tracex/lazy/internal/trace"
)

// errIndent: what several goroutines have printed has too much indentation.
var errIndent = errors.New("too much indentation")

// UsualCut is for traces of any size. A share is long enough that finding its beginning
// takes little time compared with walking it, and short enough that its products can
// wait in memory. The width bounds that memory too.
func UsualCut() PassCut {
	return PassCut{Bytes: 256 << 10, Approach: 512, Width: min(runtime.GOMAXPROCS(0), 16)}
}

// Uncut is for threads that are printed one after the other.
var Uncut = PassCut{Bytes: math.MaxInt64 / 2, Width: 1}

// Run prints threads, or only a part of one thread, if only is not nil. If the index turns out to be wrong, or
// indentation is too much, the thread where that happened is printed by itself, skipping what has been printed.
func (p *Printer) Run(ctx context.Context, threads []int32, c PassCut, only func() ([]PassRange, *PassState, error)) error {
	alone := only != nil
	for len(threads) > 0 {
		list, how := threads, c
		if alone {
			list, how = threads[:1], Uncut
		}
		t := &TextPass{Printer: p, Ctx: ctx, single: how == Uncut}
		if p.At != nil && *p.At == list[0] {
			t.skip = p.done
		}
		pass := t.Pass(how)
		pass.threads, pass.unawaited = list, true
		if only != nil {
			var err error
			if pass.Ranges, pass.begin, err = only(); err != nil {
				return err
			}
			if t.base = 1; pass.levels > 0 {
				pass.levels++ // for what is around it
			}
		}
		view, epoch := p.r.Moment()
		pass.V, pass.Epoch = view, epoch
		err := pass.run(ctx)
		again := errors.Is(err, errIndent)
		switch {
		case again:
		case errors.Is(err, trace.ErrStale): // the view was replaced before anything was found to be wrong with it
			again = p.r.Known.Load() != view
		default:
			again, err = p.r.Remade(ctx, p.r.Doubt(err, view, epoch), epoch)
		}
		switch {
		case again:
			if p.At != nil {
				threads = threads[max(0, slices.Index(threads, *p.At)):]
			}
			alone = true
		case err != nil:
			return err
		default:
			threads, alone = threads[len(list):], false
		}
	}
	return nil
}

// PartOf returns the part of a thread that has only e, and the state of a guided walk at its beginning: in a
// container with nothing after it.
func PartOf(thread int32, e *NodeData, around PassFrame) ([]PassRange, *PassState) {
	f := passFrame{PassFrame: around, Start: e.Next, resume: math.MaxInt64}
	s := &PassState{Pos: e.At, ord: e.First}
	s.Stack.Push(f)
	return []PassRange{{thread, e.At, e.Next}}, s
}

// Pass returns the pass that prints.
func (t *TextPass) Pass(c PassCut) *PassRun {
	run := &PassRun{r: t.r}
	run.Raw, run.Collect, run.cut = !t.Lines.Options().Folded, []Collector{t}, c
	run.guided, run.exact, run.levels = true, true, t.Levels
	return run
}

// TextPass is the collector of a printer.
type TextPass struct {
	*Printer
	Ctx    context.Context
	base   int   // depth of what has no indentation
	single bool  // there is one part, which goes on from what has been printed
	skip   int64 // points at its beginning that have been printed
	chunks sync.Pool
	mu     sync.Mutex
	idle   []*textPart
}

// Visitor returns the visitor of one part.
func (t *TextPass) Visitor() Visitor {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.idle); n > 0 {
		part := t.idle[n-1]
		t.idle = t.idle[:n-1]
		return part
	}
	o := t.Printer.Lines.Options()
	part := &textPart{in: t, skip: t.skip, left: t.Left, json: o.JSON}
	if !t.single {
		o.MaxIndent = 0 // see take
	}
	part.lines = lines.New(nil, t.r.Ctx, t.version, o)
	part.lines.SetBase(t.Top)
	if t.single {
		part.indented = t.Printer.Lines.Indented()
		part.lines.Indents(part.indented)
	}
	return part
}

// Merge takes back a visitor whose text has been taken.
func (t *TextPass) Merge(v Visitor) error {
	part := v.(*textPart)
	part.runs = part.runs[:0]
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle = append(t.idle, part)
	return nil
}

// Reset is not called: the pass is not repeated, as text has been written.
func (t *TextPass) Reset() {}

func (t *TextPass) take(product any) error {
	c := product.(*TextChunk)
	err := t.Printer.take(c)
	t.chunks.Put(c)
	return err
}

// textPart is the visitor of a part: it makes text.
type textPart struct {
	in       *TextPass
	lines    *lines.Writer
	json     bool
	runs     []TextRun
	skip     int64 // points that have been printed
	left     int64 // points to print, if that is limited
	indented int64 // bytes of indentation in text that was handed on
}

// next begins a thread, or a part of one.
func (t *textPart) next(thread int32) bool {
	if t.enough() {
		return false
	}
	t.ends()
	t.lines.SetThread(thread)
	t.runs = append(t.runs, TextRun{thread: thread})
	return true
}

// Begin begins a part that next has begun.
func (t *textPart) Begin(int32, []PassFrame) {}

// Leaf prints a point that is not a container.
func (t *textPart) Leaf(p *PassPoint) { t.point(p) }

// Exit is not called in a guided pass.
func (t *textPart) Exit(*PassPoint) {}

// Enter prints a container.
func (t *textPart) Enter(p *PassPoint) { t.point(p) }

func (t *textPart) point(p *PassPoint) {
	x, e := p.walk, p.ends
	here := e.Point.Event >= t.in.from
	if here && t.skip == 0 && t.enough() {
		p.Fail(ErrEnough)
		return
	}
	depth := p.Depth - t.in.base
	var left int64 // children below the last level
	var err error
	if t.in.Counts && x.deepest(p.Depth) && e.Container() && e.HasContent() {
		left, err = x.countLeft(t.in.Ctx, e)
	}
	switch {
	case t.skip > 0:
		t.skip--
	case here:
		t.left--
		inside, took := int64(-1), trace.NoTime
		if p.parent != nil {
			inside = int64(p.parent.Event)
		}
		if t.json {
			took, _ = x.Time(e)
		}
		t.lines.Point(&e.Point, e.ShownFooter(), p.Parent(), inside, depth, took)
		t.lines.Unloaded(int(left), depth+1)
		if err := t.lines.Err(); err != nil {
			p.Fail(err)
		}
		x.full = t.lines.Full()
		fallthrough
	default:
		t.runs[len(t.runs)-1].Points++
	}
	if err != nil {
		p.Fail(err)
	}
}

// enough reports whether the requested number of points has been printed.
func (t *textPart) enough() bool { return t.in.Limited && t.left == 0 }

// ends ends the run, if any.
func (t *textPart) ends() {
	if n := len(t.runs); n > 0 {
		t.runs[n-1].End = t.lines.Gathered()
	}
}

// hand hands on the text.
func (t *textPart) hand(put func(any) error) error {
	n := len(t.runs)
	if n == 0 {
		return nil
	}
	t.ends()
	c, _ := t.in.chunks.Get().(*TextChunk)
	if c == nil {
		c = &TextChunk{Text: lines.NewBuffer()}
	}
	thread, indented := t.runs[n-1].thread, t.lines.Indented()
	c.Text, c.indented, c.left = t.lines.Swap(c.Text[:0]), indented-t.indented, t.left
	t.indented = indented
	c.Runs, t.runs = t.runs, append(c.Runs[:0], TextRun{thread: thread}) // the run may continue
	return put(c)
}

// countLeft counts the children of a container, as they would be visited.
func (x *PassWalk) countLeft(ctx context.Context, e *NodeData) (count int64, err error) {
	var lent DataPool // for the children of one step
	l := &ChildReader{Walker: x.Walker, Folded: x.folded, Start: e.Start, End: e.End, Lender: &lent}
	at := Checkpoint{Pos: e.Start, Ord: e.First}
	for n := 1; at.Pos < e.End; n++ {
		if n%TallyEvery == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		lent.Lent = 0
		c, err := l.Skip(at)
		if err != nil || !c.Ok {
			return count, err
		}
		if c.Shown {
			count++
		}
		at = c.Next
	}
	return count, nil
}
