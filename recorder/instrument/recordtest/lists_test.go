//go:build linux

package recordtest_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// list is an argument of a generated program, and what its elements or entries are: all of them, in their order, as print
// shows them. A map has its length first.
type list struct {
	typ, source string
	all         []string
}

// noContents is list.all of one that a trace has no more of than its class and length.
var noContents = []string{}

const longText = "0123456789012345678901234567890123456789012345678901234567890123456789"

// numberLines are so many elements from a number on.
func numberLines(n, from int) (all []string) {
	for i := range n {
		all = append(all, fmt.Sprintf("[%d] = %d", i, i+from))
	}
	return all
}

var lists = []list{
	{"[]int", "nil", noContents},
	{"[]int", "[]int{}", noContents},
	{"[]int", "[]int{-1, 1 << 40, 300}", []string{"[0] = -1", "[1] = 1099511627776", "[2] = 300"}},
	{"[]int", "counted(1000)[10:15]", numberLines(5, 10)},
	{"[]int", "counted(1000)[10:15:15][5:]", noContents},
	{"[]int", "counted(1_000_000)", numberLines(1_000_000, 0)},
	{"[]int8", "[]int8{-128, 127}", []string{"[0] = -128", "[1] = 127"}},
	{"[]int16", "[]int16{-300}", []string{"[0] = -300"}},
	{"[]int32", "[]int32{'x', -70000}", []string{"[0] = 120", "[1] = -70000"}},
	{"[]int64", "[]int64{-1 << 63, 1<<63 - 1}", []string{"[0] = -9223372036854775808", "[1] = 9223372036854775807"}},
	{"[]uint", "[]uint{0, 1<<64 - 1}", []string{"[0] = 0", "[1] = 18446744073709551615"}},
	{"[]uint16", "[]uint16{65535}", []string{"[0] = 65535"}},
	{"[]uint32", "[]uint32{1<<32 - 1}", []string{"[0] = 4294967295"}},
	{"[]uint64", "[]uint64{7}", []string{"[0] = 7"}},
	{"[]uintptr", "[]uintptr{9}", []string{"[0] = 9"}},
	{"[]float32", "[]float32{0.5, -2}", []string{"[0] = 0.5", "[1] = -2.0"}},
	{"[]float64", "[]float64{1.25, math.NaN()}", []string{"[0] = 1.25", "[1] = NaN"}},
	{"[]complex64", "[]complex64{1i}", []string{"[0] = (0+1i)"}},
	{"[]complex128", "[]complex128{2 + 1i}", []string{"[0] = (2+1i)"}},
	{"[]bool", "[]bool{true, false}", []string{"[0] = true", "[1] = false"}},
	{"[]string", `[]string{"", "a", "` + longText + `"}`, []string{`[0] = ""`, `[1] = "a"`, `[2] = "` + longText[:64] + `…+6"`}},
	{"[]time.Duration", "[]time.Duration{time.Second}", []string{"[0] = 1s"}},
	{"names", `names{"x", "y"}`, []string{`[0] = "x"`, `[1] = "y"`}},
	{"[]kind", "[]kind{3, 4}", []string{"[0] = 3", "[1] = 4"}},
	{"[]any", `[]any{1, "a", nil, 2.5, time.Minute, kind(3), (*pair)(nil), pair{1, 2}, []int{1}}`,
		[]string{"[0] = 1", `[1] = "a"`, "[2] = null", "[3] = 2.5", "[4] = 1m0s", "[5] = 3", "[6] = (*pair)(nil)", "[7] = pair{…}", "[8] = []int{…}"}},
	{"[]fmt.Stringer", "[]fmt.Stringer{time.Second, nil}", []string{"[0] = 1s", "[1] = null"}},
	{"[]pair", "[]pair{{1, 2}}", noContents},
	{"[]*pair", "[]*pair{{1, 2}}", noContents},
	{"[][]int", "[][]int{{1}}", noContents},
	{"[]byte", `[]byte("bytes")`, []string{".len = 5", `.bytes = []byte("bytes")`}},
	{"[]byte", `make([]byte, 100)`, []string{".len = 100", ".bytes = []byte(0x" + strings.Repeat("00", 64) + "..., 100 bytes)"}},
	{"text", `text("t")`, []string{".len = 1", `.bytes = []byte("t")`}},
	{"[]byte", "nil", noContents},
	{"[]byte", "[]byte{}", []string{".len = 0"}},
	{"[]byte", "unmappedBytes", []string{".len = 100"}},
	{"[]int", "unmapped", noContents},
	{"map[string]int", "nil", noContents},
	{"map[string]int", "map[string]int{}", []string{".len = 0"}},
	{"map[string]int", `map[string]int{"a": 1, "len": 2, "b c": 3}`, []string{".len = 3", ".a = 1", `."len" = 2`, `."b c" = 3`}},
	{"map[int8]bool", "map[int8]bool{-1: true, 1: false}", []string{".len = 2", ".-1 = true", ".1 = false"}},
	{"map[bool]float64", "map[bool]float64{true: 0.5}", []string{".len = 1", ".true = 0.5"}},
	{"map[time.Duration]string", `map[time.Duration]string{time.Hour: "h"}`, []string{".len = 1", `.1h0m0s = "h"`}},
	{"map[complex128]uint8", "map[complex128]uint8{1i: 200}", []string{".len = 1", `."(0+1i)" = 200`}},
	{"map[float64]int", "map[float64]int{math.NaN(): 1, math.NaN(): 1}", []string{".len = 2", ".NaN = 1", ".NaN = 1"}},
	{"set", `set{"k": {}}`, []string{".len = 1", ".k = struct{}"}},
	{"map[string]any", `map[string]any{"n": nil, "i": 1, "s": "t", "p": (*pair)(nil), "l": []int{1}, "m": map[string]int{"x": 1}}`,
		[]string{".len = 6", ".n = null", ".i = 1", `.s = "t"`, ".p = (*pair)(nil)", ".l = []int{…}", ".m = map[string]int{…}"}},
	{"map[string]int", `without(map[string]int{"a": 1, "b": 2, "c": 3}, "b")`, []string{".len = 2", ".a = 1", ".c = 3"}},
	{"map[string]int", `emptied(map[string]int{"a": 1, "b": 2, "c": 3})`, []string{".len = 0"}},
	{"map[string][200]byte", `map[string][200]byte{"a": {}}`, []string{".len = 1"}},
	{"map[[200]byte]int", `map[[200]byte]int{{}: 1}`, []string{".len = 1"}},
	{"map[pair]int", `map[pair]int{{}: 1}`, []string{".len = 1"}},
	{"map[string]pair", `map[string]pair{"a": {}}`, []string{".len = 1"}},
	{"map[any]int", `map[any]int{1: 1}`, []string{".len = 1"}},
	{"any", "[]int{1, 2}", numberLines(2, 1)},
	{"any", `map[string]any{"a": 1}`, []string{".len = 1", ".a = 1"}},
	{"any", "[20]int{1, 2}", noContents},
	{"box", "box{[]int{1}}", []string{".in = []int@", "[0] = 1"}},
	{"holder", `holder{[]string{"a"}, map[int]int{1: 2}, 7}`, []string{".list = []string@", `[0] = "a"`, ".table = map[int]int@", ".len = 1", ".1 = 2", ".last = 7"}},
}

