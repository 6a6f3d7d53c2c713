package lazy

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// TestRebuiltIndexIsTheRecordedOne: byte for byte, for every trace of a
// streaming writer.
func TestRebuiltIndexIsTheRecordedOne(t *testing.T) {
	check := func(t *testing.T, path string, want []byte) {
		to := filepath.Join(t.TempDir(), "made.idx")
		if err := RebuildIndex(context.Background(), path, to, false, nil); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(to)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("made %d bytes that differ from the recorded %d", len(got), len(want))
		}
	}
	names := 0
	for _, name := range formattest.RecordedNames(t, ".stream.bin") {
		if strings.HasPrefix(name, "crash") {
			continue // its index has no end
		}
		names++
		t.Run(name, func(t *testing.T) {
			check(t, formattest.Unpack(t, name), formattest.Recorded(t, name+".idx"))
		})
	}
	if names < 6 {
		t.Fatalf("only %d streaming traces", names)
	}
	for seed := range uint64(6) {
		spec := formattest.Spec{Shape: formattest.Random, N: 3000, Seed: seed, Threads: 5}
		spec.BlockSize = 4096
		path := formattest.File(t, spec)
		want, err := os.ReadFile(path + ".idx")
		if err != nil {
			t.Fatal(err)
		}
		check(t, path, want)
	}
}

func TestIndexIsStoredBesideTheData(t *testing.T) {
	name := "threads.stream.bin"
	want := formattest.Recorded(t, name+".idx")
	broken := bytes.Clone(want)
	broken[1000] ^= 4
	cases := map[string]struct {
		index  []byte // that existed before; nil if none
		reason bool   // whether the reason for not using it is reported
	}{
		"none": {nil, false}, "cut short": {want[:5000], true}, "empty": {[]byte{}, true},
		"text": {[]byte(strings.Repeat("not an index\n", 50)), true}, "damaged": {broken, true},
	}
	for what, c := range cases {
		t.Run(what, func(t *testing.T) {
			path := formattest.Unpack(t, name)
			if c.index != nil {
				if err := os.WriteFile(path+".idx", c.index, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			r := ready(t, path, Options{})
			st := r.Status()
			if st.Index != IndexStored || st.StoreReason != nil || (st.IndexReason != nil) != c.reason {
				t.Fatalf("status %+v", st)
			}
			got, err := os.ReadFile(path + ".idx")
			if err != nil || !bytes.Equal(got, want) {
				t.Fatalf("stored %d bytes, want the recorder's %d: %v", len(got), len(want), err)
			}
			onlyFiles(t, filepath.Dir(path), name, name+".idx")
		})
	}
}

// onlyFiles fails if a directory contains other files than these.
func onlyFiles(t *testing.T, dir string, names ...string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, e := range entries {
		found = append(found, e.Name())
	}
	if strings.Join(found, " ") != strings.Join(names, " ") {
		t.Fatalf("the directory has %q, want %q", found, names)
	}
}

func TestNothingIsWrittenWhenNotWanted(t *testing.T) {
	path := formattest.Unpack(t, "gson.stream.bin")
	r := ready(t, path, Options{NoWrite: true})
	if st := r.Status(); st.Index != IndexRebuilt || st.StoreReason != nil {
		t.Fatalf("status %+v", st)
	}
	onlyFiles(t, filepath.Dir(path), "gson.stream.bin")
}

func TestNoIndexForARecordingThatMayGoOn(t *testing.T) {
	path := formattest.Unpack(t, "crash.stream.bin")
	r := ready(t, path, Options{})
	st := r.Status()
	if st.Index != IndexRebuilt || st.StoreReason == nil || st.Problem == nil || st.Unfinished != 6 {
		t.Fatalf("status %+v", st)
	}
	onlyFiles(t, filepath.Dir(path), "crash.stream.bin")
}

func TestUnwritableDirectory(t *testing.T) {
	path := formattest.Unpack(t, "gson.stream.bin")
	dir := filepath.Dir(path)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(dir, 0o755) })
	if f, err := os.Create(filepath.Join(dir, "x")); err == nil {
		f.Close()
		os.Remove(f.Name())
		t.Skip("this user may write everywhere")
	}
	r := ready(t, path, Options{})
	if st := r.Status(); st.Index != IndexRebuilt || !errors.Is(st.StoreReason, os.ErrPermission) {
		t.Fatalf("status %+v", st)
	}
}

func TestVerifyIndex(t *testing.T) {
	ctx := context.Background()
	for _, name := range formattest.RecordedNames(t, ".bin") {
		if strings.HasPrefix(name, "crash") || strings.HasPrefix(name, "net.") {
			continue
		}
		path := formattest.Unpack(t, name, name+".idx")
		cells, err := VerifyIndex(ctx, path, "", nil)
		if err != nil || cells == 0 {
			t.Errorf("%s: %d cells: %v", name, cells, err)
		}
	}
	name := "roots.dump.bin"
	path, index := formattest.Unpack(t, name), formattest.Recorded(t, name+".idx")
	for i := 0; i < len(index); i++ {
		bad := bytes.Clone(index)
		bad[i] ^= 0x10
		if err := os.WriteFile(path+".idx", bad, 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := VerifyIndex(ctx, path, "", nil); err == nil && !carriesNothing(t, index, i) {
			t.Errorf("byte %d of the index flipped, and no error", i)
		}
	}
}

// carriesNothing reports whether a byte of an index has no meaning: the end of a
// reference object's cell, and the offsets of the EOF cell.
func carriesNothing(t *testing.T, index []byte, i int) bool {
	t.Helper()
	const header, cell, tail = 16, 21, 29
	if i < header {
		return false
	}
	if i >= len(index)-tail {
		at := i - (len(index) - tail)
		return at >= 5 && at < 21
	}
	kind, at := index[header+(i-header)/cell*cell], (i-header)%cell
	return kind < 8 && at >= 13
}
