package diff

import (
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/lazy"
)

// pairsOfTraces are traces to compare in tests.
func pairsOfTraces(t *testing.T) map[string][2]*lazy.LazyTraceReader {
	spec := func(shape formattest.Shape, n int, seed uint64, v format.Version) formattest.Spec {
		return formattest.Spec{Shape: shape, N: n, Seed: seed, Timed: true, Options: formattest.Options{Version: v, BlockSize: 4096}}
	}
	pair := func(a, b *lazy.LazyTraceReader) [2]*lazy.LazyTraceReader { return [2]*lazy.LazyTraceReader{a, b} }
	list := make(map[string][2]*lazy.LazyTraceReader)
	for _, v := range []format.Version{format.V22, format.V27} {
		if formattest.Race && v == format.V22 {
			continue
		}
		for _, shape := range []formattest.Shape{formattest.Calls, formattest.Random, formattest.Threads, formattest.Wide, formattest.WideCalls} {
			n := 400
			if shape == formattest.Threads {
				n = 6
			}
			one := opened(t, formattest.File(t, spec(shape, n, 1, v)))
			list[fmt.Sprintf("%s of %s", shape, v)] = pair(one, opened(t, formattest.File(t, spec(shape, n+n/4, 2, v))))
			list[fmt.Sprintf("%s of %s with itself", shape, v)] = pair(one, one)
		}
		for _, shape := range []formattest.Shape{formattest.Deep, formattest.Goroutines, formattest.WideEmpty, formattest.WideLeaves} {
			list[fmt.Sprintf("%s of %s", shape, v)] = pair(opened(t, formattest.File(t, spec(shape, 150, 1, v))), opened(t, formattest.File(t, spec(shape, 155, 2, v))))
		}
		unended := spec(formattest.Calls, 300, 3, v)
		unended.Timed, unended.Crash = false, formattest.CrashLost
		list["unended of "+v.String()] = pair(opened(t, formattest.File(t, unended)), opened(t, formattest.File(t, spec(formattest.Calls, 300, 3, v))))
		list["unended of "+v.String()+" with itself"] = pair(opened(t, formattest.File(t, unended)), opened(t, formattest.File(t, unended)))
	}
	old := opened(t, formattest.File(t, spec(formattest.Calls, 200, 1, format.V19)))
	list["of 19"] = pair(old, opened(t, formattest.File(t, spec(formattest.Calls, 220, 2, format.V19))))
	list["of 19 and 22"] = pair(old, opened(t, formattest.File(t, spec(formattest.Calls, 200, 2, format.V22))))
	return list
}

