package rewrite

import (
	"bytes"
	"go/parser"
	"go/token"
	"os"
	"strings"
	"testing"
)

// FuzzEdit edits any text that is Go: the result is Go again, is the same each time, and has
// the lines of the source.
func FuzzEdit(f *testing.F) {
	golden, err := os.ReadFile("testdata/edits.txt")
	if err != nil {
		f.Fatal(err)
	}
	for _, c := range strings.Split(string(golden), "# ")[1:] {
		_, source, _ := strings.Cut(c, "\n")
		source, _, _ = strings.Cut(source, "=>\n")
		f.Add("package p\n"+source, true)
		f.Add("package p\n"+source, false)
	}
	f.Fuzz(func(t *testing.T, source string, trivial bool) {
		p := New("p", Options{Trivial: trivial, Tests: true})
		if p.Add("/p.go", []byte(source)) != nil {
			return
		}
		file, err := p.Edit(0)
		if err != nil {
			t.Fatal(err)
		}
		again, err := p.Edit(0)
		if err != nil || !bytes.Equal(file.Text, again.Text) {
			t.Fatalf("%v, edited again to\n%s", err, again.Text)
		}
		if file.Text == nil {
			return
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", file.Text, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			t.Fatalf("%v in\n%s", err, file.Text)
		}
		if _, err := parser.ParseFile(token.NewFileSet(), "", p.Table(), 0); err != nil {
			t.Fatalf("%v in\n%s", err, p.Table())
		}
		want := strings.Count(strings.TrimPrefix(source, string(byteOrderMark)), "\n")
		if have := bytes.Count(file.Text, []byte("\n")) - 1; have != want {
			t.Fatalf("%d lines have become %d in\n%s", want, have, file.Text)
		}
	})
}
