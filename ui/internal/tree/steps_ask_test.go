package tree

import "testing"

// TestLibraryOf names the library of a package.
func TestLibraryOf(t *testing.T) {
	for pkg, want := range map[string]string{
		"com.shop.till": "com.shop", "com.shop": "com.shop", "shop": "shop", "java.util.concurrent": "java", "kotlin.collections": "kotlin",
		"github.com/shop/till/cash": "github.com/shop/till", "net/http": "net", "example.com/x": "example.com/x", "": "",
	} {
		if got := libraryOf(pkg); got != want {
			t.Errorf("%q: %q, want %q", pkg, got, want)
		}
	}
}

// TestLibraryTerm: the filter of a library matches the packages in it.
func TestLibraryTerm(t *testing.T) {
	for pkg, want := range map[string]string{
		"com.shop.till": "pkg=com.shop.*", "github.com/shop/till/cash": `pkg~^github\.com/shop/till(/|$)`, "net/http": "pkg~^net(/|$)",
	} {
		if got := libraryTerm(pkg); got != want {
			t.Errorf("%q: %q, want %q", pkg, got, want)
		}
	}
}
