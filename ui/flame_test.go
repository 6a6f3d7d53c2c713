package ui

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tracex/format/formattest"
	"tracex/format/tracefile"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/recorder/convert/calltrace"
	"tracex/ui/internal/flame"
	"tracex/ui/internal/uitest"
)

// flameText returns what the command prints of the first thread.
func flameText(t *testing.T, r *lazy.LazyTraceReader, o lazy.FlameOptions) []string {
	t.Helper()
	f, err := lazy.FlameOf(t.Context(), r, o)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := query.NewFlamePicture(r, f, &display.Unicode).WriteText(&b); err != nil {
		t.Fatal(err)
	}
	return strings.Split(b.String(), "\n")
}

// TestFlame: V shows the strip, then the flame that the command prints, then neither; Enter shows one call
// alone, Esc all again, and o goes to the call in the tree.
func TestFlame(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	d := drive(t, r, 100, 40, Options{})
	top := d.m.layout().Top
	if d.keys("V"); d.m.layout().Top != top+1 {
		t.Error("no strip")
	}
	if small := drive(t, r, 40, 10, Options{}).keys("V"); small.m.env.Front.List() == nil {
		t.Error("V shows nothing where there is no room for the strip")
	}
	d.keys("V")
	same := func(o lazy.FlameOptions) {
		t.Helper()
		o.Thread, o.Columns, o.Depth = r.ThreadList().ID(0), 100, 40
		want, got := flameText(t, r, o), strings.Split(d.screen(), "\n")[2:]
		for i, line := range want[:12] {
			if i == 1 { // with the cursor
				continue
			}
			if strings.TrimRight(strings.TrimPrefix(got[i], " "), " ") != strings.TrimRight(strings.TrimPrefix(line, " "), " ") {
				t.Errorf("line %d:\n%s\nthe command prints\n%s", i, got[i], line)
			}
		}
	}
	same(lazy.FlameOptions{})
	d.keys("j j j l")
	s := d.m.env.Front.List().(*flame.Screen)
	event, from, to := s.Selected()
	if event < 0 || to <= from {
		t.Fatalf("the cursor is on #%d, from %d to %d", event, from, to)
	}
	d.keys("enter")
	same(lazy.FlameOptions{From: from, To: to})
	d.keys("esc")
	same(lazy.FlameOptions{})
	d.keys("o")
	if n := d.m.tree.Out.Cursor.Node; d.m.env.Front.List() != nil || n == nil || n.Point().Event != event {
		t.Errorf("the cursor is not on #%d", event)
	}
	d.keys("V V")
	if d.m.env.Front.List() != nil || d.m.flames.On || d.m.layout().Top != top {
		t.Error("V has not closed the flame")
	}
}

// TestRange: ( and ) limit the answers to a part of the recording, which the step line shows, backspace ends and a
// session keeps.
func TestRange(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	d := drive(t, r, 110, 24, Options{}).keys("3 0 j (")
	from := d.m.tree.Out.Cursor.Node.Point().Event
	d.has(fmt.Sprintf("[range #%d..", from)).keys("9 j )")
	timed, _, to, err := lazy.AxisOf(t.Context(), r, d.m.tree.Out.Cursor.Node, false)
	if timed || err != nil || to <= int64(from) {
		t.Fatal(timed, to, err)
	}
	d.has(fmt.Sprintf("[range #%d..#%d", from, to)).keys("T")
	scope := query.Scope{}
	if err := scope.Edit(t.Context(), r, query.Steps{query.RangeStep(false, int64(from), to)}); err != nil {
		t.Fatal(err)
	}
	answer := query.NewTop(r, scope, query.ByMethod)
	if err := r.Pass(t.Context(), scope.Over(answer)); err != nil {
		t.Fatal(err)
	}
	d.has(answer.Table(query.View{Sort: "self", Done: 1, G: &display.Unicode}).Title, "of a range of events")
	d.keys("esc")
	if saved := d.m.session().Steps; len(saved) != 1 || saved[0] != fmt.Sprintf("range #%d..#%d", from, to) {
		t.Errorf("the session has %q", saved)
	}
	d.m.steps.List = nil
	d.m.steps.Restore([]string{fmt.Sprintf("range #%d..#%d", from, to)})
	d.keys("backspace")
	if len(d.m.steps.List) > 0 {
		t.Error("backspace does not end the range")
	}
	d.keys(": r a n g e space # 5 . . # 9 0 enter").has("range #5..#90").keys("Z")
	if len(d.m.steps.List) > 0 {
		t.Error("Z does not end the range")
	}
	d.keys(": r a n g e space 1 s . . 2 s enter").has("no times")
}

