package search

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/pattern"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
	"tracex/ui/internal/uitest"
)

// seeker has a Search and passes it the messages of its background work.
type seeker struct {
	*Search
	t    *testing.T
	r    *lazy.LazyTraceReader
	said []string
	went []lazy.Position
}

func seek(t *testing.T, r *lazy.LazyTraceReader) *seeker {
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Width, e.Patience, e.Trace = 100, time.Hour, env.NewTrace(r, "", "")
	e.Trace.Refresh()
	e.Start()
	tr := tree.New(e, true)
	s := &seeker{t: t, r: r}
	s.Search, _, _ = New(e, tr)
	return s
}

// note notes what is said, and where the cursor has gone.
func (s *seeker) note(do func() tea.Cmd) tea.Cmd {
	before, _ := s.tree.Out.Here()
	s.env.Status.Clear()
	next := do()
	if text, _ := s.env.Status.Message(); text != "" {
		s.said = append(s.said, text)
	}
	if at, _ := s.tree.Out.Here(); at != before {
		s.went = append(s.went, at)
	}
	return next
}

// begin begins a search.
func (s *seeker) begin(what string, from lazy.Position, here bool) tea.Cmd {
	return s.note(func() tea.Cmd {
		return s.Search.begin(pattern.New(what, false), &wanted{from: from, dir: 1, count: 1, here: here})
	})
}

// takeNext takes one message of a feed.
func (s *seeker) takeNext(next tea.Cmd) tea.Cmd {
	s.t.Helper()
	msg, ok := next().(env.Ran)
	if !ok {
		s.t.Fatal("there is no message")
	}
	return s.note(msg.Then)
}

// run takes messages until there are no more.
func (s *seeker) run(next tea.Cmd) {
	for next != nil {
		next = s.takeNext(next)
	}
}

// find searches to the end, from the beginning.
func (s *seeker) find(what string) *seeker {
	s.t.Helper()
	s.run(s.begin(what, lazy.Position{Thread: s.r.Threads()[0].ID, At: -1}, true))
	return s
}

// open opens the list of the hits.
func (s *seeker) open() *HitList {
	s.t.Helper()
	s.ShowList()
	h, ok := s.env.Front.List().(*HitList)
	if !ok {
		text, _ := s.env.Status.Message()
		s.t.Fatalf("no list: %s", text)
	}
	return h
}

// keys presses keys in the list, and starts the resulting work.
func (s *seeker) keys(h *HitList, names string) (next tea.Cmd) {
	for _, k := range names {
		h.HandleKey(keys.Press(string(k)))
		if cmd := s.SettleList(20); cmd != nil {
			next = cmd
		}
	}
	return next
}

func many(t *testing.T) *lazy.LazyTraceReader {
	return uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Calls, N: 30_000, Seed: 1}), lazy.Options{NoWrite: true})
}

// TestGoes: a search goes to its first hit, and from there to others, wrapping around.
func TestGoes(t *testing.T) {
	s := seek(t, uitest.Recorded(t, "threads.stream")).find("run()")
	n := s.Hits().Len()
	if n < 3 || len(s.went) != 1 || s.went[0] != s.Hits().At(0).Position || s.cur.shown != 1 {
		t.Fatalf("%d hits, went to %v, hit %d", n, s.went, s.cur.shown)
	}
	for _, c := range []struct {
		dir, count, shown int
		said              string
	}{
		{1, 1, 2, ""}, {1, n - 2, n, ""}, {1, 1, 1, "search wrapped to the top"}, {-1, 1, n, "search wrapped to the bottom"}, {-1, 2, n - 2, ""},
	} {
		s.said = nil
		s.run(s.note(func() tea.Cmd { return s.hit(c.dir, c.count) }))
		if s.cur.shown != c.shown || strings.Join(s.said, "") != c.said || s.went[len(s.went)-1] != s.Hits().At(c.shown-1).Position {
			t.Errorf("%d in direction %d: hit %d, says %q; want %d, %q", c.count, c.dir, s.cur.shown, s.said, c.shown, c.said)
		}
	}
	if s.Stop() || !s.End() || s.Some() || s.Hits().Len() != 0 {
		t.Error("the search is not over")
	}
	s.said = nil
	if s.note(func() tea.Cmd { return s.hit(1, 1) }); !slices.Equal(s.said, []string{"no search yet; press " + keys.ActionKey("search", s.env.Glyphs)}) {
		t.Errorf("without a search: %q", s.said)
	}
}

// TestOlderIsDropped: hits of an older search are dropped.
func TestOlderIsDropped(t *testing.T) {
	s := seek(t, uitest.Recorded(t, "gson.dump"))
	old := s.begin("json", lazy.Position{At: -1}, true)().(env.Ran)
	s.find("toJson")
	hits, went := s.Hits().Len(), len(s.went)
	if s.note(old.Then) != nil || len(s.went) != went || s.Hits().Len() != hits || hits == 0 {
		t.Error("the result of an older search was taken")
	}
}

