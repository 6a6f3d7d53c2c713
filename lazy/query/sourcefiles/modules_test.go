package sourcefiles

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestModules: a Go source is found in the module of a directory, then in those that it needs.
func TestModules(t *testing.T) {
	lines := strings.Repeat("\n", 20)
	dir := writeFiles(t, map[string]string{
		"own/go.mod": "module own\n\nrequire (\n\tgithub.com/Upper/mux v1.8.1 // indirect\n\tgone.org/x v0.1.0\n)\n" +
			"require one.org/y/v2 v2.0.0\nreplace one.org/z => ../z\n",
		"own/cmd/main.go":                         "package main" + lines,
		"cache/github.com/!upper/mux@v1.8.1/m.go": "package mux" + lines,
		"cache/one.org/y/v2@v2.0.0/y.go":          "package y" + lines,
		"cache/other.org@v1.0.0/y.go":             "package y" + lines,
		"go/src/runtime/proc.go":                  "package runtime" + lines,
		"go/src/a/x/alike.go":                     "package x" + lines,
		"go/src/b/x/alike.go":                     "package x" + lines,
		"z/z.go":                                  "package z" + lines,
	})
	t.Setenv("GOMODCACHE", filepath.Join(dir, "cache"))
	t.Setenv("GOROOT", filepath.Join(dir, "go"))
	own := filepath.Join(dir, "own")
	if got := ModuleAround(filepath.Join(own, "cmd")); got != own {
		t.Errorf("module %q, want %q", got, own)
	}
	if got := ModuleAround(dir); got != "" && !strings.HasPrefix(dir, got) {
		t.Errorf("module %q", got)
	}
	want := []string{"cache/github.com/!upper/mux@v1.8.1", "cache/one.org/y/v2@v2.0.0", "z", "go/src"}
	for i := range want {
		want[i] = filepath.Join(dir, filepath.FromSlash(want[i]))
	}
	if got := requiredBy([]string{own, own}); !slices.Equal(got, want) {
		t.Errorf("needs %q, want %q", got, want)
	}
	f := New([]string{own})
	packages := map[string]string{"main.go": "main", "m.go": "mux", "y.go": "y", "z.go": "z", "proc.go": "runtime"}
	for file, path := range map[string]string{
		"main.go": "own/cmd/main.go", "m.go": "cache/github.com/!upper/mux@v1.8.1/m.go", "y.go": "cache/one.org/y/v2@v2.0.0/y.go", "z.go": "z/z.go", "proc.go": "go/src/runtime/proc.go",
	} {
		if got := f.Find(t.Context(), Spot{File: file, Class: packages[file], Line: 3}); got.Path != filepath.Join(dir, filepath.FromSlash(path)) || got.Err != nil {
			t.Errorf("%s is %q: %v", file, got.Path, got.Err)
		}
	}
	if got := f.Find(t.Context(), Spot{File: "none.go", Class: "x", Line: 3}); got.Err == nil || got.Err.Error() != "none.go is not under "+own+", nor in the modules that it needs or in Go" {
		t.Error(got.Err)
	}
	for _, class := range []string{"main", "main_test.T", "one.org/other", "shop.Shop"} { // not of a module that is needed
		if got := f.Find(t.Context(), Spot{File: "proc.go", Class: class, Line: 3}); got.Path != "" {
			t.Errorf("proc.go of %s is %q", class, got.Path)
		}
	}
	if got := f.Find(t.Context(), Spot{File: "alike.go", Class: "x.T", Line: 3}); got.Path != "" {
		t.Errorf("one of several that are alike: %q", got.Path)
	}
	if got := f.Find(t.Context(), Spot{File: "m.java", Class: "x", Line: 3}); got.Err == nil || strings.Contains(got.Err.Error(), "modules") {
		t.Error(got.Err)
	}
	if dir := moduleCache(); dir != os.Getenv("GOMODCACHE") {
		t.Error(dir)
	}
}
