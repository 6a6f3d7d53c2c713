package calltrace

import (
	"fmt"
	"math"

	"tracex/format"
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
	r := reader{record[1:]}
	switch record[0] {
	case recordBegin:
		r.label()
		place := r.number()
		fits, err := t.beginWith(ns, place-1, r.rest)
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
		return t.endWith(ns, r.rest)
	case recordCall:
		c := r.call()
		fits, err := t.beginWith(ns, c.location, c.header)
		if !fits || err != nil {
			return err
		}
		return t.endWith(ns, c.footer)
	}
	return t.addLeaf(r.rest)
}
