package interop

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/diff"
)

// The real reader opens our diffs as diffs, accepts their index, and prints the same as we do, all of what is in a thread:
// of recorded traces, of generated ones, and of one whose recording ended within calls.
func TestReferenceReadsDiffs(t *testing.T) { eachReference(t, testReadsDiffs) }

func testReadsDiffs(t *testing.T, r *reference) {
	var list []string
	for _, name := range r.release.recordedTraces(t) {
		if !strings.HasPrefix(name, "flat.") && !strings.HasPrefix(name, "blocks.") && !strings.HasPrefix(name, "deep.") {
			list = append(list, name)
		}
	}
	for i, name := range list {
		t.Run(name, func(t *testing.T) {
			other := list[(i+1)%len(list)]
			sameDiff(t, r, formattest.Unpack(t, name, name+".idx"), formattest.Unpack(t, other, other+".idx"))
		})
	}
	options := formattest.Options{Version: r.release.version, BlockSize: 4096}
	for _, shape := range []formattest.Shape{formattest.Calls, formattest.Random, formattest.Threads, formattest.Wide} {
		for _, crash := range []formattest.Crash{formattest.CrashNone, formattest.CrashLost} {
			a := formattest.Spec{Shape: shape, N: 700, Seed: 5, Options: options, Crash: crash}
			if shape == formattest.Threads {
				a.N = 9
			}
			b := a
			b.Seed, b.N, b.Crash = 6, a.N+a.N/3, formattest.CrashNone
			t.Run(a.Name(), func(t *testing.T) { sameDiff(t, r, formattest.File(t, a), formattest.File(t, b)) })
		}
	}
}

// sameDiff compares two traces, and what the real reader and ours make of the diff.
func sameDiff(t *testing.T, r *reference, a, b string) {
	t.Helper()
	d := diff.New(openWhole(t, a), openWhole(t, b), diff.Options{})
	defer d.Close()
	if err := d.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	packed := filepath.Join(t.TempDir(), "diff"+format.PackedSuffix)
	if err := d.Pack(t.Context(), packed, diff.PackOptions{Mode: 0o644}, nil); err != nil {
		t.Fatal(err)
	}
	answer := r.ask(t, "open-packed", packed)
	accept(t, answer)
	if answer.Fields["packed"] != "true" || answer.Fields["diff"] != "true" {
		t.Errorf("packed %s, diff %s", answer.Fields["packed"], answer.Fields["diff"])
	}
	sameAsReference(t, r, unpackedDiff(t, packed))
}

// openWhole opens a trace and waits until it is read.
func openWhole(t *testing.T, path string) *lazy.LazyTraceReader {
	t.Helper()
	r, err := lazy.Open(path, lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	return r
}

// unpackedDiff unpacks data and index of a packed trace, and returns the name of the data file.
func unpackedDiff(t *testing.T, packed string) string {
	t.Helper()
	f := openFile(t, packed)
	st, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	p, err := format.OpenPacked(f, st.Size())
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "diff.bin")
	for entry, to := range map[string]string{format.EntryData: path, format.EntryIndex: path + format.IndexSuffix} {
		from, err := p.Open(entry)
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(from)
		if err == nil {
			err = os.WriteFile(to, b, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return path
}
