//go:build linux

package recordtest_test

import (
	"encoding/json"
	"strings"
	"testing"

	"tracex/cli/bench"
)

// zeroCode measures what calls cost in a program that is instrumented.
func zeroCode(tb testing.TB, seconds string) *bench.ZeroCode {
	tb.Helper()
	r := must(tb, runTracex(tb, "", nil, "bench", "record", "--zero-code", "--json", "--seconds", seconds))
	var t bench.ZeroCode
	if err := json.Unmarshal([]byte(r.stdout), &t); err != nil {
		tb.Fatal(err)
	}
	return &t
}

// TestBench: everything is measured.
func TestBench(t *testing.T) {
	long(t)
	m := zeroCode(t, "0.1")
	hand := 0
	for _, row := range m.Rows {
		if row.Plain <= 0 || row.Off <= 0 || row.On <= 0 {
			t.Errorf("%+v", row)
		}
		if row.ByHand > 0 {
			hand++
		}
	}
	if len(m.Rows) < 8 || hand != 2 || m.Raw < 8 || m.Convert <= 0 {
		t.Errorf("%d calls, %d of them by hand, %v bytes, %v ns to convert", len(m.Rows), hand, m.Raw, m.Convert)
	}
}

// BenchmarkZeroCode is bench record --zero-code, with a name for each figure.
func BenchmarkZeroCode(b *testing.B) {
	m := zeroCode(b, "40")
	for _, row := range m.Rows {
		for part, ns := range map[string]float64{"plain": row.Plain, "off": row.Off, "recording": row.On} {
			b.Run(strings.ReplaceAll(row.Call, " ", "-")+"/"+part, func(b *testing.B) {
				for b.Loop() {
				}
				b.ReportMetric(ns, "ns/op")
			})
		}
	}
}
