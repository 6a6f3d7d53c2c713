package rewrite

import (
	"bytes"
	"go/build"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
)

// TestWaits: the sources of this release of Go have all places, and are the same but for what is inserted, on the same lines.
func TestWaits(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("programs are recorded on Linux only")
	}
	for _, pkg := range WaitPackages() {
		in, err := build.Import(pkg, "", 0)
		if err != nil {
			t.Fatal(err)
		}
		w, files := NewWaits(pkg), 0
		for _, name := range in.GoFiles {
			text, err := os.ReadFile(filepath.Join(in.Dir, name))
			if err != nil {
				t.Fatal(err)
			}
			edited, err := w.Edit("/src/"+name, text)
			if err != nil {
				t.Fatal(err)
			}
			if edited == nil {
				continue
			}
			files++
			if _, err := parser.ParseFile(token.NewFileSet(), name, edited, 0); err != nil {
				t.Error(err)
			}
			sameLines(t, name, text, edited)
		}
		table, err := w.Table()
		if err != nil || files == 0 {
			t.Errorf("%s: %d files, %v", pkg, files, err)
		}
		if want := pkg != "sync"; (table != nil) != want {
			t.Errorf("%s: the table is %q", pkg, table)
		}
	}
}

// sameLines checks that each line of a file begins or ends as before, and is the line that it was.
func sameLines(t *testing.T, name string, text, edited []byte) {
	line, was := 0, bytes.Split(text, []byte("\n"))
	for _, got := range bytes.Split(edited, []byte("\n")) {
		s := string(got)
		if rest, is := strings.CutPrefix(s, "//line /src/"+name+":"); is {
			if want := strings.TrimSpace(rest); want != strconv.Itoa(line+1) {
				t.Errorf("%s: line %d says that it is %s", name, line+1, want)
			}
			continue
		}
		if s == "//go:noinline" && (line == len(was) || string(was[line]) != s) {
			continue
		}
		have, mark := string(was[line]), strings.Index(s, "if tracex")
		if s != have && (mark < 0 || !strings.Contains(strings.Join(strings.Fields(s), " "), strings.TrimSpace(have))) {
			t.Fatalf("%s:%d: %q, was %q", name, line+1, s, have)
		}
		line++
	}
	if line != len(was) {
		t.Errorf("%s has %d lines, had %d", name, line, len(was))
	}
}

// TestWaitsUnknown: sources without one of the places are not used, and the error says which.
func TestWaitsUnknown(t *testing.T) {
	const forks = "func forkExec() (int, error) { return pid, nil }\n"
	for _, c := range []struct{ pkg, text, lacks string }{
		{"syscall", "package syscall\nfunc Syscall() { runtime_entersyscall(); runtime_exitsyscall() }\n" + forks, "Syscall6"},
		{"syscall", "package syscall\nfunc Syscall() { runtime_entersyscall() }\nfunc Syscall6() { runtime_entersyscall(); runtime_exitsyscall() }\n" + forks, "Syscall runtime_exitsyscall"},
		{"syscall", "package syscall\nfunc Syscall() { runtime_entersyscall(); runtime_exitsyscall() }\nfunc Syscall6() { runtime_entersyscall(); runtime_exitsyscall() }\nfunc forkExec() (int, error) { if x { return 0, nil } }\n", "forkExec return"},
		{"sync", "package sync\nfunc (m *Mutex) Lock() {}\nfunc (m *RWMutex) Lock() {}\nfunc (o *Once) Do(f func()) {}\n", "RWMutex.RLock"},
		{"runtime", "package runtime // waitReason\nfunc gopark(r int) { mcall(x) }\nfunc goready(gp *g) {}\nfunc cgocall() { entersyscall(); exitsyscall() }\n", "gopark"},
	} {
		w := NewWaits(c.pkg)
		if _, err := w.Edit("/x.go", []byte(strings.ReplaceAll(c.text, "entersyscall();", "entersyscall()\n"))); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Table(); err == nil || !strings.Contains(err.Error(), "has no "+c.lacks) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
	if NewWaits("net/http") != nil {
		t.Error("net/http has places")
	}
}
