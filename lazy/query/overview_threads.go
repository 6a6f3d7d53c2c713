package query

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/goroutines"
)

// survey is what the index tells of the threads.
type survey struct {
	list     *lazy.ThreadList // nil before it is made
	program  string           // the first one, of Go tests
	programs int
	tests    int
	slowest  []OverviewCall // of tests
	busiest  []OverviewThread
	// counted tells that the summary has the numbers of calls and events.
	counted       bool
	calls, events int64
}

// ending tells how a recording ended.
func ending(s *lazy.Status) OverviewEnd {
	switch {
	case s.Growth.On || errors.Is(s.Problem, lazy.ErrRecording):
		return EndGrowing
	case s.Problem != nil:
		return EndCut
	case s.Phase != lazy.PhaseReady:
		return EndUnknown
	case s.Ended != "":
		return EndRecovered
	}
	return EndWhole
}

// testOf returns the name of the Go test, benchmark or fuzz test that a thread is of, and its program, from the
// name of the thread.
func testOf(thread string) (name, program string, ok bool) {
	n, ok := goroutines.Parse(thread)
	if !ok || !strings.HasPrefix(n.By, "testing.") {
		return "", "", false
	}
	for _, kind := range []string{".Test", ".Benchmark", ".Fuzz"} {
		if strings.Contains(n.Start, kind) {
			return n.Start, n.Program, true
		}
	}
	return "", "", false
}

// surveyBatch is how many names of threads are read between two checks of the context.
const surveyBatch = 1 << 12

// findTests finds the threads of tests, and those that took longest; without times those with the most calls.
func (s *survey) findTests(ctx context.Context) error {
	var tests []int
	programs := make(map[string]bool)
	for from := 0; from < s.list.Len(); from += surveyBatch {
		s.list.Plain(from, min(s.list.Len(), from+surveyBatch), func(n int, name string) bool {
			if _, program, ok := testOf(name); ok {
				tests = append(tests, n)
				s.program = cmp.Or(s.program, program)
				programs[program] = true
			}
			return true
		})
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	if s.tests, s.programs = len(tests), len(programs); s.tests == 0 {
		return nil
	}
	var rows []lazy.ThreadRow
	for from := 0; from < len(tests); from += surveyBatch {
		rows = append(rows, s.list.Rows(tests[from:min(len(tests), from+surveyBatch)])...)
		slices.SortStableFunc(rows, compareTests)
		if rows = rows[:min(len(rows), slowest)]; ctx.Err() != nil {
			return ctx.Err()
		}
	}
	which := make([]int, len(rows))
	for i := range rows {
		which[i] = s.list.Index(rows[i].ID)
	}
	for i, end := range s.list.Ends(which) {
		x := OverviewCall{Kind: overviewTest, OverviewPlace: threadPlace(rows[i].ID, rows[i].Name), Threw: end.Threw, Exception: end.Exception, Unended: end.State != lazy.StateWhole}
		x.Name, _, _ = testOf(rows[i].Name)
		switch {
		case rows[i].Timed:
			if x.Duration = &rows[i].Time.Duration; x.Unended {
				x.Bound = "at least"
			}
		case rows[i].Counted:
			x.Calls = &rows[i].Calls
		}
		s.slowest = append(s.slowest, x)
	}
	return nil
}

// compareTests orders tests: the longest first, then, as without times, those with the most calls.
func compareTests(a, b lazy.ThreadRow) int {
	return cmp.Or(cmp.Compare(b.Time.Duration, a.Time.Duration), cmp.Compare(b.Calls, a.Calls))
}

// findBusiest finds the threads with the most calls, or until these have been counted, with the most calls, loops and
// iterations.
func (s *survey) findBusiest(ctx context.Context, r *lazy.LazyTraceReader, columns int) error {
	order, err := s.list.Sort(ctx, lazy.ByCalls, nil)
	if err != nil {
		return err
	}
	_, length, timed := r.Recording()
	for _, row := range s.list.Rows(order[:min(len(order), busiest)]) {
		x := OverviewThread{OverviewPlace: threadPlace(row.ID, row.Name), Name: row.Name, Calls: -1}
		if row.Counted {
			x.Calls = row.Calls
		}
		if timed && length > 0 && row.Timed {
			x.Activity, err = lazy.ActivityOf(ctx, r, row.ID, 0, int64(length), columns)
			if err != nil && !errors.Is(err, lazy.ErrNoTimes) {
				return err
			}
			part := func(at int64) int {
				return int(min(max(float64(at)/float64(length)*float64(columns), 0), float64(columns-1)))
			}
			x.From, x.To = part(row.Time.Start), part(row.Time.End())
		}
		s.busiest = append(s.busiest, x)
	}
	return nil
}

// leaders returns the first methods of the table of methods by self time, or in a trace without times by calls.
func (t *Top) leaders(most int) []OverviewMethod {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines, _ := t.lines()
	x := topTable{key: "calls"}
	if t.timed {
		x.key = "self"
	}
	lines.sort(&x, false)
	list := []OverviewMethod{}
	for i := range lines[:min(len(lines), most)] {
		l := &lines[i]
		m := OverviewMethod{Name: l.name, Call: l.group.call(), Calls: l.Calls}
		if t.timed {
			m.Self = &l.Self
			if whole := t.all.Time; whole > 0 {
				share := float64(l.Self) / float64(whole)
				m.Share = &share
			}
			if l.Unended > 0 {
				m.Bound = "about"
			}
		}
		list = append(list, m)
	}
	return list
}

// uncaught returns the first rows of the table of exceptions that no call caught, how many exceptions these rows
// are, and how many rows there are.
func (t *Throws) uncaught(most int, g *display.Glyphs) (list []OverviewThrown, exceptions int64, rows int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	list = []OverviewThrown{}
	x := t.tabled(g)
	columns := x.columns(false)
	for _, row := range x.rows {
		if row.outcome != Left && row.outcome != Unknown {
			continue
		}
		exceptions += row.count
		if rows++; rows > most {
			continue
		}
		text := func(key string) string { return columns.Get(row, key).Text() }
		list = append(list, OverviewThrown{Class: text("exception"), In: text("thrown_in"), Ended: text("caught_in"), Outcome: row.outcome.String(), Count: row.count,
			OverviewPlace: eventPlace(row.first.point())})
	}
	return list, exceptions, rows
}
