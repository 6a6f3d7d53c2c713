package diff

import (
	"context"
	"errors"
	"sync"

	"tracex/lazy"
	"tracex/lazy/internal/walk"
)

// Parting is the first place where two traces, or two parts of them, part.
type Parting struct {
	Sides [2]Place // in A and in B
	Same  int64    // how many events are equal before it
	// Other tells that another event follows, or none on one side. Otherwise both have the same one with other values:
	// an argument, a result, what was read or written.
	Other bool
	// Guessed tells that the two threads are only likely to be partners: several have their name, or one has no partner by its name. What is in
	// them decides, which [Diff.Run] reads. Without it, the first difference of Run is this place, or one that only one side has and that it is in.
	Guessed bool
}

// Place is a side of a Parting: an event, or the end of one.
type Place struct {
	lazy.Position       // At is the logical offset of the event's header; -1 if Missing
	Event         int32 // its number; -1 if Missing
	End           bool  // it is the end of a call, a loop or an iteration: nothing more is in it
	// Missing tells that the thread, or the part of it that is compared, has ended. The thread is -1 if the side has none
	// that belongs to that of the other side.
	Missing bool
}

// First returns the first place where the two part, nil if they are equal: thread by thread, in the order of those of A.
// It reads both as far as that place. tell gets bytes of both; it may be nil.
//
// Threads are partners by their names, and, where several have one name, by their order: what is in them is not known yet.
func (d *Diff) First(ctx context.Context, tell lazy.Progress) (*Parting, error) {
	ranges, err := d.ranges(ctx)
	if err != nil {
		return nil, err
	}
	f := first{readers: [2]*walk.Reader{lazy.ReaderOf(d.readers[0]), lazy.ReaderOf(d.readers[1])}, identity: d.options.Identity, tell: tell}
	if ranges[0] != nil {
		f.pairs = [][2]walk.PassRange{{ranges[0][0], ranges[1][0]}}
		return f.find(ctx)
	}
	var m matcher
	for i, r := range f.readers {
		m.addAll(i, r, r.KnownNow().View, nil)
	}
	f.pair(namedPairs(&m))
	return f.find(ctx)
}

// namedPairs matches threads without knowing what is in them. It also tells of each pair whether that could show others: see [Parting].
func namedPairs(m *matcher) (pairs []threadPair, guessed []bool) {
	pairs = m.match()
	var alone [2]bool // has a side threads without a partner?
	for _, p := range pairs {
		alone[0], alone[1] = alone[0] || p.b < 0, alone[1] || p.a < 0
	}
	guessed = make([]bool, 0, len(pairs))
	for _, p := range pairs {
		guess := p.pool != 0 || alone[0] && alone[1]
		if p.a >= 0 && p.b >= 0 {
			guess = p.pool != 0 || p.other
		}
		guessed = append(guessed, guess)
	}
	return pairs, guessed
}

// pair sets the pairs of whole threads.
func (f *first) pair(pairs []threadPair, guessed []bool) {
	f.pairs, f.guessed = make([][2]walk.PassRange, 0, len(pairs)), guessed
	for _, p := range pairs {
		f.pairs = append(f.pairs, [2]walk.PassRange{{Thread: p.a, To: -1}, {Thread: p.b, To: -1}})
	}
}

// first finds the first place where two sides part.
type first struct {
	readers [2]*walk.Reader
	// pairs are what is compared, in order; a thread of -1 is none. A part of a thread that begins within it comes alone.
	pairs    [][2]walk.PassRange
	guessed  []bool // of pairs, see [Parting]; nil if none are
	identity bool
	share    int64 // see [walk.Pass]
	tell     lazy.Progress
}

// errRead: a trace is read again from its beginning, as its index turned out to be wrong.
var errRead = errors.New("the trace is read again")

func (f *first) find(ctx context.Context) (*Parting, error) {
	for {
		p, err := f.once(ctx)
		if !errors.Is(err, errRead) {
			return p, err
		}
	}
}

// once reads both sides at once, each by passes of its own, which wait for each other: of each only some
// parts are in memory.
func (f *first) once(ctx context.Context) (*Parting, error) {
	var group sync.WaitGroup
	defer group.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var sides [2]*markReader
	for side := range sides {
		m := &markReader{f: f, parts: make(chan *markPart, partsAhead), ranges: make([]walk.PassRange, 0, len(f.pairs))}
		for _, p := range f.pairs {
			if p[side].Thread >= 0 {
				m.ranges = append(m.ranges, p[side])
			}
		}
		if len(m.ranges) == 1 {
			m.from = m.ranges[0].From
		}
		sides[side] = m
		group.Go(func() { m.read(ctx, f.readers[side]) })
	}
	return f.compare(ctx, sides)
}

// partsAhead is how many parts that have been read may wait to be compared.
const partsAhead = 2

// compare compares the marks of both sides.
func (f *first) compare(ctx context.Context, sides [2]*markReader) (*Parting, error) {
	same := int64(0)
	for i, pair := range f.pairs {
		objects := newSameObjects(f.identity)
		for {
			var marks [2]*mark
			for side, m := range sides {
				fresh, err := m.fill(ctx, pair[side].Thread)
				if err != nil {
					return nil, err
				}
				if fresh && f.tell != nil {
					f.tell(sides[0].done.Load()+sides[1].done.Load(), sides[0].total.Load()+sides[1].total.Load())
				}
				marks[side] = m.now(pair[side].Thread)
			}
			a, b := marks[0], marks[1]
			if a == nil && b == nil {
				break
			}
			other := a == nil || b == nil || a.key != b.key
			if other || a.value != b.value || objects != nil && !objects.same(sides[0].objects(), sides[1].objects()) {
				found := &Parting{Sides: [2]Place{a.place(pair[0].Thread), b.place(pair[1].Thread)}, Same: same, Other: other}
				found.Guessed = f.guessed != nil && f.guessed[i]
				return found, nil
			}
			if !a.end {
				same++
			}
			sides[0].next()
			sides[1].next()
		}
	}
	return nil, nil
}
