package interop

import (
	"fmt"
	"path/filepath"
	"regexp"
	"testing"

	"tracex/format/formattest"
	"tracex/lazy"
)

// refusedTraces are traces that the format allows and tracex reads, but that
// the real reader refuses. This is why the other tests leave them out, and why a
// recorder should not write them.
var refusedTraces = []struct {
	name  string
	spec  formattest.Spec
	eager string // a regular expression for the eager loader's message; "" if it accepts the trace
	lazy  string
}{
	{
		name:  "an access path before the variable that it names",
		spec:  formattest.Spec{Shape: formattest.Random, N: 5000, Seed: 9, Threads: 5, Options: formattest.Options{BlockSize: 4 << 10}},
		eager: "is not found in pool|out of bounds", lazy: "is not found in pool|out of bounds",
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
			c.spec.Version = r.release.version
			data := formattest.File(t, c.spec)
			out := filepath.Join(t.TempDir(), "printed.txt")
			said := r.ask(t, "print-eager", data, out, "short").complaint()
			if said == "" != (c.eager == "") || !regexp.MustCompile(c.eager).MatchString(said) {
				t.Errorf("the eager loader says %.300q, want %q", said, c.eager)
			}
			if said = r.ask(t, "print-lazy", data, out, "short", "raw").complaint(); !regexp.MustCompile(c.lazy).MatchString(said) {
				t.Errorf("the lazy reader says %.300q, want %q", said, c.lazy)
			}
			opensHere(t, data)
		})
	}
}

// opensHere fails the test unless tracex reads all of a trace.
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

// Each release reads only its own version. That each refuses the other's files
// shows that the tests of a version run with its release.
func TestReferenceRefusesOtherVersions(t *testing.T) { eachReference(t, testRefusesOtherVersions) }

func testRefusesOtherVersions(t *testing.T, r *reference) {
	for _, other := range releases {
		if other == r.release {
			continue
		}
		t.Run("given="+other.name, func(t *testing.T) {
			data := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 10, Own: true, Options: formattest.Options{Version: other.version}})
			want := regexp.MustCompile(fmt.Sprintf(`version %d\W+expected %d`, other.version, r.release.version))
			out := filepath.Join(t.TempDir(), "printed.txt")
			for _, a := range []answer{r.ask(t, "print-eager", data, out, "short"), r.ask(t, "open-lazy", data)} {
				if !want.MatchString(a.Failed) {
					t.Errorf("Lincheck %s says %.300q, %.300q, want %s", r.release.name, a.Failed, a.Log, want)
				}
			}
		})
	}
}