// largeMaps are the lengths of maps whose keys n have the value 2n. Of each, all but one of so many keys were deleted.
var largeMaps = []struct{ made, keptEach int }{{9, 1}, {100, 1}, {100, 7}, {1000, 1}, {5000, 1}, {5000, 3}, {200_000, 1}, {200_000, 10}}

// listsProgram has a function for each of the lists and the large maps.
func listsProgram() string {
	var b strings.Builder
	b.WriteString(`package main

import (
	"fmt"
	"math"
	"syscall"
	"time"
	"unsafe"
)

type (
	names  []string
	kind   int16
	pair   struct{ a, b int }
	set    map[string]struct{}
	text   []byte
	box    struct{ in any }
	holder struct {
		list  []string
		table map[int]int
		last  int
	}
)

var _ fmt.Stringer
var _ = math.NaN

//tracex:skip
func counted(n int) []int {
	list := make([]int, n)
	for i := range list {
		list[i] = i
	}
	return list
}

//tracex:skip
func without(m map[string]int, key string) map[string]int { delete(m, key); return m }

//tracex:skip
func emptied(m map[string]int) map[string]int { clear(m); return m }

//tracex:skip
func doubled(made, keptEach int) map[int]int {
	m := map[int]int{}
	for i := range made {
		m[i] = 2 * i
	}
	for i := range made {
		if i%keptEach > 0 {
			delete(m, i)
		}
	}
	return m
}

func main() {
	memory, err := syscall.Mmap(-1, 0, 4096, syscall.PROT_READ|syscall.PROT_WRITE, syscall.MAP_ANON|syscall.MAP_PRIVATE)
	if err != nil {
		panic(err)
	}
	unmapped, unmappedBytes := unsafe.Slice((*int)(unsafe.Pointer(&memory[0])), 100), unsafe.Slice(&memory[0], 100)
	if err := syscall.Munmap(memory); err != nil {
		panic(err)
	}
	_ = time.Second
`)
	for i, l := range lists {
		fmt.Fprintf(&b, "\tlist%d(%s)\n", i, l.source)
	}
	for i, m := range largeMaps {
		fmt.Fprintf(&b, "\tlarge%d(doubled(%d, %d))\n", i, m.made, m.keptEach)
	}
	b.WriteString("}\n\n")
	for i, l := range lists {
		fmt.Fprintf(&b, "func list%d(x %s) {}\n", i, l.typ)
	}
	for i := range largeMaps {
		fmt.Fprintf(&b, "func large%d(x map[int]int) {}\n", i)
	}
	return b.String()
}

