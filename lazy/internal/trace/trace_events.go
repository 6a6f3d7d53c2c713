package trace

import (
	"cmp"
	"slices"
	"sort"

	"tracex/lazy/internal/index"
)

// EventSpan says that a stream may have events from first to last, both included.
type EventSpan struct {
	First, Last int32
	Stream      int32 // index in the view
}

// spanGroup is how many spans, or groups, form a group whose largest last is kept.
const spanGroup = 64

// EventSpans finds the spans that include an event. It takes time in proportion to
// the spans found and to the logarithm of their number, whether or not they overlap.
type EventSpans struct {
	Spans []EventSpan // by first
	// lasts[0] has the largest last of each whole group of spans, lasts[1] that of
	// each whole group of such groups, and so on.
	lasts [][]int32
}

// NewEventSpans returns a set of spans. It keeps the slice, and sorts it.
func NewEventSpans(spans []EventSpan) EventSpans {
	slices.SortFunc(spans, func(a, b EventSpan) int { return cmp.Compare(a.First, b.First) })
	s := EventSpans{Spans: spans}
	largest := func(n int, last func(i int) int32) []int32 {
		groups := make([]int32, n/spanGroup)
		for g := range groups {
			groups[g] = last(g * spanGroup)
			for i := g*spanGroup + 1; i < (g+1)*spanGroup; i++ {
				groups[g] = max(groups[g], last(i))
			}
		}
		return groups
	}
	level := largest(len(spans), func(i int) int32 { return spans[i].Last })
	for len(level) > 0 {
		below := level
		s.lasts = append(s.lasts, below)
		level = largest(len(below), func(i int) int32 { return below[i] })
	}
	return s
}

// streams returns the streams of the spans that include an event, each once, in order.
func (s *EventSpans) streams(event int32) (list []int32) {
	s.near(event, func(e *EventSpan) {
		if e.Last >= event {
			list = append(list, e.Stream)
		}
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// near calls f with all spans that include an event, and with some that do not but begin
// before it.
func (s *EventSpans) near(event int32, f func(*EventSpan)) {
	end := sort.Search(len(s.Spans), func(i int) bool { return s.Spans[i].First > event })
	for i := 0; i < end; {
		if n := s.without(i, event); n > 0 {
			i += n
			continue
		}
		f(&s.Spans[i])
		i++
	}
}

// without returns the size of the largest group that begins at span i and has no span
// that ends at or after an event; 0 if there is none.
func (s *EventSpans) without(i int, event int32) (n int) {
	size := spanGroup
	for _, lasts := range s.lasts {
		if g := i / size; i%size != 0 || g >= len(lasts) || lasts[g] >= event {
			break
		}
		n, size = size, size*spanGroup
	}
	return n
}

// EventTable knows which streams of a view may have an event. It takes about 12 bytes
// for each stream, at most 96.
type EventTable struct {
	V *index.View
	EventSpans
}

// Streams returns the streams that may have an event, in order.
func (t *EventTable) Streams(event int32) []*index.Stream {
	which := t.EventSpans.streams(event)
	list := make([]*index.Stream, len(which))
	for i, n := range which {
		list[i] = t.V.Streams.At(int(n))
	}
	return list
}
