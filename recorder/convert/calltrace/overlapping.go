package calltrace

import (
	"cmp"
	"encoding/binary"
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
}

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
	for _, g := range o.group {
		if g.isCall {
			o.sort = append(o.sort, g)
		}
	}
	slices.SortFunc(o.sort, func(a, b item) int {
		return cmp.Or(cmp.Compare(b.duration, a.duration), cmp.Compare(a.order, b.order))
	})
	at := 0
	for i := range o.group {
		if o.group[i].isCall {
			o.group[i] = o.sort[at]
			at++
		}
	}
}

func (o *overlapping) write(g *item) error {
	r := reader{o.arena[g.from:g.to]}
	if !g.isCall {
		return o.leaf(r.rest)
	}
	c := r.call()
	end := int64(endless)
	if c.duration != unknownEnd {
		end = o.now + int64(c.duration)
	}
	i, err := o.find(o.now, end)
	if err != nil {
		return err
	}
	if i < 0 {
		o.w.left.count(tooManyLanes)
		return nil
	}
	if around := o.ends[i]; around != free && around < end && end != endless {
		end = around
		o.w.left.count(rounded)
	}
	a := o.list[i]
	fits, err := a.t.beginWith(o.now, c.location, c.header)
	switch {
	case err != nil || !fits:
		return err
	case end == o.now:
		return a.t.endWith(o.now, c.footer)
	}
	a.open = append(a.open, laneCall{end, len(a.results)})
	a.results = append(a.results, c.footer...)
	o.ends[i] = end
	return nil
}

// leaf adds a value to the first lane, inside the calls that have not ended before.
func (o *overlapping) leaf(leaf []byte) error {
	a := o.first()
	if o.ends[0] < o.now {
		if err := o.settle(0, o.now-1); err != nil {
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
