package lazy

import "sort"

// segment is a part of a walk: the trace points of a thread that stand at from
// or behind it, and before to, in logical offsets.
type segment struct {
	thread   int32
	from, to int64 // to -1: the end
	size     int64 // in bytes, as far as is known
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
