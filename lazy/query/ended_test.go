package query

import (
	"os"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
)

// TestCopiedWithoutTimes: a trace of a Go program that lies there without its times says where they would be, in
// answers and in the overview; one with times, and one of a JVM, which has none, say nothing.
func TestCopiedWithoutTimes(t *testing.T) {
	copied := formattest.Demo(t)
	if err := os.Remove(copied + format.TimesSuffix); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]bool{copied: true, formattest.Demo(t): false, formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx"): false} {
		r, err := lazy.Open(path, lazy.Options{NoWrite: true})
		if err != nil {
			t.Fatal(err)
		}
		defer r.Close()
		facts := overviewOf(t, r, 1<<20)
		top := NewTop(r, Scope{}, ByMethod)
		if err := r.Pass(t.Context(), lazy.Pass{Collect: []lazy.Collector{top}}); err != nil {
			t.Fatal(err)
		}
		notes := append(top.Table(View{Done: 1, G: &display.Unicode}).Notes, facts.NoTimes)
		if told := slices.ContainsFunc(notes, func(s string) bool { return strings.HasPrefix(s, "no times: shop.bin.tim is not there; copy it") }); told != want {
			t.Errorf("%s: %q", path, notes)
		}
		if (facts.NoTimes != "") != want {
			t.Errorf("%s: the overview says %q", path, facts.NoTimes)
		}
	}
}
