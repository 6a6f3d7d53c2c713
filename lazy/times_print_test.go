package lazy

import (
	"bytes"
	"context"
	"encoding/json"
	"testing"

	"tracex/format/formattest"
)

// TestPrintJSONTimes: each line has the time from the file, leaves have none. The output
// of the tree itself is the same.
func TestPrintJSONTimes(t *testing.T) {
	ctx := context.Background()
	spec := formattest.Spec{Shape: formattest.Random, N: 800, Timed: true}
	spec.BlockSize = 4096
	path := formattest.File(t, spec)
	want := pair(t, path)
	r := ready(t, path, Options{NoWrite: true})
	var out, loaded bytes.Buffer
	if err := r.Print(ctx, &out, PrintOptions{JSON: true}, PrintRange{}); err != nil {
		t.Fatal(err)
	}
	timed := 0
	for dec := json.NewDecoder(bytes.NewReader(out.Bytes())); dec.More(); {
		var l struct {
			Thread          int32
			Event           *int32
			Start, Duration *int64
		}
		if err := dec.Decode(&l); err != nil {
			t.Fatal(err)
		}
		at, known := want.thread(l.Thread - 1)
		if l.Event != nil {
			at, known = want.events[*l.Event]
		}
		switch {
		case known != (l.Start != nil) || known != (l.Duration != nil):
			t.Fatalf("line %+v, want a time: %v", l, known)
		case known && at != Time{Start: *l.Start, Duration: *l.Duration}:
			t.Fatalf("time %v, want %v", Time{Start: *l.Start, Duration: *l.Duration}, at)
		case known:
			timed++
		}
	}
	if timed < len(want.events) {
		t.Fatalf("%d lines with a time, want %d", timed, len(want.events))
	}
	tree := r.Tree(false)
	treeText(t, tree, ways(t, tree)["all"])
	if err := tree.PrintLoaded(ctx, &loaded, PrintOptions{JSON: true}); err != nil {
		t.Fatal(err)
	}
	formattest.SameText(t, loaded.Bytes(), out.Bytes())

	// Without JSON nothing changes.
	out.Reset()
	if err := r.Print(ctx, &out, PrintOptions{Verbose: true}, PrintRange{}); err != nil {
		t.Fatal(err)
	}
	formattest.SameText(t, out.Bytes(), []byte(eagerText(t, path, false)))
}
