package lazy

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
)

// TestOpenWhatIsNoTrace: each case has its own message, which names the file.
func TestOpenWhatIsNoTrace(t *testing.T) {
	dir := t.TempDir()
	name := "shapes.stream.bin"
	data, index := formattest.Recorded(t, name), formattest.Recorded(t, name+".idx")
	old := append([]byte(nil), data[:64]...)
	old[15] = 21
	if old[15] == data[15] {
		t.Fatal("the version is not where this test thinks")
	}
	files := map[string][]byte{
		"empty": {}, "text": []byte(strings.Repeat("not a trace\n", 20)), "index": index, "old": old, "short": data[:7],
		"some.zip": []byte("PK\x05\x06" + strings.Repeat("\x00", 18)),
	}
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	seen := make(map[string]string)
	for _, name := range []string{"empty", "text", "index", "old", "short", "some.zip", "."} {
		path := filepath.Join(dir, name)
		r, err := Open(path, Options{})
		if err == nil {
			r.Close()
			t.Errorf("%s opens", name)
			continue
		}
		var e *format.Error
		if !errors.As(err, &e) || e.File != path {
			t.Errorf("%s: %v does not name the file", name, err)
		}
		message := strings.ReplaceAll(err.Error()+format.Hint(err), path, "")
		if other, ok := seen[message]; ok {
			t.Errorf("%s and %s: the same message %q", name, other, message)
		}
		seen[message] = name
	}
	if _, err := Open(filepath.Join(dir, "nothing"), Options{}); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a file that is not there: %v", err)
	}
	if _, err := Open(filepath.Join(dir, "old"), Options{}); !errors.Is(err, format.ErrVersion) || !strings.Contains(err.Error(), "21") {
		t.Errorf("version 21: %v", err)
	}
	if _, err := os.Stat(os.DevNull); err == nil {
		if _, err := Open(os.DevNull, Options{}); !errors.Is(err, format.ErrNotTrace) {
			t.Errorf("a device: %v", err)
		}
	}
}

// TestIndexThatIsNoFile: a directory in place of the index is reported, and stays.
func TestIndexThatIsNoFile(t *testing.T) {
	name := "gson.stream.bin"
	path := formattest.Unpack(t, name)
	if err := os.Mkdir(path+".idx", 0o755); err != nil {
		t.Fatal(err)
	}
	r := ready(t, path, Options{})
	if st := r.Status(); st.Index != IndexRebuilt || st.IndexReason == nil || st.StoreReason == nil {
		t.Fatalf("status %+v", st)
	}
	onlyFiles(t, filepath.Dir(path), name, name+".idx")
}

// TestStoreThroughLink: an index that is a symbolic link stays one; its target is
// replaced, or created.
func TestStoreThroughLink(t *testing.T) {
	for _, before := range []string{"", "junk"} {
		path := formattest.Unpack(t, "gson.stream.bin")
		target := filepath.Join(t.TempDir(), "kept.idx")
		if err := os.Symlink(target, path+".idx"); err != nil {
			t.Skip("no symbolic links here: ", err)
		}
		if before != "" {
			put(t, target, []byte(before))
		}
		if st := ready(t, path, Options{}).Status(); st.Index != IndexStored {
			t.Errorf("status %+v", st)
		}
		if st, err := os.Lstat(path + ".idx"); err != nil || st.Mode()&os.ModeSymlink == 0 {
			t.Errorf("the link has become %v, %v", st.Mode(), err)
		}
		stored, err := os.ReadFile(target)
		if err != nil || !bytes.Equal(stored, formattest.Recorded(t, "gson.stream.bin.idx")) {
			t.Errorf("the link leads to %d bytes, %v", len(stored), err)
		}
	}
}

// TestStoredIndexIsReadableAsTheData: users without permission to read the data have
// none to read the index.
func TestStoredIndexIsReadableAsTheData(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no permission bits on windows")
	}
	path := formattest.Unpack(t, "gson.stream.bin")
	if err := os.Chmod(path, 0o600); err != nil {
		t.Fatal(err)
	}
	ready(t, path, Options{})
	st, err := os.Stat(path + ".idx")
	if err != nil {
		t.Fatal(err)
	}
	if st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v", st.Mode())
	}
}

