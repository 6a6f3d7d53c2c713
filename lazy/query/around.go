package query

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sort"

	"tracex/lazy"
	"tracex/lazy/query/filter"
)

// AroundOptions say what an [Around] is about.
type AroundOptions struct {
	Raw     bool
	Where   *filter.Expr // which points are listed besides the one in the middle; nil for all
	N       int          // how many points before it, and how many after it
	Threads []int32      // which threads; nil for all
}

// Around is the points of all threads in one order, near one of them.
type Around struct {
	Timeline lazy.Timeline
	Moments  []Moment // in order; the end of a call follows it directly if nothing was between
	Middle   int      // index of the point asked for
	// Threads are those that take part, by their ids; Others how many more the trace has, and Unread how
	// many of them were not looked at, although they may take part.
	Threads        []int32
	Others, Unread int

	r     *lazy.LazyTraceReader
	o     AroundOptions
	texts map[lazy.Position]*aroundText // once read
}

const (
	// MostAround is the largest N.
	MostAround = 10_000
	// mostLanes is how many threads are read at most, openAtOnce how many in one pass.
	mostLanes  = 1024
	openAtOnce = 16
)

// sameTime is how close two times of different threads may be to tell nothing about what was first, in
// nanoseconds: reading a clock takes that long.
const sameTime = 100

// errFalls tells that the numbers of events do not rise in a thread.
var errFalls = errors.New("events of a thread are not in the order of their numbers")

// FindAround finds what is around the point at a position. The error is [ErrHidden] if folding hides it.
func FindAround(ctx context.Context, r *lazy.LazyTraceReader, at lazy.Position, o AroundOptions) (*Around, error) {
	timeline, err := lazy.TimelineOf(ctx, r)
	if err != nil {
		return nil, err
	}
	a, err := findAround(ctx, r, at, o, timeline)
	if errors.Is(err, errFalls) {
		a, err = findAround(ctx, r, at, o, lazy.TimelineNone)
	}
	if errors.Is(err, ErrHidden) {
		if shown, ok := shownAs(ctx, r, o.Raw, at); ok && shown.Position != at {
			return FindAround(ctx, r, shown.Position, o)
		}
	}
	return a, err
}

func findAround(ctx context.Context, r *lazy.LazyTraceReader, at lazy.Position, o AroundOptions, timeline lazy.Timeline) (*Around, error) {
	x := &gathering{
		laneReader: laneReader{r: r, raw: o.Raw, timeline: timeline, always: at},
		threads:    o.Threads, opened: make(map[int32]bool),
	}
	if o.Where != nil && !o.Where.Empty() {
		b, err := bound(r, o.Where)
		if err != nil {
			return nil, err
		}
		if x.where, err = prepare(ctx, r, b, func(c ...lazy.Collector) lazy.Pass { return lazy.Pass{Raw: o.Raw, Collect: c} }); err != nil {
			return nil, err
		}
	}
	if err := x.begin(ctx, at); err != nil {
		return nil, err
	}
	n := max(0, min(o.N, MostAround))
	before, err := x.gather(ctx, n, true)
	if err != nil {
		return nil, err
	}
	after, err := x.gather(ctx, n, false)
	if err != nil {
		return nil, err
	}
	slices.Reverse(before)
	a := &Around{Timeline: timeline, Middle: len(before), r: r, o: o}
	a.Moments = append(append(before, x.middle), after...)
	if err := x.complete(ctx, a.Moments); err != nil {
		return nil, err
	}
	a.count(x)
	return a, nil
}

// gathering collects moments before and after one, from the lanes of all threads.
type gathering struct {
	laneReader
	middle  Moment
	lanes   []*lane
	threads []int32 // nil for all
	opened  map[int32]bool
	spans   []lazy.ThreadSpan
	waiting []candidate // threads that have not been opened, in the direction of the search
	unread  int
}

// candidate is a thread that may have moments up to a key: the nearest that it can have to the middle.
type candidate struct {
	thread int32
	key    int64
}

// begin reads around the position in the middle.
func (x *gathering) begin(ctx context.Context, at lazy.Position) error {
	info, ok := x.r.ThreadInfo(at.Thread)
	if !ok || at.At < 0 || at.At >= info.Bytes {
		return &lazy.NoPositionError{Position: at, Thread: ok}
	}
	l := newLane(at.Thread, info.Bytes, at.At)
	if err := x.extend(ctx, []part{{l: l}}); err != nil {
		return err
	}
	x.lanes, x.opened[at.Thread] = []*lane{l}, true
	i := slices.IndexFunc(l.list, x.isMiddle)
	if i < 0 {
		return fmt.Errorf("%s is %w", lazy.PositionHandle(at), ErrHidden)
	}
	x.middle = l.list[i]
	if x.timeline == lazy.TimelineNone {
		return nil
	}
	var err error
	x.spans, err = x.timeline.Spans(ctx, x.r)
	return err
}

