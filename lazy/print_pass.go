package lazy

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"

	"tracex/lazy/internal/lines"
)

// errIndent: what several goroutines have printed has too much indentation.
var errIndent = errors.New("too much indentation")

// usualCut is for traces of any size. A share is long enough that finding its beginning
// takes little time compared with walking it, and short enough that its products can
// wait in memory. The width bounds that memory too.
func usualCut() passCut {
	return passCut{bytes: 256 << 10, approach: 512, width: min(runtime.GOMAXPROCS(0), 16)}
}

// uncut is for threads that are printed one after the other.
var uncut = passCut{bytes: math.MaxInt64 / 2, width: 1}

// run prints threads, or only a part of one thread, if only is not nil. If the index turns out to be wrong, or
// indentation is too much, the thread where that happened is printed by itself, skipping what has been printed.
func (p *printer) run(ctx context.Context, threads []int32, c passCut, only func() ([]PassRange, *passState, error)) error {
	alone := only != nil
	for len(threads) > 0 {
		list, how := threads, c
		if alone {
			list, how = threads[:1], uncut
		}
		t := &textPass{printer: p, ctx: ctx, single: how == uncut}
		if p.at != nil && *p.at == list[0] {
			t.skip = p.done
		}
		pass := t.pass(how)
		pass.threads, pass.unawaited = list, true
		if only != nil {
			var err error
			if pass.Ranges, pass.begin, err = only(); err != nil {
				return err
			}
			t.base = 1
		}
		view, epoch := p.r.moment()
		pass.v, pass.epoch = view, epoch
		err := pass.run(ctx)
		again := errors.Is(err, errIndent)
		switch {
		case again:
		case errors.Is(err, errStale): // the view was replaced before anything was found to be wrong with it
			again = p.r.known.Load() != view
		default:
			again, err = p.r.remade(ctx, p.r.doubt(err, view, epoch), epoch)
		}
		switch {
		case again:
			if p.at != nil {
				threads = threads[max(0, slices.Index(threads, *p.at)):]
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

// partOf returns the part of a thread that has only e, and the state of a guided walk at its beginning: in a
// container with nothing after it.
func partOf(thread int32, e *nodeData, around PassFrame) ([]PassRange, *passState) {
	f := passFrame{PassFrame: around, start: e.next, resume: math.MaxInt64}
	return []PassRange{{thread, e.at, e.next}}, &passState{pos: e.at, ord: e.first, stack: []passFrame{f}}
}

// pass returns the pass that prints.
func (t *textPass) pass(c passCut) *passRun {
	run := &passRun{r: t.r}
	run.Raw, run.Collect, run.cut = !t.lines.Options().Folded, []Collector{t}, c
	run.guided, run.exact = true, true
	return run
}

// textPass is the collector of a printer.
type textPass struct {
	*printer
	ctx    context.Context
	base   int   // depth of what has no indentation
	single bool  // there is one part, which goes on from what has been printed
	skip   int64 // points at its beginning that have been printed
	chunks sync.Pool
	mu     sync.Mutex
	idle   []*textPart
}

// Visitor returns the visitor of one part.
func (t *textPass) Visitor() Visitor {
	t.mu.Lock()
	defer t.mu.Unlock()
	if n := len(t.idle); n > 0 {
		part := t.idle[n-1]
		t.idle = t.idle[:n-1]
		return part
	}
	o := t.printer.lines.Options()
	part := &textPart{in: t, skip: t.skip, left: t.left, json: o.JSON}
	if !t.single {
		o.MaxIndent = 0 // see take
	}
	part.lines = lines.New(nil, t.r.ctx, t.version, o)
	part.lines.SetBase(t.top)
	if t.single {
		part.indented = t.printer.lines.Indented()
		part.lines.Indents(part.indented)
	}
	return part
}

// Merge takes back a visitor whose text has been taken.
func (t *textPass) Merge(v Visitor) error {
	part := v.(*textPart)
	part.runs = part.runs[:0]
	t.mu.Lock()
	defer t.mu.Unlock()
	t.idle = append(t.idle, part)
	return nil
}

// Reset is not called: the pass is not repeated, as text has been written.
func (t *textPass) Reset() {}

func (t *textPass) take(product any) error {
	c := product.(*textChunk)
	err := t.printer.take(c)
	t.chunks.Put(c)
	return err
}

// textPart is the visitor of a part: it makes text.
type textPart struct {
	in       *textPass
	lines    *lines.Writer
	json     bool
	runs     []textRun
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
	t.runs = append(t.runs, textRun{thread: thread})
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
	here := e.point.Event >= t.in.from
	if here && t.skip == 0 && t.enough() {
		p.Fail(ErrEnough)
		return
	}
	depth := p.Depth - t.in.base
	var left int64 // children below the last level
	var err error
	if t.in.levels > 0 && depth+1 >= t.in.levels {
		if x.passes = true; t.in.counts && e.container() && e.hasContent() {
			left, err = x.countLeft(t.in.ctx, e)
		}
	}
	switch {
	case t.skip > 0:
		t.skip--
	case here:
		t.left--
		inside, took := int64(-1), noTime
		if p.parent != nil {
			inside = int64(p.parent.Event)
		}
		if t.json {
			took, _ = x.time(e)
		}
		t.lines.Point(&e.point, e.shownFooter(), p.Parent(), inside, depth, took)
		t.lines.Unloaded(int(left), depth+1)
		if err := t.lines.Err(); err != nil {
			p.Fail(err)
		}
		x.full = t.lines.Full()
		fallthrough
	default:
		t.runs[len(t.runs)-1].points++
	}
	if err != nil {
		p.Fail(err)
	}
}

// enough reports whether the requested number of points has been printed.
func (t *textPart) enough() bool { return t.in.limited && t.left == 0 }

// ends ends the run, if any.
func (t *textPart) ends() {
	if n := len(t.runs); n > 0 {
		t.runs[n-1].end = t.lines.Gathered()
	}
}

// hand hands on the text.
func (t *textPart) hand(put func(any) error) error {
	n := len(t.runs)
	if n == 0 {
		return nil
	}
	t.ends()
	c, _ := t.in.chunks.Get().(*textChunk)
	if c == nil {
		c = &textChunk{text: lines.NewBuffer()}
	}
	thread, indented := t.runs[n-1].thread, t.lines.Indented()
	c.text, c.indented, c.left = t.lines.Swap(c.text[:0]), indented-t.indented, t.left
	t.indented = indented
	c.runs, t.runs = t.runs, append(c.runs[:0], textRun{thread: thread}) // the run may continue
	return put(c)
}

// countLeft counts the children of a container, as they would be visited.
func (x *passWalk) countLeft(ctx context.Context, e *nodeData) (count int64, err error) {
	var lent dataPool // for the children of one step
	l := &childReader{walker: x.walker, folded: x.folded, start: e.start, end: e.end, lender: &lent}
	at := checkpoint{pos: e.start, ord: e.first}
	for n := 1; at.pos < e.end; n++ {
		if n%tallyEvery == 0 && ctx.Err() != nil {
			return 0, ctx.Err()
		}
		lent.lent = 0
		c, err := l.skip(at)
		if err != nil || !c.ok {
			return count, err
		}
		if c.shown {
			count++
		}
		at = c.next
	}
	return count, nil
}
