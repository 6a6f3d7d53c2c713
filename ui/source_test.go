package ui

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/ui/internal/uitest"
)

// tree writes files, by their paths, and returns the folder that they are in.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestChooseSource: of several files of one name it is the one of the package,
// and what is a guess is said to be one.
func TestChooseSource(t *testing.T) {
	lines := strings.Repeat("\n", 50)
	goMain, goShop := "package main"+lines, "// Package shop.\npackage shop"+lines
	java := func(pkg string) string { return "/* licence */\n\npackage " + pkg + ";\n" + lines }
	for name, tc := range map[string]struct {
		files map[string]string
		spot  spot
		want  string
		alike int
	}{
		"the only one":           {map[string]string{"a/main.go": goMain}, spot{"main.go", "main", 12}, "a/main.go", 1},
		"not deeper than needed": {map[string]string{"main.go": goMain, "grow/main.go": goMain}, spot{"main.go", "main", 12}, "main.go", 2},
		"a Go package": {map[string]string{"main.go": goMain, "b/main.go": goMain, "z/deep/main.go": goShop},
			spot{"main.go", "shop.Order", 12}, "z/deep/main.go", 1},
		"a Go function": {map[string]string{"main.go": goMain, "z/main.go": goShop}, spot{"main.go", "shop", 12}, "z/main.go", 1},
		"the line":      {map[string]string{"main.go": "package main\n", "z/main.go": goMain}, spot{"main.go", "main", 12}, "z/main.go", 1},
		"a Java package": {map[string]string{"App.java": java("other"), "src/app/App.java": java("app"), "x/App.java": java("x")},
			spot{"App.java", "app.App", 12}, "src/app/App.java", 1},
		"Kotlin without folders": {map[string]string{"a/Util.kt": "package org.a\n" + lines, "b/Util.kt": "package org.b\n" + lines},
			spot{"Util.kt", "org.b.UtilKt", 12}, "b/Util.kt", 1},
		"folders alone": {map[string]string{"a/app/App.txt": lines, "app/b/App.txt": lines}, spot{"App.txt", "app.App", 12}, "a/app/App.txt", 1},
		"no package":    {map[string]string{"b/x/App.txt": lines, "c/App.txt": lines, "a/App.txt": lines}, spot{"App.txt", "App", 12}, "a/App.txt", 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeTree(t, tc.files)
			// A folder that is given twice, or within another, has no file twice.
			found := listSources(t.Context(), []string{dir, dir, filepath.Join(dir, "grow")})
			got := choose(found[tc.spot.file], tc.spot)
			if want := filepath.Join(dir, filepath.FromSlash(tc.want)); got.path != want || got.alike != tc.alike {
				t.Errorf("%s of %d, want %s of %d", got.path, got.alike, want, tc.alike)
			}
		})
	}
}

// TestSourceSaysWhich: the details name the file that they show, and that it is
// a guess; a row that has no place does not keep the source of another.
func TestSourceSaysWhich(t *testing.T) {
	lines := strings.Repeat("some line\n", 50)
	t.Chdir(writeTree(t, map[string]string{"src/Libs.java": lines, "src/b/Libs.java": lines, "one/Libs.java": "one line\n", "src/Threads.java": lines}))
	d := drive(t, uitest.Recorded(t, "gson.dump"), 200, 40, Options{Source: []string{"src"}})
	d.keys("5 j d").has("source     src/Libs.java, a guess: 2 files of that name", "some line")
	d = drive(t, uitest.Recorded(t, "gson.dump"), 200, 40, Options{Source: []string{"one"}})
	d.keys("5 j d").has("source     one/Libs.java, which has no line 8")
	d = drive(t, uitest.Recorded(t, "threads.stream"), 200, 40, Options{Source: []string{"src"}})
	d.keys("d : 3 0 enter").has("at         Threads.java:19", "some line")
	if d.keys(": 2 5 enter").has("at         unknown"); strings.Contains(d.screen(), "some line") {
		t.Error("a call without a place has the source of another:\n" + d.screen())
	}
}
