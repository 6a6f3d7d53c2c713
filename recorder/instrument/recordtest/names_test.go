//go:build linux

package recordtest_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// alike has packages and commands of one name, and a package whose name is not the last element of its path.
var alike = map[string]string{
	"go.mod":      "module example.com/alike\n\ngo 1.25\n",
	"a/util/a.go": "package util\n\nfunc Run(n int) int { return n + 1 }\n\ntype Tool struct{ n int }\n\nfunc (t *Tool) Use() int { return Run(t.n) }\n",
	"b/util/b.go": "package util\n\nfunc Run(n int) int { return n * 2 }\n",
	"b/util/b_test.go": `package util_test

import (
	"testing"

	"example.com/alike/b/util"
)

func TestRun(t *testing.T) { util.Run(1) }
`,
	"main.go":              "package main\n\nimport \"example.com/alike/a/util\"\n\nfunc run() { util.Run(1) }\n\nfunc main() { run() }\n",
	"go-cache/v2/cache.go": "package lru\n\ntype Cache struct{ m map[string]int }\n\nfunc (c *Cache) Get(k string) int { return c.m[k] }\n",
	"cmd/x/main.go": `package main

import (
	au "example.com/alike/a/util"
	bu "example.com/alike/b/util"
	lru "example.com/alike/go-cache/v2"
)

func run(n int) { println(au.Run(n), bu.Run(n), (&au.Tool{}).Use(), (&lru.Cache{}).Get("k")) }

func main() { run(3) }
`,
	"cmd/y/main.go": `package main

import (
	au "example.com/alike/a/util"
	bu "example.com/alike/b/util"
)

func run(n int) {
	done := make(chan int)
	go func() { work(n, done) }()
	println(<-done, au.Run(n))
}

func work(n int, done chan int) { done <- bu.Run(n) }

func main() { run(3) }
`,
	"cmd/x/main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestRun(t *testing.T) { run(4) }\n",
	"cmd/y/main_test.go": "package main\n\nimport \"testing\"\n\nfunc TestRun(t *testing.T) { run(4) }\n",
	// It is no part of what the module's packages are.
	"testdata/z/main.go": "package main\n\nfunc main() {}\n",
}

// named matches the name of a package and a function, in a printed trace.
var named = regexp.MustCompile(`([a-z_/]+)\.[A-Za-z0-9.]+\(`)

// packagesIn returns the packages whose functions a trace shows by name.
func packagesIn(t *testing.T, trace string) string {
	t.Helper()
	var found []string
	for _, m := range named.FindAllStringSubmatch(printed(t, trace, nil), -1) {
		found = append(found, m[1])
	}
	slices.Sort(found)
	return strings.Join(slices.Compact(found), " ")
}

// TestNames: a function has the same name in each recording of a module, whatever is recorded, and whatever
// is called first.
func TestNames(t *testing.T) {
	dir := write(t, alike)
	traces := map[string]string{}
	for command, want := range map[string]string{
		"run ./cmd/x":         "a/util b/util cmd/x",
		"run ./cmd/y":         "a/util b/util cmd/y",
		"run cmd/x/main.go":   "a/util b/util cmd/x",
		"run ./testdata/z":    "testdata/z",
		"run .":               "a/util alike",
		"test ./...":          "a/util b/util cmd/x cmd/y util_test",
		"test -cover ./cmd/y": "a/util b/util cmd/y",
	} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		must(t, runTracex(t, dir, nil, append([]string{"record", "-o", trace, "--", "go"}, strings.Fields(command)...)...))
		if got := packagesIn(t, trace); got != want {
			t.Errorf("go %s calls packages %s, want %s", command, got, want)
		}
		traces[command] = trace
	}
	trace := traces["test ./..."]
	if text, want := printed(t, trace, nil), "cmd/y.run.func1 ← @ cmd/y.run main.go:"; !strings.Contains(goroutine.ReplaceAllString(text, "${1}@"), want) {
		t.Errorf("%s\nlacks %s", text, want)
	}

	// The whole path is as good as the name that is shown.
	must(t, runTracex(t, dir, nil, "export", "cut", "--where", "method=a/util.Run", "-o", filepath.Join(dir, "cut.bin"), trace))
	for question, want := range map[string]string{
		"calls example.com/alike/a/util.Run":            "calls of a/util.Run · 3 calls",
		"calls b/util.Run":                              "calls of b/util.Run · 3 calls",
		"calls example.com/alike/go-cache/v2.Cache.Get": "calls of Cache.Get · 1 call",
		"calls lru.Cache.Get":                           "calls of Cache.Get · 1 call",
		"callers example.com/alike/cmd/y.run":           "callers of cmd/y.run",
		"find pkg=example.com/alike/b/util":             "3 matches",
		"find pkg=example.com/alike/cmd/*":              "7 matches",
		"find class=example.com/alike/a/util.Tool":      "1 match",
		"find obj=a/util.Tool":                          "1 match",
		"find recv=example.com/alike/a/util.Tool":       "1 match",
		"find method=example.com/alike/cmd/x.run":       "1 match",
		"find not pkg=example.com/alike/a/util":         "12 matches",
		"top --only pkg=example.com/alike/cmd/x":        "2 methods",
		"top --merge example.com/alike/a/util.Run":      "11 methods",
	} {
		words := strings.Fields(question)
		r := must(t, runTracex(t, dir, nil, append([]string{words[0], trace}, words[1:]...)...))
		if !strings.Contains(r.stdout, want) {
			t.Errorf("%s: %s\nwant %s", question, r.stdout, want)
		}
	}
	r := must(t, runTracex(t, dir, nil, "calls", "cut.bin", "example.com/alike/a/util.Run"))
	if want := "calls of a/util.Run · 3 calls"; !strings.Contains(r.stdout, want) {
		t.Errorf("of what was cut out: %s\nwant %s", r.stdout, want)
	}
}

