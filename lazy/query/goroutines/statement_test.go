package goroutines

import (
	"errors"
	"fmt"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestFindStatement finds the statement that made a goroutine: the first certain one, or else the
// first guess.
func TestFindStatement(t *testing.T) {
	w := formattest.NewBuilder(t)
	run, start, alike := w.Method("app", "run", formattest.IntType), w.Method("app", "go run", formattest.IntType), w.Method("app", "gorun", formattest.IntType)
	want := make(map[int64]Statement)
	made := func(number int64, text string, guess bool) {
		want[number] = Statement{Event: w.Event, Guess: guess}
		w.Go(-1, start, text)
	}
	w.Call(-1, run, func() {
		w.Go(-1, start, "goroutine 190")
		w.Go(-1, alike, "goroutine 19")
		w.Go(-1, start, "")
		w.Go(-1, start, "≈ goroutine 20")
		made(19, "goroutine 19", false)
		w.Go(-1, start, "goroutine 19")
		w.Call(-1, run, func() {
			for i := range 300 {
				w.Go(-1, start, fmt.Sprint("goroutine ", 1000+i))
			}
			made(20, "goroutine 20", false)
			made(21, "≈ goroutine 21", true)
		})
		w.Go(-1, start, "≈ goroutine 21")
	})
	w.Thread(1)
	w.Call(-1, run, func() { w.Go(-1, start, "goroutine 22") })
	r := open(t, w.File())
	for number, s := range want {
		at, err := r.FindEvent(t.Context(), s.Event)
		if err != nil {
			t.Fatal(err)
		}
		s.Position = at
		if got, err := FindStatement(t.Context(), r, 0, number, nil); err != nil || got != s {
			t.Errorf("goroutine %d: %+v, %v; want %+v", number, got, err, s)
		}
	}
	for _, none := range []struct {
		thread int32
		number int64
	}{{0, 22}, {0, 1}, {1, 19}, {1, 2}} {
		if got, err := FindStatement(t.Context(), r, none.thread, none.number, nil); !errors.Is(err, ErrNoStatement) {
			t.Errorf("goroutine %d in thread %d: %+v, %v", none.number, none.thread, got, err)
		}
	}
	if _, _, ok := MadeBy(&format.Footer{Result: format.Value{Kind: format.ValueString, Text: "goroutine 19"}}); ok {
		t.Error("a string is a goroutine")
	}
}

// TestFindStatementCut: a thread and a go statement that never ended.
func TestFindStatementCut(t *testing.T) {
	w := formattest.NewBuilder(t)
	run, start := w.Method("app", "run", formattest.IntType), w.Method("app", "go run", formattest.IntType)
	w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: run, Target: format.Null()})
	w.Go(-1, start, "goroutine 19")
	w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: -1, Ref: start, Target: format.Null()})
	r := open(t, w.File())
	if got, err := FindStatement(t.Context(), r, 0, 19, nil); err != nil || got.Event != 1 {
		t.Errorf("%+v, %v", got, err)
	}
	if _, err := FindStatement(t.Context(), r, 0, 20, nil); !errors.Is(err, ErrNoStatement) {
		t.Error(err)
	}
}

// TestFirst finds the first point of a thread, if there is one.
func TestFirst(t *testing.T) {
	w := formattest.NewBuilder(t)
	run := w.Method("app", "run", formattest.IntType)
	w.Call(-1, run, nil)
	w.Thread(1)
	w.Name("goroutine 2")
	w.Thread(2)
	w.Name("goroutine 3")
	w.Call(-1, run, func() { w.Call(-1, run, nil) })
	r := open(t, w.File())
	for thread, want := range map[int32]int32{0: 0, 1: -1, 2: 1} {
		at, event, err := First(t.Context(), r, false, thread)
		if err != nil || event != want || at.Thread != thread || (at.At < 0) != (want < 0) {
			t.Errorf("thread %d: event %d at %+v, %v; want %d", thread, event, at, err, want)
		}
	}
}
