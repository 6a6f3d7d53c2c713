package formattest

import (
	"fmt"

	"tracex/format"
)

// Name names the thread.
func (w *Builder) Name(name string) {
	w.add((&format.ThreadName{Thread: w.thread, Name: name}).Append(w.data, format.V22))
}

// Go writes a go statement as instrumented programs record it: a call of a method named "go …" that
// has made a goroutine, such as "goroutine 19", or nothing.
func (w *Builder) Go(location, method int32, made string) {
	w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: location, Ref: method, Target: format.Null()})
	result := format.Value{Kind: format.ValueVoid}
	if made != "" {
		result = format.Value{Kind: format.ValueRawString, Text: made}
	}
	w.Footer(format.ClassCall, &format.Footer{Result: result})
}

// startedName is the name of a thread of a spec with Started: main starts eight goroutines, each of
// them eight more, and so on. Numbers do not rise with the threads.
func startedName(thread int32) string {
	if thread == 0 {
		return "main"
	}
	number := func(thread int32) int32 {
		if thread == 0 {
			return 1
		}
		return 17 + thread ^ 3
	}
	return fmt.Sprintf("goroutine %d main.worker ← %d main.main main.go:78", number(thread), number((thread-1)/8))
}
