package lazy

import (
	"archive/zip"
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
)

// tempDir makes a directory of the test's own for temporary files, and fails if any
// are left at the end.
func tempDir(t *testing.T) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	t.Cleanup(func() { onlyFiles(t, dir) })
}

func printed(t *testing.T, r *LazyTraceReader, o PrintOptions) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := r.Print(context.Background(), &out, o, PrintRange{}); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPackedPrints(t *testing.T) {
	tempDir(t)
	for _, name := range formattest.RecordedNames(t, ".packedtrace") {
		base := strings.TrimSuffix(strings.TrimSuffix(name, ".packedtrace"), ".bin")
		t.Run(base, func(t *testing.T) {
			path := formattest.Unpack(t, name)
			r := ready(t, path, Options{})
			if st := r.Status(); st.Phase != PhaseReady || st.Index != IndexRecorded || st.Problem != nil || st.InfoProblem != nil {
				t.Fatalf("status %+v", st)
			}
			for _, view := range []string{"raw", "folded"} {
				for _, verbose := range []bool{false, true} {
					want := base + "." + view
					if verbose {
						want += ".verbose"
					}
					o := PrintOptions{Folded: view == "folded", Verbose: verbose}
					formattest.SameText(t, printed(t, r, o), formattest.Recorded(t, want+".txt"))
				}
			}
			onlyFiles(t, filepath.Dir(path), name)
		})
	}
}

