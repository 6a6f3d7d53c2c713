package tables

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/lazy/query/display"
	"tracex/lazy/query/histogram"
	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

const width, height = 80, 24

// numbered is a source of n rows that counts which are asked for.
type numbered struct {
	n     int
	asked atomic.Int64
}

func (s *numbered) Len() int { return s.n }

func (s *numbered) Row(i int) []table.Value {
	s.asked.Add(1)
	return []table.Value{table.Int(int64(i * 3)), table.Str(fmt.Sprintf("method%d(…)", i))}
}

func numbers(n int) (*numbered, *table.Table) {
	rows := &numbered{n: n}
	return rows, &table.Table{
		Title: "numbers", Rows: rows, Empty: "no numbers",
		Columns: []table.Column{{Key: "calls", Title: "calls", Kind: table.Count}, {Key: "name", Title: "method"}},
	}
}

// sorted is a source that shows a table which is complete.
type sorted struct {
	Answer
	whole, now *table.Table
}

func static(t *table.Table) Source { return &sorted{whole: t, now: t} }

func (s *sorted) Table() *table.Table { return s.now }

func (s *sorted) Orders() []string { return nil }

func (s *sorted) Sort(_ context.Context, key string, rising bool) error {
	s.now = uitest.Sorted(s.whole, key, rising)
	return nil
}

// shown is a sheet on a screen; its work is done as soon as it is requested.
type shown struct {
	*Sheet
	t   *testing.T
	env *env.Env
}

func show(t *testing.T, src Source) *shown {
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Width, e.Patience = width, time.Hour
	s := &shown{newSheet(src, e), t, e}
	s.settle()
	return s
}

func (s *shown) settle() {
	s.env.Start()
	if cmd := s.Settle(height); cmd != nil {
		s.t.Fatal("work without an end")
	}
}

// keys presses keys and returns the last action.
func (s *shown) keys(names string) (last prompt.ListAction) {
	for _, k := range strings.Fields(names) {
		last = s.HandleKey(keys.Press(k))
		s.settle()
	}
	return last
}

// lines returns what is on the screen, and checks the size of each line.
func (s *shown) lines() []string {
	s.t.Helper()
	lines := s.View(width, height, &screen.Unicode)
	if len(lines) != height {
		s.t.Errorf("%d lines", len(lines))
	}
	for i, line := range lines {
		if w := ansi.StringWidth(line); w != width {
			s.t.Errorf("a line of %d cells: %q", w, line)
		}
		lines[i] = strings.TrimRight(ansi.Strip(line), " ")
	}
	return lines
}

func (s *shown) has(texts ...string) {
	s.t.Helper()
	view := strings.Join(s.lines(), "\n")
	for _, text := range texts {
		if !strings.Contains(view, text) {
			s.t.Errorf("no %q in\n%s", text, view)
		}
	}
}

// TestSlide: > and < scroll the texts of the cursor's row that are cut, to their ends; the other rows and the next one
// stay as they are.
func TestSlide(t *testing.T) {
	long := strings.Repeat("0123456789", 12) + "end"
	s := show(t, static(&table.Table{
		Columns: []table.Column{{Key: "a", Title: "a", Least: 30}, {Key: "b", Title: "b", Stretch: true}},
		Rows:    table.List{{table.Str("one"), table.Str(long)}, {table.Str("two"), table.Str(long)}, {table.Str("three"), table.Str("short")}},
	}))
	at := func(i int) string { return s.lines()[2+i] }
	if s.keys(">"); !strings.Contains(at(0), "one") || strings.Contains(at(0), " 0123") || at(1) != "  two"+strings.Repeat(" ", 29)+long[:44]+"…" {
		t.Errorf("%q\n%q", at(0), at(1))
	}
	if s.keys("> > > > >"); !strings.HasSuffix(at(0), "end") {
		t.Errorf("not to the end: %q", at(0))
	}
	if s.keys("< < < < < <"); !strings.HasSuffix(at(0), long[:44]+"…") {
		t.Errorf("not back: %q", at(0))
	}
	if s.keys("> j"); !strings.HasSuffix(at(0), long[:44]+"…") || !strings.HasSuffix(at(1), long[:44]+"…") {
		t.Errorf("another row: %q\n%q", at(0), at(1))
	}
	if did := s.keys("j >"); did.Say != "nothing of this row is cut" {
		t.Errorf("%+v", did)
	}
}

