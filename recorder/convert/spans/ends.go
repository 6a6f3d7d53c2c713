package spans

import (
	"cmp"
	"slices"
)

// ends are those of spans whose end has no time: each lasts until its last event, and until the end of the last span
// inside it by the parents' ids. They are known when all spans are.
type ends struct {
	known map[spanKey]*lasting
	all   []*lasting
	work  []*lasting // scratch
}

type spanKey struct {
	trace TraceID
	id    SpanID
}

// lasting is a span whose end has no time.
type lasting struct {
	spanKey
	parent     SpanID
	start, end int64    // ns since 1970
	same       *lasting // another one with this id
}

// mostLasting bounds the spans whose ends are looked for.
const mostLasting = 1 << 18

// add adds a span, which lasts at least until a time. It reports false if there are too many.
func (e *ends) add(s *Span, least int64) bool {
	if s.ID == 0 {
		return true // no other can tell that it is inside
	}
	key := spanKey{s.Trace, s.ID}
	if o := e.find(key, s.Start); o != nil {
		o.end = max(o.end, least)
		return true
	}
	n := 0
	for o := e.known[key]; o != nil; o = o.same {
		n++
	}
	if n >= mostSame || len(e.all) >= mostLasting {
		return false
	}
	if e.known == nil {
		e.known = map[spanKey]*lasting{}
	}
	o := &lasting{key, s.Parent, s.Start, least, e.known[key]}
	e.known[key] = o
	e.all = append(e.all, o)
	return true
}

// find returns the span with an id that begins at a time, or nil.
func (e *ends) find(key spanKey, start int64) *lasting {
	o := e.known[key]
	for o != nil && o.start != start {
		o = o.same
	}
	return o
}

// see takes what a record tells: a span lasts as long as those inside it. Those with its own id may be inside it, too, as those of
// a server in its client.
func (e *ends) see(start int64, record []byte) {
	if record[0] != spanRecord {
		return
	}
	least, _ := durationOf(record)
	trace := traceOf(record)
	e.last(spanKey{trace, parentOf(record)}, start, start+least)
	e.last(spanKey{trace, idOf(record)}, start, start+least)
	e.work = e.work[:0]
}

// last makes spans with an id last until an end, if they have begun at a time.
func (e *ends) last(key spanKey, start, end int64) {
	for o := e.known[key]; o != nil; o = o.same {
		if o.start <= start && o.end < end {
			o.end = end
			e.work = append(e.work, o)
		}
	}
}

// settle makes spans last as long as others without an end inside them. The last ones come first, so that each changes
// once at most, however they are nested.
func (e *ends) settle() {
	slices.SortFunc(e.all, func(a, b *lasting) int { return cmp.Compare(b.end, a.end) })
	for _, o := range e.all {
		e.work = append(e.work[:0], o)
		for len(e.work) > 0 {
			o := e.work[len(e.work)-1]
			e.work = e.work[:len(e.work)-1]
			e.last(spanKey{o.trace, o.parent}, o.start, o.end)
			e.last(o.spanKey, o.start, o.end)
		}
	}
}

// duration returns that of the span of a record; 0 for an event.
func (e *ends) duration(start int64, record []byte) int64 {
	if record[0] != spanRecord {
		return 0
	}
	d, ends := durationOf(record)
	if ends {
		return d
	}
	if o := e.find(spanKey{traceOf(record), idOf(record)}, start); o != nil {
		return o.end - start
	}
	return d
}

const (
	// keptTraces is how many traces are kept that have no open spans, as more spans may come.
	keptTraces = 1 << 12
	mostTraces = 1 << 16
	// traceLanes and mostLanes bound the threads of a trace, and of all traces that are kept.
	traceLanes = 1 << 12
	mostLanes  = 1 << 17
	// mostOpen bounds the spans that are open, in all traces; mostHeld their names and results, in bytes.
	mostOpen = 1 << 18
	mostHeld = 64 << 20
	// mostSame is how many spans with the id of a parent are looked at.
	mostSame = 8
	// mostWaiting bounds the events that wait until another call ends, in bytes.
	mostWaiting = 16 << 20
)
