package recorder_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// needGo skips a test that builds programs if there is no go command.
func needGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	if testing.Short() {
		t.Skip("it builds programs")
	}
}

// linked returns what a package links, by a list of packages.
func linked(t *testing.T, pkg string) []string {
	t.Helper()
	out, err := exec.Command("go", "list", "-deps", pkg).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.Fields(string(out))
}

// heavy returns those packages that a program must not link for only a recorder.
func heavy(packages []string) (found []string) {
	for _, p := range packages {
		for _, ban := range []string{"net", "crypto", "log", "encoding/json", "text/template", "go/", "google.golang.org", "github.com/klauspost", "tracex/recorder/perfetto", "tracex/recorder/internal/perfetto", "tracex/lazy", "testing"} {
			if p == ban || strings.HasPrefix(p, strings.TrimSuffix(ban, "/")+"/") {
				found = append(found, p)
			}
		}
	}
	return found
}

// TestWeight: a program that records itself links no network, cryptography or protobuf package:
// these are linked with the packages that use them, each by its own import.
func TestWeight(t *testing.T) {
	needGo(t)
	packages := linked(t, "tracex/recorder")
	if !slices.Contains(packages, "tracex/format") {
		t.Fatalf("the list of packages is none: %q", packages)
	}
	if found := heavy(packages); len(found) > 0 {
		t.Errorf("the recorder links %q", found)
	}
	for _, pkg := range []string{"tracex/recorder/shared", "tracex/recorder/httptrace", "tracex/recorder/slogtrace"} {
		if len(heavy(linked(t, pkg))) == 0 {
			t.Errorf("%s links nothing that the recorder may not: the rule finds nothing", pkg)
		}
	}
}

// mostWeight is how many bytes a program may grow when it records itself.
const mostWeight = 3 << 20

// TestSize builds a small program with and without a recorder.
func TestSize(t *testing.T) {
	needGo(t)
	without := built(t, `package main

import "fmt"

func main() { fmt.Println("hello") }
`)
	with := built(t, `package main

import (
	"fmt"
	"os"

	"tracex/recorder"
)

func main() {
	rec, err := recorder.Start(recorder.Config{Path: "trace.bin"})
	if err != nil {
		panic(err)
	}
	t := rec.Thread("main")
	m := rec.Method(rec.Class("main"), "hello", recorder.Type{})
	func() {
		defer t.Call(m, rec.Caller(0), recorder.Null(), rec.Capture(os.Args)).End()
		fmt.Println("hello")
	}()
	t.End()
	if err := rec.Stop(); err != nil {
		panic(err)
	}
}
`)
	t.Logf("%d bytes without a recorder, %d with one", without, with)
	if with-without > mostWeight {
		t.Errorf("a program of %d bytes gets %d larger by a recorder, %d are allowed", without, with-without, mostWeight)
	}
	if with <= without {
		t.Error("the recorder weighs nothing: it was not linked")
	}
}

// built returns the size of a program, without its symbols.
func built(t *testing.T, source string) int64 {
	t.Helper()
	dir := t.TempDir()
	file, program := filepath.Join(dir, "main.go"), filepath.Join(dir, "program")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("go", "build", "-ldflags=-s -w", "-o", program, file).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	st, err := os.Stat(program)
	if err != nil {
		t.Fatal(err)
	}
	return st.Size()
}
