package calltrace

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
)

// overlapping writes a track of whole calls, which may overlap.
type overlapping struct {
	*lanes
	now   int64 // the time of the group
	group []item
	arena []byte // their records
	calls int    // how many of them are calls
	sort  []item // scratch
}

// item is a record whose time others have, too.
type item struct {
	from, to int // in the arena
	isCall   bool
	duration uint64
	order    uint64
	until    uint64 // the number of its end; 0 for a call that was added whole
	class    class
}

// class is where a call is among those of one time.
type class uint8

const (
	before class = iota // it ended before the others began, or has no known end and they are inside it
	long                // it took time: the longer ones come first
	inside              // it took no time, or has no known end
)

// maxGroup bounds how many events of one time are sorted together, in number and in bytes.
const (
	maxGroup      = 1 << 12
	maxGroupBytes = 1 << 20
)

func (o *overlapping) add(ns int64, record []byte) error {
	if len(o.group) > 0 && (ns != o.now || len(o.group) >= maxGroup || len(o.arena) >= maxGroupBytes) {
		if err := o.flush(); err != nil {
			return err
		}
	}
	o.now = ns
	g := item{from: len(o.arena), order: uint64(len(o.group))}
	o.arena = append(o.arena, record...)
	g.to = len(o.arena)
	switch r := (reader{record[1:]}); record[0] {
	case recordSequence:
		g.order = r.wide()
		if span := r.wide(); span > 0 {
			g.until = g.order + span
		}
		g.from = g.to - len(r.rest)
		g.isCall, g.duration = true, r.wide()
	case recordCall:
		g.from++
		g.isCall, g.duration = true, r.wide()
	default:
		g.from++
	}
	if g.isCall {
		o.calls++
	}
	o.group = append(o.group, g)
	return nil
}

// flush writes the group: of the calls the longer ones first.
func (o *overlapping) flush() error {
	if o.calls > 1 {
		o.arrange()
	}
	for i := range o.group {
		if err := o.write(&o.group[i]); err != nil {
			return err
		}
	}
	o.group, o.arena, o.calls = o.group[:0], o.arena[:0], 0
	return nil
}

// arrange sorts the calls of the group; the others stay where they are.
func (o *overlapping) arrange() {
	o.sort = o.sort[:0]
	first := uint64(math.MaxUint64) // of those that took time
	for _, g := range o.group {
		if g.isCall {
			o.sort = append(o.sort, g)
			if g.took() {
				first = min(first, g.order)
			}
		}
	}
	for i := range o.sort {
		switch g := &o.sort[i]; {
		case g.took():
			g.class = long
		case first < math.MaxUint64 && (g.until == 0 || g.order > first):
			g.class = inside
		}
	}
	slices.SortFunc(o.sort, func(a, b item) int {
		if a.class == long && b.class == long && a.duration != b.duration {
			return cmp.Compare(b.duration, a.duration)
		}
		return cmp.Or(cmp.Compare(a.class, b.class), cmp.Compare(a.order, b.order))
	})
	at := 0
	for i := range o.group {
		if o.group[i].isCall {
			o.group[i] = o.sort[at]
			at++
		}
	}
}

// took reports whether a call is known to have taken time.
func (g *item) took() bool { return g.duration > 0 && g.duration != unknownEnd }

func (o *overlapping) write(g *item) error {
	r := reader{o.arena[g.from:g.to]}
	if !g.isCall {
		return o.leaf(r.rest)
	}
	c := r.call()
	i, end, err := o.lane(g)
	if err != nil {
		return err
	}
	if i < 0 {
		o.w.left.Count(tooManyLanes, 1, -1)
		return nil
	}
	if around := o.ends[i]; around != free && around < end {
		if end != endless {
			o.w.left.Count(rounded, 1, -1)
		}
		end = around
	}
	a := o.list[i]
	fits, err := a.t.beginWith(o.now, c.location, c.header)
	switch {
	case err != nil || !fits:
		return err
	case end == o.now && g.until <= g.order+1: // there is nothing inside it
		return a.t.endWith(o.now, c.footer)
	}
	a.open = append(a.open, laneCall{o.now, end, g.until, len(a.results)})
	a.results = append(a.results, c.footer...)
	o.ends[i] = end
	return nil
}

// lane returns the lane of a call, and when it ends there. A call without a known end lasts as long as what
// is around it in the first lane.
func (o *overlapping) lane(g *item) (i int, end int64, err error) {
	order := uint64(math.MaxUint64)
	switch {
	case g.duration == unknownEnd:
		o.first()
		return 0, endless, o.settle(0, o.now, order)
	case g.duration == 0:
		order = g.order
	}
	end = o.now + int64(g.duration)
	slack := o.slack
	if g.until > 0 { // its times are those of its begin and its end
		slack = 0
	}
	i, err = o.find(o.now, end, order, slack)
	return i, end, err
}

// leaf adds a value to the first lane, inside the calls that have not ended before.
func (o *overlapping) leaf(leaf []byte) error {
	a := o.first()
	if o.ends[0] < o.now {
		if err := o.settle(0, o.now-1, math.MaxUint64); err != nil {
			return err
		}
	}
	for n := len(a.open); n > 0 && a.open[n-1].start == a.open[n-1].end; n = len(a.open) { // they took no time
		if err := o.leave(0); err != nil {
			return err
		}
	}
	return a.t.addLeaf(leaf)
}

func (o *overlapping) end() error {
	if err := o.flush(); err != nil {
		return err
	}
	return o.lanes.end()
}

// reader reads a record, which this package wrote.
type reader struct{ rest []byte }

func (r *reader) wide() uint64 {
	if b := r.rest[0]; b < 0x80 {
		r.rest = r.rest[1:]
		return uint64(b)
	}
	u, n := binary.Uvarint(r.rest)
	r.rest = r.rest[n:]
	return u
}

func (r *reader) number() int32 { return int32(uint32(r.wide())) }

// recordedCall is a record of a whole call.
type recordedCall struct {
	duration       uint64 // ns, or unknownEnd
	location       int32
	header, footer []byte
}

func (r *reader) call() (c recordedCall) {
	c.duration, c.location = r.wide(), r.number()-1
	size := r.wide()
	c.header, c.footer = r.rest[:size], r.rest[size:]
	return c
}
