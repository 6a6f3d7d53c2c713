package lazy

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/walk"
)

// cuts make enough shares that small traces have seams of all kinds: some with
// no point in a share, some where the way to the first is too long.
var cuts = [...]walk.PassCut{{Bytes: 150, Approach: 512, Width: 3}, {Bytes: 1100, Approach: 3, Width: 2}, {Bytes: 5000, Approach: 512, Width: 1}, {Bytes: 40_000, Approach: 40, Width: 4}}

// mostShares is roughly the maximum number of shares that TestSpread cuts a trace into.
const mostShares = 150

// printings are the options that affect which points are visited and what is written.
var printings = [...]PrintOptions{{Verbose: true}, {Folded: true, Values: true}, {Folded: true, JSON: true}, {Escape: true},
	{MaxDepth: 1}, {Folded: true, MaxDepth: 2, JSON: true}, {MaxDepth: 5}}

// printedCut returns the output of print, with its error below it.
func printedCut(t *testing.T, r *LazyTraceReader, o PrintOptions, within PrintRange, c walk.PassCut) []byte {
	t.Helper()
	data, _ := r.Size()
	out := bytes.NewBuffer(make([]byte, 0, data)) // does not grow in many steps
	if err := r.r.PrintIn(context.Background(), out, o, within, c); err != nil {
		fmt.Fprintln(out, "error:", err)
	}
	return out.Bytes()
}

// TestSpread: however a trace is cut, the output equals that of one walk.
func TestSpread(t *testing.T) {
	check := func(t *testing.T, path string) {
		r := ready(t, path, Options{NoWrite: true})
		size, _ := r.Size()
		most := int64(mostShares)
		if !formattest.Exhaustive() {
			most /= 5
		}
		for i, o := range printings {
			within := []PrintRange{{}, {From: 200}}[i%2]
			var want []byte
			for j, c := range cuts {
				if size/c.Bytes > most || o.MaxDepth > 0 && (i+j)%2 == 0 {
					continue
				}
				if want == nil {
					want = printedCut(t, r, o, within, walk.Uncut)
				}
				if got := printedCut(t, r, o, within, c); !bytes.Equal(got, want) {
					t.Errorf("%+v, %+v, cut %+v:", o, within, c)
					formattest.SameText(t, got, want)
				}
			}
		}
	}
	corpus(t, check)
	n := 3000
	if formattest.Race {
		n = 500
	}
	for _, shape := range []formattest.Shape{formattest.Deep, formattest.Wide, formattest.WideLeaves, formattest.WideCalls, formattest.Threads, formattest.Calls} {
		for _, version := range []format.Version{format.V22, format.V27} {
			spec := formattest.Spec{Shape: shape, N: n, Seed: 5, Options: formattest.Options{Version: version, BlockSize: 3000}}
			t.Run(spec.Name(), func(t *testing.T) {
				t.Parallel()
				check(t, formattest.File(t, spec))
			})
		}
	}
}

// guidedPass returns a pass that prints.
func guidedPass(r *LazyTraceReader, w io.Writer, o PrintOptions, c walk.PassCut) (*walk.PassRun, *walk.Printer) {
	p := walk.NewPrinter(r.r, w, o)
	run := (&walk.TextPass{Printer: p, Ctx: context.Background()}).Pass(c)
	run.V, run.Epoch = r.r.Moment()
	return run, p
}

// visitedShares visits the shares of a pass one after the other.
func visitedShares(t *testing.T, run *walk.PassRun, visited func(*walk.PassShare)) {
	for list := range run.Shares() {
		sh := &walk.PassShare{Segments: list, Ready: make(chan struct{}), Out: make(chan any, 1000), Dropped: make(chan struct{})}
		sh.Visitors = []Visitor{run.Collect[0].Visitor()}
		run.Visit(t.Context(), sh)
		visited(sh)
	}
}

// TestSeams: in a usual trace the shares of a print fit each other, and none is walked twice.
func TestSeams(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 20_000, Seed: 3})
	r := ready(t, path, Options{NoWrite: true})
	for _, o := range []PrintOptions{{}, {Folded: true}, {MaxDepth: 1}, {MaxDepth: 3}, {Folded: true, MaxDepth: 4}} {
		shares := 0
		var last *walk.PassState
		run, _ := guidedPass(r, io.Discard, o, walk.PassCut{Bytes: 20_000, Approach: walk.UsualCut().Approach})
		visitedShares(t, run, func(sh *walk.PassShare) {
			if sh.Err != nil {
				t.Fatal(sh.Err)
			}
			if g := sh.Segments[0]; g.From > 0 && !sh.First.Equal(last, true) {
				t.Errorf("%+v: the share at %d begins at %+v, the one before it ends at %+v", o, g.From, sh.First, last)
			}
			last = sh.Last
			shares++
		})
		if shares < 50 {
			t.Errorf("%d shares", shares)
		}
	}
}

