package walk

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"

	"tracex/format"
	"tracex/lazy/internal/spill"
	"tracex/lazy/internal/trace"
)

// matcher decides whether points match. One goroutine uses it at a time, within a pass.
type matcher struct {
	s        *searching
	texts    *textPrefilter
	finders  [2]*finder // for Search.Find and Search.Else; nil if absent
	named    Named
	written  bool // named has the text of the current point
	extended bool // and what a row may add to it
}

func newMatcher(s *searching) *matcher {
	m := &matcher{s: s}
	m.finders[0] = newFinder(s.Find, s.Limits)
	if s.Else != nil {
		m.finders[1] = newFinder(s.Else, s.ElseLimits)
	}
	m.texts = newTextPrefilter(&s.pieces, s.r.Ctx, m.finders, s.Verbose, s.fullNames())
	if s.Point != nil {
		m.texts.prefilter = nil
	}
	return m
}

// sure reports whether a finder matches a point whatever its values are. It looks at the code
// location and, of a call, at the method and the flags.
func (m *matcher) sure(f *finder, p *format.Point) bool {
	c := m.s.r.Ctx
	return !f.limits.NoDot && f.matchesLocation(c, p.Location) || p.Class == format.ClassCall && f.name(c, p).found
}

// matches is [Named.Match] for a point of a pass: decisions that depend only on the
// name of a method or the location are made once. If no match has a parenthesis, the
// class need not be tried with the text: up to there AppendOther and AppendCall agree.
func (m *matcher) matches(f *finder, p *PassPoint) bool {
	point, err := p.Point()
	if err != nil {
		return false
	}
	if m.sure(f, point) {
		return true
	}
	n := &m.named
	c := m.s.r.Ctx
	if !m.written {
		foot, err := p.Footer()
		if err != nil {
			return false
		}
		n.of(c, point, foot, p.Parent(), m.s.Verbose)
		m.written, m.extended = true, false
	}
	if from, _ := f.find(n.Text); from >= 0 || m.inExtras(f, p, point) {
		return true
	}
	if f.limits.NoParen {
		return false
	}
	name := &noCall
	if point.Class == format.ClassCall {
		name = f.name(c, point)
	}
	n.called(name)
	return n.matchesWith(f.find, f.limits)
}

// inExtras reports whether the text matches with what a row may add to it.
func (m *matcher) inExtras(f *finder, p *PassPoint, point *format.Point) bool {
	foot, err := p.Footer()
	if err != nil || f.limits.NoEquals && !format.HasContents(point, foot) {
		return false
	}
	n := &m.named
	if !m.extended {
		n.Extras, m.extended = m.s.r.Ctx.Extras(point, foot, p.Parent(), m.s.Verbose), true
	}
	return format.FindExtended(n.Text, n.Extras, f.find, !f.limits.NoEquals)
}

// atEnd returns the pieces in the footer of a container that is being left.
func (m *matcher) atEnd(p *PassPoint) pieceSet {
	if b := p.FromEnding(); b != nil {
		return m.texts.footer(p.Class, b)
	}
	return allPieces
}

// later returns the pieces in the footer of a container that is not being left.
func (m *matcher) later(p *PassPoint) (got pieceSet) {
	f, err := p.Footer()
	if err != nil || f == nil {
		return 0
	}
	if p.Class == format.ClassLoop {
		return m.texts.number(int64(f.Iterations))
	}
	if f.Threw || f.Exception != "" {
		got = m.texts.words.threw | m.texts.inRaw([]byte(f.Exception))
	}
	result := format.PartialOf(&f.Result)
	return got | m.texts.shown(&result)
}

// searchPart is the visitor of a part of the trace.
type searchPart struct {
	s       *searching
	m       *matcher // while it visits
	hits    [2][]Hit // by finder, in order; of the second only as long as there are none of the first
	open    spill.Stack[openPoint]
	visited []searchedTo // one for each segment
	from    [2]int       // where the hits of the current segment begin
	mixed   bool         // they are not in order
	changed bool         // see Found.Changed
}

// taken forgets what has been taken; its part goes on.
func (v *searchPart) taken() { v.hits, v.visited, v.changed = [2][]Hit{}, nil, false }

// openPoint is a container that the visitor is in.
type openPoint struct {
	got     pieceSet
	decided bool // it matches, or cannot, or another part decides
}

// searchedTo is how far a segment was searched.
type searchedTo struct {
	thread   int32
	from, to int64
}

// Begins begins a segment, in which a thread is to be visited from an offset on.
func (v *searchPart) Begins(thread int32, from int64) {
	v.m = v.s.lend()
	v.visited = append(v.visited, searchedTo{thread, from, from})
	v.from = [2]int{len(v.hits[0]), len(v.hits[1])}
	if from > 0 || v.s.Point != nil {
		return
	}
	text := trace.AppendThread(nil, v.s.r.Ctx, thread)
	v.test(Hit{Position{thread, -1}, -1}, func(_ int, f *finder) bool {
		at, _ := f.find(text)
		return at >= 0
	})
}

