package interop

import (
	"fmt"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// generatedTraces are traces that our encoder writes in a version, for its real reader:
// all kinds, several threads, several blocks, from both writers.
func generatedTraces(version format.Version) []formattest.Spec {
	small := formattest.Options{BlockSize: 4 << 10}
	dump := formattest.Options{Dump: true}
	specs := []formattest.Spec{
		{Shape: formattest.Calls, N: 2000, Seed: 1},
		{Shape: formattest.Calls, N: 2000, Seed: 2, Threads: 4, Options: small},
		{Shape: formattest.Calls, N: 1000, Seed: 2, Threads: 4, Options: dump},
		{Shape: formattest.Deep, N: 400, Options: small},
		{Shape: formattest.Threads, N: 100, Seed: 3},
		{Shape: formattest.Threads, N: 30, Options: dump},
		{Shape: formattest.Random, N: 3000, Seed: 8, Options: dump},
		{Shape: formattest.Random, N: 5000, Seed: 9, Threads: 5, Options: small},
		{Shape: formattest.Random, N: 5000, Seed: 3, Wild: true, Options: small},
		{Shape: formattest.Random, N: 2000, Seed: 9, Plain: true},
	}
	for _, shape := range []formattest.Shape{formattest.Wide, formattest.WideEmpty, formattest.WideCalls, formattest.WideLeaves} {
		specs = append(specs, formattest.Spec{Shape: shape, N: 2000, Options: small})
	}
	for seed := range uint64(8) {
		specs = append(specs, formattest.Spec{Shape: formattest.Random, N: 4000, Seed: seed,
			Options: formattest.Options{BlockSize: 1000 << seed}})
	}
	for i := range specs {
		// The real reader resolves the names of an access path when it reads the path: they
		// must not come later here.
		specs[i].Own = true
		specs[i].Version = version
	}
	return specs
}

// The real reader loads the files of our encoder, accepts our index, and prints
// the same text as we do: with its own printers, which show only the first top-level
// point of a thread, and with one that shows all, as recorded and folded.
func TestReferenceReadsGenerated(t *testing.T) { eachReference(t, testReadsGenerated) }

func testReadsGenerated(t *testing.T, r *reference) {
	for _, spec := range generatedTraces(r.release.version) {
		t.Run(spec.Name(), func(t *testing.T) {
			data := formattest.File(t, spec)
			sameAsReference(t, r, data)
		})
	}
}

// Of threads without points the real reader prints nothing, and of a single one with points no name.
func TestReferenceReadsEmptyThreads(t *testing.T) { eachReference(t, testReadsEmptyThreads) }

func testReadsEmptyThreads(t *testing.T, r *reference) {
	for _, kinds := range []string{"p", "p-", "-p", "pd", "-", "--", "-d", "-d-d-p", "pn", "pp", "pnp", "p-dp"} {
		for _, dump := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, dump %v", kinds, dump), func(t *testing.T) {
				sameAsReference(t, r, formattest.EmptyThreads(t, r.release.version, dump, kinds))
			})
		}
	}
}
