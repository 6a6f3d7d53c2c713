package rewrite

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"go/types"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the files that tests compare with")

// edited returns what a package of one file becomes, and its table.
func edited(t *testing.T, options Options, text string) (file File, table string) {
	t.Helper()
	p := New("example.com/p", options)
	if err := p.Add("/src/p/p.go", []byte(text)); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	file, err := p.Edit(0)
	if err != nil {
		t.Fatal(err)
	}
	return file, string(p.Table())
}

// TestEdits compares edited declarations with testdata/edits.txt, which has cases of the form
//
//	# what is special
//	source
//	=>
//	edited source, its descriptors, and functions that are not instrumented
func TestEdits(t *testing.T) {
	const path = "testdata/edits.txt"
	golden, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cases := strings.Split(string(golden), "# ")[1:]
	for _, c := range cases {
		title, rest, _ := strings.Cut(c, "\n")
		source, want, _ := strings.Cut(rest, "=>\n")
		options := Options{
			Tests: true, Trivial: !strings.Contains(title, "trivial"), Release: "go1.26.8",
			Shown: func(path string) string { return strings.TrimPrefix(path, "/src/") },
		}
		if strings.Contains(title, "go1.27") {
			options.Release, options.Import = "go1.27rc1", importerFunc(func(path string) (*types.Package, error) { return nil, errors.New(path) })
		}
		if strings.Contains(title, "go1.17") {
			options.Lang = "go1.17"
		}
		file, table := edited(t, options, "package p\n"+source)
		var have strings.Builder
		text := strings.Replace(string(file.Text), "package p; import __tracex \"tracexrt\"\n", "", 1)
		text = strings.TrimPrefix(text, "//line /src/p/p.go:1\n")
		have.WriteString(text)
		if table, found := strings.CutPrefix(table, "//line tracex.go:1\npackage p\nimport __tracex \"tracexrt\"\nvar __tracexm0 = [...]__tracex.Func{"); found {
			table = strings.TrimSuffix(table, ", }\n")
			have.WriteString(strings.ReplaceAll(table, ", {", "\n{") + "\n")
		}
		for _, f := range file.Functions {
			if f.Reason != "" {
				fmt.Fprintf(&have, "%s:%d %s: %s\n", f.File, f.Line, f.Name, f.Reason)
			}
		}
		have.WriteString("\n")
		if have.String() != want && !*update {
			t.Errorf("%s: got\n%s\nwant\n%s", title, have.String(), want)
		}
		fmt.Fprintf(&out, "# %s\n%s=>\n%s", title, source, have.String())
	}
	if len(cases) == 0 {
		t.Fatal("no cases")
	}
	if *update {
		if err := os.WriteFile(path, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestNamesAreFree: an inserted name occurs nowhere in the package, in whatever file.
func TestNamesAreFree(t *testing.T) {
	p := New("p", Options{Trivial: true})
	for i, text := range []string{"package p\nfunc f() {}", "package p\nvar __tracex, __tracex1_x int // __tracex2_"} {
		if err := p.Add(fmt.Sprintf("/p/%d.go", i), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	file, err := p.Edit(0)
	if err != nil {
		t.Fatal(err)
	}
	const want = "func f() { if __tracex3_.On() { if __tracex3_k := __tracex3_.Enter(&__tracex3_m0[0]); __tracex3_k != 0 { defer __tracex3_.Exit(__tracex3_k) } };}"
	if !strings.Contains(string(file.Text), want) {
		t.Errorf("got\n%s\nwithout %s", file.Text, want)
	}
}

// TestWholeFile: what is around the edits of a file.
func TestWholeFile(t *testing.T) {
	for _, c := range []struct{ title, in, want string }{
		{"plain", "package p\nfunc f() {}\n", "package p; import __tracex \"tracexrt\"\nfunc f() { …}\n"},
		{"no line break at the end", "package p\nfunc f() {} // end", "package p; import __tracex \"tracexrt\"\nfunc f() { …} // end"},
		{"comments", "// Doc.\npackage /* a\nb */ p // c\nimport \"fmt\"\nfunc f() { fmt.Println() }\n",
			"// Doc.\npackage /* a\nb */ p; import __tracex \"tracexrt\" // c\nimport \"fmt\"\nfunc f() { … fmt.Println() }\n"},
		{"semicolons", "package p; import \"fmt\"; func f() { fmt.Println() }",
			"package p; import __tracex \"tracexrt\"; import \"fmt\"; func f() { … fmt.Println() }"},
		{"byte order mark", "\ufeffpackage p\nfunc f() {}\n", "package p; import __tracex \"tracexrt\"\nfunc f() { …}\n"},
		{"carriage returns", "package p\r\nfunc f() {\r\n}\r\n", "package p; import __tracex \"tracexrt\"\r\nfunc f() { …\r\n}\r\n"},
	} {
		file, _ := edited(t, Options{Trivial: true}, c.in)
		have := string(file.Text)
		have = strings.ReplaceAll(have, "if __tracex.On() { if __tracexk := __tracex.Enter(&__tracexm0[0]); __tracexk != 0 { defer __tracex.Exit(__tracexk) } };", "…")
		if want := "//line /src/p/p.go:1\n" + c.want; have != want {
			t.Errorf("%s: got\n%q\nwant\n%q", c.title, have, want)
		}
	}
}

// TestNothingToEdit: files without instrumented functions have no text.
func TestNothingToEdit(t *testing.T) {
	for _, c := range []struct {
		path, text, reason string
		options            Options
	}{
		{"/p/p.go", "package p\nvar x = 1\n", "", Options{}},
		{"/p/p.go", "//tracex:skip\npackage p\nfunc f() {}\nvar x = func() {}\n", "//tracex:skip", Options{Trivial: true}},
		{"/p/p.go", "// Package p.\n//\n//tracex:skip\n\n// More.\npackage p\nfunc f() {}\n", "//tracex:skip", Options{Trivial: true}},
		{"/p/p_test.go", "package p\nfunc f() { go f() }\n", ReasonTest, Options{Trivial: true}},
		{"/p/_cgo_gotypes.go", "package p\nfunc f() { go f() }\n", ReasonCgo, Options{Trivial: true}},
		{"/p/_testmain.go", "package main\nfunc main() { main() }\n", ReasonTestMain, Options{Trivial: true}},
		{"/p/_testmain.cover.go", "//line _testmain.go:1:1\npackage main\nfunc init() { init() }\n", ReasonTestMain, Options{Trivial: true, Tests: true}},
	} {
		p := New("example.com/p.test", c.options)
		if err := p.Add(c.path, []byte(c.text)); err != nil {
			t.Fatal(err)
		}
		file, err := p.Edit(0)
		if err != nil || file.Text != nil || file.Statements != 0 {
			t.Errorf("%q: %v, edited to %q", c.text, err, file.Text)
		}
		for _, f := range file.Functions {
			if f.Reason != c.reason {
				t.Errorf("%q: %s is left out as %q, want %q", c.text, f.Name, f.Reason, c.reason)
			}
		}
		if c.reason != "" && len(file.Functions) == 0 {
			t.Errorf("%q: no functions", c.text)
		}
	}
}

// TestTestsLeftOut: a function that is left out because it is in a test's file says which test runs, if a
// parameter tells it; no other one is edited.
func TestTestsLeftOut(t *testing.T) {
	const text = `package p
func TestA(t *testing.T) { t.Run("b", func(*testing.T) { f() }) }
func f() {}
//go:nosplit
func g(t testing.TB) {}
func h(int, string, *testing.B) int { return 1 }
`
	const want = `func TestA(t *testing.T) { if P.On() { P.Enter(&Pm0[0], t) }; t.Run("b", func(Pp0 *testing.T) { if P.On() { P.Enter(&Pm0[1], Pp0) }; f() }) }
func f() {}
//go:nosplit
func g(t testing.TB) {}
func h(Pp0 int, Pp1 string, Pp2 *testing.B) int { if P.On() { P.Enter(&Pm0[2], Pp2) }; return 1 }
`
	p := New("example.com/p", Options{Trivial: true})
	if err := p.Add("/p/p_test.go", []byte(text)); err != nil {
		t.Fatal(err)
	}
	file, err := p.Edit(0)
	if err != nil {
		t.Fatal(err)
	}
	_, got, _ := strings.Cut(strings.ReplaceAll(string(file.Text), "__tracex", "P"), "\"tracexrt\"\n")
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	for i, f := range file.Functions {
		if want := []string{ReasonTest, ReasonTest, ReasonTest, "//go:nosplit", ReasonTest}[i]; f.Reason != want {
			t.Errorf("%s is left out as %q, want %q", f.Name, f.Reason, want)
		}
	}
}

// TestAddErrors: what is no Go source is not added.
func TestAddErrors(t *testing.T) {
	for _, c := range []struct{ path, text string }{
		{"/p.go", "package"}, {"/p.go", ""}, {"/p.go", "package p\nfunc f() {"}, {"/p\n.go", "package p"}, {"/p.go", "package p\nfunc \xff() {}"},
	} {
		p := New("p", Options{})
		if err := p.Add(c.path, []byte(c.text)); err == nil || p.Len() != 0 {
			t.Errorf("%q: error %v, %d files", c.text, err, p.Len())
		}
	}
}

// TestCgo: the literals that cgo wraps around calls are not the user's, but those in them are.
func TestCgo(t *testing.T) {
	const text = `package p
func f() {
	defer func() func() { _cgo0 := func() int { return 1 }(); return func() { _cgoCheckPointer(_cgo0, nil); _Cfunc_free(_cgo0); }}()()
	func() { (func() _Ctype_int { var _cgo0 _Ctype_int = 20; _cgo1 := x; return _Cfunc_call(_cgo0, _cgo1) }()) }()
}
`
	for _, c := range []struct{ head, want string }{
		{"// Code generated by cmd/cgo; DO NOT EDIT.\n\n//line p.go:1:1\n", "f f.func1- f.func1.1 f.func1.2- f.func2 f.func2.1- "},
		{"", "f f.func1 f.func1.1 f.func1.2 f.func2 f.func2.1 "},
	} {
		file, _ := edited(t, Options{Trivial: true}, c.head+text)
		var have strings.Builder
		for _, f := range file.Functions {
			have.WriteString(f.Name)
			if f.Reason == ReasonCgo {
				have.WriteString("-")
			}
			have.WriteString(" ")
		}
		if have.String() != c.want {
			t.Errorf("%q: %s, want %s", c.head, have.String(), c.want)
		}
	}
}
