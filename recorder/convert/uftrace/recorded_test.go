package uftrace

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/readback"
	"tracex/recorder/convert/sources"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestRecorded converts a recording by uftrace 0.13: see testdata/demo.c.
func TestRecorded(t *testing.T) {
	dir := filepath.Join("testdata", "demo")
	if !Source.IsFolder(dir) {
		t.Error("the folder is not recognised")
	}
	var read int64
	in := sources.Input{Path: dir, Size: -1, Progress: func(n int64) { read = n }}
	trace, sum, err := readback.Convert(context.Background(), &Source, in, calltrace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	got := treeOf(trace)
	for _, l := range sum.LeftOut {
		got += fmt.Sprintf("left out: %d %s\n", l.Count, l.What)
	}
	golden := filepath.Join("testdata", "demo.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	var size int64
	for _, name := range []string{"26952.dat", "27000.dat", "27073.dat"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if read != size {
		t.Errorf("progress ends at %d bytes, want %d", read, size)
	}
}

// TestPlaces: the place of a call is the line of its function, as uftrace knows no other.
func TestPlaces(t *testing.T) {
	trace, _, err := readback.Convert(context.Background(), &Source, sources.Input{Path: filepath.Join("testdata", "demo"), Size: -1}, calltrace.Options{})
	if err != nil {
		t.Fatal(err)
	}
	source, err := os.ReadFile(filepath.Join("testdata", "demo.c"))
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(string(source), "\n")
	seen := 0
	for _, thread := range trace.Threads {
		thread.Walk(func(p *readback.Point, depth int) {
			file, line, ok := strings.Cut(p.Place, ":")
			if !ok {
				return
			}
			seen++
			n := 0
			if _, err := fmt.Sscan(line, &n); err != nil || file != "demo.c" || n > len(lines) || !strings.Contains(lines[n-1], p.Name+"(") {
				t.Errorf("%s is at %s", p.Name, p.Place)
			}
		})
	}
	if seen < 20 {
		t.Errorf("%d calls have a place", seen)
	}
}

// TestOtherFolders: a folder is not taken for a recording.
func TestOtherFolders(t *testing.T) {
	dir := t.TempDir()
	write := func(name, content string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name, content string
		want          bool
	}{{"task.txt", "", false}, {"info", "Ftrace", false}, {"info", "Ftracer!", false}, {"info", magic, true}} {
		if write(step.name, step.content); Source.IsFolder(dir) != step.want {
			t.Errorf("with %s %q it is recognised: %t", step.name, step.content, !step.want)
		}
	}
	if Source.IsFolder(filepath.Join(dir, "missing")) {
		t.Error("a missing folder is recognised")
	}
}