// repack writes a packed trace again with its entries as change returns them:
// nil leaves one out.
func repack(t *testing.T, packed []byte, change func(name string, b []byte) []byte) []byte {
	t.Helper()
	in, err := zip.NewReader(bytes.NewReader(packed), int64(len(packed)))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	w := zip.NewWriter(&out)
	for _, f := range in.File {
		from, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(from)
		if err != nil {
			t.Fatal(err)
		}
		if b = change(f.Name, b); b == nil {
			continue
		}
		to, err := w.CreateHeader(&zip.FileHeader{Name: f.Name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		to.Write(b)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestPackedWithoutParts(t *testing.T) {
	tempDir(t)
	packed := formattest.Recorded(t, "packed.dump.bin.packedtrace")
	want := formattest.Recorded(t, "packed.dump.raw.txt")
	for what, gone := range map[string]string{"no index": format.EntryIndex, "no info": format.EntryInfo} {
		t.Run(what, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "some.packedtrace")
			b := repack(t, packed, func(name string, b []byte) []byte {
				if name == gone {
					return nil
				}
				return b
			})
			if err := os.WriteFile(path, b, 0o644); err != nil {
				t.Fatal(err)
			}
			r := ready(t, path, Options{})
			formattest.SameText(t, printed(t, r, PrintOptions{}), want)
			st := r.Status()
			if rebuilt := st.Index == IndexRebuilt; rebuilt != (gone == format.EntryIndex) || st.IndexReason != nil || st.Problem != nil {
				t.Fatalf("status %+v", st)
			}
		})
	}
}

// TestPackedDamage flips bytes of the parts of a packed trace, which the checksums
// detect, and cuts it short.
func TestPackedDamage(t *testing.T) {
	tempDir(t)
	packed := repack(t, formattest.Recorded(t, "packed.dump.bin.packedtrace"), func(_ string, b []byte) []byte { return b })
	want := formattest.Recorded(t, "packed.dump.raw.txt")
	parts := make(map[string]int)
	repack(t, packed, func(name string, b []byte) []byte {
		parts[name] = bytes.Index(packed, b) + len(b) - 40
		return b
	})
	path := filepath.Join(t.TempDir(), "some.packedtrace")
	damaged := func(b []byte) *LazyTraceReader {
		if err := os.WriteFile(path, b, 0o644); err != nil {
			t.Fatal(err)
		}
		return ready(t, path, Options{})
	}
	flip := func(name string) []byte {
		b := bytes.Clone(packed)
		b[parts[name]] ^= 0x20
		return b
	}
	r := damaged(flip(format.EntryIndex))
	if st := r.Status(); st.Index != IndexRebuilt || st.IndexReason == nil || st.Problem != nil {
		t.Errorf("index: status %+v", st)
	}
	formattest.SameText(t, printed(t, r, PrintOptions{}), want)
	r = damaged(flip(format.EntryData))
	if st := r.Status(); st.Problem == nil || !strings.Contains(st.Problem.Error(), path) {
		t.Errorf("data: status %+v", st)
	}
	if len(r.Threads()) == 0 {
		t.Error("nothing of damaged data is shown")
	}
	for n := 0; n < len(packed); n += 1 + len(packed)/40 {
		if err := os.WriteFile(path, packed[:n], 0o644); err != nil {
			t.Fatal(err)
		}
		if r, err := Open(path, Options{}); err == nil {
			r.Close()
			t.Errorf("%d of %d bytes open as if they were whole", n, len(packed))
		} else if !strings.Contains(err.Error(), path) {
			t.Errorf("an error that does not name the file: %v", err)
		}
	}
}

// TestPackedBeforeItIsUnpacked: early queries get an answer, and Close ends the
// unpacking.
func TestPackedBeforeItIsUnpacked(t *testing.T) {
	tempDir(t)
	ctx := context.Background()
	r := open(t, formattest.Unpack(t, "diff-gson.packedtrace"), Options{})
	r.Summarize(ctx, nil)
	r.FindEvent(ctx, 1)
	r.Tree(true).Refresh()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Summarize(ctx, nil); err == nil {
		t.Error("a closed trace is summarized")
	}
	empty := &LazyTraceReader{&walk.Reader{Worker: trace.NewWorker("early", Options{}, walk.CheckEnds)}}
	if _, err := empty.Summarize(ctx, nil); err == nil {
		t.Error("a trace without data is summarized")
	}
}

// packTimed packs a trace with its times, or with others.
func packTimed(t *testing.T, data string, times []byte, level int) string {
	t.Helper()
	in := format.PackInput{Info: []byte("Class: C\n"), Times: bytes.NewReader(times)}
	for suffix, r := range map[string]*io.Reader{"": &in.Data, ".idx": &in.Index} {
		b, err := os.ReadFile(data + suffix)
		if err != nil {
			t.Fatal(err)
		}
		*r = bytes.NewReader(b)
	}
	var out bytes.Buffer
	if err := format.Pack(&out, in, level, nil); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "timed.packedtrace")
	if err := os.WriteFile(path, out.Bytes(), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestPackedTimes: a packed trace has the times of its files.
func TestPackedTimes(t *testing.T) {
	tempDir(t)
	for i, spec := range timedSpecs() {
		t.Run(spec.Name(), func(t *testing.T) {
			data := formattest.File(t, spec)
			times, err := os.ReadFile(data + ".tim")
			if err != nil {
				t.Fatal(err)
			}
			path := packTimed(t, data, times, []int{0, 6, 9}[i%3])
			r := ready(t, path, Options{})
			if anchor, ok := r.Times(); !ok || !anchor.Equal(formattest.Anchor) || r.Status().TimesReason != nil {
				t.Fatalf("anchor %v, %v; status %+v", anchor, ok, r.Status())
			}
			compareTimes(t, r, pair(t, data))
			onlyFiles(t, filepath.Dir(path), filepath.Base(path))
		})
	}
}

// TestPackedTimesUnfit: times that are damaged or of another trace are ignored, and
// the reason is reported.
func TestPackedTimesUnfit(t *testing.T) {
	tempDir(t)
	spec := formattest.Spec{Shape: formattest.Calls, N: 500, Timed: true}
	data := formattest.File(t, spec)
	times, err := os.ReadFile(data + ".tim")
	if err != nil {
		t.Fatal(err)
	}
	want := printed(t, ready(t, data, Options{NoWrite: true}), PrintOptions{})
	cells := formattest.TimeCells(t, times)
	short := formattest.TimesOf(cells[:len(cells)-1]...)
	for i := range len(cells) - 1 {
		cells[i].ID ^= 1
	}
	other := formattest.TimesOf(cells...)
	damaged := packTimed(t, data, times, 6)
	patchFile(t, damaged, 200, 0xff)
	headless := packTimed(t, data, times, 6)
	patchFile(t, headless, 8, 0xff)
	for what, c := range map[string]struct {
		path   string
		reason string // "": as if there were no times
	}{
		"damaged":          {damaged, "times"},
		"not found":        {headless, ""},
		"too short":        {packTimed(t, data, short, 6), "do not fit"},
		"of another trace": {packTimed(t, data, other, 6), "do not fit"},
	} {
		t.Run(what, func(t *testing.T) {
			r := ready(t, c.path, Options{})
			tree := r.Tree(false)
			roots, err := tree.Children(context.Background(), tree.Threads()[0])
			if err != nil {
				t.Fatal(err)
			}
			if at, ok := roots[0].Time(); ok { // a cell is checked when it is used
				t.Errorf("a time: %+v", at)
			}
			formattest.SameText(t, printed(t, r, PrintOptions{}), want)
			st := r.Status()
			if _, ok := r.Times(); ok || st.Index != IndexRecorded || st.Problem != nil {
				t.Errorf("times %v, status %+v", ok, st)
			}
			if c.reason == "" && st.TimesReason != nil || c.reason != "" &&
				(st.TimesReason == nil || !strings.Contains(st.TimesReason.Error(), c.reason) || !strings.Contains(st.TimesReason.Error(), c.path)) {
				t.Errorf("the reason is %v", st.TimesReason)
			}
		})
	}
}

// patchFile changes a byte of a file.
func patchFile(t *testing.T, path string, at int, b byte) {
	t.Helper()
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	file[at] ^= b
	if err := os.WriteFile(path, file, 0o644); err != nil {
		t.Fatal(err)
	}
}
