package calltrace_test

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// The model of a track: plain, and slow.

// event is an event of a track.
type event struct {
	kind     byte // B, E, X, S
	ns, took int64
	method   int   // of E: -1 for any
	value    int64 // of S; the argument of a call; the result of E and X: 0 for none
}

// interval is a call.
type interval struct {
	start, end     int64 // endless if unknown
	number, ending int   // of the begin and the end among the events in order of time; ending is 0 if it came whole
	text           string
	how            string
	children       []any // intervals and leaves
	method         int
	early          *[]*event // ends before begins at the same time
}

const endless = math.MaxInt64

type leaf struct{ text string }

func (e event) call() string { return fmt.Sprintf("C.m%d(%d)", e.method, e.value) }

func (e event) outcome() string {
	if e.value == 0 {
		return ""
	}
	return fmt.Sprintf(": %d", e.value)
}

const unfinished = ": <unfinished method>"

// model returns the text of a track's threads, and how many ends had no begin.
func model(name string, events []event) (text string, noBegin int) {
	last := int64(math.MinInt64)
	for _, e := range events {
		last = max(last, e.ns+e.took)
	}
	sorted := slices.Clone(events)
	slices.SortStableFunc(sorted, func(a, b event) int { return cmp.Compare(a.ns, b.ns) })
	var threads [][]any
	if inOrder(events) {
		var roots []any
		roots, noBegin = modelNested(sorted)
		threads = [][]any{roots}
	} else {
		var all []placed
		all, noBegin = modelPairs(sorted)
		threads = modelLanes(all, modelUnit(events))
	}
	var b strings.Builder
	for i, roots := range threads {
		fmt.Fprintf(&b, "thread %s", name)
		if i > 0 {
			fmt.Fprintf(&b, " #%d", i+1)
		}
		b.WriteString("\n")
		describe(&b, roots, "  ", last)
	}
	return b.String(), noBegin
}

// inOrder reports whether events came in order of time, and each end was that of the last begin. Whole calls
// may be anywhere.
func inOrder(events []event) bool {
	var open []event
	last, surplus, begins := int64(math.MinInt64), int64(math.MinInt64), false
	for _, e := range events {
		if e.kind == 'X' && e.took > 0 {
			return false
		}
		if e.kind != 'B' && e.kind != 'E' {
			continue
		}
		if e.ns < last || e.kind == 'B' && e.ns == surplus {
			return false
		}
		last, begins = e.ns, true
		switch top := len(open) - 1; {
		case e.kind == 'B':
			open = append(open, e)
		case top < 0:
			surplus = e.ns
		case e.method >= 0 && open[top].method != e.method:
			return false
		default:
			open = open[:top]
		}
	}
	return begins
}

func describe(b *strings.Builder, list []any, indent string, last int64) {
	for _, x := range list {
		switch x := x.(type) {
		case leaf:
			fmt.Fprintf(b, "%s%s\n", indent, x.text)
		case *interval:
			fmt.Fprintf(b, "%s%s%s @%d+%d\n", indent, x.text, x.how, x.start, min(x.end, last)-x.start)
			describe(b, x.children, indent+"  ", last)
		}
	}
}

// modelNested is for events that are sorted, and in order.
func modelNested(events []event) (roots []any, noBegin int) {
	var open []*interval
	add := func(x any) {
		if len(open) == 0 {
			roots = append(roots, x)
			return
		}
		in := open[len(open)-1]
		in.children = append(in.children, x)
	}
	for _, e := range events {
		switch e.kind {
		case 'S':
			add(leaf{fmt.Sprintf("x = %d", e.value)})
		case 'X':
			add(&interval{start: e.ns, end: e.ns, text: e.call(), how: e.outcome()})
		case 'B':
			i := &interval{start: e.ns, end: endless, text: e.call(), how: unfinished}
			add(i)
			open = append(open, i)
		case 'E':
			top := len(open) - 1
			if top < 0 {
				noBegin++
				continue
			}
			open[top].end, open[top].how = e.ns, e.outcome()
			open = open[:top]
		}
	}
	return roots, noBegin
}

// placed is a call or a leaf at a time.
type placed struct {
	ns   int64
	leaf string
	*interval
}