// TestMoves goes through a million rows with the keys of the tree. Each key asks for the rows on
// the screen and no others.
func TestMoves(t *testing.T) {
	const n = 1_000_000
	rows, of := numbers(n)
	s := show(t, static(of))
	for _, c := range []struct {
		key string
		at  int
	}{
		{"j", 1}, {"down", 2}, {"k", 1}, {"pgdown", 21}, {"ctrl+d", 31}, {"pgup", 11}, {"G", n - 1}, {"g", 0}, {"5", 0}, {"j", 5},
		{"1", 5}, {"0", 5}, {"0", 5}, {"G", 99}, {"home", 0}, {"end", n - 1}, {"3", n - 1}, {"k", n - 4}, {"9", n - 4}, {"esc", n - 4}, {"up", n - 5},
	} {
		before := rows.asked.Load()
		s.keys(c.key)
		if asked := rows.asked.Load() - before; asked > height {
			t.Errorf("%s asks for %d rows", c.key, asked)
		}
		if _, row := s.Row(); row != c.at {
			t.Errorf("after %s: row %d, expected %d", c.key, row, c.at)
		}
		before = rows.asked.Load()
		s.has(fmt.Sprintf("method%d(…)", c.at), " row "+display.Grouped(int64(c.at+1))+" of 1,000,000")
		if asked := rows.asked.Load() - before; asked != 0 {
			t.Errorf("drawing asks for %d rows", asked)
		}
	}
	before := rows.asked.Load()
	s.Scroll(3)
	s.settle()
	if asked := rows.asked.Load() - before; asked > height {
		t.Errorf("the wheel asks for %d rows", asked)
	}
}

// TestSort sorts by one column after the other, and in the other direction.
func TestSort(t *testing.T) {
	_, of := numbers(300)
	s := show(t, static(of))
	for _, c := range []struct{ keys, first, head string }{
		{"s", "method299(…)", "▼ calls"}, {"S", "method0(…)", "▲ calls"}, {"s", "method0(…)", "▲ method"}, {"j S", "method99(…)", "▼ method"},
		{"s", "method299(…)", "▼ calls"},
	} {
		s.keys(c.keys)
		lines := s.lines()
		if !strings.Contains(lines[1], c.head) || !strings.Contains(lines[2], c.first) || !strings.HasPrefix(lines[2], "▌") {
			t.Errorf("after %s:\n%s", c.keys, strings.Join(lines[:4], "\n"))
		}
	}
}

// growing is a source whose rows are loaded on request, in groups or not, while it grows.
type growing struct {
	Answer
	now     *table.Table
	known   [1000]atomic.Bool
	loads   []string
	running bool
	group   string
	fail    error
}

func newGrowing(n int) *growing {
	g := &growing{Answer: Answer{sorts: []string{}}, running: true}
	g.grow(n)
	return g
}

func (g *growing) grow(n int) {
	g.now = &table.Table{
		Title: fmt.Sprintf("%d rows", n), Partial: true, Done: float64(n) / 1000, Rows: loaded{g, n},
		Columns: []table.Column{{Key: "name", Title: "name"}},
		Spread: func(row int) (string, *histogram.Histogram) {
			if row < 0 {
				return "", nil
			}
			var h histogram.Histogram
			h.AddN(1000, uint64(row+1))
			return fmt.Sprintf("row %d:", row), &h
		},
	}
}

// loaded is the rows of a growing source.
type loaded struct {
	g *growing
	n int
}

func (l loaded) Len() int { return l.n }

func (l loaded) Row(i int) []table.Value {
	if !l.g.known[i].Load() {
		return nil
	}
	return []table.Value{table.Str(fmt.Sprintf("name %d", i))}
}

func (g *growing) Table() *table.Table { return g.now }

func (l loaded) Load(_ context.Context, from, to int) error {
	g := l.g
	g.loads = append(g.loads, fmt.Sprintf("%d-%d", from, to))
	if g.fail != nil {
		return g.fail
	}
	for i := from; i < to; i++ {
		g.known[i].Store(i != 7)
	}
	return nil
}

func (g *growing) Running() bool { return g.running }
func (g *growing) Stop()         { g.running = false }

func (g *growing) Groups() []string { return []string{"none", "class", "thread"} }

func (g *growing) Group(_ context.Context, name string) error {
	g.group = name
	return nil
}

// TestNotes: notes are under the rows, beside the histogram of the row if there is one.
func TestNotes(t *testing.T) {
	g := newGrowing(50)
	g.now.Notes = []string{"some are missing", "others are not what they seem, and there is no end of it"}
	s := show(t, g)
	s.has("row 1 of 50   some are missing; ", "…", "row 0:  1.00 µs")
	g.now.Spread = nil
	s = show(t, g)
	s.has("some are missing; others are not")
}

// TestRowsOnRequest: rows on the screen are loaded, each request once; one that stays unknown is
// shown as pending, and does not make the sheet ask forever.
func TestRowsOnRequest(t *testing.T) {
	g := newGrowing(50)
	s := show(t, g)
	if got := strings.Join(g.loads, " "); got != "0-21" {
		t.Errorf("loaded: %s", got)
	}
	s.has("name 6", "name 8", "  …")
	s.keys("j")
	if got := strings.Join(g.loads, " "); got != "0-21 7-8" {
		t.Errorf("loaded: %s", got)
	}
	s.keys("/ 4 8")
	s.has(" 1 of 50 ", "name 48")
	s.keys("esc")
	g.grow(200)
	s.settle()
	s.has("200 rows", "partial, 20 %", "row 49 of 200", "row 48:  1.00 µs")
	g.fail = errors.New("the file is gone")
	s.keys("1 5 0 G")
	s.has("the file is gone")
}