// The thread of the output is named after both.
func TestThreadName(t *testing.T) {
	for _, c := range [][3]string{{"main", "main", "main"}, {"", "", ""}, {"main", "", "main"}, {"", "main", "main"}, {"worker-1", "worker-3", "worker-3"}, {"net", "disk", "net → disk"}} {
		if got := threadName(c[0], c[1]); got != c[2] {
			t.Errorf("%q and %q are %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

// writtenFull writes a diff in full to files and opens it.
func writtenFull(t *testing.T, in input) (*lazy.LazyTraceReader, []format.EventMatch, *outcome) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "diff.bin")
	data, index, err := createBoth(path)
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	defer index.Close()
	var matches []format.EventMatch
	done, err := write(t.Context(), in, output{full: true, files: tracefile.Files{Data: data, Index: index}, events: func(list []format.EventMatch) error {
		matches = append(matches, list...)
		return nil
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	return opened(t, path), matches, done
}

// byEvent are all points of a trace.
func byEvent(threads map[int32][]*plain) map[int32]*plain {
	all := make(map[int32]*plain)
	var add func([]*plain)
	add = func(list []*plain) {
		for _, p := range list {
			all[p.event] = p
			add(p.kids)
		}
	}
	for _, list := range threads {
		add(list)
	}
	return all
}

// eachInput calls f with diffs to write: those of the simple script, and those of Run.
func eachInput(t *testing.T, f func(t *testing.T, in input, a, b map[int32][]*plain)) {
	for name, sides := range pairsOfTraces(t) {
		a, b := plains(t, sides[0]), plains(t, sides[1])
		t.Run(name, func(t *testing.T) { f(t, input{sides: sides, steps: simpleScript(a, b)}, a, b) })
		t.Run(name+", run", func(t *testing.T) {
			d := New(sides[0], sides[1], Options{})
			defer d.Close()
			if err := d.Run(t.Context(), nil); err != nil {
				t.Fatal(err)
			}
			f(t, d.input(), a, b)
		})
	}
}

// The full form has every point of both traces, with its text, and the map of events tells which.
func TestWriteFullHasAllPoints(t *testing.T) {
	eachInput(t, func(t *testing.T, in input, a, b map[int32][]*plain) {
		r, matches, done := writtenFull(t, in)
		if s := r.Status(); s.Problem != nil || s.Index != lazy.IndexRecorded {
			t.Fatalf("problem %v, index %v", s.Problem, s.IndexReason)
		}
		out := byEvent(plains(t, r))
		if int64(len(out)) != done.points || len(matches) != len(out) {
			t.Fatalf("%d points, %d written, %d in the map", len(out), done.points, len(matches))
		}
		left, right := positionsOf(a), positionsOf(b)
		for event, m := range matches {
			of := done.threads[out[int32(event)].thread]
			if m.Left >= 0 && left[m.Left] != of.Left || m.Right >= 0 && right[m.Right] != of.Right {
				t.Fatalf("event %d is of %+v, which are in threads %d and %d, in a thread of %+v", event, m, left[m.Left], right[m.Right], of)
			}
		}
		checkSide(t, byEvent(a), out, marksOf(t, r), matches, 0)
		checkSide(t, byEvent(b), out, marksOf(t, r), matches, 1)
	})
}

// positionsOf returns by event which thread with points it is in, in the order of their ids.
func positionsOf(threads map[int32][]*plain) map[int32]int32 {
	at, n := make(map[int32]int32), int32(0)
	for _, id := range slices.Sorted(maps.Keys(threads)) {
		if len(threads[id]) == 0 {
			continue
		}
		for event := range byEvent(map[int32][]*plain{id: threads[id]}) {
			at[event] = n
		}
		n++
	}
	return at
}

// checkSide checks that each point of a side is in the diff once, or, edited, once as it is on this side.
func checkSide(t *testing.T, side, out map[int32]*plain, marks map[int32]format.DiffStatus, matches []format.EventMatch, n int) {
	t.Helper()
	found := make(map[int32]int)
	for event, m := range matches {
		id := [...]int32{m.Left, m.Right}[n]
		status, p := marks[int32(event)], out[int32(event)]
		other := [...]format.DiffStatus{format.DiffEditedNew, format.DiffEditedOld}[n]
		if id < 0 || status == other {
			continue
		}
		was := side[id]
		if was == nil {
			t.Fatalf("event %d is from event %d, which is not in the trace", event, id)
		}
		if found[id]++; was.text != p.text && (n == 1 || status != format.DiffUnchanged) {
			t.Fatalf("event %d, %v, has the text\n%s\nwant\n%s", event, status, p.text, was.text)
		}
	}
	for id := range side {
		if found[id] != 1 {
			t.Fatalf("event %d of side %d is in the diff %d times: %s", id, n, found[id], side[id].text)
		}
	}
}

// marksOf returns the diff statuses of all points.
func marksOf(t *testing.T, r *lazy.LazyTraceReader) map[int32]format.DiffStatus {
	t.Helper()
	f, err := os.Open(r.Path())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	data, err := io.ReadAll(f)
	if err != nil {
		t.Fatal(err)
	}
	marks := make(map[int32]format.DiffStatus)
	s := format.NewBytesScanner(data)
	for s.Next() {
		if o := s.Object(); o.Kind == format.KindTracePoint {
			marks[format.EventOf(o.Bytes)] = format.DiffStatus(o.Bytes[format.PointDiffAt])
		}
	}
	if s.Err() != nil {
		t.Fatal(s.Err())
	}
	return marks
}
