package calltrace

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"tracex/format"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
)

// Why the Writer itself leaves something out.
var (
	rounded      = fit.Why("call that ends by rounding just after the one around it; it ends with it", "calls that end by rounding just after the ones around them; they end with these")
	tooManyLanes = fit.Why("call that overlaps too many others", "calls that overlap too many others")
)

// lanes are the threads of a track.
type lanes struct {
	w    *Writer
	name string
	list []*lane
	ends []int64 // for each: the end of its innermost open call; free if it has none
	// slack is by how much a call that was added whole may end after the one around it, because times were
	// rounded.
	slack int64
}

// lane is a thread with the ends of its open calls.
type lane struct {
	t       *Thread
	open    []laneCall
	results []byte // footers of the open calls
}

type laneCall struct {
	start  int64  // ns
	end    int64  // ns; endless if unknown
	until  uint64 // the number of its end, see pairs; 0 if it has none
	footer int    // where its footer begins in lane.results
}

const (
	// maxLanes bounds the number of threads of a track.
	maxLanes = 1 << 10

	free    = math.MinInt64
	endless = math.MaxInt64
)

// first returns the first lane.
func (l *lanes) first() *lane {
	if len(l.list) == 0 {
		l.more()
	}
	return l.list[0]
}

func (l *lanes) more() *lane {
	name := l.name
	if n := len(l.list); n > 0 {
		name += fmt.Sprintf(" #%d", n+1)
	}
	a := &lane{t: l.w.Thread(name)}
	l.list, l.ends = append(l.list, a), append(l.ends, free)
	return a
}

// find returns the first lane in which a call is inside the calls that are open then, but for the slack, or
// which has none; -1 if there are too many. order is the number of a call that took no time.
func (l *lanes) find(start, end int64, order uint64, slack int64) (int, error) {
	for i := range l.ends {
		if l.ends[i] <= start && l.ends[i] != free {
			if err := l.settle(i, start, order); err != nil {
				return 0, err
			}
		}
		if l.ends[i] == free || l.ends[i] >= end || end-l.ends[i] <= slack {
			return i, nil
		}
	}
	if len(l.list) >= maxLanes {
		return -1, nil
	}
	l.more()
	return len(l.list) - 1, nil
}

// settle ends the calls of a lane that end before a time, or at that time by an end with a number up
// to order.
func (l *lanes) settle(i int, ns int64, order uint64) error {
	a := l.list[i]
	for n := len(a.open); n > 0; n = len(a.open) {
		top := &a.open[n-1]
		if top.end > ns || top.end == ns && top.until > order {
			break
		}
		if err := a.pop(top.end); err != nil {
			return err
		}
	}
	l.ends[i] = a.innermost()
	return nil
}

// leave ends the innermost call of a lane.
func (l *lanes) leave(i int) error {
	a := l.list[i]
	err := a.pop(a.innermost())
	l.ends[i] = a.innermost()
	return err
}

func (a *lane) innermost() int64 {
	if len(a.open) == 0 {
		return free
	}
	return a.open[len(a.open)-1].end
}

// pop ends the innermost call of a lane.
func (a *lane) pop(ns int64) error {
	top := a.open[len(a.open)-1]
	err := a.t.endWith(ns, a.results[top.footer:])
	a.results = a.results[:top.footer]
	a.open = a.open[:len(a.open)-1]
	return err
}

// end ends all lanes. What is still open lasts until its end, or that of the trace.
func (l *lanes) end() error {
	for _, a := range l.list {
		for len(a.open) > 0 {
			if err := a.pop(min(a.innermost(), l.w.last)); err != nil {
				return err
			}
		}
		if err := a.t.Close(l.w.last); err != nil {
			return err
		}
	}
	return l.w.err
}

// beginWith begins a call with the rest of its header, after the fields that all points begin with.
// It reports false for one that is too deep.
func (t *Thread) beginWith(ns int64, location int32, header []byte) (bool, error) {
	if err := t.begin(); err != nil {
		return false, err
	}
	if t.deep() {
		return false, nil
	}
	event, err := t.w.number()
	if err != nil {
		return false, err
	}
	b := t.block.Bytes()
	at := len(b)
	b = append(b, t.w.callHead[:]...)
	format.PutPointHead(b[at:], b[at+format.PointClassAt], location, t.block.Thread, event, b[at+format.StatusCountAt])
	return true, t.push(t.at(ns), event, append(b, header...))
}

// endWith ends the innermost call with a footer; nothing for one that returned void.
func (t *Thread) endWith(ns int64, footer []byte) error {
	if len(footer) == 0 {
		footer = t.w.void
	}
	return t.pop(t.at(ns), append(t.block.Bytes(), footer...))
}

// addLeaf adds a leaf without its thread and event.
func (t *Thread) addLeaf(leaf []byte) error {
	if err := t.begin(); err != nil {
		return err
	}
	event, err := t.w.number()
	if err != nil {
		return err
	}
	b := t.block.Bytes()
	at := len(b)
	b = append(b, leaf...)
	head := b[at:]
	// The byte after the head is not its own.
	format.PutPointHead(head, head[format.PointClassAt], format.LocationOf(head), t.block.Thread, event, head[format.PointHeadSize])
	t.block.Leaf(b)
	return t.wrote()
}

// nested writes a track whose calls have begins and ends, and are known to be one in the other.
type nested struct{ *lanes }

func (n *nested) add(ns int64, record []byte) error {
	t := n.first().t
	r := reader{spool.Numbers{Rest: record[1:]}}
	switch record[0] {
	case recordBegin:
		r.label()
		place := r.Int32()
		fits, err := t.beginWith(ns, place-1, r.Rest)
		if !fits {
			t.buried++
		}
		return err
	case recordEnd:
		r.label()
		switch {
		case t.buried > 0:
			t.buried--
			return nil
		case t.Depth() == 0:
			n.w.left.Count(noBegin, 1, -1)
			return nil
		}
		return t.endWith(ns, r.Rest)
	case recordCall:
		c := r.call()
		fits, err := t.beginWith(ns, c.location, c.header)
		if !fits || err != nil {
			return err
		}
		return t.endWith(ns, c.footer)
	}
	return t.addLeaf(r.Rest)
}

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
	switch r := (reader{spool.Numbers{Rest: record[1:]}}); record[0] {
	case recordSequence:
		g.order = r.Wide()
		if span := r.Wide(); span > 0 {
			g.until = g.order + span
		}
		g.from = g.to - len(r.Rest)
		g.isCall, g.duration = true, r.Wide()
	case recordCall:
		g.from++
		g.isCall, g.duration = true, r.Wide()
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
	r := reader{spool.Numbers{Rest: o.arena[g.from:g.to]}}
	if !g.isCall {
		return o.leaf(r.Rest)
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
