// Package interop checks exports with programs of others: inferno draws the flame graph of folded stacks, and
// Perfetto's own description of its messages, in Python, reads TrackEvents; where trace_processor can be had, it
// is asked too.
//
// The tests run if TRACEX_INTEROP=1, and need cargo, and Python with pip.
package interop

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/export"
)

// interopVariable selects the tests.
const interopVariable = "TRACEX_INTEROP"

// needs skips the test unless it is selected; then a missing program is an error.
func needs(t *testing.T, programs ...string) {
	t.Helper()
	if os.Getenv(interopVariable) == "" {
		t.Skip("needs programs of others; set TRACEX_INTEROP=1 to run it")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			t.Fatal(err)
		}
	}
}

// run runs a command and returns its standard output.
func run(t *testing.T, stdin []byte, name string, args ...string) []byte {
	t.Helper()
	c := exec.CommandContext(t.Context(), name, args...)
	c.Stdin = bytes.NewReader(stdin)
	var failed bytes.Buffer
	c.Stderr = &failed
	out, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", filepath.Base(name), err, failed.Bytes())
	}
	return out
}

// traces calls f for traces of real programs, and for generated ones with times.
func traces(t *testing.T, f func(t *testing.T, r *lazy.LazyTraceReader)) {
	paths := map[string]string{}
	for _, name := range []string{"gson.stream.bin", "kotlin.dump.bin", "allkinds.dump.bin"} {
		paths[name] = formattest.Unpack(t, name)
	}
	for _, version := range []format.Version{format.V22, format.V27} {
		for _, shape := range []formattest.Shape{formattest.Calls, formattest.Threads, formattest.Random} {
			s := formattest.Spec{Shape: shape, N: 2000, Seed: 9, Timed: true, Options: formattest.Options{Version: version}}
			paths[s.Name()] = formattest.File(t, s)
		}
	}
	for name, path := range paths {
		t.Run(name, func(t *testing.T) {
			r, err := lazy.Open(path, lazy.Options{NoWrite: true})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Close()
			if err := r.Wait(t.Context()); err != nil {
				t.Fatal(err)
			}
			f(t, r)
		})
	}
}

// exported exports a whole trace.
func exported(t *testing.T, r *lazy.LazyTraceReader, name string, o export.Options) []byte {
	t.Helper()
	j, err := export.NewJob(r, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if _, err := j.Write(t.Context(), export.ByName(name), &b, nil); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
