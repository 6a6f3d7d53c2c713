package format

import "testing"

// TestPackage: a string object in the form of a package's clause with an import comment tells the path of the
// package, and no other text does.
func TestPackage(t *testing.T) {
	c := NewContext(V27)
	add := func(id int32, text string) {
		t.Helper()
		b, err := (&StringObject{ID: id, Value: text}).Append(nil, V27)
		if err == nil {
			_, _, err = c.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	const name, path = "a/util", "example.com/shop/a/util"
	add(0, "util.go")
	add(1, PackageText(name, path))
	add(2, PackageText(name, "example.com/other")) // the first counts
	for i, text := range []string{"package x", "package x // import x", `package  // import "x"`, `package x // import ""`, `package x // import "x`, "import \"x\""} {
		add(int32(3+i), text)
	}
	want := Package{name, path, 1}
	if p := c.Packages.Named(name); p == nil || *p != want || c.Packages.At(path) != p {
		t.Errorf("%+v, want %+v", p, want)
	}
	if c.Packages.Named("x") != nil || c.Packages.Named("") != nil || c.Packages.At("x") != nil {
		t.Error("a text that tells no path makes a package")
	}
	if text := PackageText(name, path); text != `package a/util // import "example.com/shop/a/util"` {
		t.Error(text)
	}
}