// compare orders moments: by their keys, those with the same by their threads. Moments of the same thread
// must be in their order.
func compare(a, b *Moment) int {
	return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.Thread, b.Thread))
}

// split returns the index of the first moment of a lane after the one in the middle, and of the last
// before it, -1 for none.
func (x *gathering) split(l *lane) (after, before int) {
	if l.known == len(l.list) {
		return l.middle[0], l.middle[1]
	}
	var i int
	if l.thread == x.middle.Thread {
		i = slices.IndexFunc(l.list, x.isMiddle)
		x.middle.key = l.list[i].key
		l.middle = [2]int{i + 1, i - 1}
	} else {
		i = sort.Search(len(l.list), func(i int) bool { return compare(&l.list[i], &x.middle) > 0 })
		l.middle = [2]int{i, i - 1}
	}
	l.known = len(l.list)
	return l.middle[0], l.middle[1]
}

func (x *gathering) isMiddle(m Moment) bool { return m.Position == x.always && !m.End }

// gather returns the moments next to the middle in one direction, the nearest first, until there are n
// points.
func (x *gathering) gather(ctx context.Context, n int, back bool) (out []Moment, err error) {
	x.candidates(back)
	taken := make(map[*lane]int) // moments of each lane
	for points := 0; points < n; {
		best, m, err := x.best(ctx, taken, back)
		if err != nil || best == nil {
			return out, err
		}
		taken[best]++
		out = append(out, *m)
		if !m.End {
			points++
		}
	}
	if len(out) > 0 {
		x.leftOut(&out[len(out)-1], back)
	}
	return out, nil
}

// best returns the lane with the next moment. It reads as much as it takes to be certain.
func (x *gathering) best(ctx context.Context, taken map[*lane]int, back bool) (best *lane, m *Moment, err error) {
	for {
		best, m = nil, nil
		for _, l := range x.lanes {
			if next := x.next(l, taken[l], back); next != nil && (m == nil || compare(next, m) < 0 != back) {
				best, m = l, next
			}
		}
		var parts []part
		for _, l := range x.lanes {
			if l.falls && x.timeline == lazy.TimelineEvents {
				return nil, nil, errFalls
			}
			if x.next(l, taken[l], back) == nil && !(back && l.begun() || !back && l.ended()) && x.lists(l) {
				may, err := x.mayHave(l, m, back)
				if err != nil {
					return nil, nil, err
				}
				if may {
					parts = append(parts, part{l, back})
				}
			}
		}
		more, err := x.open(ctx, m, back)
		if err != nil {
			return nil, nil, err
		}
		if len(parts) == 0 && !more {
			return best, m, nil
		}
		if err := x.extend(ctx, parts); err != nil {
			return nil, nil, err
		}
	}
}

// next returns the next moment of a lane after those taken; nil if none has been read.
func (x *gathering) next(l *lane, taken int, back bool) *Moment {
	after, before := x.split(l)
	i := after + taken
	if back {
		i = before - taken
	}
	if i < 0 || i >= len(l.list) || !x.lists(l) {
		return nil
	}
	return &l.list[i]
}

// lists reports whether the points of a lane are listed: that of the point in the middle is read always.
func (x *gathering) lists(l *lane) bool {
	return x.threads == nil || slices.Contains(x.threads, l.thread)
}

// mayHave reports whether what has not been read of a lane can have a moment that is nearer to the middle
// than m, which may be nil.
func (x *gathering) mayHave(l *lane, m *Moment, back bool) (bool, error) {
	if m == nil || l.thread == x.middle.Thread && x.timeline == lazy.TimelineNone {
		return true, nil
	}
	if !l.any {
		return true, nil
	}
	key := l.last
	if back {
		key = l.first
	}
	if x.timeline == lazy.TimelineTimes {
		at := l.to
		if back {
			at = l.at
		}
		var err error
		if key, _, err = lazy.TimesAround(x.r, lazy.Position{Thread: l.thread, At: at}); err != nil {
			return false, err
		}
	}
	if back {
		return key >= m.key, nil
	}
	return key <= m.key, nil
}