// Ended ends a segment: it decides about the containers that go on after it.
func (v *searchPart) Ended(x *PassWalk) {
	if v.m == nil { // it could not go on after it was taken
		return
	}
	x.outward(x.begun, func(p *PassPoint) {
		if p.level >= v.open.Len() { // those that a leap tells of are decided
			return
		}
		if e := *v.open.At(p.level); !e.decided {
			if v.may(e.got | v.m.later(p)) {
				v.mixed = true
				v.decide(p)
			}
			e.decided = true
			v.open.Put(p.level, e)
		}
	})
	v.visited[len(v.visited)-1].to = x.pos
	v.changed = v.changed || x.Changed
	if v.mixed {
		for i, from := range v.from {
			slices.SortFunc(v.hits[i][from:], func(a, b Hit) int { return cmp.Compare(a.At, b.At) })
		}
		v.mixed = false
	}
	x.err = cmp.Or(x.err, v.open.Err())
	v.s.giveBack(v.m)
	v.m = nil
}

// test tests a point, or a thread, with the finders.
func (v *searchPart) test(h Hit, matches func(i int, f *finder) bool) {
	for i, f := range v.m.finders {
		if i == 1 && !v.second() || !matches(i, f) {
			continue
		}
		v.hits[i] = append(v.hits[i], h)
		if i == 0 {
			return
		}
	}
}

// Begin is called at the beginning of a part, with the containers around it.
func (v *searchPart) Begin(_ int32, around []PassFrame) {
	v.open.Reset()
	for range around {
		v.open.Push(openPoint{decided: true})
	}
}

// Enter visits a container.
func (v *searchPart) Enter(p *PassPoint) {
	got, decided := v.look(p)
	v.shrink(p.Depth)
	v.open.Push(openPoint{got, decided})
}

// Prefilter tells which points can be passed.
func (v *searchPart) Prefilter() *format.Prefilter { return v.m.texts.prefilter }

// Passed notes which containers are open after points were passed.
func (v *searchPart) Passed(depth int, _ int64) {
	v.shrink(depth)
	for v.open.Len() < depth {
		v.open.Push(openPoint{})
	}
}

// shrink forgets all containers but the outermost.
func (v *searchPart) shrink(depth int) {
	for v.open.Len() > depth {
		v.open.Pop()
	}
}

// Beyond decides about a container that a part without the searched bytes begins.
func (v *searchPart) Beyond(p *PassPoint) { v.decide(p) }

// Leaf visits a point that is not a container.
func (v *searchPart) Leaf(p *PassPoint) { v.look(p) }

// look decides about a point, if what has been read of it is enough for that.
func (v *searchPart) look(p *PassPoint) (got pieceSet, decided bool) {
	if v.s.Point != nil {
		if v.s.Point(v.s.r.Ctx, &format.Point{Class: p.Class, Ref: p.Ref, Location: p.Location, Event: p.Event, Thread: p.Thread}) {
			v.hits[0] = append(v.hits[0], Hit{Position{p.Thread, p.At}, p.Event})
		}
		return 0, true
	}
	if p.Bytes() == nil || len(v.s.pieces.needs[0]) == 0 {
		v.decide(p)
		return 0, true
	}
	switch got = v.m.texts.header(p); {
	case got&sureFirst != 0:
		v.hits[0] = append(v.hits[0], Hit{Position{p.Thread, p.At}, p.Event})
		return got, true
	case v.may(got):
		v.decide(p)
		return got, true
	}
	return got, false
}

// may reports whether a finder may match a text that has some pieces.
func (v *searchPart) may(got pieceSet) bool {
	if one := v.s.pieces.one; one != 0 {
		return got&one == one
	}
	x := v.m.texts
	return x.may(0, got) || v.second() && (got&sureSecond != 0 || x.may(1, got))
}

// second reports whether the second finder is still needed.
func (v *searchPart) second() bool {
	return v.m.finders[1] != nil && len(v.hits[0]) == 0 && !v.s.some.Load()
}

// decide decodes a point and decides whether it matches.
func (v *searchPart) decide(p *PassPoint) {
	m := v.m
	m.written = false
	v.test(Hit{Position{p.Thread, p.At}, p.Event}, func(_ int, f *finder) bool { return m.matches(f, p) })
}

// Exit visits a container again, with its footer.
func (v *searchPart) Exit(p *PassPoint) {
	e := *v.open.At(p.Depth)
	v.shrink(p.Depth)
	if e.decided {
		return
	}
	if v.may(e.got | v.m.atEnd(p)) {
		v.mixed = true
		v.decide(p)
	}
}

// searching is the state of a running search: the [Collector] of a pass.
type searching struct {
	Search
	r        *Reader
	progress searchProgress
	news     news
	pieces   pieces
	hits     []Hit
	others   []Hit       // of Search.Else; nil once there is a hit
	some     atomic.Bool // there was a hit
	changed  bool        // see Found.Changed

	mu   sync.Mutex
	idle []*matcher
}

// fullNames reports whether a match may have the full name of a class and some of the text of
// a call, see [Named.Match].
func (x *searching) fullNames() bool {
	may := func(l Limits) bool { return !l.NoParen && !l.NoDot && !l.OneDot }
	return may(x.Limits) || x.Else != nil && may(x.ElseLimits)
}

// lend returns a matcher for the calling goroutine, which gives it back.
func (x *searching) lend() *matcher {
	x.mu.Lock()
	defer x.mu.Unlock()
	if n := len(x.idle); n > 0 {
		m := x.idle[n-1]
		x.idle = x.idle[:n-1]
		return m
	}
	return newMatcher(x)
}

func (x *searching) giveBack(m *matcher) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.idle = append(x.idle, m)
}
