package lazy

import (
	"iter"
	"sort"

	"tracex/lazy/internal/index"
)

// segment is a part of a walk: the trace points of a thread at logical offsets from
// from to before to.
type segment struct {
	thread   int32
	from, to int64 // to -1 for the end
	size     int64 // in bytes, as far as is known
}

// part reports whether the segment is not a whole thread.
func (g *segment) part() bool { return g.from > 0 || g.to >= 0 }

// sharesOf cuts threads into shares of about bytes bytes for a spread: parts of long
// ones, and several short ones together.
func sharesOf(v *index.View, threads []int32, bytes int64) iter.Seq[[]segment] {
	return func(yield func([]segment) bool) {
		var few []segment
		var size int64
		flush := func() bool {
			list := few
			few, size = nil, 0
			return len(list) == 0 || yield(list)
		}
		for _, thread := range threads {
			s := v.Stream(thread)
			switch {
			case s == nil || s.Size <= bytes:
				few = append(few, segment{thread: thread, to: -1})
				if s != nil {
					size += s.Size
				}
				if (size >= bytes || len(few) == shareThreads) && !flush() {
					return
				}
			case !flush() || !cutThread(s, bytes, yield):
				return
			}
		}
		flush()
	}
}

// cutThread cuts a thread into shares. It reports whether yield accepted them all.
func cutThread(s *index.Stream, bytes int64, yield func([]segment) bool) bool {
	return segment{thread: s.Thread, to: -1, size: s.Size}.cut(bytes, yield)
}

// cut cuts a segment of known size into shares. It reports whether yield accepted them all.
func (g segment) cut(bytes int64, yield func([]segment) bool) bool {
	end := g.from + g.size
	for from := g.from; from < end; from += bytes {
		part := segment{thread: g.thread, from: from, to: from + bytes}
		if part.to >= end {
			part.to = g.to
		}
		if !yield([]segment{part}) {
			return false
		}
	}
	return true
}

// sharesWithin cuts segments of known size into shares of about bytes bytes, in order: parts of
// long ones, and several short ones together that are whole threads.
func sharesWithin(v *index.View, list []segment, bytes int64) iter.Seq[[]segment] {
	return func(yield func([]segment) bool) {
		var few []int32
		flush := func() bool {
			for share := range sharesOf(v, few, bytes) {
				if !yield(share) {
					return false
				}
			}
			few = few[:0]
			return true
		}
		for _, g := range list {
			if !g.part() {
				few = append(few, g.thread)
			} else if !flush() || !g.cut(bytes, yield) {
				return
			}
		}
		flush()
	}
}

// segmentsFrom returns the segments of a search, in order.
func segmentsFrom(v *index.View, from Position) []segment {
	at := max(from.At, 0)
	i := sort.Search(len(v.Streams), func(i int) bool { return v.Streams[i].Thread >= from.Thread })
	list := make([]segment, 0, len(v.Streams)+1)
	var rest *segment
	if i < len(v.Streams) && v.Streams[i].Thread == from.Thread && at > 0 {
		s := v.Streams[i]
		at = min(at, s.Size)
		list = append(list, segment{thread: s.Thread, from: at, to: -1, size: s.Size - at})
		rest = &segment{thread: s.Thread, to: at, size: at}
		i++
	}
	for _, part := range [][]*index.Stream{v.Streams[i:], v.Streams[:i]} {
		for _, s := range part {
			if rest == nil || s.Thread != rest.thread {
				list = append(list, segment{thread: s.Thread, to: -1, size: s.Size})
			}
		}
	}
	if rest != nil {
		list = append(list, *rest)
	}
	return list
}