// contentsOf returns the lines about the contents of the argument, by the names of the functions.
func contentsOf(text string) map[string][]string {
	found, call := map[string][]string{}, ""
	identities := regexp.MustCompile(`@-?\d+$`)
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if rest, ok := strings.CutPrefix(line, "| "); !ok {
			call, _, _ = strings.Cut(line, "(")
			found[call] = []string{}
		} else if rest = strings.TrimSpace(rest); !strings.HasPrefix(rest, "argument ") {
			found[call] = append(found[call], identities.ReplaceAllString(rest, "@"))
		}
	}
	return found
}

// TestLists: slices and maps have their first elements and entries, as many as --elements says, with each release of Go.
func TestLists(t *testing.T) {
	dir := write(t, map[string]string{"go.mod": "module example.com/lists\n\ngo 1.25\n", "main.go": listsProgram()})
	for release, all := range map[string][]int{"": {0, 3, defaultElements, 255}, oldest: {defaultElements, 255}, newest: {defaultElements, 255}} {
		t.Run(release, func(t *testing.T) {
			t.Parallel()
			var env []string
			if release != "" {
				env = released(t, release)
			}
			recording := filepath.Join(t.TempDir(), "recording")
			must(t, runTracex(t, dir, env, "build", "-o", recording, "."))
			for _, most := range all {
				checkLists(t, dir, recording, most)
			}
		})
	}
}

// defaultElements is what --elements is if it is not given.
const defaultElements = 8

