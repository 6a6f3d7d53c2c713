package lazy

import (
	"iter"
	"sort"
)

// segment is a part of a walk: the trace points of a thread that stand at from
// or behind it, and before to, in logical offsets.
type segment struct {
	thread   int32
	from, to int64 // to -1: the end
	size     int64 // in bytes, as far as is known
}

// part reports whether the segment is not a whole thread.
func (g *segment) part() bool { return g.from > 0 || g.to >= 0 }

// shares cuts threads into shares of so many bytes for a spread: parts of long
// ones, and several short ones together.
func (v *view) shares(threads []int32, bytes int64) iter.Seq[[]segment] {
	return func(yield func([]segment) bool) {
		var few []segment
		var size int64
		flush := func() bool {
			list := few
			few, size = nil, 0
			return len(list) == 0 || yield(list)
		}
		for _, thread := range threads {
			s := v.stream(thread)
			switch {
			case s == nil || s.size <= bytes:
				few = append(few, segment{thread: thread, to: -1})
				if s != nil {
					size += s.size
				}
				if (size >= bytes || len(few) == shareThreads) && !flush() {
					return
				}
			case !flush() || !s.shares(bytes, yield):
				return
			}
		}
		flush()
	}
}

// shares cuts a thread into shares. It reports whether yield wanted them all.
func (s *stream) shares(bytes int64, yield func([]segment) bool) bool {
	for from := int64(0); from < s.size; from += bytes {
		g := segment{thread: s.thread, from: from, to: from + bytes}
		if g.to >= s.size {
			g.to = -1
		}
		if !yield([]segment{g}) {
			return false
		}
	}
	return true
}

// segmentsFrom cuts the threads into what is searched one after the other.
func segmentsFrom(v *view, from Place) []segment {
	at := max(from.At, 0)
	i := sort.Search(len(v.streams), func(i int) bool { return v.streams[i].thread >= from.Thread })
	list := make([]segment, 0, len(v.streams)+1)
	var rest *segment
	if i < len(v.streams) && v.streams[i].thread == from.Thread && at > 0 {
		s := v.streams[i]
		at = min(at, s.size)
		list = append(list, segment{thread: s.thread, from: at, to: -1, size: s.size - at})
		rest = &segment{thread: s.thread, to: at, size: at}
		i++
	}
	for _, part := range [][]*stream{v.streams[i:], v.streams[:i]} {
		for _, s := range part {
			if rest == nil || s.thread != rest.thread {
				list = append(list, segment{thread: s.thread, to: -1, size: s.size})
			}
		}
	}
	if rest != nil {
		list = append(list, *rest)
	}
	return list
}
