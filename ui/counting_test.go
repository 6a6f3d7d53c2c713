package ui

import (
	"fmt"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/uitest"
)

// TestCallsAreCalls: the header, the list of threads and the details of a thread show the same
// numbers as info, with an index and without.
func TestCallsAreCalls(t *testing.T) {
	with := formattest.Unpack(t, "threads.stream.bin", "threads.stream.bin.idx")
	for _, path := range []string{with, formattest.Unpack(t, "threads.stream.bin")} {
		r := uitest.Open(t, path, lazy.Options{NoWrite: true})
		sum, err := r.Summarize(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		calls, events := sum.Classes[format.ClassCall], sum.Points
		d := drive(t, r, 140, 40, Options{})
		d.has("6 threads · " + display.Grouped(calls) + " calls · " + display.Grouped(events) + " events")
		d.keys("g d").has("calls      "+display.Grouped(sum.Threads.At(0).Calls), "events     "+display.Grouped(sum.Threads.At(0).Points),
			"calls      "+display.Grouped(calls), "events     "+display.Grouped(events))
		d.resize(100, 40)
		lines := words(strings.NewReplacer("━", "", "╸", "").Replace(d.keys("t").screen()))
		for th := range sum.Threads.All() {
			info, _ := r.ThreadInfo(th.ID)
			share, digits := 100*float64(th.Calls)/float64(calls), 1
			if share >= 10 {
				digits = 0
			}
			row := fmt.Sprintf(" %s %d %s %.*f %% %s ", info.Name, th.ID+1, display.Grouped(th.Calls), digits, share, display.Size(info.Bytes))
			if !strings.Contains(lines, row) {
				t.Errorf("no %q:\n%s", row, d.screen())
			}
		}
	}
}

// TestCallsNotCounted: an unknown number of calls is not shown as known.
func TestCallsNotCounted(t *testing.T) {
	r := uitest.Recorded(t, "threads.stream")
	var all int64
	for _, th := range r.Threads() {
		all += th.Containers
	}
	d := drive(t, r, 140, 40, Options{}).keys("g d") // the overview counts them, too
	d.m.counting.NoCalls = true                      // as for data that is too large
	r2 := uitest.Recorded(t, "threads.stream")
	d.m.env.Trace.Reader = r2
	d.send(nil)
	d.has("6 threads · ≤ "+display.Grouped(all)+" calls ", "at most ", "tracex info counts them")
	if strings.Contains(d.screen(), " events · ") {
		t.Error("events are told that were not counted")
	}
}