// TestStopsSlowly: a second Esc closes the sheet while the source has not noticed the first.
func TestStopsSlowly(t *testing.T) {
	g := newGrowing(50)
	s := show(t, slowly{g})
	if what := s.keys("esc"); what.Kind != prompt.NoAction || what.Say != "" {
		t.Errorf("%+v", what)
	}
	if hint := s.Hint(width, &screen.Unicode); !strings.HasSuffix(hint, "Esc back") {
		t.Errorf("%s", hint)
	}
	if what := s.keys("esc"); what.Kind != prompt.Closed {
		t.Errorf("%+v", what)
	}
}

// slowly is a source that goes on for a while when it is stopped.
type slowly struct{ *growing }

func (slowly) Stop() {}

// TestStops: Esc stops a source that works, and only then closes the sheet; closing stops it too.
func TestStops(t *testing.T) {
	g := newGrowing(50)
	s := show(t, g)
	if hint := s.Hint(width, &screen.Unicode); !s.Busy() || !strings.HasSuffix(hint, "Esc stops") {
		t.Errorf("%s", hint)
	}
	if what := s.keys("esc"); what.Kind != prompt.NoAction || what.Say != "" || g.running {
		t.Errorf("%+v", what)
	}
	if hint := s.Hint(width, &screen.Unicode); s.Busy() || !strings.HasSuffix(hint, "Esc back") {
		t.Errorf("%s", hint)
	}
	if what := s.keys("esc"); what.Kind != prompt.Closed {
		t.Errorf("%+v", what)
	}
	g.running = true
	if s.Close(); g.running {
		t.Error("a closed sheet works")
	}
}

// TestGroups goes through the groups of a source.
func TestSheetGroups(t *testing.T) {
	g := newGrowing(5)
	s := show(t, g)
	for _, want := range []string{"class", "thread", "none", "class"} {
		if s.keys("p"); g.group != want {
			t.Errorf("grouped by %s, expected %s", g.group, want)
		}
	}
	if hint := s.Hint(width, &screen.Unicode); !strings.Contains(hint, "p group") || strings.Contains(hint, "s sort") {
		t.Errorf("%s", hint)
	}
}

// keyed is a table with keys.
type keyed struct {
	*sorted
	keys []Key
	do   func(key string, t *table.Table, row int)
}

func (k keyed) Keys() []Key {
	for i := range k.keys {
		key := &k.keys[i]
		key.Do = func(t *table.Table, row int) tea.Cmd {
			k.do(key.Name, t, row)
			return nil
		}
	}
	return k.keys
}

// TestActions: keys of the owner get the table and the row under the cursor, filtered or not.
func TestActions(t *testing.T) {
	_, of := numbers(500)
	did := ""
	s := show(t, keyed{
		static(of).(*sorted),
		[]Key{{Name: "enter", Brief: "its calls", Help: "calls", Leaves: true}, {Name: "w", Brief: "callers"}, {Name: "x", Always: true}},
		func(name string, t *table.Table, row int) {
			did = fmt.Sprintf("%s %d", name, row)
			if row >= 0 && t != of {
				did = "another table"
			}
		},
	})
	for _, c := range []struct {
		keys, want string
		leaves     bool
	}{{"j enter", "enter 1", true}, {"w", "w 1", false}, {"l", "enter 1", true}, {"/ 4 9 9 enter w", "w 499", false}, {"/ x enter w", "", false}, {"x", "x -1", false}} {
		did = ""
		what := s.keys(c.keys)
		if c.want == "" {
			if what.Kind != prompt.NoAction || !strings.HasPrefix(what.Say, "no row contains") {
				t.Errorf("after %s: %+v", c.keys, what)
			}
			continue
		}
		if what.Kind != prompt.Asked {
			t.Fatalf("after %s: %+v", c.keys, what)
		}
		if what.Do(); did != c.want || what.Leave != c.leaves {
			t.Errorf("after %s: %q, leaves %v", c.keys, did, what.Leave)
		}
	}
	s.keys("esc")
	for w, want := range map[int]string{80: "Enter its calls   w callers   s sort   S reverse   / filter   Esc back", 40: "Enter its calls   w callers   Esc back", 8: "Esc back"} {
		if hint := s.Hint(w, &screen.Unicode); hint != want {
			t.Errorf("%d cells: %q", w, hint)
		}
	}
	if keys := fmt.Sprint(s.Keys()); !strings.Contains(keys, "{This table Enter calls}") || strings.Contains(keys, "group by") {
		t.Errorf("%s", keys)
	}
}

// TestStopsGrouping: Esc stops a source that works for what a key asked for; another key does not.
func TestStopsGrouping(t *testing.T) {
	g := newGrowing(10)
	s := show(t, g)
	s.HandleKey(keys.Press("p"))
	s.HandleKey(keys.Press("p"))
	if !g.running {
		t.Error("a key stopped it")
	}
	if s.keys("esc"); g.running || s.Busy() {
		t.Error("Esc did not stop it")
	}
}
