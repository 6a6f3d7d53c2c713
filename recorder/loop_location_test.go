package recorder

import (
	"path/filepath"
	"slices"
	"testing"

	"tracex/format"
	"tracex/lazy/eager"
	"tracex/recorder/internal/tracetest"
	"tracex/recorder/internal/versiontest"
)

// The location of a loop is that of its header, with the number by which its trace points name
// the loop; version 22 has a line for it. It has no access path: readers expect none.
func TestLoopLocations(t *testing.T) {
	for _, version := range versiontest.Versions {
		c := Config{Path: filepath.Join(t.TempDir(), "trace.bin"), FormatVersion: version}
		r := start(t, c)
		name := r.Path(Local(r.Variable("i", Type{})))
		plain := r.Location(CodeLocation{File: "sum.go", Line: 12})
		at := r.Location(CodeLocation{File: "sum.go", Line: 12, Loop: true, Path: name, Args: []Path{name}})
		if again := r.Location(CodeLocation{File: "sum.go", Line: 12, Loop: true}); again != at {
			t.Errorf("in %d the same loop has two places", version)
		}
		th := r.Thread("main")
		th.Loop(at)
		th.Iteration(at)
		th.WriteVariable(r.Variable("i", Type{}), plain, Int(1))
		th.EndLoop()
		if err := r.Stop(); err != nil {
			t.Fatal(err)
		}
		forest, loops := tracetest.LoadChecked(t, c.Path), 0
		tracetest.Points(t, forest, func(_ *eager.Thread, p *format.Point, _ int) {
			l := forest.Context.Location(p.Location)
			loop := p.Class == format.ClassLoop || p.Class == format.ClassIteration
			if l == nil || l.Line != 12 || l.Path != -1 || len(l.ArgNames) > 0 {
				t.Fatalf("in %d %v is at %+v", version, p.Class, l)
			}
			if header := loop && version >= 27; (l.Kind == format.LocationLoop) != header || header != slices.Equal(l.Loops, []int32{p.Ref}) {
				t.Errorf("in %d %v of loop %d is at %+v", version, p.Class, p.Ref, l)
			}
			if loop {
				loops++
			}
		})
		if loops != 2 {
			t.Errorf("in %d there are %d loops and iterations", version, loops)
		}
	}
}
