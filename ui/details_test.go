package ui

import (
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/uitest"
)

// TestDetailsOf27 compares the details of features of version 27: captured exceptions, watches,
// calls of super(…), headers of several loops.
func TestDetailsOf27(t *testing.T) {
	for _, story := range []struct {
		name  string
		files []string
		keys  string
	}{
		{"v27-live", []string{"live.v27.packedtrace"}, ": 1 1 enter d"},
		{"v27-live-numbered", []string{"allkinds.v27.dump.bin"}, "r : 1 9 1 enter d"},
		{"v27-thrown", []string{"allkinds.v27.dump.bin"}, "r : 1 9 0 enter d"},
		{"v27-nameless", []string{"allkinds.v27.dump.bin"}, "r : 1 3 8 enter d"},
		{"v27-unfinished", []string{"allkinds.v27.dump.bin"}, "r : 1 3 4 enter d"},
		{"v27-loop", []string{"allkinds.v27.dump.bin"}, "r : 1 9 9 enter d"},
		{"v27-super", []string{"shapes.v27.stream.bin"}, ": 1 7 2 enter d"},
		{"v27-this", []string{"shapes.v27.stream.bin"}, ": 2 2 6 enter d"},
	} {
		t.Run(story.name, func(t *testing.T) {
			r := uitest.Open(t, formattest.Unpack(t, story.files...), lazy.Options{NoWrite: true})
			d := drive(t, r, 120, 80, Options{Name: story.files[0]})
			d.keys(story.keys)
			d.golden(story.name)
		})
	}
}

// TestStackInDetails: a path that does not fit above the tree is complete in the details.
func TestStackInDetails(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "kotlin.stream"), 60, 50, Options{})
	d.keys(":").typed("50%").keys("enter")
	d.has(" … ")
	d.resize(140, 50)
	d.keys("d").has("path       Thread 1 (main) › K.run()")
}