// modelPairs is for events that are sorted. An end ends the innermost call of its method; one without a
// begin ends a call that begins at the same time and has no other end.
func modelPairs(events []event) (all []placed, noBegin int) {
	var open []*interval
	early := new([]*event)
	for n := range events {
		e := &events[n]
		if n > 0 && events[n-1].ns != e.ns {
			early = new([]*event)
		}
		switch e.kind {
		case 'S':
			all = append(all, placed{ns: e.ns, leaf: fmt.Sprintf("x = %d", e.value)})
		case 'X':
			all = append(all, placed{e.ns, "", &interval{start: e.ns, end: e.ns + e.took, number: n, text: e.call(), how: e.outcome()}})
		case 'B':
			i := &interval{start: e.ns, end: endless, number: n, ending: n + 1, text: e.call(), how: unfinished, method: e.method}
			i.early = early
			open = append(open, i)
		case 'E':
			at := len(open) - 1
			for at >= 0 && e.method >= 0 && open[at].method != e.method {
				at--
			}
			switch {
			case at >= 0:
				i := open[at]
				i.end, i.ending, i.how = e.ns, n, e.outcome()
				all, open = append(all, placed{i.start, "", i}), slices.Delete(open, at, at+1)
			case e.method < 0:
				noBegin++
			default:
				noBegin++
				*early = append(*early, e)
			}
		}
	}
	for _, i := range open {
		if at := slices.IndexFunc(*i.early, func(end *event) bool { return end.method == i.method }); at >= 0 {
			i.end, i.how = i.start, (*i.early)[at].outcome()
			*i.early = slices.Delete(*i.early, at, at+1)
			noBegin--
		}
		all = append(all, placed{i.start, "", i})
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.ns, b.ns) })
	for from := 0; from < len(all); {
		to := from
		for to < len(all) && all[to].ns == all[from].ns {
			to++
		}
		arrange(all[from:to])
		from = to
	}
	return all, noBegin
}

// arrange puts the calls of one time in order, at the places of calls.
func arrange(group []placed) {
	var before, long, after []*interval
	first := math.MaxInt // of those that took time
	for _, p := range group {
		if p.interval != nil && p.end != p.start && p.end != endless {
			first = min(first, p.number)
		}
	}
	for _, p := range group {
		switch i := p.interval; {
		case i == nil:
		case i.end != i.start && i.end != endless:
			long = append(long, i)
		case first == math.MaxInt || i.ending > 0 && i.number < first:
			before = append(before, i)
		default:
			after = append(after, i)
		}
	}
	byNumber := func(a, b *interval) int { return cmp.Compare(a.number, b.number) }
	slices.SortFunc(before, byNumber)
	slices.SortFunc(after, byNumber)
	slices.SortFunc(long, func(a, b *interval) int { return cmp.Or(cmp.Compare(b.end, a.end), byNumber(a, b)) })
	calls := slices.Concat(before, long, after)
	for n := range group {
		if group[n].interval != nil {
			group[n].interval, calls = calls[0], calls[1:]
		}
	}
}

// modelUnit returns what all times of whole calls are multiples of.
func modelUnit(events []event) int64 {
	unit := int64(1000)
	for _, e := range events {
		for e.kind == 'X' && (e.ns%unit != 0 || e.took%unit != 0) {
			unit /= 10
		}
	}
	return unit
}

// modelLanes puts each call in the first thread where it is inside what is open, but for a unit.
func modelLanes(all []placed, unit int64) (threads [][]any) {
	var lanes [][]*interval // what is open in each
	first := func() {
		if len(lanes) == 0 {
			lanes, threads = append(lanes, nil), append(threads, nil)
		}
	}
	// settle ends what does not last beyond a time.
	settle := func(lane int, ended func(*interval) bool) *interval {
		open := lanes[lane]
		for len(open) > 0 && ended(open[len(open)-1]) {
			open = open[:len(open)-1]
		}
		if lanes[lane] = open; len(open) == 0 {
			return nil
		}
		return open[len(open)-1]
	}
	add := func(lane int, x any) {
		if open := lanes[lane]; len(open) > 0 {
			in := open[len(open)-1]
			in.children = append(in.children, x)
			return
		}
		threads[lane] = append(threads[lane], x)
	}
	for _, p := range all {
		if p.interval == nil {
			first()
			settle(0, func(i *interval) bool { return i.end < p.ns || i.end == i.start })
			add(0, leaf{p.leaf})
			continue
		}
		ended := func(i *interval) bool {
			return i.end < p.start || i.end == p.start && (p.end != p.start || i.ending <= p.number)
		}
		if p.end == endless {
			first()
			if in := settle(0, ended); in != nil {
				p.end = in.end
			}
			add(0, p.interval)
			lanes[0] = append(lanes[0], p.interval)
			continue
		}
		at := 0
		for ; ; at++ {
			if at == len(lanes) {
				lanes, threads = append(lanes, nil), append(threads, nil)
			}
			in := settle(at, ended)
			if in == nil || in.end >= p.end {
				break
			}
			if p.ending == 0 && p.end-in.end <= unit {
				p.end = in.end
				break
			}
		}
		add(at, p.interval)
		if p.end > p.start || p.ending > p.number+1 {
			lanes[at] = append(lanes[at], p.interval)
		}
	}
	return threads
}
