package lazy

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy/internal/times"
)

// translated is a trace in another version.
type translated struct {
	*Translation
	path string
}

// translate writes the trace at path in another version.
func translate(t testing.TB, path string, to format.Version) translated {
	t.Helper()
	r := ready(t, path, Options{NoWrite: true})
	out := filepath.Join(t.TempDir(), "trace.bin")
	var o TranslateFiles
	for _, f := range []struct {
		name string
		to   **os.File
	}{{out, &o.Data}, {out + ".idx", &o.Index}, {out + ".tim", &o.Times}} {
		var err error
		if *f.to, err = os.Create(f.name); err != nil {
			t.Fatal(err)
		}
		defer (*f.to).Close()
	}
	last, all := int64(0), int64(1)
	made, err := r.Translate(context.Background(), to, o, func(done, total int64) {
		if done < last || done > total {
			t.Errorf("%d of %d done, behind %d", done, total, last)
		}
		last, all = done, total
	})
	if err != nil {
		t.Fatal(err)
	}
	if made.Problem == nil && last > all {
		t.Errorf("%d of %d done at the end", last, all)
	}
	if !made.Times {
		if err := os.Remove(out + ".tim"); err != nil {
			t.Fatal(err)
		}
	}
	return translated{made, out}
}

func otherVersion(v format.Version) format.Version {
	if v == format.V27 {
		return format.V22
	}
	return format.V27
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	return b
}

// translateSpecs are generated traces of all kinds, of both versions.
func translateSpecs() (specs []formattest.Spec) {
	for _, v := range []format.Version{format.V22, format.V27} {
		for _, s := range []formattest.Spec{
			{Shape: formattest.Calls, N: 3000, Threads: 3},
			{Shape: formattest.Random, N: 4000, Seed: 1, Timed: true},
			{Shape: formattest.Random, N: 4000, Seed: 2, Timed: true, Options: formattest.Options{Dump: true}},
			{Shape: formattest.Random, N: 4000, Seed: 3, Own: true, Options: formattest.Options{BlockSize: 4096}},
			{Shape: formattest.Random, N: 4000, Seed: 4, Wild: true, Timed: true, Options: formattest.Options{BlockSize: 2000}},
			{Shape: formattest.Deep, N: 3000, Options: formattest.Options{BlockSize: 4096, SplitAfterHeader: true}},
			{Shape: formattest.Threads, N: 40, Timed: true, Options: formattest.Options{Dump: true}},
			{Shape: formattest.Threads, N: 40},
			{Shape: formattest.WideLeaves, N: 5000},
		} {
			s.Version = v
			specs = append(specs, s)
		}
	}
	return specs
}

// translatePaths are the paths of traces of both versions, recorded and generated,
// by name.
func translatePaths(t testing.TB) map[string]string {
	paths := make(map[string]string)
	for _, name := range formattest.RecordedNames(t, ".bin") {
		if strings.HasPrefix(name, "net.") { // which has no index
			paths[name] = formattest.Unpack(t, name)
			continue
		}
		paths[name] = formattest.Unpack(t, name, name+".idx")
	}
	for _, s := range translateSpecs() {
		paths[s.Name()] = formattest.File(t, s)
	}
	return paths
}

// guessesUndone are the guesses that are undone when a trace recorded by Lincheck is
// translated back: it has the same bytes again.
var guessesUndone = map[format.Change]bool{
	format.ChangeMark: true, format.ChangeLoops: true, format.ChangeBigNumber: true, format.ChangeShortClass: true,
	format.ChangeExceptionName: true, format.ChangeUnquoted: true, format.ChangeBuilder: true,
}

