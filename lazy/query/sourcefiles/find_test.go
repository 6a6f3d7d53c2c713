package sourcefiles

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFind: the lines around a spot, and the message if there are none.
func TestFind(t *testing.T) {
	dir := writeFiles(t, map[string]string{"a/App.java": "one\ntwo\n\tthree\nfour\nfive\nsix\nseven\neight\n" + strings.Repeat("x", 2*maxLine), ".git/Lost.java": "x\n"})
	f := New([]string{dir})
	for _, c := range []struct {
		file  string
		line  int
		text  string
		first int
		err   string
	}{
		{"App.java", 5, "two|    three|four|five|six|seven|eight", 2, ""},
		{"App.java", 1, "one|two|    three|four", 1, ""},
		{"App.java", 9, "six|seven|eight|" + strings.Repeat("x", maxLine), 6, ""},
		{"App.java", 99, "", 96, ""},
		{"Lost.java", 1, "", 0, "Lost.java is not under " + dir},
	} {
		got := f.Find(t.Context(), Spot{File: c.file, Class: "a.App", Line: c.line})
		var want []string
		if c.text != "" {
			want = strings.Split(c.text, "|")
		}
		err := ""
		if got.Err != nil {
			err = got.Err.Error()
		}
		if !slices.Equal(got.Text, want) || got.First != c.first || err != c.err {
			t.Errorf("%s:%d: %q from %d on, %q", c.file, c.line, got.Text, got.First, err)
		}
		if c.err == "" && (got.Path != filepath.Join(dir, "a", "App.java") || got.Name() != got.Path) {
			t.Errorf("%s:%d is in %s", c.file, c.line, got.Name())
		}
	}
	guess := Code{Path: "App.java", Alike: 2}
	if got := guess.Name(); got != "App.java, a guess: 2 files of that name" {
		t.Errorf("%q", got)
	}
}

// writeFiles writes files below a directory of their own, and returns it.
func writeFiles(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestReadAll: all lines are read, of long ones the beginning.
func TestReadAll(t *testing.T) {
	dir := writeFiles(t, map[string]string{"a.go": "one\n\ttwo\n" + strings.Repeat("x", 100*maxLine) + "\nend"})
	got, err := ReadAll(filepath.Join(dir, "a.go"))
	if want := []string{"one", "    two", strings.Repeat("x", maxLine), "end"}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := ReadAll(dir); err == nil {
		t.Error("a directory is read")
	}
	for path, want := range map[string]string{"/src/a.go": "a.go", `C:\src\a.cs`: "a.cs", "a.go": "a.go", "src/": ""} {
		if got := Base(path); got != want {
			t.Errorf("%s is %q", path, got)
		}
	}
}