// TestOnlyByPath: patterns of functions name packages by their own names, their paths, and ends of these.
func TestOnlyByPath(t *testing.T) {
	dir := write(t, alike)
	for only, want := range map[string]string{
		"lru.*": "Cache", "example.com/alike/go-cache/v2.Cache.Get": "Cache", "go-cache/v2.*": "Cache", "a/util.Run": "a/util",
		"example.com/alike/b/...": "b/util", "util.Run": "a/util b/util", "cmd/x.*": "cmd/x", "main.main": "cmd/x",
	} {
		said := ""
		if only == "util.Run" {
			said = "tracex: --only util.Run is in a/util and b/util: the trace has the calls of all"
		}
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := must(t, runTracex(t, dir, nil, "record", "-o", trace, "--only", only, "--", "go", "run", "./cmd/x"))
		if strings.Contains(r.stderr, "--only "+only) != (said != "") || !strings.Contains(r.stderr, said) {
			t.Errorf("--only %s says %q, want %q", only, r.stderr, said)
		}
		if got := packagesIn(t, trace); got != want && !(want == "Cache" && got == "" && strings.Contains(printed(t, trace, nil), "Cache@.Get(")) {
			t.Errorf("--only %s records calls of %s, want %s:\n%s", only, got, want, printed(t, trace, nil))
		}
	}
}

// TestOnlyVersions: a pattern may name a package by each end of its path, with a version after a dot, and by the name that a
// trace gives it.
func TestOnlyVersions(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod": "module example.com/m.x\n\ngo 1.25\n", "yaml.v2/y.go": "package yaml\n\nfunc Open() int { return 2 }\n", "yaml.v3/y.go": "package yaml\n\nfunc Open() int { return 3 }\n",
		"main.go": "package main\n\nimport (\n\ty2 \"example.com/m.x/yaml.v2\"\n\ty3 \"example.com/m.x/yaml.v3\"\n)\n\nfunc main() { y2.Open(); y3.Open() }\n",
	})
	for only, want := range map[string]string{
		"yaml.Open": "yaml/v2 yaml/v3", "yaml/v3.Open": "yaml/v3", "yaml.v3.Open": "yaml/v3", "m.x/yaml.v2": "yaml/v2", "m.x/yaml/v2.*": "yaml/v2",
		"example.com/m.x/yaml.v3.Open": "yaml/v3", "yaml/v3.Op": "",
	} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		r := runTracex(t, dir, nil, "record", "-o", trace, "--only", only, "--", "go", "run", ".")
		if want == "" {
			if r.code == 0 {
				t.Errorf("--only %s records\n%s", only, printed(t, trace, nil))
			}
			continue
		}
		must(t, r)
		var got []string
		for _, m := range regexp.MustCompile(`(\S+)\.Open\(`).FindAllStringSubmatch(printed(t, trace, nil), -1) {
			got = append(got, m[1])
		}
		if strings.Join(got, " ") != want {
			t.Errorf("--only %s records calls of %s, want %s", only, got, want)
		}
	}
}

// TestTestsLeftOut: the thread of a test has its name, also if functions of tests are not recorded, and the
// main function that go test generates is not recorded, either.
func TestTestsLeftOut(t *testing.T) {
	dir := write(t, map[string]string{
		"go.mod": "module example.com/tested\n\ngo 1.25\n", "shop.go": "package shop\n\nfunc Sell(n int) int { return n + 1 }\n",
		"shop_test.go": `package shop

import "testing"

func sold(t testing.TB, n int) { t.Helper(); Sell(n) }

func TestSell(t *testing.T) {
	sold(t, 1)
	t.Run("one", func(t *testing.T) { sold(t, 2) })
}

func TestUnnamed(*testing.T) { Sell(3) }

func FuzzSell(f *testing.F) {
	f.Add(4)
	f.Fuzz(func(_ *testing.T, n int) { Sell(n) })
}
`,
	})
	const want = `# Thread (goroutine 2 shop.TestSell ← 1 testing.T.Run testing.go)
shop.Sell(1): 2
# Thread (goroutine 3 shop.FuzzSell/seed#0 ← 4 testing.F.Fuzz.func1 fuzz.go)
shop.Sell(4): 5
# Thread (goroutine 5 shop.TestSell/one ← 2 testing.T.Run testing.go)
shop.Sell(2): 3
# Thread (goroutine 6 shop.TestUnnamed ← 1 testing.T.Run testing.go)
shop.Sell(3): 4
`
	for _, flags := range []string{"--tests=false -- go test", "--tests=false -- go test -cover -coverpkg=./... -covermode=atomic", "--only shop.Sell -- go test -cover"} {
		trace := filepath.Join(t.TempDir(), "trace.bin")
		must(t, runTracex(t, dir, nil, append([]string{"record", "-o", trace}, strings.Fields(flags)...)...))
		same(t, flags, printed(t, trace, nil), want)
	}
	trace := filepath.Join(t.TempDir(), "trace.bin")
	must(t, runTracex(t, dir, nil, "record", "-o", trace, "--", "go", "test", "-cover"))
	if text := printed(t, trace, nil); strings.Contains(text, "main.") || !strings.Contains(text, "shop.TestSell(") {
		t.Errorf("with -cover the trace is\n%s", text)
	}
}
