package query

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
)

func logOf(t *testing.T, r *lazy.LazyTraceReader, s Scope, points ...string) *Log {
	t.Helper()
	var list []LogPoint
	for _, text := range points {
		p, err := ParseLogPoint(text)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return NewLog(r, s, list)
}

// TestLog: the lines are those of a plain calculation, in the order of all threads, however
// the pass is cut.
func TestLog(t *testing.T) {
	traces(t, func(t *testing.T, r *lazy.LazyTraceReader) {
		if long(r) {
			return
		}
		for _, raw := range []bool{false, true} {
			size, _ := r.Size()
			compareLog(t, r, raw, 0)
			if !raw {
				compareLog(t, r, raw, max(150, size/30))
			}
		}
	})
}

// compareLog compares the lines of log points with a plain calculation.
func compareLog(t *testing.T, r *lazy.LazyTraceReader, raw bool, share int64) {
	t.Helper()
	l := logOf(t, r, Scope{Raw: raw}, "kind=call", "kind=write", "depth=2..3 -kind=iteration")
	l.share = share
	if err := l.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	var want []logEntry
	for _, m := range plainAround(t, r, raw, l.Timeline).list {
		if m.End {
			continue
		}
		e := logEntry{key: m.From, at: m.At, thread: m.Thread, exact: m.From == m.To}
		if l.Timeline == lazy.TimelineNone {
			e.key, e.exact = int64(m.Thread), true
		}
		if m.Class == format.ClassCall {
			want = append(want, e)
		}
		switch e.point = 1; m.Class {
		case format.ClassFieldWrite, format.ClassVariableWrite, format.ClassArrayWrite:
			want = append(want, e)
		}
		if e.point = 2; m.Depth >= 2 && m.Depth <= 3 && m.Class != format.ClassIteration {
			want = append(want, e)
		}
	}
	last := map[int32]int64{}
	for i := range want { // the lines of a thread stay in their order
		e := &want[i]
		if was, ok := last[e.thread]; ok {
			e.key = max(e.key, was)
		}
		last[e.thread] = e.key
	}
	slices.SortStableFunc(want, func(a, b logEntry) int {
		return cmp.Or(cmp.Compare(a.key, b.key), cmp.Compare(a.thread, b.thread), cmp.Compare(a.at, b.at))
	})
	if !slices.Equal(l.entries, want) {
		for i := range want {
			if i >= len(l.entries) || l.entries[i] != want[i] {
				t.Fatalf("raw %v: line %d of %d: %+v of %d, not %+v", raw, i, len(want), l.entries[min(i, len(l.entries)-1)], len(l.entries), want[i])
			}
		}
		t.Fatalf("raw %v: %d lines, not %d", raw, len(l.entries), len(want))
	}
}

// TestLogKeepsTheFirst: of too many lines the first are kept, and the others counted.
func TestLogKeepsTheFirst(t *testing.T) {
	r := opened(t, formattest.Unpack(t, "threads.stream.bin"))
	all := logOf(t, r, Scope{}, "kind=call")
	if err := all.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	few := logOf(t, r, Scope{}, "kind=call")
	few.most = 7
	if err := few.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if room := cap(few.entries); room > 20 {
		t.Errorf("room for %d lines", room)
	}
	n, more := few.Count()
	if n != 7 || int(more) != len(all.entries)-7 || !slices.Equal(few.entries, all.entries[:7]) {
		t.Errorf("%d lines and %d more of %d: %v", n, more, len(all.entries), few.entries)
	}
	if notes := few.Table(View{Read: t.Context(), Done: 1, G: &display.Unicode}).Notes; len(notes) != 1 || !strings.Contains(notes[0], "more come after") {
		t.Errorf("%q", notes)
	}
}

// TestLogPrinted counts lines with text of the reference, and compares each.
func TestLogPrinted(t *testing.T) {
	for _, name := range []string{"threads.stream", "kotlin.stream", "gson.stream"} {
		if formattest.Race && name != "threads.stream" {
			continue // larger
		}
		r := opened(t, formattest.Unpack(t, name+".bin"))
		l := logOf(t, r, Scope{Raw: true}, `kind=write: "{text}"`, `threw: "{text}"`)
		if err := l.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		count := map[string]int{}
		rows := l.Table(View{Read: t.Context(), Done: 1, G: &display.Unicode}).Rows
		for i := range rows.Len() {
			count[rows.Row(i)[3].Text()]++
		}
		for line := range strings.Lines(string(formattest.Recorded(t, name+".raw.txt"))) {
			line = strings.TrimSpace(line)
			if n, ok := count[line]; ok {
				count[line] = n - 1
			} else if strings.Contains(line, "): threw ") {
				t.Errorf("%s: no line %q", name, line)
			}
		}
		for line, n := range count {
			if n != 0 && !strings.Contains(line, "\n") { // a character, which takes two lines
				t.Errorf("%s: %d lines too many: %q", name, n, line)
			}
		}
	}
}

func TestLogScreens(t *testing.T) {
	var out bytes.Buffer
	draw := func(r *lazy.LazyTraceReader, width int, g *display.Glyphs, points ...string) {
		l := logOf(t, r, Scope{}, points...)
		if err := l.Run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		shown := l.Table(View{Read: t.Context(), Done: 1, G: g})
		if err := table.WriteText(&out, shown, table.Options{Width: width, Limit: 8, Glyphs: g}); err != nil {
			t.Fatal(err)
		}
		fmt.Fprintln(&out)
	}
	threads := opened(t, formattest.Unpack(t, "threads.stream.bin"))
	timed := opened(t, shop(t))
	for _, width := range []int{60, 100, 160} {
		draw(threads, width, &display.Unicode, `method=work: "work {arg.1} -> {ret|exc}"`, `field=shared value<20: "  shared {value}"`)
		draw(timed, width, &display.Unicode, `method=pay: "pay {arg.1} {arg.2} -> {ret|exc} in {dur}"`, `var=total: "  total {value} on line {line}"`)
	}
	draw(timed, 60, &display.ASCII, `method=pay: "pay {recv} {arg} -> {ret|exc} in {dur}"`)
	golden(t, "log.txt", out.Bytes())
}
