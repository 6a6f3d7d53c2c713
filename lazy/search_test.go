package lazy

import (
	"bytes"
	"context"
	"maps"
	"regexp"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"tracex/format"
	"tracex/format/formattest"
)

// finds returns a function for Search.Find that finds a regular expression.
func finds(expr string) func([]byte) (int, int) {
	re := regexp.MustCompile(expr)
	return func(text []byte) (int, int) {
		if at := re.FindIndex(text); at != nil {
			return at[0], at[1]
		}
		return -1, -1
	}
}

// found searches and returns the hits in the order in which they are reported.
func found(t *testing.T, r *LazyTraceReader, s Search) []Hit {
	t.Helper()
	var hits []Hit
	var last Found
	err := r.Search(t.Context(), s, func(f Found) {
		if f.Done < last.Done || f.Done > f.Total {
			t.Errorf("progress from %d to %d of %d", last.Done, f.Done, f.Total)
		}
		hits, last = append(hits, f.Hits...), f
	})
	if err != nil {
		t.Fatal(err)
	}
	if last.Done != last.Total {
		t.Errorf("progress ends at %d of %d", last.Done, last.Total)
	}
	return hits
}

// plainHits returns the hits of a search from the beginning, computed the simple way:
// from the nodes of a tree, one by one.
func plainHits(t *testing.T, r *LazyTraceReader, s Search) (all []Position, hits []Hit) {
	t.Helper()
	tree := r.Tree(s.Folded)
	var walk func(n *Node)
	walk = func(n *Node) {
		h := Hit{Position: n.Position(), Event: -1}
		if n.IsThread() {
			h.At = -1
		} else {
			h.Event = n.Point().Event
		}
		all = append(all, h.Position)
		if named := tree.Named(n, s.Verbose); named.Match(s.Find, s.Limits) {
			hits = append(hits, h)
		}
		kids, err := tree.Children(t.Context(), n)
		if err != nil {
			t.Fatal(err)
		}
		for _, k := range kids {
			walk(k)
		}
	}
	for _, n := range tree.Threads() {
		walk(n)
	}
	return all, hits
}

// TestSearch compares searches from all positions with the contents of the tree: a
// search from a position finds the same as one from the beginning, in rotated order.
func TestSearch(t *testing.T) {
	eachFindable(t, func(t *testing.T, r *LazyTraceReader) {
		positions := 40
		if data, _ := r.Size(); data > 100<<10 {
			positions = 4
		}
		if formattest.Race || !formattest.Exhaustive() {
			positions = 1 + positions/8
		}
		for i, s := range []Search{
			{Verbose: true, Find: finds(`[37]`)}, {Folded: true, Find: finds(`[37]`)},
			{Folded: true, Verbose: true, Find: finds(`(?i)\w\.[a-m]`)}, {Find: finds(`^Thread|a\(`)},
		} {
			all, want := plainHits(t, r, s)
			for i := 0; i < len(all); i += 1 + len(all)/positions {
				s.From = all[i]
				if s.From.At == -1 && i%2 == 0 {
					s.From.At = 0
				}
				at, _ := slices.BinarySearchFunc(want, all[i], func(h Hit, p Position) int { return comparePositions(h.Position, p) })
				turned := append(slices.Clone(want[at:]), want[:at]...)
				if got := found(t, r, s); !slices.Equal(got, turned) {
					t.Fatalf("from %+v: %d hits, want %d", s.From, len(got), len(want))
				}
			}
			if i == 0 && len(want) == 0 {
				t.Error("nothing is found: the test shows nothing")
			}
		}
	})
}

func comparePositions(a, b Position) int {
	if a.Thread != b.Thread {
		return int(a.Thread) - int(b.Thread)
	}
	return int(a.At - b.At)
}