// TestTypingKeepsSearch: a running search continues while another pattern is typed, and is kept
// if that is given up.
func TestTypingKeepsSearch(t *testing.T) {
	s := seek(t, many(t))
	s.Every = 1
	next := s.begin("e", lazy.Position{At: -1}, true)
	s.AskPattern()
	s.Preview(pattern.New("x", false))
	next = s.takeNext(next)
	if s.Pattern().Text != "x" || len(s.went) > 0 {
		t.Errorf("%s is shown, went to %v", s.Pattern().Text, s.went)
	}
	s.env.Front.HandleKey(keys.Press("esc"))
	s.run(next)
	if s.Running() || s.Pattern().Text != "e" || s.Hits().Len() < 1000 {
		t.Errorf("running %v, %d hits of %s", s.Running(), s.Hits().Len(), s.Pattern().Text)
	}
}

// TestBackwards: the previous hit is reached as soon as the search has passed the position where
// it was requested, not only after it has wrapped around.
func TestBackwards(t *testing.T) {
	r := many(t)
	s := seek(t, r)
	s.Every = 1
	from, err := r.FindFraction(r.Threads()[0].ID, 0.01)
	if err != nil || from.At <= 0 {
		t.Fatalf("%v, %v: the test shows nothing", from, err)
	}
	next := s.Same(pattern.New("(", false), from, -1)
	for len(s.went) == 0 && next != nil {
		next = s.takeNext(next)
	}
	if !s.Running() || len(s.went) == 0 || compare(s.went[0], from) >= 0 {
		t.Errorf("running %v, went to %v from %v", s.Running(), s.went, from)
	}
	s.Stop()
}

// TestManyThreads: the news of a search does not grow with the threads.
func TestManyThreads(t *testing.T) {
	const threads = 3000
	s := seek(t, uitest.Open(t, formattest.File(t, formattest.Spec{Shape: formattest.Threads, N: threads, Seed: 2}), lazy.Options{NoWrite: true}))
	s.Every = time.Hour
	next := s.begin("pool-1-thread-2", lazy.Position{At: -1}, true)
	told := 0
	for ; next != nil; told++ {
		next = s.takeNext(next)
	}
	if told > 3 || s.Hits().Len() < 2 {
		t.Errorf("%d messages of a search through %d threads, %d hits", told, threads, s.Hits().Len())
	}
}

// TestStops: a stopped search keeps its hits, and tells that it was stopped.
func TestStops(t *testing.T) {
	s := seek(t, many(t))
	s.Every = 1
	next := s.takeNext(s.begin("e", lazy.Position{At: -1}, true))
	hits := s.Hits().Len()
	if !s.Running() || !s.Stop() || s.Running() {
		t.Fatal("it cannot be stopped")
	}
	for msg := next(); msg != nil; msg = next() {
		s.note(msg.(env.Ran).Then)
	}
	if s.cur.err != context.Canceled || s.Hits().Len() != hits || !strings.Contains(s.Text(80), "stopped at ") {
		t.Errorf("%v, %d hits, %q", s.cur.err, s.Hits().Len(), s.Text(80))
	}
}

// TestText: the text about a search.
func TestText(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	for _, c := range []struct{ what, text, said string }{
		{"nowhere to be seen", "/nowhere to be seen  not found", "nothing found for /nowhere to be seen in 1 thread"},
		{"Nowhere", "/Nowhere  not found", "nothing found for /Nowhere in 1 thread; a lower-case pattern ignores case"},
		{`arg.1.Name="x"`, `/arg.1.Name="x"  not found`, `nothing found for /arg.1.Name="x" in 1 thread; :filter takes it as a filter`},
		{"Json.*riter", "/Json.*riter  not found as text; as a regular expression: ", "nothing found as text, but "},
		{"toJson(", "/toJson(  1 of ", ""},
	} {
		s := seek(t, r).find(c.what)
		said := strings.Join(s.said, "")
		if text := s.Text(80); !strings.HasPrefix(text, c.text) || !strings.HasPrefix(said, c.said) || c.said == "" && said != "" {
			t.Errorf("%s: %q, said %q", c.what, text, said)
		}
	}
}

// filterText returns the text of a hit for a filter of the list, computed in a simple way: the
// line as the list would show it in a very wide window.
func filterText(t *testing.T, tree *lazy.Tree, hit lazy.Hit) (line, called string) {
	t.Helper()
	n, err := tree.Reveal(t.Context(), hit.Position)
	if err != nil {
		t.Fatal(err)
	}
	var path []string
	for up := n.Parent(); up != nil; up = up.Parent() {
		path = append(path, string(tree.AppendName(nil, up)))
	}
	slices.Reverse(path)
	if len(path) > 8 {
		path = append([]string{path[0], "…"}, path[len(path)-7:]...)
	}
	named := tree.Named(n, false)
	return string(named.Text) + " " + strings.Join(path, lazy.PathSep), named.Call + "()"
}

