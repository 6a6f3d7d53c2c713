package interop

import (
	"bytes"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tracex/lazy"
	"tracex/lazy/export"
)

// crate is the program around inferno.
var crate = filepath.Join("..", "..", "..", "testdata", "interop", "inferno")

// frame is a rectangle of the flame graph: how much is in it, and where.
var frame = regexp.MustCompile(`<g><title>(.*?) \(([0-9,]+) ns, [^<]*</title><rect [^>]*?y="([0-9]+)"[^>]*fg:x="([0-9]+)" fg:w="([0-9]+)"`)

// TestInferno: the flame graph of folded stacks has their sum, and each frame what is in it.
func TestInferno(t *testing.T) {
	t.Parallel()
	needs(t, "cargo")
	target := t.TempDir()
	run(t, nil, "cargo", "build", "-q", "--locked", "--manifest-path", filepath.Join(crate, "Cargo.toml"), "--target-dir", target)
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		weight := "self"
		if _, timed := r.Times(); !timed {
			weight = "calls"
		}
		folded := exported(t, r, "folded", export.Options{Title: "t", Weight: weight})
		sum, frames := int64(0), map[string]int64{} // by path
		for line := range bytes.Lines(folded) {
			text := strings.TrimSpace(string(line))
			at := strings.LastIndexByte(text, ' ')
			n, err := strconv.ParseInt(text[at+1:], 10, 64)
			if err != nil {
				t.Fatalf("%s: %v", text, err)
			}
			sum += n
			path := strings.Split(text[:at], ";")
			for i := range path {
				frames[path[i]+" "+strconv.Itoa(i+1)] += n
			}
		}
		drawn := run(t, folded, filepath.Join(target, "debug", "tracex-inferno"))
		got, all := map[string]int64{}, int64(0)
		for _, m := range frame.FindAllSubmatch(drawn, -1) {
			n, _ := strconv.ParseInt(string(m[5]), 10, 64)
			if name := unescape(string(m[1])); name != "all" {
				got[name+" "+level(t, drawn, m[3])] += n
			} else {
				all = n
			}
		}
		if all != sum {
			t.Errorf("inferno draws %d, the stacks sum up to %d", all, sum)
		}
		// What is too narrow is not drawn.
		for name, n := range got {
			if n > frames[name] {
				t.Errorf("%s: inferno draws %d, the stacks have %d", name, n, frames[name])
			}
		}
		if len(got) == 0 && sum > 0 {
			t.Error("nothing is drawn")
		}
	})
}

// level returns how deep a rectangle is, from its y: the graph grows upwards from the frame of all.
func level(t *testing.T, drawn, y []byte) string {
	t.Helper()
	bottom := regexp.MustCompile(`<title>all [^<]*</title><rect [^>]*?y="([0-9]+)"`).FindSubmatch(drawn)
	if bottom == nil {
		t.Fatal("there is no frame of all")
	}
	from, _ := strconv.Atoi(string(bottom[1]))
	at, _ := strconv.Atoi(string(y))
	const height = 16
	return strconv.Itoa((from - at) / height)
}

func unescape(s string) string {
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&quot;", `"`, "&apos;", "'", "&amp;", "&").Replace(s)
}
