package interop

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"math/big"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// plainEvent is an event of a Chrome trace, as package encoding/json reads it.
type plainEvent struct {
	Phase    string          `json:"ph"`
	Name     string          `json:"name"`
	Category string          `json:"cat"`
	Process  json.Number     `json:"pid"`
	Thread   json.Number     `json:"tid"`
	Time     json.Number     `json:"ts"`
	Duration json.Number     `json:"dur"`
	Args     json.RawMessage `json:"args"`
}

type plainTrace struct {
	Events []plainEvent `json:"traceEvents"`
	Begin  json.Number  `json:"beginningOfTime"` // Clang: µs since 1970
}

// readPlainly reads a file whole, packed or not.
func readPlainly(t testing.TB, file string) *plainTrace {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if strings.HasSuffix(file, ".gz") {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if b, err = io.ReadAll(z); err != nil {
			t.Fatal(err)
		}
	}
	trace := new(plainTrace)
	if err := json.Unmarshal(b, trace); err != nil {
		t.Fatal(err)
	}
	return trace
}

// nanoseconds returns a number of microseconds in ns, as exactly as it is written.
func nanoseconds(t testing.TB, micros json.Number) int64 {
	t.Helper()
	x, ok := new(big.Rat).SetString(string(micros))
	if !ok {
		t.Fatalf("%q is no number", micros)
	}
	x.Mul(x, big.NewRat(1000, 1))
	// Rounded to the nearest.
	x.Add(x, big.NewRat(1, 2))
	return new(big.Int).Div(x.Num(), x.Denom()).Int64()
}

// plainCall is a complete event as a call.
type plainCall struct {
	start, end int64 // ns
	text       string
	place      string
}

// nested returns a line for each call of a thread, in order of begin, indented by the calls around it.
// Times are since the first event of the trace.
func nested(t testing.TB, calls []plainCall, first int64) (lines []string) {
	t.Helper()
	slices.SortStableFunc(calls, func(a, b plainCall) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	var around []int64 // ends of the calls around
	for _, c := range calls {
		for len(around) > 0 && around[len(around)-1] <= c.start && around[len(around)-1] < c.end {
			around = around[:len(around)-1]
		}
		if n := len(around); n > 0 && c.end > around[n-1] {
			t.Fatalf("%s overlaps the call around it: the test must expect that", c.text)
		}
		lines = append(lines, callLine(len(around), c.text, path.Base(c.place), c.start-first, c.end-c.start))
		around = append(around, c.end)
	}
	return lines
}

func callLine(depth int, text, place string, start, duration int64) string {
	return fmt.Sprintf("%s%s at %s [%d+%d]", strings.Repeat("  ", depth), text, place, start, duration)
}

// compareLines reports the first difference.
func compareLines(t testing.TB, name string, got, want []string) {
	t.Helper()
	for i := range max(len(got), len(want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("%s: line %d of %d is\n%s\nwant\n%s", name, i, len(want), g, w)
			return
		}
	}
}
