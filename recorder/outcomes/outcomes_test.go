package outcomes

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// module has tests that fail in each way.
var module = map[string]string{
	"go.mod": "module example.com/outcomes\n\ngo 1.25\n",
	"a/a_test.go": `package a

import (
	"fmt"
	"testing"
)

func TestPasses(t *testing.T) { t.Log("fine"); fmt.Println("--- FAIL: not a test") }

func TestFails(t *testing.T) {
	fmt.Println("printed")
	t.Errorf("first\nsecond")
	t.Error("third")
}

func TestBelow(t *testing.T) {
	t.Log("above")
	t.Run("one/of two", func(t *testing.T) { t.Run("deep", func(t *testing.T) { t.Fatal("deep down") }) })
	t.Run("fine", func(t *testing.T) { t.Log("not shown") })
}

func TestParallel(t *testing.T) {
	for _, name := range []string{"x", "y"} {
		t.Run(name, func(t *testing.T) { t.Parallel(); t.Error("in " + name) })
	}
}

func TestSkips(t *testing.T) { t.Skip("no") }
`,
	"b/b_test.go": "package b\n\nimport \"testing\"\n\nfunc TestPanics(t *testing.T) { t.Log(\"before\"); panic(\"boom\") }\n",
	"c/c_test.go": "package c\n\nimport \"testing\"\n\nfunc TestFine(t *testing.T) {}\n\nfunc TestHangs(t *testing.T) { select {} }\n",
	"d/d_test.go": "package d\n\nimport \"testing\"\n\nfunc TestFine(t *testing.T) {}\n",
	"e/e_test.go": "package e\n\nfunc Wrong() int { return \"\" }\n",
}

// TestReader reads what go test prints of a module, in each of its forms, in parts of any size. What failed is
// what go test says by -json, and what a test printed is what its source says.
func TestReader(t *testing.T) {
	dir := t.TempDir()
	for name, text := range module {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"a.TestBelow", "a.TestBelow/one/of_two", "a.TestBelow/one/of_two/deep", "a.TestFails", "a.TestParallel", "a.TestParallel/x", "a.TestParallel/y", "b.TestPanics", "c.TestHangs"}
	var said []string
	for _, form := range []string{"-json", "", "-v"} {
		args := []string{"test", "-count=1", "-timeout=3s"}
		if form != "" {
			args = append(args, form)
		}
		c := exec.Command("go", append(args, "./...")...)
		c.Dir = dir
		c.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
		out, err := c.Output()
		if _, ended := err.(*exec.ExitError); !ended {
			t.Fatalf("go test: %v", err)
		}
		if form == "-json" {
			said = failedEvents(t, out)
		}
		for _, part := range []int{1, 7, len(out)} {
			r := new(Reader)
			for b := out; len(b) > 0; b = b[min(part, len(b)):] {
				if n, err := r.Write(b[:min(part, len(b))]); n != min(part, len(b)) || err != nil {
					t.Fatal(n, err)
				}
			}
			printed := make(map[string]string)
			var got []string
			for _, f := range r.Failures() {
				name := filepath.Base(f.Package) + "." + f.Test
				got, printed[name] = append(got, name), f.Output
			}
			slices.Sort(got)
			if !slices.Equal(got, want) || !slices.Equal(got, said) {
				t.Fatalf("go test %s, in parts of %d bytes: failed have %q, expected %q; -json says %q:\n%s", form, part, got, want, said, out)
			}
			checkPrinted(t, form, printed)
		}
	}
}

// checkPrinted checks what the tests of the module printed.
func checkPrinted(t *testing.T, form string, printed map[string]string) {
	t.Helper()
	for name, text := range map[string][]string{
		"a.TestFails":                 {"a_test.go:12: first\n    second\na_test.go:13: third"},
		"a.TestBelow":                 {"a_test.go:17: above"},
		"a.TestBelow/one/of_two/deep": {"a_test.go:18: deep down"},
		"a.TestParallel/x":            {"a_test.go:24: in x"},
		"a.TestParallel/y":            {"a_test.go:24: in y"},
		"b.TestPanics":                {"b_test.go:5: before", "panic: boom", "b_test.go:5 +0x"},
		"c.TestHangs":                 {"panic: test timed out after 3s", "running tests:", "c_test.go:7 +0x"},
	} {
		for _, part := range text {
			if !strings.Contains(printed[name], part) {
				t.Errorf("go test %s: %s printed %q, expected %q", form, name, printed[name], part)
			}
		}
		for _, other := range []string{"fine", "not shown", "not a test", "=== ", "\nFAIL"} {
			if strings.Contains(printed[name], other) {
				t.Errorf("go test %s: %s printed %q, which has %q", form, name, printed[name], other)
			}
		}
	}
}

// failedEvents returns the tests that failed, or did not end, by -json.
func failedEvents(t *testing.T, out []byte) (list []string) {
	t.Helper()
	open := make(map[string]bool)
	for line := range bytes.Lines(out) {
		var e struct{ Action, Package, Test string }
		if err := json.Unmarshal(line, &e); err != nil {
			t.Fatal(err)
		}
		name := filepath.Base(e.Package) + "." + e.Test
		switch {
		case e.Test == "":
		case e.Action == "run":
			open[name] = true
		case e.Action == "pass", e.Action == "skip":
			delete(open, name)
		case e.Action == "fail":
			list = append(list, name)
			delete(open, name)
		}
	}
	for name := range open {
		list = append(list, name)
	}
	slices.Sort(list)
	return list
}