// checkLists records the program of lists, and checks what the trace has of them.
func checkLists(t *testing.T, dir, recording string, most int) {
	t.Helper()
	flags := []string{"--elements", strconv.Itoa(most)}
	if most == defaultElements {
		flags = nil
	}
	var trace string
	var have map[string][]string
	for range 2 {
		trace = filepath.Join(t.TempDir(), "trace.bin")
		must(t, runTracex(t, dir, nil, append(append([]string{"record", "-o", trace}, flags...), "--", recording)...))
		have = contentsOf(must(t, runTracex(t, dir, nil, "print", "--values", trace)).stdout)
		if most == 0 || len(have["large0"]) != 2 {
			break
		}
		// Nothing is read of a map whose parts are not all known to be in the heap; once in thousands of runs they are not.
		t.Logf("--elements %d: no entries: %q", most, have["large0"])
	}
	for i, l := range lists {
		got := have[fmt.Sprint("list", i)]
		if want := first(l, most); got == nil || !slices.Equal(got, want) {
			t.Errorf("--elements %d: %s: %q, want %q", most, l.source, got, want)
		}
	}
	for i, m := range largeMaps {
		checkLarge(t, most, (m.made-1)/m.keptEach+1, m.keptEach == 1, have[fmt.Sprint("large", i)])
	}
	if most != defaultElements {
		return
	}
	for filter, source := range map[string]string{
		"arg.x.1=1099511627776": "[]int{-1", "arg.x.a=1 arg.x.len=3": `map[string]int{"a": 1, "len"`, "arg.x.1h0m0s=h": "map[time.Duration]", "arg.x.list.0=a": "holder",
	} {
		want := fmt.Sprint(" list", slices.IndexFunc(lists, func(l list) bool { return strings.HasPrefix(l.source, source) }), "(")
		if r := runTracex(t, dir, nil, "find", trace, filter); r.code != 0 || strings.Count(r.stdout, " list") != 1 || !strings.Contains(r.stdout, want) {
			t.Errorf("%s: %s%s, want%s", filter, r.stdout, r.stderr, want)
		}
	}
}

// first returns what a trace has of a list with so many elements at most.
func first(l list, most int) []string {
	switch l.typ {
	case "holder":
		if most == 0 {
			return []string{l.all[0], "... <1 more>", l.all[2], l.all[3], l.all[5]}
		}
		return l.all
	case "box":
		if most == 0 {
			return []string{l.all[0], "... <1 more>"}
		}
		return l.all
	}
	if l.typ == "[]byte" || l.typ == "text" {
		switch length := ""; {
		case most > 0 || len(l.all) == 0:
			return l.all
		case l.all[0] != ".len = 0":
			length = strings.TrimPrefix(l.all[0], ".len = ")
			return []string{"... <" + length + " more>"}
		}
		return noContents
	}
	var more func(rest int) string
	entries := slices.Clone(l.all)
	var head []string
	if len(entries) > 0 && strings.HasPrefix(entries[0], ".len") {
		head, entries = entries[:1], entries[1:]
		more = func(int) string { return "... <more fields>" }
		if most == 0 {
			return head // as before there were entries
		}
	} else {
		more = func(rest int) string { return fmt.Sprintf("... <%d more>", rest) }
	}
	switch l.source { // what cannot be recorded
	case "unmapped":
		return []string{"... <100 more>"}
	case "[]pair{{1, 2}}", "[]*pair{{1, 2}}", "[][]int{{1}}":
		return []string{"... <1 more>"}
	}
	if n := len(entries); n > most {
		entries = append(entries[:most:most], more(n-most))
	}
	return append(slices.Clone(head), entries...)
}

// checkLarge checks what a trace has of a map whose keys n have the value 2n.
func checkLarge(t *testing.T, most, length int, dense bool, got []string) {
	t.Helper()
	if len(got) == 0 || got[0] != fmt.Sprint(".len = ", length) {
		t.Errorf("--elements %d: %d entries: %q", most, length, got)
		return
	}
	seen, rest := map[string]bool{}, false
	for _, line := range got[1:] {
		if line == "... <more fields>" {
			rest = true
			continue
		}
		key, value, _ := strings.Cut(strings.TrimPrefix(line, "."), " = ")
		k, err := strconv.Atoi(key)
		if v, err2 := strconv.Atoi(value); err != nil || err2 != nil || v != 2*k || seen[key] || rest {
			t.Errorf("--elements %d: %d entries: %q in %q", most, length, line, got)
		}
		seen[key] = true
	}
	// A map with few entries left is not searched to its end.
	want := min(length, most)
	if n := len(seen); n > want || n < want && dense || n == 0 && want > 0 || rest != (n < length && most > 0) {
		t.Errorf("--elements %d: %d of %d entries: %q", most, n, length, got)
	}
}
