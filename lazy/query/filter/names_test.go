package filter

import "testing"

func TestPackageOf(t *testing.T) {
	for class, want := range map[string]string{
		"com.shop.Account": "com.shop", "com.shop.Account$Entry": "com.shop", "Account": "", "main.Account": "main",
		"example.com/shop/v2.Account": "example.com/shop/v2",
		"example.com/shop":            "example.com/shop", // of a function
		"":                            "",
	} {
		if got := PackageOf(class); got != want {
			t.Errorf("%s: %q, want %q", class, got, want)
		}
	}
}