// TestFlameOfTimes: in a trace with times the range is one of time.
func TestFlameOfTimes(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Random, N: 900, Seed: 4, Timed: true}
	d := drive(t, uitest.Open(t, formattest.File(t, spec), lazy.Options{NoWrite: true}), 100, 30, Options{})
	d.keys("V V j j")
	_, from, to := d.m.env.Front.List().(*flame.Screen).Selected()
	d.keys("( )")
	if timed, a, b, ok := d.m.steps.List[0].Span(); !ok || !timed || a != from || b != to {
		t.Errorf("range %d..%d, want %d..%d", a, b, from, to)
	}
	d.keys("+ + + > <").has(" of ").keys("- - - 0 tab shift+tab q")
	if d.m.env.Front.List() != nil || !d.m.flames.On {
		t.Error("q does not close the flame alone")
	}
}

// TestFlameOtherThread: Tab shows another thread over the same time; if it has nothing there, the title tells of
// which thread and time, and what shows all of it.
func TestFlameOtherThread(t *testing.T) {
	var data, index, times bytes.Buffer
	w := calltrace.New(tracefile.Files{Data: &data, Index: &index, Times: &times}, calltrace.Options{})
	threads := []*calltrace.Thread{w.Thread("one"), w.Thread("two"), w.Thread("three")}
	f := calltrace.Call{Method: w.Method("Main", "f")}
	var errs []error
	for _, call := range []struct{ thread, from, to int64 }{{0, 0, 20_000}, {0, 21_000, 41_000}, {1, 42_000, 62_000}, {0, 63_000, 83_000}} {
		th := threads[call.thread]
		errs = append(errs, th.Begin(call.from, &f), th.End(call.to, &calltrace.End{}))
	}
	errs = append(errs, threads[2].Set("n", new(calltrace.Int(7))))
	_, err := w.Finish(t.Context())
	path := filepath.Join(t.TempDir(), "trace.bin")
	for suffix, b := range map[string]*bytes.Buffer{"": &data, ".idx": &index, ".tim": &times} {
		errs = append(errs, os.WriteFile(path+suffix, b.Bytes(), 0o666))
	}
	if err := errors.Join(append(errs, err)...); err != nil {
		t.Fatal(err)
	}
	d := drive(t, uitest.Open(t, path, lazy.Options{NoWrite: true}), 110, 20, Options{}).keys("j V V")
	title := func() string { return strings.Split(d.screen(), "\n")[2] }
	all := title()
	d.keys("enter").has("thread 1 (one)", " of ")
	_, from, to := d.m.env.Front.List().(*flame.Screen).Selected()
	over := query.NewFlamePicture(d.m.env.Trace.Reader, lazy.Flame{Timed: true, From: from, To: to}, &display.Unicode)
	span := over.Place(from) + " … " + over.Place(to)
	if !strings.Contains(title(), span) || all == title() {
		t.Fatalf("not zoomed to %s:\n%s", span, d.screen())
	}
	d.keys("tab").has("flame · thread 2 (two) · " + span + ": nothing is there; 0 shows all of the thread")
	d.keys("tab").has("flame · thread 3 (three): nothing in it has a time")
	d.keys("shift+tab shift+tab").has("flame · thread 1 (one) · " + span + " of ")
	if d.keys("tab 0").has("flame · thread 2 (two) · "); strings.Contains(title(), " of ") || strings.Contains(title(), "nothing") {
		t.Errorf("0 does not show all:\n%s", d.screen())
	}
}

// TestFlameBegins: the flame begins where the cursor of the tree is: on its call, or on what is narrow there.
func TestFlameBegins(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	for _, keys := range []string{"j j l", "3 0 j", "G", "g E 9 0 0 j"} {
		d := drive(t, r, 100, 40, Options{}).keys(keys)
		n := d.m.tree.Out.Cursor.Node
		_, from, to, err := lazy.AxisOf(t.Context(), r, n, false)
		if err != nil {
			t.Fatal(err)
		}
		d.keys("V V")
		if event, a, b := d.m.env.Front.List().(*flame.Screen).Selected(); event != n.Point().Event && (a >= to || b <= from) {
			t.Errorf("%s: the cursor is on #%d, %d to %d, that of the tree on %d to %d", keys, event, a, b, from, to)
		}
	}
}

