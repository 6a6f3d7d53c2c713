package query

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
)

// flight is an exception, for the plain calculation.
type flight struct {
	class           string
	event, thread   int32
	at              lazy.Position
	in, where       *node // calls
	passed          int64
	outcome         Outcome
	recorded, catch bool
	inMerged        bool // in and where are around those that did it, which are merged
	whereMerged     bool
	told            bool // it was in a call that is shown
}

// told returns how a call is told: by the innermost that is shown.
func (n *node) told() (shown *node, merged bool) {
	for ; n != nil && (n.class != format.ClassCall || n.fate == muted); n = n.parent {
		merged = true
	}
	return n, merged
}

// inFlight is what is in flight in a call, which has a call; nil if nothing is.
type inFlight struct {
	call *node
	f    *flight
}

// plainThrows finds the exceptions of calls by recursion over a tree in memory.
type plainThrows struct {
	list  []*flight
	open  []inFlight // from the outermost
	muted int64      // those in flight only in calls that are merged
}

func (p *plainThrows) land(f *flight, how Outcome, where *node, catch bool, at *node) {
	if f == nil {
		return
	}
	f.outcome, f.catch = how, catch
	f.where, f.whereMerged = where.told()
	if at.class == format.ClassCatch {
		f.whereMerged = at.fate == muted
	}
	if !f.told && f.whereMerged {
		p.muted++
	} else {
		p.list = append(p.list, f)
	}
}

// thrown returns an exception of a point in a call, or of a call.
func thrown(n, in *node) *flight {
	f := &flight{class: n.exception, event: n.event, at: n.at, thread: n.thread}
	f.in, f.inMerged = in.told()
	if n != in {
		f.inMerged = n.fate == muted
	}
	f.told = !f.inMerged
	return f
}

// longer returns the name that tells more.
func longer(a, b string) string {
	if len(b) > len(a) {
		return b
	}
	return a
}

// in follows the points in a call, or outside of calls if it is nil: f is what is in flight before
// and after.
func (p *plainThrows) in(call *node, list []*node, f *flight) *flight {
	for _, n := range list {
		switch n.class {
		case format.ClassCall:
			p.open = append(p.open, inFlight{call, f})
			out := p.call(n, call == nil)
			f, p.open = p.open[len(p.open)-1].f, p.open[:len(p.open)-1]
			if out != nil {
				p.land(f, Replaced, call, false, n)
				out.told = out.told || call.fate != muted
				f = out
			}
		case format.ClassThrow:
			now := thrown(n, call)
			now.recorded = true
			if call == nil {
				p.land(now, Left, nil, false, n)
				continue
			}
			p.land(f, Replaced, call, false, n)
			f = now
		case format.ClassCatch:
			if f == nil || !sameClass(f.class, n.exception) {
				if p.recovered(n, call, &f) {
					continue
				}
				now := thrown(n, nil)
				now.told, now.inMerged = n.fate != muted, false
				p.land(now, Caught, call, true, n)
				continue
			}
			f.class = longer(f.class, n.exception)
			p.land(f, Caught, call, true, n)
			f = nil
		default:
			f = p.in(call, n.kids, f)
		}
	}
	return f
}

// recovered ends a panic in flight in a call or in one around, and reports whether there is one: of those with the
// text of the catch, or else of all, the innermost.
func (p *plainThrows) recovered(n, call *node, f **flight) bool {
	all := append(slices.Clone(p.open), inFlight{call, *f})
	for _, text := range []string{n.exception, "panic: "} {
		for i, o := range slices.Backward(all) {
			if o.f == nil || !strings.HasPrefix(n.exception, "panic: ") || !strings.HasPrefix(o.f.class, text) {
				continue
			}
			if p.land(o.f, Caught, o.call, true, o.call); i < len(p.open) {
				p.open[i].f = nil
			} else {
				*f = nil
			}
			return true
		}
	}
	return false
}

// call returns what comes out of a call.
func (p *plainThrows) call(n *node, root bool) *flight {
	f := p.in(n, n.kids, nil)
	switch {
	case n.unended:
		p.land(f, Unknown, n, false, n)
		return nil
	case !n.threw:
		p.land(f, Caught, n, false, n)
		return nil
	case f == nil || !sameClass(f.class, n.exception):
		p.land(f, Replaced, n, false, n)
		f = thrown(n, n)
	}
	f.class = longer(f.class, n.exception)
	if n.fate != muted {
		f.passed++
	}
	if root {
		how := Left
		if f.class == "runtime.Goexit" {
			how = Exited
		}
		p.land(f, how, n, false, n)
		return nil
	}
	return f
}