// TestFilter: a filter looks at all hits, including those that were never on the screen, and at
// the whole text of their lines.
func TestFilter(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	s, tree := seek(t, r).find("e"), r.Tree(true)
	lines, calls := make([]string, s.Hits().Len()), make([]string, s.Hits().Len())
	for i := range lines {
		lines[i], calls[i] = filterText(t, tree, s.Hits().At(i))
	}
	for _, what := range []string{"json", "GsonBuilder.create() › new Gson()", "JsonReader.peek()"} {
		p := pattern.New(what, false)
		var want, got []lazy.Hit
		for i := range s.Hits().Len() {
			if p.Match([]byte(lines[i])) || p.Match([]byte(calls[i])) {
				want = append(want, s.Hits().At(i))
			}
		}
		h := s.open()
		s.run(s.keys(h, "/"+what))
		for i := range h.Count() {
			got = append(got, h.hits().At(i))
		}
		if !slices.Equal(got, want) || len(want) == 0 || len(want) == s.Hits().Len() {
			t.Errorf("%s: %d of %d hits pass, want %d", what, len(got), s.Hits().Len(), len(want))
			continue
		}
		h.Select(len(want) - 1)
		h.choose(len(want) - 1)
		if position, _ := s.tree.Out.Here(); position != want[len(want)-1].Position || s.Hits().At(s.cur.shown-1).Position != position {
			t.Errorf("%s: went to hit %d, %v", what, s.cur.shown, position)
		}
	}
}

// TestFilterFills: a list fills the screen while hits are inserted before those that it shows,
// in whatever order they arrive.
func TestFilterFills(t *testing.T) {
	r := many(t)
	s := seek(t, r)
	s.Every = 1
	last, err := r.FindFraction(r.Threads()[0].ID, 0.9995)
	if err != nil {
		t.Fatal(err)
	}
	s.run(s.begin("(", last, false))
	h := s.open()
	s.run(s.keys(h, "/1"))
	after, all := h.filter.passed.after, h.filter.passed.Len()
	if after == 0 || after >= 20 || all < 200 {
		t.Fatalf("%d of %d hits come after where the search began: the test shows nothing", after, all)
	}
	if from, to := h.Visible(20); to-from != 19 || h.Selected() < from || h.Selected() != all-after {
		t.Errorf("%d hits, lines %d to %d are shown, chosen is %d", all, from, to, h.Selected())
	}
}

// TestFilterStreams filters during the search: later hits are filtered too, and the title shows
// the progress of the filter.
func TestFilterStreams(t *testing.T) {
	s := seek(t, many(t))
	s.Every = 1
	found := s.begin("removeInvoice", lazy.Position{At: -1}, true)
	for s.Hits().Len() == 0 {
		found = s.takeNext(found)
	}
	h := s.open()
	filtered := s.keys(h, "/1")
	first := h.filter
	for first.Looked == 0 {
		filtered = s.takeNext(filtered)
	}
	if !s.Running() || first.Ended {
		t.Fatal("the search has ended: the test shows nothing")
	}
	if title := h.View(100, 20, &screen.Unicode)[0]; !strings.Contains(title, " searched") || !strings.Contains(title, "so far") {
		t.Errorf("%q", title)
	}
	filtered = s.keys(h, "2") // ends the filter before
	f := h.filter
	if f == first {
		t.Error("the filter before continues")
	}
	s.run(found)
	s.run(filtered)
	if f.Err != nil {
		t.Fatal(f.Err)
	}
	want, tree := 0, s.r.Tree(true)
	for i := range s.Hits().Len() {
		if line, called := filterText(t, tree, s.Hits().At(i)); strings.Contains(line, "12") || strings.Contains(called, "12") {
			want++
		}
	}
	if f.passed.Len() != want || want == 0 || f.Looked != s.Hits().Len() {
		t.Errorf("%d of %d hits pass, %d looked at; want %d", f.passed.Len(), s.Hits().Len(), f.Looked, want)
	}
	if title := h.View(100, 20, &screen.Unicode)[0]; strings.Contains(title, "searched") {
		t.Errorf("the filter has ended, and the title says how far it is: %q", title)
	}
	// After the list is closed, nothing runs.
	s.keys(h, "3")
	s.env.Front.CloseLists()
	s.SettleList(20)
	if h.sifting.Running() {
		t.Error("the filter continues though the list is closed")
	}
}
