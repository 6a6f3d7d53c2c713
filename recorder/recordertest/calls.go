package recordertest

import (
	"fmt"

	"tracex/recorder"
)

// Calls records the calls with the numbers from, up to but without to. Each has something in it.
// Those whose numbers are multiples of ten stay open, within a loop.
func Calls(r *recorder.Recorder, t *recorder.Thread, from, to int) {
	class := r.Class("C")
	for i := from; i < to; i++ {
		t.Enter(r.Method(class, fmt.Sprint("m", i), recorder.Type{}), 0, recorder.Null(), recorder.Int(i))
		t.WriteVariable(r.Variable(fmt.Sprint("v", i%7), recorder.Type{}), r.Location(recorder.CodeLocation{File: "c.go", Line: i}), recorder.String("some text"))
		if i%10 == 0 {
			t.Loop(0)
			t.Iteration(0)
			continue
		}
		t.Exit(recorder.Int(i))
	}
}
