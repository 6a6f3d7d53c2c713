package goroutines

import "testing"

// TestParse reads names strictly: names that only look similar are not those of goroutines.
func TestParse(t *testing.T) {
	for text, want := range map[string]Name{
		"main":         {Number: 1},
		"goroutine 19": {Number: 19},
		"goroutine 19 main.worker ← 1 main.main main.go:78":                                   {"", 19, "main.worker", 1, "main.main", "main.go:78"},
		"goroutine 25 main.s20go.func2":                                                       {Number: 25, Start: "main.s20go.func2"},
		"goroutine 8 runtime.corostart ← 1 iter.Pull[go.shape.int] iter.go:271":               {"", 8, "runtime.corostart", 1, "iter.Pull[go.shape.int]", "iter.go:271"},
		"goroutine 8 ← 7 a.F[go.shape.struct { A int; B [3]string }] my file.go:2":            {"", 8, "", 7, "a.F[go.shape.struct { A int; B [3]string }]", "my file.go:2"},
		"goroutine 8 a.F[go.shape.struct { A int }] ← 7":                                      {"", 8, "a.F[go.shape.struct { A int }]", 7, "", ""},
		"goroutine ? a.F ← 7 a.G a.go:1":                                                      {"", 0, "a.F", 7, "a.G", "a.go:1"},
		"btree.test › main":                                                                   {Program: "btree.test", Number: 1},
		"btree.test 4711 › goroutine 19 time.goFunc":                                          {Program: "btree.test 4711", Number: 19, Start: "time.goFunc"},
		"a › b › goroutine 9223372036854775807 x.y ← 9223372036854775807 x.z z.go:2147483647": {"a › b", 1<<63 - 1, "x.y", 1<<63 - 1, "x.z", "z.go:2147483647"},
	} {
		if got, ok := Parse(text); !ok || got != want {
			t.Errorf("%q: %+v, %v; want %+v", text, got, ok, want)
		}
	}
	for _, text := range []string{
		"", "Main", "main ", "goroutine", "goroutine ", "goroutine 0", "goroutine 007", "goroutine -1", "goroutine 19 ", "goroutine x a.b",
		"goroutine 19 worker", "goroutine 19 main.worker of 7", "goroutine 9223372036854775808 a.b", "goroutine 1९ a.b",
		"goroutine 19 a.b ← ", "goroutine 19 a.b ← main", "goroutine 19 a.b ← 1 ", "goroutine 19 a.b ← 1 main.main", "goroutine 19 a.b ← 1 main.main main.go",
		"goroutine 19 a.b ← 1 main.main :7", "goroutine 19 a.b ← 1 main.main main.go:0", "goroutine 19 a.b ← 1 main main.go:7", "goroutine 19 a.b ← 0 main.main main.go:7",
		" › main", "pool-1-thread-3", "btree.test › pool-1", "goroutine 19 a.b[ ← 1 main.main main.go:7 x",
	} {
		if got, ok := Parse(text); ok {
			t.Errorf("%q is %+v", text, got)
		}
	}
}

// TestMade reads results of go statements.
func TestMade(t *testing.T) {
	for text, want := range map[string]struct {
		number    int64
		guess, ok bool
	}{
		"goroutine 19": {19, false, true}, "≈ goroutine 7": {7, true, true},
		"goroutine": {}, "goroutine 19 x": {}, "≈ 7": {}, "≈ goroutine 0": {}, "": {}, "≈goroutine 7": {},
	} {
		if number, guess, ok := Made(text); number != want.number || guess != want.guess || ok != want.ok {
			t.Errorf("%q: %d, %v, %v", text, number, guess, ok)
		}
	}
	if !IsStatement("go worker") || IsStatement("go ") || IsStatement("gopher") {
		t.Error("names of go statements")
	}
}