// candidates lists the threads that have not been opened, the nearest first.
func (x *gathering) candidates(back bool) {
	x.waiting = x.waiting[:0]
	for _, s := range x.spans {
		if x.opened[s.Thread] || x.threads != nil && !slices.Contains(x.threads, s.Thread) {
			continue
		}
		if back && s.First <= x.middle.key {
			x.waiting = append(x.waiting, candidate{s.Thread, min(s.Last, x.middle.key)})
		} else if !back && s.Last >= x.middle.key {
			x.waiting = append(x.waiting, candidate{s.Thread, max(s.First, x.middle.key)})
		}
	}
	slices.SortFunc(x.waiting, func(a, b candidate) int {
		if back {
			a, b = b, a
		}
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.thread, b.thread))
	})
}

// open opens threads that may have a moment nearer than m, which may be nil. It reports whether it did.
func (x *gathering) open(ctx context.Context, m *Moment, back bool) (bool, error) {
	var parts []part
	for len(x.waiting) > 0 && len(parts) < openAtOnce && len(x.lanes) < mostLanes {
		c := x.waiting[0]
		if m != nil && (back && c.key < m.key || !back && c.key > m.key) {
			break
		}
		x.waiting = x.waiting[1:]
		if x.opened[c.thread] {
			continue
		}
		info, _ := x.r.ThreadInfo(c.thread)
		at, err := x.timeline.Reach(ctx, x.r, c.thread, x.middle.key)
		if err != nil {
			return false, err
		}
		l := newLane(c.thread, info.Bytes, at)
		x.lanes, x.opened[c.thread] = append(x.lanes, l), true
		parts = append(parts, part{l: l})
	}
	if len(parts) == 0 {
		return false, nil
	}
	return true, x.extend(ctx, parts)
}

// leftOut counts the threads that were not opened, although they may have moments as near as the last.
func (x *gathering) leftOut(last *Moment, back bool) {
	n := make(map[int32]bool)
	for _, c := range x.waiting {
		if !x.opened[c.thread] && (back && c.key >= last.key || !back && c.key <= last.key) {
			n[c.thread] = true
		}
	}
	x.unread = max(x.unread, len(n))
}

// complete finds out when calls ended whose end was not known yet, as nothing after them was read.
func (x *gathering) complete(ctx context.Context, list []Moment) error {
	if x.timeline == lazy.TimelineTimes {
		return nil
	}
	for _, l := range x.lanes {
		for !l.ended() {
			n := len(l.list)
			if n == 0 || !l.list[n-1].open {
				break
			}
			last := l.list[n-1]
			if !slices.ContainsFunc(list, func(m Moment) bool { return m.open && m.Thread == l.thread && m.From == last.From }) {
				break
			}
			if err := x.extend(ctx, []part{{l: l}}); err != nil {
				return err
			}
		}
	}
	for i := range list {
		m := &list[i]
		if !m.open {
			continue
		}
		for _, l := range x.lanes {
			if l.thread != m.Thread {
				continue
			}
			if k := slices.IndexFunc(l.list, func(o Moment) bool { return o.End && o.At == m.At }); k >= 0 {
				m.To, m.open = l.list[k].To, false
			}
		}
	}
	return nil
}

// count finds out which threads take part.
func (a *Around) count(x *gathering) {
	for i := range a.Moments {
		if t := a.Moments[i].Thread; !slices.Contains(a.Threads, t) {
			a.Threads = append(a.Threads, t)
		}
	}
	slices.Sort(a.Threads)
	all, _ := x.r.Totals()
	if x.threads != nil {
		all = len(x.threads)
	}
	a.Others, a.Unread = max(0, all-len(a.Threads)), x.unread
}

// ErrNoOrder is the error that nothing tells what other threads did at a moment.
var ErrNoOrder = errors.New("what other threads did then is not known: this trace has no times, and its events are numbered in batches for each thread")

// FindMoment finds what a thread did at the moment of a point of another one: its last row before, or if
// there is none the first after; after tells that.
func FindMoment(ctx context.Context, r *lazy.LazyTraceReader, raw bool, at lazy.Position, thread int32) (m Moment, after bool, err error) {
	a, err := FindAround(ctx, r, at, AroundOptions{Raw: raw, N: 1, Threads: []int32{thread}})
	switch {
	case err != nil:
		return m, false, err
	case a.Timeline == lazy.TimelineNone:
		return m, false, ErrNoOrder
	case a.Middle > 0:
		return a.Moments[a.Middle-1], false, nil
	case a.Middle+1 < len(a.Moments):
		return a.Moments[a.Middle+1], true, nil
	}
	return m, false, fmt.Errorf("thread %d has no events", int64(thread)+1)
}

// aroundText is the text of a moment's point.
type aroundText struct {
	at                lazy.Position
	begin, whole, end Styled // without result, with it, and the result alone
	name              string // of a call
	spots             []Spot // the locations of the point
	time              lazy.Time
	timed             bool
}