// TestSpreadMisfits: a share that does not continue where the previous one ended is
// dropped, and walked again from there.
func TestSpreadMisfits(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 5000, Seed: 3})
	r := ready(t, path, Options{NoWrite: true})
	for _, folded := range []bool{false, true} {
		o := PrintOptions{Folded: folded, Verbose: true}
		var out bytes.Buffer
		run, p := guidedPass(r, &out, o, walk.PassCut{Bytes: 3000, Approach: 512})
		n := 0
		visitedShares(t, run, func(sh *walk.PassShare) {
			if sh.Segments[0].From > 0 && misfit(sh, n) {
				sh.Out = make(chan any, 1)
				sh.Out <- &walk.TextChunk{Text: []byte("wrong\n"), Runs: []walk.TextRun{{End: 6, Points: 1}}}
				close(sh.Out)
			}
			if err := run.Merge(t.Context(), sh); err != nil {
				t.Fatal(err)
			}
			n++
		})
		if err := p.Lines.Flush(); err != nil || n < 50 {
			t.Fatalf("%v, %d shares", err, n)
		}
		formattest.SameText(t, out.Bytes(), printedCut(t, r, o, PrintRange{}, walk.Uncut))
	}
}

// misfit gives some shares a wrong beginning, each in another way.
func misfit(sh *walk.PassShare, n int) bool {
	first := *sh.First
	first.Stack.Stack = first.Stack.Clone()
	switch last := first.Stack.Len() - 1; {
	case n%6 == 0 || last < 0: // or the thread has no more points
		first.Pos++
	case n%6 == 1:
		sh.First = nil
		return true
	case n%6 == 2:
		first.Stack.At(last).Event++
	case n%6 == 3:
		first.Stack.At(last).Start++
	case n%6 == 4:
		first.Stack.Truncate(last)
	default:
		return false
	}
	sh.First = &first
	return true
}

// TestSpreadDamaged: the output for a damaged trace ends where that of one walk ends,
// with the same error.
func TestSpreadDamaged(t *testing.T) {
	collectSeldom(t)
	print := func(t *testing.T, data, index []byte, depth int, c walk.PassCut) []byte {
		r, err := openBytes(data, index)
		if err != nil {
			return []byte(err.Error())
		}
		defer r.Close()
		if err := r.Wait(context.Background()); err != nil {
			t.Fatal(err)
		}
		return printedCut(t, r, PrintOptions{Folded: true, Verbose: true, MaxDepth: depth}, PrintRange{}, c)
	}
	apart := 3
	if formattest.Race {
		apart = 10
	}
	for _, name := range small {
		data, index := formattest.Recorded(t, name), formattest.Recorded(t, name+".idx")
		check := func(t *testing.T, data, index []byte, depth int) {
			want := print(t, data, index, depth, walk.Uncut)
			formattest.SameText(t, print(t, data, index, depth, walk.PassCut{Bytes: 300, Approach: 20, Width: 2}), want)
		}
		eachOf(t, name, len(data), apart*strideOf(name), func(t *testing.T, i int) {
			bad := bytes.Clone(data)
			bad[i] ^= 0x41
			check(t, bad, index, i%2*2)
			check(t, data[:i], index, (i+1)%2*2)
		})
		eachOf(t, name+".idx", len(index), apart*strideOf(name), func(t *testing.T, i int) {
			bad := bytes.Clone(index)
			bad[i] ^= 0x09
			check(t, data, bad, i%2*2)
		})
	}
}

// TestSpreadContradiction: if the index turns out to be wrong in the middle, nothing is
// printed twice, and the rest uses the right index.
func TestSpreadContradiction(t *testing.T) {
	for _, name := range []string{"threads.stream.bin", "threads.v27.stream.bin"} {
		path := formattest.Unpack(t, name)
		if err := os.WriteFile(path+".idx", lyingIndex(t, formattest.Recorded(t, name+".idx")), 0o644); err != nil {
			t.Fatal(err)
		}
		for _, c := range append([]walk.PassCut{walk.Uncut}, cuts[:]...) {
			r := ready(t, path, Options{NoWrite: true})
			formattest.SameText(t, printedCut(t, r, PrintOptions{Folded: true, Verbose: true}, PrintRange{}, c), []byte(eagerText(t, path, true)))
			if st := r.Status(); st.Epoch != 1 {
				t.Errorf("%s, cut %+v: %+v", name, c, st)
			}
		}
	}
}

// stoppingWriter stops its user after a number of writes.
type stoppingWriter struct {
	left int
	stop func()
}

func (w *stoppingWriter) Write(b []byte) (int, error) {
	if w.left--; w.left == 0 {
		w.stop()
	}
	return len(b), nil
}

// TestSpreadStops: a write error and a canceled context end all goroutines,
// and nothing is written after the error.
func TestSpreadStops(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 20_000, Seed: 3})
	r := ready(t, path, Options{NoWrite: true})
	before := runtime.NumGoroutine()
	c := walk.PassCut{Bytes: 10_000, Approach: 512, Width: 3}
	for left := range 5 {
		w := formattest.FullWriter{Left: left}
		if err := r.r.PrintIn(context.Background(), &w, PrintOptions{}, PrintRange{}, c); !errors.Is(err, formattest.ErrFull) || w.Left != -1 {
			t.Errorf("after %d writes: %v, %d left", left, err, w.Left)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	if err := r.r.PrintIn(ctx, &stoppingWriter{3, cancel}, PrintOptions{}, PrintRange{}, c); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if err := r.r.PrintIn(ctx, io.Discard, PrintOptions{}, PrintRange{}, c); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	noMoreGoroutines(t, before)
}