// TestThrows: each exception is what a plain recursion over the tree finds, however the pass is cut.
func TestThrows(t *testing.T) {
	var some atomic.Int64
	t.Run("traces", func(t *testing.T) {
		traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
			for _, raw := range []bool{false, true} {
				var p plainThrows
				p.in(nil, forest(t, r, raw), nil)
				some.Add(int64(len(p.list)))
				slices.SortStableFunc(p.list, func(a, b *flight) int { return cmp.Compare(a.thread, b.thread) })
				for _, share := range sharesOf(r, 500) {
					sameThrows(t, fmt.Sprintf("raw %v, share %d", raw, share), threw(t, r, Scope{Raw: raw}, share), p.list)
				}
			}
		})
	})
	if some.Load() == 0 {
		t.Error("no exceptions")
	}
}

// TestThrowsSummarized: a summary does not change the exceptions found, though parts are skipped.
func TestThrowsSummarized(t *testing.T) {
	var skipped atomic.Int64
	t.Run("traces", func(t *testing.T) {
		traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
			size, _ := r.Size()
			if size > 1<<20 && !formattest.Exhaustive() {
				return
			}
			unit := max(300, size/60)
			if !summarized(t, r, unit) {
				return
			}
			for _, raw := range []bool{false, true} {
				var p plainThrows
				p.in(nil, forest(t, r, raw), nil)
				slices.SortStableFunc(p.list, func(a, b *flight) int { return cmp.Compare(a.thread, b.thread) })
				got := NewThrows(r, Scope{Raw: raw}, 1<<20)
				pass := got.scope.Over(got)
				skip := pass.Skip
				pass.Share, pass.Skip = unit, func(g lazy.PassRange) bool {
					yes := skip(g)
					if yes && g.From > 0 {
						skipped.Add(1)
					}
					return yes
				}
				if err := r.Pass(t.Context(), pass); err != nil {
					t.Fatal(err)
				}
				sameThrows(t, fmt.Sprintf("raw %v, summarized", raw), got, p.list)
			}
		})
	})
	if skipped.Load() == 0 {
		t.Error("no part was skipped")
	}
}