// A translated trace has an index and times that match it, and its blocks in the same
// order. Translated back, the files are the same, if nothing was lost.
func TestTranslate(t *testing.T) {
	ctx, same := context.Background(), 0
	for name, path := range translatePaths(t) {
		t.Run(name, func(t *testing.T) {
			data, index, times := read(t, path), read(t, path+".idx"), read(t, path+".tim")
			from, err := format.CheckDataHeader(data)
			if err != nil {
				t.Fatal(err)
			}
			there := translate(t, path, otherVersion(from))
			if v, err := format.CheckDataHeader(read(t, there.path)); err != nil || v != there.To || there.From != from {
				t.Fatalf("from %d to %d, wrote %d: %v", there.From, there.To, v, err)
			}
			if there.Whole {
				if _, err := VerifyIndex(ctx, there.path, "", nil); err != nil {
					t.Error(err)
				}
			} else if there.Problem == nil {
				t.Error("no problem was told")
			}
			if there.Times != (times != nil) || there.TimesReason != nil {
				t.Errorf("times %v, %v", there.Times, there.TimesReason)
			}
			if there.Times {
				if _, err := VerifyTimes(ctx, there.path, "", nil); err != nil {
					t.Error(err)
				}
			}
			sameOutline(t, data, read(t, there.path))
			back := translate(t, there.path, from)
			for c := range there.Changes {
				if !guessesUndone[c] || c == format.ChangeUnquoted && strings.HasPrefix(name, "random") {
					return
				}
			}
			if there.Changes[format.ChangeBuilder] > 0 && bytes.Count(data, []byte("java.lang.StringBuilder")) == 0 {
				return
			}
			same++
			if s := format.NewBytesScanner(data); there.Problem != nil {
				for s.Next() {
				}
				data = data[:s.Offset()]
			}
			if !bytes.Equal(read(t, back.path), data) {
				t.Error("the data that came back differs")
			}
			if back := read(t, back.path+".idx"); index != nil && there.Whole && !bytes.Equal(back, index) {
				t.Errorf("the index that came back differs: %d bytes, was %d", len(back), len(index))
			}
			if !bytes.Equal(read(t, back.path+".tim"), times) {
				t.Error("the times that came back differ")
			}
		})
	}
	if same < 20 {
		t.Errorf("only %d traces came back the same", same)
	}
}

// sameOutline checks that both traces have the same objects in the same blocks,
// except for class descriptors.
func sameOutline(t *testing.T, before, after []byte) {
	t.Helper()
	a, b := format.NewBytesScanner(before), format.NewBytesScanner(after)
	next := func(s *format.Scanner) (o format.Object, ok bool) {
		for ok = s.Next(); ok; ok = s.Next() {
			if o = s.Object(); o.Kind != format.KindClassDescriptor {
				break
			}
		}
		return o, ok
	}
	for {
		o, more := next(a)
		p, moreToo := next(b)
		if more != moreToo || o.Kind != p.Kind || o.Class != p.Class || o.Thread != p.Thread || o.Depth != p.Depth {
			t.Fatalf("%v (%v) of thread %d at %d became %v (%v) of thread %d", o.Kind, o.Class, o.Thread, o.Offset, p.Kind, p.Class, p.Thread)
		}
		if !more {
			return
		}
		if o.Kind == format.KindTracePoint && format.EventOf(o.Bytes) != format.EventOf(p.Bytes) {
			t.Fatalf("event %d at %d became %d", format.EventOf(o.Bytes), o.Offset, format.EventOf(p.Bytes))
		}
	}
}

func pointsOf(data []byte) (n int64) {
	for s := format.NewBytesScanner(data); s.Next(); {
		if s.Object().Kind == format.KindTracePoint {
			n++
		}
	}
	return n
}

// A crashed recording stays one: open containers stay open, and earlier index cells
// are kept.
func TestTranslateCrashed(t *testing.T) {
	for _, v := range []format.Version{format.V22, format.V27} {
		for _, crash := range []formattest.Crash{formattest.CrashLost, formattest.CrashPartial} {
			path := formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 3000, Seed: 5, Threads: 2, Crash: crash, Timed: true,
				Options: formattest.Options{Version: v, BlockSize: 4096}})
			there := translate(t, path, otherVersion(v))
			if there.Whole || !errors.Is(there.Problem, format.ErrTruncated) || !there.Times {
				t.Errorf("whole %v, times %v, %v, %v", there.Whole, there.Times, there.TimesReason, there.Problem)
			}
			a, b := ready(t, path, Options{NoWrite: true}), ready(t, there.path, Options{NoWrite: true})
			if got, want := b.Status().Unfinished, a.Status().Unfinished; got != want || want == 0 {
				t.Errorf("%d unfinished, want %d", got, want)
			}
			if got, want := pointsOf(read(t, there.path)), pointsOf(read(t, path)); got != want || there.Points != want || want == 0 {
				t.Errorf("%d points, told %d, want %d", got, there.Points, want)
			}
			back := translate(t, there.path, v)
			if len(there.Changes) > 0 {
				continue
			}
			if index := read(t, path+".idx"); !bytes.Equal(read(t, back.path+".idx"), index) {
				t.Error("the index that came back differs")
			}
		}
	}
}

// Cut at any offset, a trace is translated up to its last whole object.
func TestTranslateCut(t *testing.T) {
	step := 401
	if formattest.Exhaustive() {
		step = 101
	}
	for _, v := range []format.Version{format.V22, format.V27} {
		spec := formattest.Spec{Shape: formattest.Random, N: 60, Seed: 9, Timed: true, Options: formattest.Options{Version: v, BlockSize: 1500}}
		path := formattest.File(t, spec)
		data := read(t, path)
		for cut := len(data) - 1; cut >= format.HeaderSize; cut -= step {
			if err := os.WriteFile(path, data[:cut], 0o644); err != nil {
				t.Fatal(err)
			}
			there := translate(t, path, otherVersion(v))
			if points := pointsOf(data[:cut]); there.Points != points || there.Problem == nil || there.Whole {
				t.Fatalf("cut at %d: %d points, want %d: %v", cut, there.Points, points, there.Problem)
			}
		}
	}
}

