package interop

import (
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
)

// refusedTraces are traces that the format allows and tracex reads, but that
// the real reader does not take. That it still refuses them is why the other
// tests leave them out, and why a recorder should not write them.
var refusedTraces = []struct {
	name  string
	spec  formattest.Spec
	eager string // what the eager loader says; "" takes it
	lazy  string
}{
	{
		name:  "an access path before the variable that it names",
		spec:  formattest.Spec{Shape: formattest.Random, N: 5000, Seed: 9, Threads: 5, Options: formattest.Options{BlockSize: 4 << 10}},
		eager: "is not found in pool", lazy: "is not found in pool",
	},
	{
		name: "a block that ends behind the header of a container",
		spec: formattest.Spec{Shape: formattest.Deep, N: 1000, Own: true, Options: formattest.Options{BlockSize: 4 << 10, SplitAfterHeader: true}},
		lazy: "has wrong start position in index",
	},
	{
		name:  "a recording without its end",
		spec:  formattest.Spec{Shape: formattest.Calls, N: 5000, Own: true, Crash: formattest.CrashLost, Options: formattest.Options{BlockSize: 4 << 10}},
		eager: "no EOF record", lazy: "Index has some non-finished ranges",
	},
}

func TestReferenceRefuses(t *testing.T) { eachReference(t, testRefuses) }

func testRefuses(t *testing.T, r *reference) {
	for _, c := range refusedTraces {
		t.Run(c.name, func(t *testing.T) {
			data := formattest.File(t, c.spec)
			out := filepath.Join(t.TempDir(), "printed.txt")
			said := r.ask(t, "print-eager", data, out, "short").complaint()
			if said == "" != (c.eager == "") || !strings.Contains(said, c.eager) {
				t.Errorf("the eager loader says %.300q, want %q", said, c.eager)
			}
			if said = r.ask(t, "print-lazy", data, out, "short", "raw").complaint(); !strings.Contains(said, c.lazy) {
				t.Errorf("the lazy reader says %.300q, want %q", said, c.lazy)
			}
			opensHere(t, data)
		})
	}
}

// opensHere fails the test unless tracex reads a trace as far as it goes.
func opensHere(t *testing.T, data string) {
	t.Helper()
	r, err := lazy.Open(data, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if s := r.Status(); s.Phase != lazy.PhaseReady || len(r.Tree(true).Threads()) == 0 {
		t.Errorf("phase %d, %v", s.Phase, s.Problem)
	}
}
