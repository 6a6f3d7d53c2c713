package sourcefiles

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestChoose: among several files of one name the one of the package is chosen, and a guess
// is marked as one.
func TestChoose(t *testing.T) {
	lines := strings.Repeat("\n", 50)
	goMain, goShop := "package main"+lines, "// Package shop.\npackage shop"+lines
	java := func(pkg string) string { return "/* licence */\n\npackage " + pkg + ";\n" + lines }
	for name, tc := range map[string]struct {
		files map[string]string
		spot  Spot
		want  string
		alike int
	}{
		"the only one":           {map[string]string{"a/main.go": goMain}, Spot{File: "main.go", Class: "main", Line: 12}, "a/main.go", 1},
		"not deeper than needed": {map[string]string{"main.go": goMain, "grow/main.go": goMain}, Spot{File: "main.go", Class: "main", Line: 12}, "main.go", 2},
		"a Go package": {map[string]string{"main.go": goMain, "b/main.go": goMain, "z/deep/main.go": goShop},
			Spot{File: "main.go", Class: "shop.Order", Line: 12}, "z/deep/main.go", 1},
		"a Go function": {map[string]string{"main.go": goMain, "z/main.go": goShop}, Spot{File: "main.go", Class: "shop", Line: 12}, "z/main.go", 1},
		"the line":      {map[string]string{"main.go": "package main\n", "z/main.go": goMain}, Spot{File: "main.go", Class: "main", Line: 12}, "z/main.go", 1},
		"a Java package": {map[string]string{"App.java": java("other"), "src/app/App.java": java("app"), "x/App.java": java("x")},
			Spot{File: "App.java", Class: "app.App", Line: 12}, "src/app/App.java", 1},
		"Kotlin without directories": {map[string]string{"a/Util.kt": "package org.a\n" + lines, "b/Util.kt": "package org.b\n" + lines},
			Spot{File: "Util.kt", Class: "org.b.UtilKt", Line: 12}, "b/Util.kt", 1},
		"only directories": {map[string]string{"a/app/App.txt": lines, "app/b/App.txt": lines}, Spot{File: "App.txt", Class: "app.App", Line: 12}, "a/app/App.txt", 1},
		"the function": {map[string]string{"main.go": goMain, "b/main.go": goMain + "func (s *shop) order(text string) {\n}\n", "c/main.go": goMain + "\torders(1)\n"},
			Spot{File: "main.go", Class: "main.shop", Function: "order.func2", Line: 12}, "b/main.go", 1},
		"another module": {map[string]string{"a/go.mod": "module example.com/a // ours\n", "a/shop/main.go": goShop, "b/go.mod": "module (\n", "b/deep/main.go": goShop},
			Spot{File: "main.go", Class: "example.com/b/shop.Order", Line: 12}, "b/deep/main.go", 1},
		"tests beside the package": {map[string]string{"a/go.mod": "module \"example.com/shop/v2\"\n", "a/main.go": goShop, "main.go": goMain},
			Spot{File: "main.go", Class: "example.com/shop/v2_test.Order", Line: 12}, "main.go", 2},
		"vendored": {map[string]string{"go.mod": "module example.com/a\n", "vendor/example.com/shop/main.go": goShop, "main.go": goMain},
			Spot{File: "main.go", Class: "example.com/shop.Order", Line: 12}, "vendor/example.com/shop/main.go", 1},
		"only of another": {map[string]string{"go.mod": "module std\n", "mime/main.go": goShop, "main.go": goShop},
			Spot{File: "main.go", Class: "example.com/shop.Order", Line: 12}, "", 0},
		"no package": {map[string]string{"b/x/App.txt": lines, "c/App.txt": lines, "a/App.txt": lines}, Spot{File: "App.txt", Class: "App", Line: 12}, "a/App.txt", 3},
	} {
		t.Run(name, func(t *testing.T) {
			dir := writeFiles(t, tc.files)
			// A directory given twice, or within another, lists no file twice.
			found := listFiles(t.Context(), []string{dir, dir, filepath.Join(dir, "grow")})
			path, alike := New(nil).choose(found[tc.spot.File], tc.spot, false)
			want := ""
			if tc.want != "" {
				want = filepath.Join(dir, filepath.FromSlash(tc.want))
			}
			if path != want || alike != tc.alike {
				t.Errorf("%s of %d, want %s of %d", path, alike, want, tc.alike)
			}
		})
	}
}
