package interop

import (
	"os"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
)

// The real reader accepts each index that we rebuild from the data, and prints the same
// with it as with the writer's own, and as the eager loader without
// any.
func TestReferenceTakesRebuiltIndex(t *testing.T) { eachReference(t, testTakesRebuiltIndex) }

func testTakesRebuiltIndex(t *testing.T, r *reference) {
	traces := make(map[string]func(t *testing.T) string)
	for _, name := range r.release.recordedTraces(t) {
		traces[name] = func(t *testing.T) string { return formattest.Unpack(t, name, name+".idx") }
	}
	for _, spec := range generatedTraces(r.release.version) {
		traces[spec.Name()] = func(t *testing.T) string { return formattest.File(t, spec) }
	}
	for name, trace := range traces {
		t.Run(name, func(t *testing.T) {
			data := trace(t)
			want := map[bool]string{false: r.lazily(t, data, false), true: r.lazily(t, data, true)}
			if err := os.Remove(data + ".idx"); err != nil {
				t.Fatal(err)
			}
			if a := r.ask(t, "open-lazy", data); !strings.Contains(a.complaint(), "No index file is given") {
				t.Fatalf("there is an index before one is made: %q", a.complaint())
			}
			if err := lazy.RebuildIndex(t.Context(), data, "", false, nil); err != nil {
				t.Fatal(err)
			}
			accept(t, r.ask(t, "open-lazy", data))
			for _, verbose := range []bool{false, true} {
				sameText(t, r.lazily(t, data, verbose), want[verbose])
				if !strayThreads(name) {
					sameText(t, r.eager(t, data, verbose), want[verbose])
				}
			}
		})
	}
}