// TestSearchByName: a call is found by its name in paths, whatever it was called on,
// and only once if the text has the name too.
func TestSearchByName(t *testing.T) {
	data, index := formattest.Recorded(t, "gson.dump.bin"), formattest.Recorded(t, "gson.dump.bin.idx")
	r, err := openBytes(data, index)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	r.r.Opts.Memory = DefaultMemory
	r.Wait(t.Context())
	tree := r.Tree(true)
	calls := make(map[string][]Hit) // by name
	for _, s := range listing(t, tree) {
		n, err := tree.Reveal(t.Context(), s.Position)
		if err != nil {
			t.Fatal(err)
		}
		if n.Point().Class == format.ClassCall {
			name := tree.Named(n, false).Call
			calls[name] = append(calls[name], Hit{Position: s.Position, Event: s.event})
		}
	}
	names, most := slices.Sorted(maps.Keys(calls)), 40
	if formattest.Race {
		most = 8
	}
	for i := 0; i < len(names); i += 1 + len(names)/most {
		name, want := names[i], calls[names[i]]
		for _, what := range []string{name + "()", name + "("} {
			got := found(t, r, Search{Folded: true, Find: func(text []byte) (int, int) { at := bytes.Index(text, []byte(what)); return at, at + len(what) }})
			for _, h := range want {
				if i := slices.Index(got, h); i < 0 {
					t.Fatalf("%s is not found at %+v", what, h)
				} else if slices.Contains(got[i+1:], h) {
					t.Fatalf("%s is found twice at %+v", what, h)
				}
			}
		}
	}
	if len(calls["Gson.toJson"]) < 2 {
		t.Fatal("no calls of Gson.toJson: the test shows nothing")
	}
	// Only the row has the text after the name: both together are found too.
	want := calls["JsonWriter.setHtmlSafe"][:1]
	if got := found(t, r, Search{Folded: true, Find: finds(`JsonWriter\.setHtmlSafe\(htmlSafe`)}); !slices.Equal(got[:1], want) {
		t.Errorf("found %v, want %v", got, want)
	}
	// The empty parentheses of the name are not a call without arguments.
	for _, h := range found(t, r, Search{Folded: true, Find: finds(`toJson\(\)`)}) {
		n, err := tree.Reveal(t.Context(), h.Position)
		if text := tree.AppendText(nil, n, false); err != nil || !bytes.Contains(text, []byte("toJson()")) {
			t.Errorf("toJson() is found at %s", text)
		}
	}
}

// TestSearchEnds: an early end leaks nothing, wherever it happens.
func TestSearchEnds(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 20_000, Seed: 8})
	r := ready(t, path, Options{NoWrite: true})
	for _, after := range []int{1, 1000, 5000, 20_000} {
		ctx, cancel := context.WithCancel(context.Background())
		var n atomic.Int64
		err := r.Search(ctx, Search{Find: func([]byte) (int, int) {
			if n.Add(1) == int64(after) {
				cancel()
			}
			return -1, -1
		}}, func(Found) {})
		cancel()
		if err != context.Canceled {
			t.Errorf("cancelled after %d points: %v", after, err)
		}
		var out formattest.CountLines
		if err := r.Print(context.Background(), &out, PrintOptions{}, PrintRange{Count: int64(after)}); err != nil {
			t.Fatal(err)
		}
		if int(out) != after+1 {
			t.Errorf("%d lines printed, want the thread's and %d", out, after)
		}
	}
}

// TestSearchTellsSeldom: however many threads there are, reports are batched:
// the first hit, and the end if nothing else is due.
func TestSearchTellsSeldom(t *testing.T) {
	r := ready(t, formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: 3000, Seed: 2}), Options{NoWrite: true})
	news, hits := 0, 0
	err := r.Search(t.Context(), Search{Every: time.Hour, Find: finds(`^Thread`)}, func(f Found) {
		news++
		hits += len(f.Hits)
	})
	if err != nil {
		t.Fatal(err)
	}
	if news != 2 || hits != 3000 {
		t.Errorf("%d reports of %d hits, want 2 of 3000", news, hits)
	}
}
