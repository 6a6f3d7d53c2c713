package gotrace

import (
	"testing"

	"tracex/recorder/internal/gonames"
)

// TestNames: packages that have the same own name have different names, and what the states rely on keeps its own.
func TestNames(t *testing.T) {
	paths := map[string]string{}
	names := newNamer(nil)
	names.Note = func(name, path string) { paths[name] = path }
	for _, c := range []struct {
		full, name string
		kind       kind
	}{
		{"example.com/x/time.Sleep", "x/time.Sleep", kindUser}, {"time.Sleep", "time.Sleep", kindStandard},
		{"example.com/x/runtime.gopark", "x/runtime.gopark", kindUser}, {"runtime.gopark", "runtime.gopark", kindPark},
		{"runtime.traceLocker.GoPark", "runtime.traceLocker.GoPark", kindPark}, {"sync.(*Mutex).Lock", "sync.Mutex.Lock", kindSync},
		{"example.com/a/util.Run", "util.Run", kindUser}, {"example.com/b/util.(*T).Do.func1", "b/util.T.Do.func1", kindUser}, {"example.com/a/util.T.Do", "util.T.Do", kindUser},
		{"example.com/shop/v2.Open", "shop.Open", kindUser}, {"example.com/shop.Open", "example.com/shop.Open", kindUser}, {"main.main", "main.main", kindUser}, {"", "", kindUser},
	} {
		if f := functionOf(c.full, names); f.name != c.name || f.kind != c.kind {
			t.Errorf("%s: %s of kind %d, want %s of kind %d", c.full, f.name, f.kind, c.name, c.kind)
		}
	}
	for name, want := range map[string]string{"b/util": "example.com/b/util", "util": "example.com/a/util", "shop": "example.com/shop/v2", "sync": "", "main": ""} {
		if paths[name] != want {
			t.Errorf("%s is %q, want %q", name, paths[name], want)
		}
	}
}

// TestManyPackages: packages beyond those that get names have their paths.
func TestManyPackages(t *testing.T) {
	names := new(gonames.Namer)
	for i := range mostPackages {
		name := string([]rune{rune('a' + i%26), rune(0x4e00 + i/26)})
		names.Name(name, name)
	}
	if f := functionOf("example.com/x/late.Run", names); f.name != "example.com/x/late.Run" {
		t.Errorf("%s, want the path", f.name)
	}
}
