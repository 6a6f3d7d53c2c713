package walk

import (
	"iter"

	"tracex/lazy/internal/index"
)

// Segment is a part of a walk: the trace points of a thread at logical offsets from
// from to before to.
type Segment struct {
	Thread   int32
	From, To int64 // to -1 for the end
	size     int64 // in bytes, as far as is known
}

// part reports whether the segment is not a whole thread.
func (g *Segment) part() bool { return g.From > 0 || g.To >= 0 }

// sharesOf cuts n threads into shares of about bytes bytes: parts of long
// ones, and several short ones together.
func sharesOf(v *index.View, n int, threads func(i int) int32, bytes int64) iter.Seq[[]Segment] {
	return func(yield func([]Segment) bool) {
		var few []Segment
		var size int64
		flush := func() bool {
			list := few
			few, size = nil, 0
			return len(list) == 0 || yield(list)
		}
		for i := range n {
			whole := Segment{Thread: threads(i), To: -1}
			if i, found := v.Streams.Search(whole.Thread); found {
				whole.size = v.Streams.Size(i)
			}
			if whole.size > bytes {
				if !flush() || !whole.cut(bytes, yield) {
					return
				}
				continue
			}
			few, size = append(few, whole), size+whole.size
			if (size >= bytes || len(few) == shareThreads) && !flush() {
				return
			}
		}
		flush()
	}
}

// cut cuts a segment of known size into shares. It reports whether yield accepted them all.
func (g Segment) cut(bytes int64, yield func([]Segment) bool) bool {
	end := g.From + g.size
	for from := g.From; from < end; from += bytes {
		part := Segment{Thread: g.Thread, From: from, To: from + bytes}
		if part.To >= end {
			part.To = g.To
		}
		if !yield([]Segment{part}) {
			return false
		}
	}
	return true
}

// mostThreads is how many whole threads shares puts together at a time.
const mostThreads = 64 * shareThreads

// shares cuts the segments into shares of about bytes bytes, in order: parts of
// long ones, and several short ones together that are whole threads.
func (o *searchOrder) shares(v *index.View, bytes int64) iter.Seq[[]Segment] {
	return func(yield func([]Segment) bool) {
		var few []int32
		flush := func() bool {
			for share := range sharesOf(v, len(few), func(i int) int32 { return few[i] }, bytes) {
				if !yield(share) {
					return false
				}
			}
			few = few[:0]
			return true
		}
		for i := range o.Len() {
			g := o.Segment(i)
			if g.part() {
				if !flush() || !g.cut(bytes, yield) {
					return
				}
				continue
			}
			if few = append(few, g.Thread); len(few) == mostThreads && !flush() {
				return
			}
		}
		flush()
	}
}

// searchOrder is the segments of a search, in order: the rest of a thread, all other threads, and
// the beginning of that thread. It does not list them: there may be a million.
type searchOrder struct {
	streams *index.Streams
	first   int   // the number of the one to begin with
	at      int64 // where to begin in it
	total   int64 // bytes
}

// NewSearchOrder returns the segments of a search from a place on.
func NewSearchOrder(v *index.View, from Position) *searchOrder {
	o := &searchOrder{streams: &v.Streams}
	var found bool
	if o.first, found = v.Streams.Search(from.Thread); found {
		o.at = min(max(from.At, 0), v.Streams.At(o.first).Size)
	} else if o.first == v.Streams.Len() {
		o.first = 0
	}
	for i := range v.Streams.Len() {
		o.total += v.Streams.Size(i)
	}
	return o
}

func (o *searchOrder) Len() int {
	if o.at > 0 {
		return o.streams.Len() + 1
	}
	return o.streams.Len()
}

// Segment returns a segment by its number.
func (o *searchOrder) Segment(i int) Segment {
	n := o.streams.Len()
	thread, size := o.streams.Thread((o.first+i)%n), o.streams.Size((o.first+i)%n)
	switch {
	case o.at > 0 && i == 0:
		return Segment{Thread: thread, From: o.at, To: -1, size: size - o.at}
	case i == n:
		return Segment{Thread: thread, To: o.at, size: o.at}
	}
	return Segment{Thread: thread, To: -1, size: size}
}

const (
	// shareThreads is the maximum number of threads in a share.
	shareThreads = 1024
	// shareProducts is how many products of a share may wait to be taken.
	shareProducts = 16
)
