package lists

import (
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/goroutines"
	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
	"tracex/ui/internal/uitest"
)

// shown is a list on a screen; its work is done as soon as it is requested.
type shown struct {
	*ThreadList
	now   *lazy.ThreadList // the threads known
	names int              // looked at by filters
}

const width, height = 100, 24

// listed returns a list of threads, with the cursor on one.
func listed(t *testing.T, threads *lazy.ThreadList, timed bool, id int32) *shown {
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Front.Area.Width = width
	return &shown{ThreadList: newThreadList(e, &tree.Starts{Forests: new(goroutines.Cache)}, threads, timed, id), now: threads}
}

func show(t *testing.T, s formattest.Spec) *shown {
	r := uitest.Open(t, formattest.File(t, s), lazy.Options{NoWrite: true})
	l := listed(t, r.ThreadList(), s.Timed, 0)
	l.settle()
	return l
}

// settle does the work that the list begins.
func (l *shown) settle() {
	for {
		cmd := l.ThreadList.settle(l.now, height)
		if cmd == nil {
			return
		}
		before, filter := 0, l.Scan
		if filter != nil {
			before = filter.Looked
		}
		if cmd().(env.Ran).Then(); filter != nil {
			l.names += filter.Looked - before
		}
	}
}

// keys presses keys, one character each.
func (l *shown) keys(keys string) *shown {
	for _, k := range keys {
		l.HandleKey(tea.KeyPressMsg{Code: k, Text: string(k)})
		l.settle()
	}
	return l
}

func (l *shown) view() string {
	return ansi.Strip(strings.Join(l.View(width, height, &screen.Unicode), "\n"))
}

// ids returns the ids of the threads that are shown.
func (l *shown) ids() (ids []int32) {
	for i := range l.Count() {
		ids = append(ids, l.ID(i))
	}
	return ids
}

// TestFilterLooksAtWhatMayPass: a filter of very many threads looks only at their names, and,
// as more is typed, only at those that passed before.
func TestFilterLooksAtWhatMayPass(t *testing.T) {
	const threads = 3000
	l := show(t, formattest.Spec{Shape: formattest.Threads, N: threads, Seed: 2}).keys("/-29")
	if l.names > 5*threads/2 {
		t.Errorf("%d names were looked at", l.names)
	}
	if got, want := l.Count(), 1+10+100; got != want {
		t.Errorf("%d threads pass, want %d", got, want)
	}
	if view := l.view(); !strings.Contains(view, " 111 of 3,000 threads ") || !strings.Contains(view, "▌ pool-1-thread-29  ") {
		t.Error(view)
	}
	if len(l.seen) > height {
		t.Errorf("%d threads were looked up for %d lines", len(l.seen), height)
	}
}

