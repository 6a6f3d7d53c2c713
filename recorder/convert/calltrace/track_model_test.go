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
	start, end int64 // endless if unknown
	order      int
	text       string
	how        string
	children   []any // intervals and leaves
	closed     bool
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
	begins, wholes := false, false
	for _, e := range events {
		last = max(last, e.ns+e.took)
		begins = begins || e.kind == 'B' || e.kind == 'E'
		wholes = wholes || e.took > 0
	}
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b event) int { return cmp.Compare(a.ns, b.ns) })
	var threads [][]any
	if begins && !wholes {
		var roots []any
		roots, noBegin = modelNested(events)
		threads = [][]any{roots}
	} else {
		threads, noBegin = modelOverlapping(events)
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

// modelNested is for events that are sorted.
func modelNested(events []event) (roots []any, noBegin int) {
	var open []*interval
	var methods []int
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
			open, methods = append(open, i), append(methods, e.method)
		case 'E':
			at := innermost(methods, e.method)
			if at < 0 {
				noBegin++
				continue
			}
			for _, i := range open[at:] {
				i.end = e.ns
			}
			open[at].how = e.outcome()
			open, methods = open[:at], methods[:at]
		}
	}
	return roots, noBegin
}

func innermost(methods []int, method int) int {
	for i := len(methods) - 1; i >= 0; i-- {
		if method < 0 || methods[i] == method {
			return i
		}
	}
	return -1
}

// modelOverlapping is for events that are sorted.
func modelOverlapping(events []event) (threads [][]any, noBegin int) {
	type placed struct {
		ns   int64
		leaf string
		*interval
	}
	var all []placed
	var open []*interval
	var methods []int
	for n, e := range events {
		switch e.kind {
		case 'S':
			all = append(all, placed{ns: e.ns, leaf: fmt.Sprintf("x = %d", e.value)})
		case 'X':
			all = append(all, placed{e.ns, "", &interval{start: e.ns, end: e.ns + e.took, order: n, text: e.call(), how: e.outcome()}})
		case 'B':
			i := &interval{start: e.ns, end: endless, order: n, text: e.call(), how: unfinished}
			open, methods = append(open, i), append(methods, e.method)
		case 'E':
			at := innermost(methods, e.method)
			if at < 0 {
				noBegin++
				continue
			}
			for _, i := range open[at:] {
				i.end = e.ns
			}
			open[at].how = e.outcome()
			for _, i := range slices.Backward(open[at:]) {
				all = append(all, placed{i.start, "", i})
			}
			open, methods = open[:at], methods[:at]
		}
	}
	for _, i := range slices.Backward(open) {
		all = append(all, placed{i.start, "", i})
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.ns, b.ns) })
	// Among those of one time the calls are in order of their length, at the places of calls.
	for from := 0; from < len(all); {
		to := from
		var calls []placed
		for ; to < len(all) && all[to].ns == all[from].ns; to++ {
			if all[to].interval != nil {
				calls = append(calls, all[to])
			}
		}
		slices.SortFunc(calls, func(a, b placed) int { return cmp.Or(cmp.Compare(b.end, a.end), cmp.Compare(a.order, b.order)) })
		for i := from; i < to; i++ {
			if all[i].interval != nil {
				all[i], calls = calls[0], calls[1:]
			}
		}
		from = to
	}
	var lanes [][]*interval // all that are in each
	lane := func() {
		lanes, threads = append(lanes, nil), append(threads, nil)
	}
	for _, p := range all {
		if p.interval == nil {
			if len(lanes) == 0 {
				lane()
			}
			// Inside the innermost that has not ended before, and that no later call has ended.
			put(&threads[0], lanes[0], func(i *interval) bool { return !i.closed && i.end >= p.ns && i.end > i.start }, leaf{p.leaf})
			continue
		}
		at := slices.IndexFunc(lanes, func(l []*interval) bool {
			return !slices.ContainsFunc(l, func(i *interval) bool { return i.end > p.start && i.end < p.end })
		})
		if at < 0 {
			at = len(lanes)
			lane()
		}
		for _, l := range lanes[:at+1] {
			for _, i := range l {
				i.closed = i.closed || i.end <= p.start
			}
		}
		put(&threads[at], lanes[at], func(i *interval) bool { return i.end > p.start }, p.interval)
		lanes[at] = append(lanes[at], p.interval)
	}
	return threads, noBegin
}

// put adds to the last call that is around, or to the roots.
func put(roots *[]any, lane []*interval, around func(*interval) bool, x any) {
	for _, i := range slices.Backward(lane) {
		if around(i) {
			i.children = append(i.children, x)
			return
		}
	}
	*roots = append(*roots, x)
}
