package uftrace

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// recordedDirectory returns the recording of testdata.
func recordedDirectory(t testing.TB) directory {
	t.Helper()
	d := make(directory)
	entries, err := os.ReadDir(filepath.Join("testdata", "demo"))
	if err != nil || len(entries) == 0 {
		t.Fatalf("no recording: %v", err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join("testdata", "demo", e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		d[e.Name()] = string(b)
	}
	return d
}

// damage calls f with a recording of which a file is cut at each place, and one of which each byte is
// changed; with some of them, unless all are asked for.
func damage(t *testing.T, f func(d directory, file string, at int)) {
	step := 131
	if formattest.Exhaustive() {
		step = 1
	}
	random := rand.New(rand.NewPCG(1, 2))
	whole := recordedDirectory(t)
	for file, content := range whole {
		if file == infoFile {
			content = content[:min(len(content), 600)] // the rest are tables
		}
		for at := 0; at < len(content); at += step {
			cut := whole.with(file, whole[file][:at])
			f(cut, file, at)
			changed := []byte(whole[file])
			changed[at] ^= byte(1 + random.IntN(255))
			f(whole.with(file, string(changed)), file, at)
		}
	}
}

// with returns a copy of the directory with another content of a file.
func (d directory) with(file, content string) directory {
	c := make(directory, len(d))
	for name, old := range d {
		c[name] = old
	}
	c[file] = content
	return c
}

// TestDamaged: whatever is damaged, what is written is a trace. expect checks that it can be read.
func TestDamaged(t *testing.T) {
	n := 0
	damage(t, func(d directory, file string, at int) {
		n++
		if _, _, err := d.converted(t); err != nil && file != infoFile {
			t.Errorf("%s damaged at %d: %v", file, at, err)
		}
	})
	if n < 40 {
		t.Errorf("%d damaged recordings were tried", n)
	}
}

// TestMissing: each file but two may be missing.
func TestMissing(t *testing.T) {
	whole := recordedDirectory(t)
	for file := range whole {
		d := whole.with(file, "")
		delete(d, file)
		trace, _, err := d.converted(t)
		if needed := file == infoFile || file == tasksFile; (err != nil) != needed {
			t.Errorf("without %s: %v", file, err)
		} else if err == nil && len(trace.Threads) < 2 {
			t.Errorf("without %s: %d threads", file, len(trace.Threads))
		}
	}
}

// TestDamagedRecords: records around a damaged part are converted.
func TestDamagedRecords(t *testing.T) {
	d := newDirectory()
	b := story("1000 > 0 main\n1010 > 1 f\n")
	b = append(b, make([]byte, 40)...)
	b = append(b, story("1020 < 1 f\n1030 < 0 main")...)
	d["100.dat"] = string(b)
	d.expect(t, "# program 100 › main\nmain() @0+30\n  f() @10+10\n", "1 damaged part of a thread's records")
	d["100.dat"] += "the rest"
	d.expect(t, "# program 100 › main\nmain() @0+30\n  f() @10+10\n", "1 damaged part of a thread's records", "1 file that ends within a record")
	// A time that no clock has then.
	d["100.dat"] = string(story("1000 > 0 main\n9000000000000000000 > 1 f\n1020 > 1 g\n1025 < 1 g\n1030 < 0 main"))
	d.expect(t, "# program 100 › main\nmain() @0+30\n  g() @20+5\n", "1 damaged part of a thread's records")
	d["100.dat"] = strings.Repeat("no records at all, but text ", 10)
	if _, left, err := d.converted(t); err == nil || left["damaged part of a thread's records"] != 1 {
		t.Errorf("a file without records: %v, left out %v", err, left)
	}
}

// TestCutValues: a record whose values are not all there is left out.
func TestCutValues(t *testing.T) {
	d := newDirectory("argspec:f@arg1,arg2/s,arg3/t40")
	b := appendRecord(story("10 > 0 main"), 20, typeEntry, 1, at("f"), join(words(1), str("a text"), words(1, 2, 3, 4, 5)))
	for cut := 1; cut < len(b)-2*recordSize; cut++ {
		d["100.dat"] = string(b[:len(b)-cut])
		d.expect(t, "# program 100 › main\nmain(): unfinished @0+10\n", "1 file that ends within a record")
	}
	d["100.dat"] = string(b)
	d.expect(t, "# program 100 › main\nmain(): unfinished @0+10\n  f(1, \"a text\", {…}): unfinished @10+0\n")
}