// TestSortGoesRound: s sorts by name, duration, calls and number in turn, with a filter too.
func TestSortGoesRound(t *testing.T) {
	l := show(t, formattest.Spec{Shape: formattest.Goroutines, N: 300, Seed: 1, Timed: true})
	byID := l.ids()
	number := map[lazy.ThreadOrder][]int32{}
	for o := lazy.ByName; o <= lazy.ByCalls; o++ {
		l.keys("s")
		if l.order != o || !strings.Contains(l.view(), " 300 threads "+orderNames[o]+" ") {
			t.Errorf("order %d:\n%s", l.order, l.view())
		}
		numbers, err := l.all.Sort(t.Context(), o, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, n := range numbers {
			number[o] = append(number[o], l.all.ID(n))
		}
		if !slices.Equal(l.ids(), number[o]) {
			t.Errorf("not by %s", orderNames[o])
		}
	}
	l.keys("/7").HandleKey(tea.KeyPressMsg{Code: tea.KeyEnter})
	want := slices.DeleteFunc(slices.Clone(number[lazy.ByCalls]), func(id int32) bool {
		return !strings.Contains(string(rune('0'+(id+1)/100))+string(rune('0'+(id+1)/10%10))+string(rune('0'+(id+1)%10)), "7") &&
			!strings.Contains(string(rune('0'+id/100))+string(rune('0'+id/10%10))+string(rune('0'+id%10)), "7")
	})
	if !slices.Equal(l.ids(), want) {
		t.Errorf("of those that pass, sorted: %v, want %v", l.ids(), want)
	}
	l.keys("s")
	if slices.Sort(want); !slices.Equal(l.ids(), want) {
		t.Errorf("by number again: %v", l.ids())
	}
	l.HandleKey(tea.KeyPressMsg{Code: tea.KeyEscape})
	l.settle()
	if !slices.Equal(l.ids(), byID) {
		t.Error("without the filter not all are there")
	}
}

// TestNoDurations: a list of a trace without times is not sorted by them.
func TestNoDurations(t *testing.T) {
	l := show(t, formattest.Spec{Shape: formattest.Goroutines, N: 50, Seed: 1}).keys("ss")
	if l.order != lazy.ByCalls {
		t.Errorf("sorted by %s", orderNames[l.order])
	}
}

// TestGivenUp: the result of a canceled sort or filter changes nothing.
func TestGivenUp(t *testing.T) {
	l := show(t, formattest.Spec{Shape: formattest.Goroutines, N: 50, Seed: 1})
	l.HandleKey(tea.KeyPressMsg{Code: 's', Text: "s"})
	sort := l.ThreadList.settle(l.now, height)
	if !l.busy() || !strings.Contains(l.view(), "sorting by name ") {
		t.Error(l.view())
	}
	l.HandleKey(tea.KeyPressMsg{Code: tea.KeyEscape})
	sort().(env.Ran).Then()
	if l.order != lazy.ByID || l.busy() {
		t.Errorf("by %s", orderNames[l.order])
	}
	l.HandleKey(tea.KeyPressMsg{Code: '/', Text: "/"})
	l.HandleKey(tea.KeyPressMsg{Code: '7', Text: "7"})
	old := l.ThreadList.settle(l.now, height)
	l.HandleKey(tea.KeyPressMsg{Code: '8', Text: "8"})
	if !strings.Contains(l.view(), "none yet") {
		t.Error(l.view())
	}
	old().(env.Ran).Then()
	if l.Count() != 0 {
		t.Error("what an older filter passes is shown")
	}
	l.settle()
	if l.Count() == 50 || l.busy() {
		t.Errorf("%d pass", l.Count())
	}
	l.keys("8").view()
	if !strings.Contains(l.view(), "no thread contains 788") {
		t.Error(l.view())
	}
}

// TestListGrows: threads that appear while the list is shown are added to it, in its order, and
// the cursor stays on its thread.
func TestListGrows(t *testing.T) {
	open := func(n int) *lazy.ThreadList {
		path := formattest.File(t, formattest.Spec{Shape: formattest.Goroutines, N: n, Seed: 1})
		return uitest.Open(t, path, lazy.Options{NoWrite: true}).ThreadList()
	}
	few, more := open(40), open(300)
	for name, keys := range map[string]string{"by id": "", "filtered": "/7", "sorted": "s", "sorted and filtered": "ss/7"} {
		t.Run(name, func(t *testing.T) {
			l := listed(t, few, false, 30)
			l.settle()
			l.keys(keys)
			want := listed(t, more, false, 30)
			want.settle()
			want.keys(keys)
			l.now = more
			l.settle()
			if !slices.Equal(l.ids(), want.ids()) || l.Count() <= 5 {
				t.Errorf("%v, want %v", l.ids(), want.ids())
			}
			if keys == "" && l.ID(l.Selected()) != 30 {
				t.Errorf("the cursor is on %d", l.ID(l.Selected()))
			}
		})
	}
}

// TestWrong: only what went wrong has a sign, and is red.
func TestWrong(t *testing.T) {
	l := show(t, formattest.Spec{Shape: formattest.Goroutines, N: 5, Seed: 1})
	for _, c := range []struct {
		end   lazy.ThreadEnd
		shows string
		red   bool
	}{
		{lazy.ThreadEnd{State: lazy.StateWhole}, "", false},
		{lazy.ThreadEnd{State: lazy.StateWhole, Threw: true, Exception: `panic: "x"`}, `✗ panic: "x"`, true},
		{lazy.ThreadEnd{State: lazy.StateWhole, Threw: true}, "✗ threw", true},
		{lazy.ThreadEnd{State: lazy.StateWhole, Threw: true, Exception: "runtime.Goexit"}, "runtime.Goexit", false},
		{lazy.ThreadEnd{State: lazy.StatePending}, "not ended yet", false},
		{lazy.ThreadEnd{State: lazy.StateUnfinished}, "✗ did not end", true},
	} {
		row := []table.Value{l.wrong(c.end)}
		layout := table.NewLayout(&table.Table{Columns: []table.Column{{Key: "wrong"}}}, 0, 0, screen.Unicode.Glyphs)
		layout.FitRows([][]table.Value{row})
		line := layout.Values(row)
		if red := len(line.Spans) > 0 && screen.OfTable(line.Spans[0].Style) == theme.Alarm; l.wrong(c.end).Text() != c.shows || red != c.red {
			t.Errorf("%+v: %q, red: %v", c.end, l.wrong(c.end).Text(), red)
		}
	}
}
