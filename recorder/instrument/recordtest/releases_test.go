//go:build linux

package recordtest_test

import (
	"os"
	"path/filepath"
	"testing"
)

// The oldest release of Go whose programs can be recorded, and the newest one. The other tests use
// the release that runs them.
const (
	oldest = "go1.25.4"
	newest = "go1.27.3"
)

// released returns what to add to the environment to build with a release of Go. If the release is
// missing, it is fetched for the long tests; otherwise the test is skipped.
func released(t *testing.T, release string) (env []string) {
	t.Helper()
	env = []string{"GOTOOLCHAIN=" + release}
	ask := env
	if os.Getenv(longVariable) == "" {
		ask = append(ask, "GOPROXY=off")
	}
	if r := run(t, t.TempDir(), ask, "go", "version"); r.code != 0 {
		if os.Getenv(longVariable) != "" {
			t.Fatalf("%s cannot be had: %s", release, r.stderr)
		}
		t.Skipf("%s is not on this machine: left out; TRACEX_INTEROP=1 fetches it", release)
	}
	return env
}

// TestReleases: the trace of the program shapes is the same with each release of Go.
func TestReleases(t *testing.T) {
	for _, release := range []string{oldest, newest} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			env := released(t, release)
			plain, recording := filepath.Join(t.TempDir(), "plain"), filepath.Join(t.TempDir(), "recording")
			must(t, run(t, shapesDir, env, "go", "build", "-o", plain, "."))
			must(t, runTracex(t, shapesDir, env, "build", "-o", recording, "--", "."))
			want := run(t, "", nil, plain, "argument")
			for range many(1, 3) {
				recordShapes(t, shapesDir, env, want, recording, "argument")
			}
		})
	}
}

// TestNewest records a program that older releases of Go do not compile.
func TestNewest(t *testing.T) {
	t.Parallel()
	env := released(t, newest)
	source, err := os.ReadFile(filepath.Join("testdata", "newer", "main.go.txt"))
	if err != nil {
		t.Fatal(err)
	}
	dir := write(t, map[string]string{"go.mod": "module example.com/newer\n\ngo 1.27\n", "main.go": string(source)})
	golden(t, "newer.txt", recordLike(t, dir, env, "go", "run", "."))
	r := must(t, runTracex(t, dir, env, "record", "--list", "--", "go", "run", "."))
	golden(t, "newer_list.txt", r.stdout)
	// A pattern needs no type parameters, and includes the literals.
	trace := filepath.Join(t.TempDir(), "trace.bin")
	must(t, runTracex(t, dir, env, "record", "--only", "newer.List.Name", "--only", "main.generics", "-o", trace, "--", "go", "run", "."))
	golden(t, "newer_only.txt", printed(t, trace, nil))
}
