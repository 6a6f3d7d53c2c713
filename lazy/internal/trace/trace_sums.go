package trace

import (
	"math/bits"
	"sync"
	"sync/atomic"

	"tracex/lazy/internal/compact"
	"tracex/lazy/internal/index"
)

// Hidden are the containers that a folded tree of the explorer has no rows for, in its threads: what folds to
// nothing, what another one is shown in place of, and the only iteration of a loop, see [Inline]. Each
// is the ordinal of its cell. It is of one view, and does not change.
type Hidden struct {
	V       *index.View
	Threads map[int32]*HiddenIn // without those that hide nothing
}

// HiddenIn are those of a thread: a bit for each cell, and how many are before each word.
type HiddenIn struct {
	Bits   []uint64
	Before []int64
}

// Count returns how many are in [from, to).
func (h *Hidden) Count(thread int32, from, to int64) int64 {
	in := h.Threads[thread]
	if in == nil || from >= to {
		return 0
	}
	return in.upTo(to) - in.upTo(from)
}

// upTo returns how many are before an ordinal.
func (in *HiddenIn) upTo(ord int64) int64 {
	i := ord / 64
	if i >= int64(len(in.Bits)) {
		return in.Before[len(in.Bits)]
	}
	return in.Before[i] + int64(bits.OnesCount64(in.Bits[i]&(1<<(ord%64)-1)))
}

// Add adds those in [from, to).
func (in *HiddenIn) Add(from, to int64) {
	if n := (to + 63) / 64; n > int64(len(in.Bits)) {
		in.Bits = append(in.Bits, make([]uint64, max(n, int64(2*len(in.Bits)))-int64(len(in.Bits)))...)
	}
	for ; from < to; from++ {
		in.Bits[from/64] |= 1 << (from % 64)
	}
}

// Tallies are the counts of all threads of a view. They are packed: there may be a million.
type Tallies struct {
	streams             *index.Streams
	size, calls, events compact.Numbers // by stream
}

// TallyStreams returns counts of the streams of a view, which are zero.
func TallyStreams(v *index.View) *Tallies {
	t := &Tallies{streams: &v.Streams}
	for _, c := range []*compact.Numbers{&t.size, &t.calls, &t.events} {
		c.Grow(v.Streams.Len())
	}
	for i := range v.Streams.Len() {
		t.set(i, index.Tally{})
	}
	return t
}

func (t *Tallies) set(i int, n index.Tally) {
	t.size.Set(i, n.Size)
	t.calls.Set(i, n.Calls)
	t.events.Set(i, n.Events)
}

func (t *Tallies) at(i int) index.Tally {
	return index.Tally{Size: t.size.At(i), Counts: index.Counts{Calls: t.calls.At(i), Events: t.events.At(i)}}
}

// of returns the counts of a thread; ok is false if there are none. t may be nil.
func (t *Tallies) of(thread int32) (n index.Tally, ok bool) {
	if t == nil {
		return n, false
	}
	i, ok := t.streams.Search(thread)
	if ok {
		n = t.at(i)
	}
	return n, ok
}

// Add adds counts to those of a thread, if the view has it.
func (t *Tallies) Add(thread int32, n index.Tally) {
	if i, ok := t.streams.Search(thread); ok {
		was := t.at(i)
		t.set(i, index.Tally{Size: was.Size + n.Size, Counts: index.Counts{Calls: was.Calls + n.Calls, Events: was.Events + n.Events}})
	}
}

// Population counts the contents of a thread, or of all threads together.
type Population struct {
	Bytes      int64 // size of the streams
	Containers int64 // calls, loops and iterations whose end is known
	// Calls and Events are the numbers of calls, and of events of all kinds, in the
	// known part. An index does not have them: until a TallyPass has been made, Counted is
	// false, and Containers is an upper bound for Calls.
	Calls, Events int64
	Counted       bool
}

func (p *Population) add(o Population) {
	p.Bytes += o.Bytes
	p.Containers += o.Containers
	p.Calls += o.Calls
	p.Events += o.Events
	p.Counted = p.Counted && o.Counted
}

// totals are the results of Totals, and what they were computed from.
type totals struct {
	v       *index.View
	tallies *Tallies
	all     Population
}

// Length is the length of a recording that has no end.
type Length struct {
	V     *index.View // that it belongs to
	Epoch int64
	Size  int     // of the file of times
	End   int64   // latest end of anything recorded
	Known bool    // whether anything has a time
	Late  []int32 // threads, by id, whose last block has no time yet
	Looks int     // number of threads looked at, for this view
}

// sums are what was added up over all threads of a view, to be used again.
type sums struct {
	Length  atomic.Pointer[Length]     // of a recording without an end, as last asked for; nil if never
	totals  atomic.Pointer[totals]     // as last asked for; nil if never
	Tallies atomic.Pointer[Tallies]    // nil until counted
	Hidden  atomic.Pointer[Hidden]     // nil until found out
	Events  atomic.Pointer[EventTable] // of the view for which it was last needed; nil if never
	Firsts  sync.Map                   // from firstKey to the offset of a thread's first point
}