// A trace with string builders and no descriptor of their class gets one, with a free
// id, and a time for its cell.
func TestTranslateBuilders(t *testing.T) {
	for _, dump := range []bool{false, true} {
		dir := t.TempDir()
		path := filepath.Join(dir, "trace.bin")
		files := map[string]*bytes.Buffer{path: {}, path + ".idx": {}, path + ".tim": {}}
		w := formattest.NewWriter(files[path], files[path+".idx"], formattest.Options{Dump: dump, Times: files[path+".tim"]})
		th := w.Thread(0)
		for event, v := range []format.Value{{ClassID: 77}, {Kind: format.ValueBuilder, Text: "a"}, {Kind: format.ValueBuilder, Text: "b"}} {
			th.Point(&format.Point{Class: format.ClassCall, Diff: format.DiffNone, Event: int32(event), Location: -1, Target: format.Null()})
			th.Footer(&format.Footer{Result: v})
		}
		if _, err := w.Close(); err != nil {
			t.Fatal(err)
		}
		for name, b := range files {
			if err := os.WriteFile(name, b.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		there := translate(t, path, format.V27)
		if n := there.Changes[format.ChangeBuilder]; n != 2 || !there.Times {
			t.Errorf("%d builders, times %v", n, there.Times)
		}
		_, err := VerifyIndex(context.Background(), there.path, "", nil)
		_, err2 := VerifyTimes(context.Background(), there.path, "", nil)
		if err := errors.Join(err, err2); err != nil {
			t.Error(err)
		}
		r := ready(t, there.path, Options{NoWrite: true})
		r.WithContext(func(c *format.Context) {
			if d := c.Class(78); d == nil || d.Name != "java.lang.StringBuilder" || c.Counts()[format.KindClassDescriptor] != 1 {
				t.Errorf("class 78 is %v of %v", d, c.Counts())
			}
		})
		var text bytes.Buffer
		if err := r.Print(context.Background(), &text, PrintOptions{}, PrintRange{}); err != nil || strings.Count(text.String(), `StringBuilder@0("`) != 2 {
			t.Errorf("%v\n%s", err, &text)
		}
		// Times in the order of dump writers fit data whose index is missing.
		if err := os.Remove(path + ".idx"); err != nil {
			t.Fatal(err)
		}
		again := translate(t, path, format.V27)
		if !bytes.Equal(read(t, again.path+".idx"), read(t, there.path+".idx")) || !bytes.Equal(read(t, again.path+".tim"), read(t, there.path+".tim")) {
			t.Error("without the index that was recorded, the result is another")
		}
	}
}

// Times of another trace are left out, with a reason.
func TestTranslateForeignTimes(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Random, N: 500, Seed: 1, Timed: true}
	path := formattest.File(t, spec)
	cells := formattest.TimeCells(t, read(t, path+".tim"))
	cells[3].ID ^= 0x40
	if err := os.WriteFile(path+".tim", formattest.TimesOf(cells...), 0o644); err != nil {
		t.Fatal(err)
	}
	there := translate(t, path, format.V27)
	if there.Times || !errors.Is(there.TimesReason, times.ErrUnfit) {
		t.Errorf("times %v, %v", there.Times, there.TimesReason)
	}
}

// Write errors and a canceled context are returned as errors.
func TestTranslateFails(t *testing.T) {
	path := formattest.File(t, formattest.Spec{Shape: formattest.Random, N: 20000, Seed: 1, Timed: true})
	r := ready(t, path, Options{NoWrite: true})
	dir := t.TempDir()
	create := func(name string) *os.File {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		return f
	}
	files := func() TranslateFiles {
		return TranslateFiles{Data: create("d"), Index: create("i"), Times: create("t")}
	}
	for i := range 3 {
		out := files()
		[]*os.File{out.Data, out.Index, out.Times}[i].Close()
		if _, err := r.Translate(context.Background(), format.V27, out, nil); !errors.Is(err, os.ErrClosed) {
			t.Errorf("file %d is closed: %v", i, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := r.Translate(ctx, format.V27, files(), nil); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	for pass := range int64(2) {
		ctx, cancel = context.WithCancel(context.Background())
		_, err := r.Translate(ctx, format.V27, files(), func(done, total int64) {
			if done > pass*total/2 {
				cancel()
			}
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("cancelled in pass %d: %v", pass, err)
		}
		cancel()
	}
	if _, err := r.Translate(context.Background(), format.V19, files(), nil); err == nil {
		t.Error("version 19 is written")
	}
}