// TestRangeEnds: an end of the range that is on the wrong side of the other takes that away; backspace ends the
// range before other steps.
func TestRangeEnds(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 110, 24, Options{})
	at := func(event string) *driver { return d.keys(":").typed(event).keys("enter") }
	at("6278").keys("(").has("range #6278..")
	at("4248").keys(")").has("range #0..#4249")
	at("6278").keys("(").has("range #6278.. only in tables ✕")
	at("6302").keys(")").has("range #6278..#6303")
	d.keys(":").typed("drop doPeek").keys("enter")
	if d.keys("backspace"); len(d.m.steps.List) != 1 || d.m.steps.List[0].Kind != query.Drop {
		t.Fatalf("backspace leaves %v", d.m.steps.List)
	}
	if d.keys("backspace"); len(d.m.steps.List) != 0 {
		t.Errorf("a second backspace leaves %v", d.m.steps.List)
	}
}

// TestStripMarks: the strip has notes and hits where they are, and those of its thread.
func TestStripMarks(t *testing.T) {
	d := onEvent(t, "threads.stream", 100, 24, 41)
	d.keys("m a /").typed("work(").keys("enter")
	marked := d.m.marks.Places[0]
	hits := d.m.search.Hits()
	if hits == nil || hits.Len() < 2 {
		t.Fatal("no hits")
	}
	first, last := hits.At(0), hits.At(hits.Len()-1)
	note, match := d.m.flames.Noted, d.m.flames.Matched
	const end = int64(1) << 40
	for _, c := range []struct {
		what   string
		is     bool
		has    func(thread int32, from, to int64) bool
		thread int32
		from   int64
		to     int64
	}{
		{"a note", true, note, marked.Thread, marked.At, marked.At + 1},
		{"a note before it", false, note, marked.Thread, 0, marked.At},
		{"a note after it", false, note, marked.Thread, marked.At + 1, end},
		{"a note of another thread", false, note, marked.Thread + 1, 0, end},
		{"a hit", true, match, first.Thread, first.At, first.At + 1},
		{"a hit before the first", false, match, first.Thread, 0, first.At},
		{"a hit after the last", false, match, last.Thread, last.At + 1, end},
		{"a hit of a thread without", false, match, last.Thread + 1, 0, end},
	} {
		if got := c.has(c.thread, c.from, c.to); got != c.is {
			t.Errorf("%s: %v", c.what, got)
		}
	}
}

// TestFlameHues: with colors the boxes of the flame are filled, by package, and a package has the same hue in the strip, in
// the flame, zoomed in, and in another explorer; with few colors they have borders.
func TestFlameHues(t *testing.T) {
	box := func(d *driver, text string) string { // the color of its box
		_, after, _ := strings.Cut(d.view(), text)
		before := strings.TrimSuffix(d.view(), text+after)
		_, color, _ := strings.Cut(before[strings.LastIndex(before, "\x1b["):], "48;2;")
		return strings.TrimSuffix(color, "m")
	}
	d := colored(t, 100, 30, Options{})
	d.keys("V")
	strip := strings.Split(d.view(), "\n")[d.m.layout().StripAt]
	d.keys("V").has(" com.google.gson ", " com.google.gson.internal.bind ")
	if strings.Contains(d.screen(), "┤") {
		t.Error("the boxes have borders")
	}
	gson := box(d, " com.google.gson ")
	if gson == "" || box(d, " com.google.gson.internal.bind ") == gson || !strings.Contains(strip, "38;2;"+gson+"m") {
		t.Errorf("the legend has %q, the strip is %q", gson, strip)
	}
	if d.keys("j enter"); box(d, " com.google.gson ") != gson {
		t.Errorf("zoomed in: %q, not %q", box(d, " com.google.gson "), gson)
	}
	other := colored(t, 130, 40, Options{})
	if other.keys("V V"); box(other, " com.google.gson ") != gson {
		t.Errorf("in another explorer: %q, not %q", box(other, " com.google.gson "), gson)
	}
	few := drive(t, uitest.Recorded(t, "gson.dump"), 100, 30, Options{})
	few.keys("V V").has("┤", " com.google.gson ")
}
