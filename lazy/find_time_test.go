package lazy

import (
	"errors"
	"math/rand/v2"
	"testing"

	"tracex/format/formattest"
)

// TestFindTime compares places at times with those found by looking at all nodes.
func TestFindTime(t *testing.T) {
	for _, shape := range []formattest.Shape{formattest.Random, formattest.Calls, formattest.Threads, formattest.Goroutines} {
		path := formattest.File(t, formattest.Spec{Shape: shape, N: 400, Seed: 5, Timed: true})
		r := ready(t, path, Options{NoWrite: true})
		tree := r.Tree(false)
		random := rand.New(rand.NewPCG(1, 8))
		for _, thread := range tree.Threads() {
			var all []*Node
			gather(t, tree, thread, &all)
			span, ok := thread.Time()
			if !ok || len(all) == 0 {
				continue
			}
			for range 30 {
				checkMoment(t, r, tree, thread, all, span.Start-5+random.Int64N(span.Duration+10))
			}
			for _, n := range all[:min(len(all), 30)] {
				at, _ := n.Time()
				checkMoment(t, r, tree, thread, all, at.Start)
				checkMoment(t, r, tree, thread, all, at.End())
			}
		}
	}
}

// gather collects the containers below a node whose times are known.
func gather(t *testing.T, tree *Tree, n *Node, all *[]*Node) {
	kids, err := tree.Children(t.Context(), n)
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range kids {
		if k.Leaf() {
			continue
		}
		if _, ok := k.Time(); ok {
			*all = append(*all, k)
		}
		gather(t, tree, k, all)
	}
}

func checkMoment(t *testing.T, r *LazyTraceReader, tree *Tree, thread *Node, all []*Node, at int64) {
	t.Helper()
	found, err := r.FindTime(thread.Thread(), at)
	if err != nil {
		t.Fatal(err)
	}
	got, err := tree.Reveal(t.Context(), found.Position)
	if err != nil {
		t.Fatal(err)
	}
	begin, ok := got.Time()
	if !ok {
		t.Fatalf("time %d is in %+v, which has no time", at, found)
	}
	open, later, last := 0, int64(-1), int64(0)
	for _, n := range all {
		time, _ := n.Time()
		switch {
		case time.Start <= at && at <= time.End():
			open++
			if n.Parent() == got && time.Start < at && at < time.End() {
				t.Errorf("time %d is not only in %+v, but in %+v below it", at, begin, time)
			}
		case time.Start > at && (later < 0 || time.Start < later):
			later = time.Start
		}
		last = max(last, time.End())
	}
	switch {
	case open > 0 && (found.Before || found.After || begin.Start > at || begin.End() < at):
		t.Errorf("time %d is in %+v, %+v", at, found, begin)
	case open == 0 && later >= 0 && (!found.Before || begin.Start != later):
		t.Errorf("time %d is in %+v, %+v; the next that begins does so at %d", at, found, begin, later)
	case open == 0 && later < 0 && (!found.After || begin.End() != last):
		t.Errorf("time %d is in %+v, %+v; the last that ends does so at %d", at, found, begin, last)
	}
}

func TestFindTimeWithoutTimes(t *testing.T) {
	r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 50, Seed: 5}), Options{NoWrite: true})
	if _, err := r.FindTime(0, 5); !errors.Is(err, ErrNoTimes) {
		t.Errorf("%v", err)
	}
}
