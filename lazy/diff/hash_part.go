package diff

import (
	"slices"
	"sync"

	"tracex/lazy/internal/walk"
)

// hashPart is the visitor of a part of a trace: of several short threads, or of a part of a long one.
type hashPart struct {
	c        *hashCollector
	tools    *hashTools
	segments []hashSegment
	now      *hashSegment
}

// hashSegment is what was found in a part of a thread.
type hashSegment struct {
	thread   int32
	around   int           // how many containers are open where it begins
	first    int64         // ordinal of the first cell; -1 if none ends here
	from, to int           // the records of those that end here
	closed   []hashClosing // those that began before, in order, the innermost first
	rest     []hashFrame   // what is open at the end: the innermost that began before, or the thread, then all that began here
	unended  []hashUnended
}

// hashClosing is the end of a container that began before a part.
type hashClosing struct {
	in     sum // its children that began in the part, and after the end of the one before
	footer uint64
	record int // which of the segment's; -1 for one whose end was not recorded
}

// hashUnended is a container that began in the part, and whose end was not recorded.
type hashUnended struct {
	at     int64
	record record
}

// hashTools are what the visitors of parts use one after the other.
type hashTools struct {
	signer  *signer
	records []record
	frames  []hashFrame
}

func (t *hashTools) reset() { t.records, t.frames = t.records[:0], t.frames[:0] }

func (v *hashPart) Begin(thread int32, around []walk.PassFrame) {
	v.end()
	t := v.tools
	v.segments = append(v.segments, hashSegment{thread: thread, around: len(around), first: -1, from: len(t.records)})
	v.now = &v.segments[len(v.segments)-1]
	// Only the innermost of those around gets children here, until it ends.
	t.frames = append(t.frames[:0], hashFrame{})
	if ids := v.c.h.ids; ids != nil {
		t.signer.ids = ids[thread]
		if t.signer.ids == nil {
			t.signer.ids = new(identities)
		}
	}
}

// end ends a part of a thread.
func (v *hashPart) end() {
	if g := v.now; g != nil {
		g.to, g.rest = len(v.tools.records), slices.Clone(v.tools.frames)
		v.now = nil
	}
}

func (v *hashPart) sign(p *walk.PassPoint) (g sign, ok bool) {
	c := p.Context()
	g, err := v.tools.signer.point(c, p.Bytes(), p.Class, p.Ref)
	if err != nil {
		p.Fail(err)
	}
	return g, err == nil
}

func (v *hashPart) Leaf(p *walk.PassPoint) {
	if g, ok := v.sign(p); ok {
		frames := v.tools.frames
		frames[len(frames)-1].in.add(g.leafWhole())
	}
}

func (v *hashPart) Enter(p *walk.PassPoint) {
	if g, ok := v.sign(p); ok {
		v.tools.frames = append(v.tools.frames, hashFrame{at: p.At, sign: g, in: sum{calls: isCall(p.Class)}})
	}
}

func (v *hashPart) Exit(p *walk.PassPoint) {
	t := v.tools
	footer, err := t.signer.footer(p.Context(), p.Class, p.FromEnding(), p.State)
	if err != nil {
		p.Fail(err)
		return
	}
	last := len(t.frames) - 1
	frame := &t.frames[last]
	cell := p.Ordinal()
	if cell >= 0 && v.now.first < 0 {
		v.now.first = cell
	}
	if last == 0 { // it began before the part
		e := hashClosing{in: frame.in, footer: footer, record: -1}
		if cell >= 0 {
			e.record = len(t.records) - v.now.from
			t.records = append(t.records, record{})
		}
		v.now.closed = append(v.now.closed, e)
		*frame = hashFrame{}
		return
	}
	w := frame.sign.whole(&frame.in, footer)
	if cell >= 0 {
		t.records = append(t.records, w.record())
	} else {
		v.now.unended = append(v.now.unended, hashUnended{frame.at, w.record()})
	}
	t.frames = t.frames[:last]
	t.frames[last-1].in.add(w)
}

// pool has what goroutines use one after the other.
type pool[T any] struct {
	mu   sync.Mutex
	free []T
}

// get returns one of those that are free, or a new one.
func (p *pool[T]) get(make func() T) T {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.free); n > 0 {
		t := p.free[n-1]
		p.free = p.free[:n-1]
		return t
	}
	return make()
}

func (p *pool[T]) put(t T) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.free = append(p.free, t)
}
