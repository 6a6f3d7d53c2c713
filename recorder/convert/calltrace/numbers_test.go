package calltrace

import (
	"errors"
	"io"
	"math"
	"testing"

	"tracex/format"
	"tracex/format/tracefile"
)

// TestNumbers: running out of numbers is an error, not a trace with numbers twice.
func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		name string
		use  func(w *Writer)
	}{
		{"events", func(w *Writer) { w.blocks.To.Events = math.MaxInt32 }},
		{"threads", func(w *Writer) { w.blocks.To.Threads = math.MaxInt32 }},
		{"methods", func(w *Writer) { w.dict.Counts[format.KindMethodDescriptor] = math.MaxInt32 - 1 }},
	} {
		w := New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, Options{})
		w.setOrigin(0)
		c.use(w)
		var err error
		for i := 0; err == nil && i < 3; i++ {
			th := w.Thread("t")
			err = th.Begin(1, &Call{Method: w.Method("C", string(rune('a'+i)))})
		}
		if !errors.Is(err, errNumbers) {
			t.Errorf("%s: %v", c.name, err)
		}
		if _, err := w.Finish(t.Context()); !errors.Is(err, errNumbers) {
			t.Errorf("%s: at the end %v", c.name, err)
		}
		w.Discard()
	}
}
