package spans

import (
	"cmp"
	"slices"
)

// group is the records that have the same time.
type group struct {
	time   int64
	spans  []member
	events [][]byte
	later  [][]byte // of events, those of spans of the group
	size   int      // bytes
}

// member is a span of a group.
type member struct {
	record   []byte
	duration int64
	lasting  bool // its end has no time
	depth    int  // spans of the group around it
}

// largestGroup bounds a group, in bytes. A larger one is written in parts: then a span that has the
// times of its parent, and was recorded before it, may not be found to be inside it.
const largestGroup = 4 << 20

// full reports whether the group must be written before a record of a time is added.
func (g *group) full(time int64) bool {
	return g.size > 0 && (time != g.time || g.size > largestGroup)
}

// add adds a record, which is valid until the next one is read. duration is that of a span.
func (g *group) add(time int64, record []byte, duration int64) {
	g.time = time
	g.size += len(record) + 1
	record = slices.Clone(record)
	if record[0] == eventRecord {
		g.events = append(g.events, record)
		return
	}
	_, ends := durationOf(record)
	g.spans = append(g.spans, member{record: record, duration: duration, lasting: !ends})
}

func (g *group) clear() {
	clear(g.spans)
	clear(g.events)
	clear(g.later)
	g.spans, g.events, g.later, g.size = g.spans[:0], g.events[:0], g.later[:0], 0
}

// sort puts each span after those that it may be inside: the longer ones, and of equally long ones
// its parents. Of one that was recorded twice, first without its end, the one with an end comes first.
func (g *group) sort() {
	if len(g.spans) < 2 {
		return
	}
	type key struct {
		trace    TraceID
		id       SpanID
		duration int64
	}
	index := make(map[key]int, len(g.spans))
	for i := range g.spans {
		s := &g.spans[i]
		k := key{traceOf(s.record), idOf(s.record), s.duration}
		if j, ok := index[k]; ok && g.spans[j].lasting && !s.lasting {
			*s, g.spans[j] = g.spans[j], *s
		}
		index[k] = i
	}
	for i := range g.spans {
		s := &g.spans[i]
		// The parents of hostile spans may be a circle, or a very long chain.
		for at := i; s.depth < 100; s.depth++ {
			o := &g.spans[at]
			parent, ok := index[key{traceOf(o.record), parentOf(o.record), o.duration}]
			if !ok || parent == i {
				break
			}
			at = parent
		}
	}
	slices.SortStableFunc(g.spans, func(a, b member) int {
		return cmp.Or(cmp.Compare(b.duration, a.duration), cmp.Compare(a.depth, b.depth))
	})
}