func threw(t *testing.T, r *lazy.LazyTraceReader, scope Scope, share int64) *Throws {
	t.Helper()
	got := NewThrows(r, scope, 1<<20)
	pass := scope.Pass()
	pass.Share, pass.Collect = share, []lazy.Collector{got}
	if err := r.Pass(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	return got
}

func sameThrows(t *testing.T, where string, got *Throws, want []*flight) {
	t.Helper()
	if len(got.list) != len(want) || got.all != int64(len(want)) {
		t.Errorf("%s: %d exceptions, want %d", where, len(got.list), len(want))
		return
	}
	var at []lazy.Position
	for _, w := range want {
		at = append(at, w.at)
	}
	slices.SortFunc(at, ComparePlaces)
	set := got.Places(true)
	if kept, beyond := set.Count(); kept != len(at) || beyond != 0 {
		t.Errorf("%s: %d exceptions are at %d places and %d more", where, len(at), kept, beyond)
	}
	for i := range at {
		if is, ok := set.Place(i); !ok || is != at[i] {
			t.Errorf("%s: place %d is %v, want %v", where, i, is, at[i])
			break
		}
	}
	of := func(n *node) int32 {
		if n == nil {
			return -1
		}
		return got.groups.of(n.ref)
	}
	var sum int64
	for _, row := range got.rows {
		sum += row.count
	}
	if sum != got.all {
		t.Errorf("%s: rows of %d exceptions, want %d", where, sum, got.all)
	}
	for i, w := range want {
		g := got.list[i]
		if g.Class != w.class || g.Event != w.event || g.At != w.at.At || g.Thread != w.thread || g.Passed != w.passed || g.Outcome != w.outcome ||
			g.Recorded != w.recorded || g.In != of(w.in) || g.Where != of(w.where) || (g.Catch >= 0) != w.catch {
			t.Errorf("%s: %d:\n got %+v\nwant %+v", where, i, g, *w)
			return
		}
	}
}

// TestThrowsOfGson tells the story of a syntax error in a real trace.
func TestThrowsOfGson(t *testing.T) {
	got := threw(t, opened(t, formattest.Unpack(t, "gson.stream.bin")), Scope{}, 0)
	type story struct {
		class, in, where string
		passed           int64
	}
	var stories []story
	list := got.groups.list()
	for _, e := range got.list {
		stories = append(stories, story{e.Class, list[e.In].Method, list[e.Where].Method, e.Passed})
	}
	want := []story{
		{"java.io.EOFException", "nextNonWhitespace", "fromJson", 4},
		{"com.google.gson.JsonSyntaxException", "fromJson", "fromJson", 0},
		{"com.google.gson.JsonSyntaxException", "fromJson", "gson", 4},
	}
	if !slices.Equal(stories, want) {
		t.Errorf(" got %v\nwant %v", stories, want)
	}
}

var (
	printedThrow = regexp.MustCompile(`^ *(?:[+\-!] )?(throw |catch\()([^@ )]*)`)
	printedLoop  = regexp.MustCompile(`^ *(?:[+\-!] )?(loop|<iteration)(?:\(\d+ iterations\)| \d+>)`)
	printedEnd   = regexp.MustCompile(`: threw ([^ ]*)(?: at .*)?$`)
)

// printedForest reads the tree of a printed trace by its indentation. A call's ref is its index in names.
func printedForest(text []byte) (roots []*node, names []string) {
	var open []*node
	thread := int32(0)
	for line := range joined(text) {
		var number int32
		if _, err := fmt.Sscanf(line, "# Thread %d", &number); err == nil {
			thread, open = number-1, nil
			continue
		}
		n := &node{thread: thread, class: format.ClassVariableWrite} // or any other point
		c, call := parsePrinted(line)
		n.depth = c.depth
		m := printedThrow.FindStringSubmatch(line)
		switch around := printedLoop.FindStringSubmatch(line); {
		case around != nil && around[1] == "loop":
			n.class = format.ClassLoop
		case around != nil:
			n.class = format.ClassIteration
		case m != nil && m[1] == "throw ":
			n.class, n.exception = format.ClassThrow, m[2]
		case m != nil:
			n.class, n.exception = format.ClassCatch, m[2]
		case call:
			n.class, n.ref, n.threw = format.ClassCall, int32(len(names)), c.threw
			n.unended = strings.Contains(c.after, format.UnfinishedMethod)
			names = append(names, c.name)
			if m := printedEnd.FindStringSubmatch(line); c.threw && m != nil {
				n.exception = m[1]
			}
		}
		for len(open) > 0 && open[len(open)-1].depth >= n.depth {
			open = open[:len(open)-1]
		}
		if len(open) > 0 {
			n.parent = open[len(open)-1]
			n.parent.kids = append(n.parent.kids, n)
		} else {
			roots = append(roots, n)
		}
		open = append(open, n)
	}
	return roots, names
}

// TestThrowsOfPrinted: in every real trace the exceptions, where they were thrown and caught, how many calls they
// ended and how that came out are those that the text tells that the reference printed.
func TestThrowsOfPrinted(t *testing.T) {
	checked, thrown := 0, 0
	for name, file := range printedTexts(t) {
		if checked++; formattest.Race && checked%3 != 0 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			roots, names := printedForest(formattest.RecordedData(t, file))
			var p plainThrows
			p.in(nil, roots, nil)
			slices.SortStableFunc(p.list, func(a, b *flight) int { return cmp.Compare(a.thread, b.thread) })
			told := func(n *node) string {
				if n == nil {
					return "no call"
				}
				return names[n.ref]
			}
			short := func(class string) string { return class[strings.LastIndexAny(class, ".$")+1:] }
			var want, got []string
			for _, f := range p.list {
				want = append(want, fmt.Sprintf("thread %d: %s in %s, %v %s, %d calls, recorded %v, catch %v",
					f.thread, short(f.class), told(f.in), f.outcome, told(f.where), f.passed, f.recorded, f.catch))
			}
			r := opened(t, formattest.Unpack(t, formattest.RecordedFor(t, name)))
			x := threw(t, r, Scope{Raw: true}, 0)
			r.WithContext(func(c *format.Context) {
				list := x.groups.list()
				shown := func(group int32) string {
					if group < 0 {
						return "no call"
					}
					m := c.MethodName(list[group].ID)
					if m == "<init>" {
						m, _ = c.CallName(list[group].ID, 0)
					}
					return m
				}
				for _, e := range x.list {
					got = append(got, fmt.Sprintf("thread %d: %s in %s, %v %s, %d calls, recorded %v, catch %v",
						e.Thread, short(e.Class), shown(e.In), e.Outcome, shown(e.Where), e.Passed, e.Recorded, e.Catch >= 0))
				}
			})
			thrown += len(got)
			if !slices.Equal(got, want) {
				t.Errorf("%d exceptions, the text has %d:\n got %s\nwant %s", len(got), len(want), strings.Join(got, "\n     "), strings.Join(want, "\n     "))
			}
		})
	}
	if checked < 10 || thrown < 10 && !formattest.Race {
		t.Errorf("only %d exceptions of %d traces", thrown, checked)
	}
}
