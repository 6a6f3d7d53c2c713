package diff

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/literal"
	"tracex/lazy/query/display"
)

// siblingsOf returns by offset and thread where each point is: the list that it is in, and its place there.
func siblingsOf(threads map[int32][]*plain) map[[2]int64][]*plain {
	all := make(map[[2]int64][]*plain)
	var add func([]*plain)
	add = func(list []*plain) {
		for i, p := range list {
			all[[2]int64{int64(p.thread), p.at}] = list[i:]
			add(p.kids)
		}
	}
	for _, list := range threads {
		add(list)
	}
	return all
}

// In the compact form each event has its place and its time in both traces, the rows for equal siblings stand for all that is
// not there, and the calls of B add up.
func TestWriteRowsFindTheirPoints(t *testing.T) {
	rows := 0
	eachInput(t, func(t *testing.T, in input, a, b map[int32][]*plain) {
		r, pairs, err := openRows(t.Context(), in, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer pairs.Close()
		defer r.Close()
		if s := r.Status(); s.Problem != nil || s.Index != lazy.IndexRecorded {
			t.Fatalf("problem %v, index %v", s.Problem, s.IndexReason)
		}
		out, marks := byEvent(plains(t, r)), marksOf(t, r)
		if int64(len(out)) != pairs.Len() {
			t.Fatalf("%d points, %d pairs", len(out), pairs.Len())
		}
		var calls int64 // of B
		for i, threads := range [...]map[int32][]*plain{a, b} {
			var points, wantPoints, wantCalls int64
			at := siblingsOf(threads)
			for event, p := range out {
				list := standing(t, at, pairs, p, i, marks[event])
				if list == nil || marks[event] == [...]format.DiffStatus{format.DiffEditedNew, format.DiffEditedOld}[i] {
					continue
				}
				if p.equal > 0 {
					rows++
				} else if points++; i == 1 && p.class == format.ClassCall {
					calls++
				}
				for _, q := range list[:p.equal] {
					n, _ := q.count()
					points += n
				}
				if i == 1 {
					calls += p.calls
				}
			}
			for _, list := range threads {
				for _, p := range list {
					n, c := p.count()
					wantPoints, wantCalls = wantPoints+n, wantCalls+c
				}
			}
			if points != wantPoints || i == 1 && calls != wantCalls {
				t.Errorf("the diff stands for %d points and %d calls of side %d, which has %d and %d", points, calls, i, wantPoints, wantCalls)
			}
		}
	})
	if rows == 0 {
		t.Error("no row stands for equal siblings")
	}
}

// standing returns the siblings of a side of which a point of the diff is the first, after it has checked its text and its
// time; nil if it is not on that side.
func standing(t *testing.T, at map[[2]int64][]*plain, pairs *Pairs, p *plain, i int, mark format.DiffStatus) []*plain {
	t.Helper()
	pair, err := pairs.Of(p.event)
	if err != nil {
		t.Fatal(err)
	}
	if pair.Thread[i] < 0 {
		return nil
	}
	n := max(1, p.equal)
	list := at[[2]int64{int64(pair.Thread[i]), pair.At[i]}]
	if int64(len(list)) < n {
		t.Fatalf("event %d: %d siblings at %d of side %d, want %d", p.event, len(list), pair.At[i], i, n)
	}
	ofA := mark == format.DiffEditedOld || mark == format.DiffRemoved
	if p.equal == 0 && (i == 0) == ofA && list[0].text != p.text {
		t.Fatalf("event %d is %s, want %s", p.event, p.text, list[0].text)
	}
	if want := tookOf(list[:n]); pair.Took[i] != want {
		t.Fatalf("event %d, %s, took %d ns on side %d, want %d", p.event, p.text, pair.Took[i], i, want)
	}
	return list
}

// tookOf adds up what siblings took, as far as that is known.
func tookOf(list []*plain) int64 {
	took := int64(-1)
	for _, p := range list {
		if p.took >= 0 {
			took = max(took, 0) + p.took
		}
	}
	return took
}

// Siblings next to a change are there themselves, with a row for what is in them; all others are one row.
func TestWriteRowsAroundAChange(t *testing.T) {
	program := func(changed, extra int) *lazy.LazyTraceReader {
		b := newProgram(t)
		b.Call(-1, b.main, func() {
			for i := range 20 {
				switch {
				case i == changed:
					b.Call(-1, b.run, nil)
				default:
					b.Call(-1, b.work, func() { b.Call(-1, b.step, nil); b.Call(-1, b.step, nil) })
				}
			}
			for range extra {
				b.Call(-1, b.step, nil)
			}
		})
		return opened(t, b.File())
	}
	sides := [2]*lazy.LazyTraceReader{program(10, 0), program(11, 1)}
	r, pairs, err := openRows(t.Context(), input{sides: sides, steps: simpleScript(plains(t, sides[0]), plains(t, sides[1]))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pairs.Close()
	defer r.Close()
	var text strings.Builder
	if err := r.Print(t.Context(), &text, lazy.PrintOptions{}, lazy.PrintRange{}); err != nil {
		t.Fatal(err)
	}
	around := strings.Repeat("    work(): 7\n      ⋯ 2 equal calls\n", 3)
	want := "# Thread 1\n  A.main(): 7\n    ⋯ 21 equal calls\n" + around +
		"  + work(): 7\n    + step(): 7\n    + step(): 7\n    run(): 7\n" + around[:strings.LastIndex(around, "    work")] +
		"    ⋯ 9 equal calls\n" + around + "  - work(): 7\n    - step(): 7\n    - step(): 7\n  + step(): 7\n"
	if text.String() != want {
		t.Errorf("the diff is\n%s\nwant\n%s", text.String(), want)
	}
}

// A single point in a sibling next to a change is there itself: a row that stands for it would not be shorter.
func TestWriteRowsOneInside(t *testing.T) {
	program := func(last bool) *lazy.LazyTraceReader {
		b := newProgram(t)
		b.Call(-1, b.main, func() {
			b.Call(-1, b.work, func() { b.Call(-1, b.step, nil) })
			b.Loop(3, b.Variable("i"), 1, 1, 1)
			if last {
				b.Call(-1, b.run, nil)
			}
		})
		return opened(t, b.File())
	}
	sides := [2]*lazy.LazyTraceReader{program(false), program(true)}
	r, pairs, err := openRows(t.Context(), input{sides: sides, steps: simpleScript(plains(t, sides[0]), plains(t, sides[1]))}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pairs.Close()
	defer r.Close()
	var text strings.Builder
	if err := r.Print(t.Context(), &text, lazy.PrintOptions{}, lazy.PrintRange{}); err != nil {
		t.Fatal(err)
	}
	want := "# Thread 1\n  A.main(): 7\n    work(): 7\n      step(): 7\n    loop(3 iterations)\n      ⋯ 3 equal events\n  + run(): 7\n"
	if text.String() != want {
		t.Errorf("the diff is\n%s\nwant\n%s", text.String(), want)
	}
}

// askedContext counts how often it is asked whether it has ended.
type askedContext struct {
	context.Context
	asked int
}

func (c *askedContext) Err() error { c.asked++; return c.Context.Err() }

// What is in a sibling next to a change is added up in pieces: between them the traces may change, and the work ends if it must.
func TestWriteRowsManyInside(t *testing.T) {
	asked := func(many int, known bool) int {
		program := func(last bool) *lazy.LazyTraceReader {
			b := newProgram(t)
			b.Call(-1, b.main, func() {
				b.Call(-1, b.work, func() {
					for range many {
						b.Call(-1, b.step, nil)
					}
				})
				if last {
					b.Call(-1, b.run, nil)
				}
			})
			return opened(t, b.File())
		}
		in := ran(t, program(false), program(true), Options{}).input()
		if !known {
			in.calls = nil // they are counted
		}
		ctx := &askedContext{Context: t.Context()}
		r, pairs, err := openRows(ctx, in, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer pairs.Close()
		defer r.Close()
		var text strings.Builder
		if err := r.Print(t.Context(), &text, lazy.PrintOptions{}, lazy.PrintRange{}); err != nil {
			t.Fatal(err)
		}
		want := fmt.Sprintf("# Thread 1\n  A.main(): 7\n    work(): 7\n      ⋯ %s equal calls\n  + run(): 7\n", display.Grouped(int64(many)))
		if text.String() != want {
			t.Errorf("the diff is\n%s\nwant\n%s", text.String(), want)
		}
		return ctx.asked
	}
	const pieces = 3
	least := asked(2, true)
	if n := asked(pieces*holdFor, true); n < least+pieces {
		t.Errorf("it is asked %d times, of few points %d times", n, least)
	}
	if n := asked(pieces*holdFor, false); n < least+3*pieces { // a header and a footer are counted one by one
		t.Errorf("if calls are counted it is asked %d times, of few points %d times", n, least)
	}
}

// A search for the words of a row that stands for equal calls finds it.
func TestWriteRowsAreFound(t *testing.T) {
	program := func(last bool) *lazy.LazyTraceReader {
		b := newProgram(t)
		b.Call(-1, b.main, func() {
			for range 9 {
				b.Call(-1, b.step, nil)
			}
			if last {
				b.Call(-1, b.run, nil)
			}
		})
		return opened(t, b.File())
	}
	r, pairs, err := ran(t, program(false), program(true), Options{}).Open(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer pairs.Close()
	defer r.Close()
	for _, words := range []string{"6 equal calls", "equal", "calls", "⋯"} {
		for _, folded := range []bool{false, true} {
			text := literal.Exact(words)
			hits := 0
			err := r.Search(t.Context(), lazy.Search{Folded: folded, Needs: []literal.Text{text}, Limits: lazy.Limits{NoParen: true, NoDot: true},
				Find: func(b []byte) (int, int) { i := text.Index(b); return i, i + text.Len() }}, func(f lazy.Found) { hits += len(f.Hits) })
			if err != nil || hits != 1 {
				t.Errorf("%q, folded %v: %d found, %v", words, folded, hits, err)
			}
		}
	}
}
