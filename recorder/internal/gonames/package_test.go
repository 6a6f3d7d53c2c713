package gonames

import (
	"maps"
	"slices"
	"testing"
)

// TestNames: a package has its own name, or else the shortest end of its path that tells it from the others
// of the build, in whatever order they are listed.
func TestNames(t *testing.T) {
	type want struct{ path, own, name string }
	for about, groups := range map[string][][]want{
		"names of their own": {{
			{"example.com/shop", "shop", "shop"}, {"github.com/hashicorp/golang-lru/v2", "lru", "lru"}, {"gopkg.in/yaml.v3", "yaml", "yaml"},
			{"example.com/shop_test", "shop_test", "shop_test"}, {"example.com/shop/cmd/serve", "main", "main"},
		}},
		"the same name": {{
			{"example.com/x/a/util", "util", "a/util"}, {"example.com/x/b/util", "util", "b/util"},
			{"example.com/x/a/util_test", "util_test", "a/util_test"}, {"example.com/x/b/util_test", "util_test", "b/util_test"},
			{"text/template", "template", "text/template"}, {"html/template", "template", "html/template"},
			{"example.com/x/one/internal/log", "log", "one/internal/log"}, {"example.com/x/two/internal/log", "log", "two/internal/log"},
		}},
		"a path that another one ends with": {{
			{"errors", "errors", "errors"}, {"example.com/shop/errors", "errors", "shop/errors"},
			{"shop", "shop", "shop"}, {"example.com/shop", "shop", "example.com/shop"},
		}},
		"major versions": {{
			{"math/rand", "rand", "math/rand"}, {"math/rand/v2", "rand", "rand/v2"}, {"crypto/rand", "rand", "crypto/rand"},
			{"gopkg.in/yaml.v2", "yaml", "yaml/v2"}, {"gopkg.in/yaml.v3", "yaml", "yaml/v3"},
			{"github.com/hashicorp/golang-lru", "lru", "golang-lru"}, {"github.com/hashicorp/golang-lru/v2", "lru", "golang-lru/v2"},
			{"k8s.io/api/core/v1", "v1", "core/v1"}, {"k8s.io/api/apps/v1", "v1", "apps/v1"},
		}},
		"commands": {{
			{"example.com/x", "main", "x"}, {"example.com/x/cmd/a", "main", "cmd/a"}, {"example.com/x/cmd/b", "main", "cmd/b"},
			{"example.com/x/cmd/a_test", "main_test", "main_test"}, {"example.com/x/a", "a", "a"},
		}},
		"a name that is the end of another one's path": {{
			{"example.com/one/x-lru", "lru", "one/x-lru"}, {"example.com/two/y-lru", "lru", "y-lru"}, {"example.com/x-lru", "cache", "cache"},
		}},
		"dots": {{{"example.com/a/shop.old", "shop", "shop_old"}, {"example.com/a/shop.new", "shop", "shop_new"}}},
		"those that follow": {
			{{"example.com/x/a/util", "util", "util"}, {"example.com/x/b/lib-go", "lib", "lib"}},
			{{"example.com/x/a/util", "util", "util"}, {"internal/util", "util", "internal/util"}, {"example.org/lib", "lib", "example.org/lib"}},
		},
	} {
		for range 2 {
			var list [][]Package
			wanted := map[string]string{}
			for _, group := range groups {
				var packages []Package
				for _, p := range group {
					packages = append(packages, Package{p.path, p.own})
					wanted[p.path] = p.name
				}
				list = append(list, packages)
				slices.Reverse(group)
			}
			if got := Names(list...); !maps.Equal(got, wanted) {
				t.Errorf("%s: %v, want %v", about, got, wanted)
			}
		}
	}
}