// TestOpenCallsBeforeTheEndMark: a recording that ends within calls, but with an
// end mark. Only the data tells which calls are open, not an index.
func TestOpenCallsBeforeTheEndMark(t *testing.T) {
	w := formattest.NewBuilder(t)
	m := w.Method("a.A", "f", format.Type{Kind: format.TypeInt})
	at := w.Location(1)
	w.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Location: at, Ref: m, Target: format.Null()})
	for range 300 {
		w.Call(at, m, nil)
	}
	path := w.File()
	want := eagerText(t, path, false)
	if err := RebuildIndex(context.Background(), path, "", false, nil); err != nil {
		t.Fatal(err)
	}
	r := ready(t, path, Options{})
	if st := r.Status(); st.Unfinished != 1 || st.Index != IndexRebuilt {
		t.Fatalf("status %+v", st)
	}
	tree := r.Tree(false)
	formattest.SameText(t, []byte(treeText(t, tree, ways(t, tree)["rows upwards"])), []byte(want))
}

// TestIndexElsewhere: an index that is given by its path is used as one beside the data is; where it cannot be, the
// trace is whole all the same, the status tells why, and no file is written.
func TestIndexElsewhere(t *testing.T) {
	name := "gson.stream.bin"
	whole := ready(t, formattest.Unpack(t, name), Options{NoWrite: true})
	var want bytes.Buffer
	if err := whole.Print(t.Context(), &want, PrintOptions{}, PrintRange{}); err != nil {
		t.Fatal(err)
	}
	elsewhere := t.TempDir()
	for file, from := range map[string]string{"good": name + ".idx", "other": "kotlin.stream.bin.idx", "data": name} {
		if err := os.WriteFile(filepath.Join(elsewhere, file), formattest.Recorded(t, from), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		index  string
		follow bool
		origin string
		why    error // nil for any, if the index is not used
	}{
		{"good", false, IndexRecorded, nil}, {"good", true, IndexRecorded, nil},
		{"missing", false, IndexRebuilt, os.ErrNotExist}, {"missing", true, IndexRebuilt, os.ErrNotExist},
		{"other", false, IndexRebuilt, nil}, {"data", false, IndexRebuilt, nil}, {".", false, IndexRebuilt, nil},
	} {
		path := formattest.Unpack(t, name)
		if err := os.Remove(path + format.IndexSuffix); err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		r := ready(t, path, Options{Index: filepath.Join(elsewhere, c.index), Follow: c.follow})
		for r.Status().Phase != PhaseReady { // a followed trace is known before its end is dealt with
			<-r.Changed()
		}
		st := r.Status()
		if st.Index != c.origin || (st.IndexReason == nil) != (c.origin == IndexRecorded) || c.why != nil && !errors.Is(st.IndexReason, c.why) {
			t.Errorf("%+v: index %s, %v", c, st.Index, st.IndexReason)
		}
		var got bytes.Buffer
		if err := r.Print(t.Context(), &got, PrintOptions{}, PrintRange{}); err != nil {
			t.Fatal(err)
		}
		formattest.SameText(t, got.Bytes(), want.Bytes())
		onlyFiles(t, filepath.Dir(path), name)
	}
	onlyFiles(t, elsewhere, "data", "good", "other")
}

// TestIndexOfPacked: an index that is given takes the place of the packed one.
func TestIndexOfPacked(t *testing.T) {
	const name = "packed.stream.bin.packedtrace"
	b := formattest.Recorded(t, name)
	p, err := format.OpenPacked(bytes.NewReader(b), int64(len(b)))
	if err != nil {
		t.Fatal(err)
	}
	in, err := p.Open(format.EntryIndex)
	if err != nil {
		t.Fatal(err)
	}
	own, err := io.ReadAll(in)
	if err != nil {
		t.Fatal(err)
	}
	for index, origin := range map[string]string{string(own): IndexRecorded, string(formattest.Recorded(t, "kotlin.stream.bin.idx")): IndexRebuilt} {
		path := filepath.Join(t.TempDir(), "index")
		if err := os.WriteFile(path, []byte(index), 0o644); err != nil {
			t.Fatal(err)
		}
		r := ready(t, formattest.Unpack(t, name), Options{Index: path})
		if st := r.Status(); st.Index != origin || (st.IndexReason == nil) != (origin == IndexRecorded) {
			t.Errorf("index %s, not %s: %v", st.Index, origin, st.IndexReason)
		}
	}
}
