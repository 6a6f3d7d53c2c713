package diff

import (
	"context"
	"sort"

	"tracex/format"
	"tracex/lazy/internal/walk"
)

// builder makes the script. It has a stack of its own, as calls may be nested a million deep.
type builder struct {
	ctx    context.Context
	d      *Diff
	sides  [2]*side
	lanes  [2]*lane // of the threads that are compared
	script script
	moves  [2]moves // what is removed, and added
	moving moving
	quiet  map[uint64]bool
	pools  []pooled
	counts Counts

	c         [2]*format.Context // within both
	on        int                // the side that is being read
	stack     []frame
	stretches []stretch    // of the frames, those of inner ones after those of outer ones
	items     [2][]item    // of the two lists that are being aligned
	left      int          // how many children are read before both ends
	keep      int          // see longKept
	later     func() error // what must not be called within both, or nil

	tell   func(done int64) // gets the bytes of both that have been compared
	passed [2]int64         // logical offsets in the threads
	before int64            // bytes of threads that have been compared
}

// pooled is where the steps of a pair of threads begin, and its [threadPair.pool].
type pooled struct {
	at   int64
	pool uint64
}

// elsewhere reports whether two steps are of different threads of one pool.
func (b *builder) elsewhere(x, y int64) bool {
	of := func(at int64) int {
		return sort.Search(len(b.pools), func(i int) bool { return b.pools[i].at > at }) - 1
	}
	i, j := of(x), of(y)
	return i != j && b.pools[i].pool != 0 && b.pools[i].pool == b.pools[j].pool
}

// atOnce is how many children are read each time the two traces are held.
const atOnce = 1 << 12

// thread compares two threads; the id of one that only the other side has is -1.
func (b *builder) thread(p threadPair) error {
	at := b.script.put(step{kind: stepThread, a: int64(p.a), b: int64(p.b)})
	b.pools = append(b.pools, pooled{at, p.pool})
	f := frame{step: at, alone: -1, chosen: b.sides[0].in.given && b.sides[1].in.given && b.sides[0].in.class == b.sides[1].in.class}
	var size int64
	for i, id := range [...]int32{p.a, p.b} {
		b.lanes[i], b.passed[i] = nil, 0
		if id < 0 {
			f.alone = int8(1 - i)
			continue
		}
		l, err := newLane(b.sides[i], id)
		if err != nil {
			return err
		}
		b.lanes[i] = l
		in := b.sides[i].contentOf(l)
		f.lists[i] = l.list(in)
		b.passed[i] = in.start
		size += in.end - in.start
	}
	end := b.before + size
	b.before -= b.passed[0] + b.passed[1]
	b.stack = append(b.stack[:0], f)
	for len(b.stack) > 0 {
		if err := b.ctx.Err(); err != nil {
			return err
		}
		if err := b.some(); err != nil {
			return err
		}
		b.told()
	}
	b.before = end
	return nil
}

// told tells how much has been compared.
func (b *builder) told() { b.tell(b.before + b.passed[0] + b.passed[1]) }

// some goes on for a while.
func (b *builder) some() error {
	err := b.both(func() error {
		for b.left = atOnce; b.left > 0 && b.later == nil && len(b.stack) > 0; {
			if err := b.next(&b.stack[len(b.stack)-1]); err != nil {
				return err
			}
		}
		return nil
	})
	if f := b.later; f != nil && err == nil {
		b.later = nil
		err = f()
	}
	b.d.count(func(c *Counts) { *c = b.counts })
	return err
}

// both runs f while neither trace changes. An error is of the side that f read last.
func (b *builder) both(f func() error) error {
	err := holdBoth([2]*walk.Reader{b.sides[0].r, b.sides[1].r}, func(c [2]*format.Context) error {
		b.c = c
		return f()
	})
	return b.sides[b.on].doubt(err)
}

// frame is a pair of containers, or of threads, that is being compared.
type frame struct {
	pair  planned // of containers
	own   bool    // these have other values themselves
	quiet bool    // which does not count
	marks uint8
	alone int8  // the side of a thread that only one has; -1
	equal int64 // [Counts.EqualCalls] when it began
	// chosen tells that the two in it are to be compared, also if they are of different methods.
	chosen bool
	state  frameState
	step   int64  // that began it
	group  uint64 // of what is in it
	lists  [2]list
	// at is the stretch that is being put, from the first one of the frame.
	from, at int
}

type frameState uint8

const (
	frameBegins  frameState = iota
	frameAligned            // its stretches are being put
)

// next does one thing for the innermost frame.
func (b *builder) next(f *frame) error {
	switch {
	case f.state == frameBegins:
		return b.begin(f)
	case f.at < len(b.stretches):
		return b.child(f)
	}
	b.stretches = b.stretches[:f.from]
	for i := range f.lists {
		if l := f.lists[i].l; l != nil {
			l.known = l.known[:f.lists[i].from]
		}
	}
	top := len(b.stack) - 1
	ended := b.stack[top]
	b.stack[top] = frame{}
	b.stack = b.stack[:top]
	if top == 0 {
		b.exit(ended.step, ended.marks)
		return nil
	}
	b.stack[top-1].marks |= b.paired(&ended)
	return nil
}

// begin reads and aligns the lists of a frame.
func (b *builder) begin(f *frame) error {
	f.state, f.from, f.at = frameAligned, len(b.stretches), len(b.stretches)
	for i := range f.lists {
		x := &f.lists[i]
		if x.l == nil {
			continue
		}
		b.on = i
		if _, err := x.short(b.c[i]); err != nil {
			return err
		}
		b.left -= x.n + 1
	}
	if f.lists[0].chunks != nil || f.lists[1].chunks != nil {
		b.later = func() error { return b.long(&b.stack[len(b.stack)-1]) }
		return nil
	}
	b.aligned(f, nil)
	return nil
}

// aligned sets the stretches of a frame: those that are given, or those of its short lists.
func (b *builder) aligned(f *frame, list []stretch) {
	switch {
	case f.alone >= 0:
		if n := f.lists[f.alone].n; n > 0 {
			list = []stretch{{how: removed + how(f.alone), n: n}}
		}
	case list == nil:
		for i := range f.lists {
			b.items[i] = f.lists[i].items(b.items[i][:0])
		}
		if list = align(b.items[0], b.items[1]); f.chosen && list[0].how != equal {
			list = []stretch{{how: paired, n: 1}}
		}
	}
	b.stretches = append(b.stretches, list...)
}

// items appends the children of a short list as items.
func (x *list) items(to []item) []item {
	for i := range x.n {
		to = append(to, x.l.known[x.from+i].item)
	}
	return to
}

// exit ends what a step began.
func (b *builder) exit(of int64, marks uint8) {
	b.script.put(step{kind: stepExit})
	b.script.change(of, func(s *step) { s.marks = marks })
}
