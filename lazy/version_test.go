package lazy

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestVersion19 compares a trace of version 19, built from the version's description,
// with the same trace of version 22: they print the same except for the numbers
// of live breakpoints, which version 19 lacks.
func TestVersion19(t *testing.T) {
	uuid := regexp.MustCompile(`Live breakpoint \[[0-9a-f-]*\]`)
	text := func(v format.Version, indexed bool) string {
		spec := formattest.Spec{Shape: formattest.Random, N: 2000, Seed: 5, Options: formattest.Options{Version: v, BlockSize: 4096}}
		path := formattest.File(t, spec)
		if !indexed {
			if err := os.Remove(path + ".idx"); err != nil {
				t.Fatal(err)
			}
		}
		r := ready(t, path, Options{NoWrite: true})
		if r.Version() != v {
			t.Errorf("version %d, want %d", r.Version(), v)
		}
		if st := r.Status(); (st.Index == IndexRecorded) != indexed {
			t.Errorf("version %d: %+v", v, st)
		}
		var out bytes.Buffer
		if err := r.Print(t.Context(), &out, PrintOptions{Verbose: true}, PrintRange{}); err != nil {
			t.Fatal(err)
		}
		return uuid.ReplaceAllString(out.String(), "Live breakpoint")
	}
	want := text(format.V22, true)
	for _, indexed := range []bool{true, false} {
		formattest.SameText(t, []byte(text(format.V19, indexed)), []byte(want))
	}
}

// TestIndexOfAnotherVersion: an index with another version than its data is rebuilt,
// and the reader shows what the data has.
func TestIndexOfAnotherVersion(t *testing.T) {
	for _, name := range []string{"roots.dump.bin", "roots.v27.stream.bin"} {
		path := formattest.Unpack(t, name, name+".idx")
		index, err := os.ReadFile(path + ".idx")
		if err != nil {
			t.Fatal(err)
		}
		for _, other := range []byte{14, 22 + 27 - index[15]} {
			index[15] = other
			if err := os.WriteFile(path+".idx", index, 0o644); err != nil {
				t.Fatal(err)
			}
			r := ready(t, path, Options{NoWrite: true})
			st := r.Status()
			if st.Index == IndexRecorded || st.IndexReason == nil || !strings.Contains(st.IndexReason.Error(), "version") || st.Problem != nil {
				t.Errorf("%s with an index of version %d: %+v", name, other, st)
			}
			var out bytes.Buffer
			if err := r.Print(t.Context(), &out, PrintOptions{Folded: true, Verbose: true}, PrintRange{}); err != nil {
				t.Fatal(err)
			}
			formattest.SameText(t, out.Bytes(), []byte(eagerText(t, path, true)))
			if _, err := VerifyIndex(t.Context(), path, "", nil); err == nil || !strings.Contains(err.Error(), "version") {
				t.Errorf("%s with an index of version %d is verified: %v", name, other, err)
			}
		}
	}
}

// TestNetwork opens a stream received over the network from a debugger: blocks of one
// point each, repeated reference objects, no end and no index.
func TestNetwork(t *testing.T) {
	name := "net.v27.bin"
	path := formattest.Unpack(t, name)
	r := ready(t, path, Options{})
	if st := r.Status(); !errors.Is(st.Problem, format.ErrTruncated) || r.Version() != format.V27 {
		t.Errorf("version %d: %+v", r.Version(), st)
	}
	var out bytes.Buffer
	if err := r.Print(t.Context(), &out, PrintOptions{}, PrintRange{}); err != nil {
		t.Fatal(err)
	}
	formattest.SameText(t, out.Bytes(), formattest.Recorded(t, "net.v27.raw.txt"))
	onlyFiles(t, filepath.Dir(path), name)

	// Followed from its first byte, it is the same.
	data := formattest.Recorded(t, name)
	w := write(t, filepath.Join(t.TempDir(), "trace.bin"), data)
	followed := followed(t, w.path, Options{NoWrite: true})
	for w.size < len(data) {
		w.to(min(len(data), w.size+4000))
		if st := catchUp(t, followed); st.Problem != nil {
			t.Fatalf("%d bytes: %+v", w.size, st)
		}
	}
	out.Reset()
	if err := followed.Print(t.Context(), &out, PrintOptions{}, PrintRange{}); err != nil {
		t.Fatal(err)
	}
	formattest.SameText(t, out.Bytes(), formattest.Recorded(t, "net.v27.raw.txt"))
}
