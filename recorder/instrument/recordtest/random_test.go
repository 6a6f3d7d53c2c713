//go:build linux

package recordtest_test

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tracex/format/formattest"
)

// partsOfRandom is how many independent parts a generated program has.
const partsOfRandom = 20

// TestRandomPrograms records generated programs. Their calls are known.
func TestRandomPrograms(t *testing.T) {
	t.Parallel()
	stride, first := formattest.Stride()
	for seed := range many(1, 200) {
		if seed%stride != first {
			continue
		}
		t.Run(fmt.Sprint("seed=", seed), func(t *testing.T) {
			p := generate(uint64(seed), partsOfRandom)
			dir := write(t, map[string]string{"go.mod": "module example.com/random\n\ngo 1.25\n", "main.go": p.source})
			trace := filepath.Join(t.TempDir(), "trace.bin")
			command := []string{"record", "-o", trace, "--", "go", "run", "."}
			if seed%40 == 7 {
				command = slices.Insert(command, len(command)-1, "-race")
			}
			must(t, runTracex(t, dir, nil, command...))
			text := printed(t, trace, nil)
			same(t, "the trace", placeInMain.ReplaceAllString(text, ")"), normal(p.trace, nil))
			if t.Failed() {
				t.Log(numberedLines(p.source))
			}
		})
	}
}

// placeInMain is where a goroutine was started.
var placeInMain = regexp.MustCompile(` main\.go:\d+\)`)

func numberedLines(text string) string {
	var b strings.Builder
	i := 0
	for line := range strings.Lines(text) {
		i++
		fmt.Fprintf(&b, "%5d %s", i, line)
	}
	return b.String()
}
