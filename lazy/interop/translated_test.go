package interop

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
)

// The real reader of one version loads translations of traces of another, recorded
// and generated, accepts the index, and prints the same text as we do.
func TestReferenceReadsTranslated(t *testing.T) { eachReference(t, testReadsTranslated) }

func testReadsTranslated(t *testing.T, r *reference) {
	for _, other := range releases {
		if other == r.release {
			continue
		}
		for _, name := range other.recordedTraces(t) {
			if strings.HasPrefix(name, "flat.") || strings.HasPrefix(name, "blocks.") {
				continue // more of the same points than in others
			}
			t.Run(name, func(t *testing.T) {
				data := translated(t, r.release, formattest.Unpack(t, name, name+".idx"))
				if strayThreads(name) {
					sameTree(t, r, data, true)
				} else {
					sameAsReference(t, r, data)
				}
			})
		}
		for _, spec := range generatedTraces(other.version) {
			t.Run(spec.Name(), func(t *testing.T) { sameAsReference(t, r, translated(t, r.release, formattest.File(t, spec))) })
		}
		for seed := range uint64(trickySeeds) {
			t.Run(fmt.Sprintf("tricky seed=%d", seed), func(t *testing.T) {
				data := translated(t, r.release, trickyTrace(t, other.version, seed))
				sameTree(t, r, data, false)
				sameTree(t, r, data, true)
			})
		}
	}
}

// translated writes a trace in the version of a release and returns the name of
// the data file.
func translated(t *testing.T, to *release, from string) string {
	t.Helper()
	r, err := lazy.Open(from, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	data := filepath.Join(t.TempDir(), "translated.bin")
	var files [3]*os.File
	for i, suffix := range []string{"", ".idx", ".tim"} {
		if files[i], err = os.Create(data + suffix); err != nil {
			t.Fatal(err)
		}
		defer files[i].Close()
	}
	made, err := r.Translate(t.Context(), to.version, lazy.TranslateFiles{Data: files[0], Index: files[1], Times: files[2]}, nil)
	if err != nil {
		t.Fatal(err)
	}
	if !made.Whole || made.Problem != nil {
		t.Fatalf("whole %v, %v", made.Whole, made.Problem)
	}
	return data
}
