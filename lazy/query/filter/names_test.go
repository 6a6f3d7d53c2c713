package filter

import (
	"errors"
	"strings"
	"testing"

	"tracex/format"
)

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

// TestImportPaths: a package of Go is known by its name in the trace and by its import path, in names of
// functions as in those of objects.
func TestImportPaths(t *testing.T) {
	const path = "example.com/shop/go-cache/v2"
	c := format.NewContext(format.V27)
	for _, o := range []interface {
		Append([]byte, format.Version) ([]byte, error)
	}{
		&format.StringObject{ID: 0, Value: format.PackageText("lru", path)},
		&format.ClassDescriptor{ID: 0, Name: "lru"}, &format.ClassDescriptor{ID: 1, Name: "lru.Cache"},
		&format.ClassDescriptor{ID: 2, Name: path + ".Cache"}, &format.ClassDescriptor{ID: 3, Name: "other.Cache"},
		&format.MethodDescriptor{ID: 0, ClassID: 0, Name: "New", Result: format.Type{Kind: format.TypeVoid}},
		&format.MethodDescriptor{ID: 1, ClassID: 1, Name: "Get", Result: format.Type{Kind: format.TypeVoid}},
		&format.MethodDescriptor{ID: 2, ClassID: 3, Name: "Get", Result: format.Type{Kind: format.TypeVoid}},
	} {
		b, err := o.Append(nil, format.V27)
		if err == nil {
			_, _, err = c.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	get := format.Point{Class: format.ClassCall, Ref: 1, Target: format.Value{Kind: format.ValueObject, ClassID: 2, Bits: 7}}
	for text, want := range map[string]bool{
		"method=lru.Cache.Get": true, "method=" + path + ".Cache.Get": true, "class=lru.Cache": true, "class=" + path + ".Cache": true,
		"pkg=lru": true, "pkg=" + path: true, "pkg=example.com/shop/*": true, "pkg~^example": true, "recv=lru.Cache": true,
		"recv=" + path + ".Cache@7": true, "obj=lru.Cache@7": true, "-pkg=" + path: false,
		"method=lru.(*Cache).Get": true, "method=lru.(*Cache[...]).Get": true, "method=" + path + ".(*Cache).*": true, "class=(*Cache)": true,
		"method=go-cache/v2.Cache.Get": true, "pkg=shop/go-cache/v2": true, "class=other.(*Cache)": false,
		"method=lru.New": false, "method=" + path + ".New": false, "class=lru": false, "class=" + path: false, "pkg=other": false,
	} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		f, err := e.Bind(About{Context: c})
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if got := f.Match(&Facts{Point: &get}); got != want {
			t.Errorf("%s: %v, want %v", text, got, want)
		}
	}
}

// TestNearElsewhere: a name with the own name of a package that several have, or with an end of its path, leads to these.
func TestNearElsewhere(t *testing.T) {
	c := format.NewContext(format.V27)
	add := func(o interface {
		Append([]byte, format.Version) ([]byte, error)
	}) {
		b, err := o.Append(nil, format.V27)
		if err == nil {
			_, _, err = c.Add(b)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for i, m := range [][2]string{{"cmd/alpha", "main"}, {"cmd/beta", "main"}, {"x/store", "Open"}, {"x/store.T", "Do"}, {"m.x/yaml/v3", "Read"}, {"shop", "Open"}} {
		add(&format.ClassDescriptor{ID: int32(i), Name: m[0]})
		add(&format.MethodDescriptor{ID: int32(i), ClassID: int32(i), Name: m[1], Result: format.Type{Kind: format.TypeVoid}})
	}
	for text, want := range map[string]string{
		"method=main.main": "cmd/alpha.main,cmd/beta.main", "pkg=main": "cmd/alpha,cmd/beta", "method=example.com/y/yaml.v3.Read": "m.x/yaml/v3.Read",
		"method=other.Open": "x/store.Open", "method=a.b.Open": "", "method=s.T.Do": "T.Do,x/store.T.Do", "class=s.T": "x/store.T", "method=y.(*T).Do": "T.Do,x/store.T.Do", "method=Read[int]": "Read", "class=x/store.T[K,V]": "x/store.T", "pkg=none": "",
	} {
		e, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		_, err = e.Bind(About{Context: c})
		var fault *Error
		if !errors.As(err, &fault) || strings.Join(fault.Near, ",") != want {
			t.Errorf("%s: %+v, want near %s", text, err, want)
		}
	}
}

// TestThreadNames: a goroutine is known by its number, as on the screen, and what only has the word in its name is none.
func TestThreadNames(t *testing.T) {
	for name, want := range map[string]string{
		"main": "g1", "goroutine 26 a.f ← 1 a.main a.go:1": "g26", "c › main": "g1", "c › goroutine 9 c.f": "g9",
		"my goroutine pool": "", "goroutine ? x.y": "", "": "",
	} {
		got := ""
		threadNames(4, name, func(s string) bool {
			if strings.HasPrefix(s, "g") && s != name {
				got = s
			}
			return true
		})
		if got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
