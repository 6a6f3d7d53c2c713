package ui

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
	"tracex/lazy/query/table"
	"tracex/recorder"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/search"
	"tracex/ui/internal/tables"
	"tracex/ui/internal/uitest"
)

// printed returns the lines of a table as a command prints it.
func printed(t *testing.T, of *table.Table, width int) []string {
	t.Helper()
	var b bytes.Buffer
	if err := table.WriteText(&b, of, table.Options{Width: width, Glyphs: &display.Unicode}); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimRight(b.String(), "\n"), "\n")
}

// words returns the words of a line of a table, without rules and the scroll bar.
func words(line string) string {
	return strings.Join(strings.Fields(strings.NewReplacer("─", " ", "┃", " ").Replace(line)), " ")
}

// pass returns the table of top in the order of a key.
func pass(t *testing.T, r *lazy.LazyTraceReader, by query.By, key string) *table.Table {
	t.Helper()
	scope := query.Scope{}
	top := query.NewTop(r, scope, by)
	p := scope.Pass()
	p.Collect = []lazy.Collector{top}
	if err := r.Pass(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	return top.Table(query.View{Sort: key, Done: 1, G: &display.Unicode})
}

// TestTop: T shows what the command prints at the width that the cursor's mark leaves.
func TestTop(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	d := drive(t, r, 103, 20, Options{}).keys("T")
	shows := func(want *table.Table) {
		t.Helper()
		lines := strings.Split(d.screen(), "\n")
		for i, line := range printed(t, want, 100)[1:10] { // the command is as wide as all of its rows need
			if got, want := words(strings.TrimPrefix(lines[i+3], "▌")), words(line); got != want {
				t.Errorf("line %d:\n%s\nthe command prints\n%s", i+1, got, want)
			}
		}
		d.has(want.Title)
	}
	shows(pass(t, r, query.ByMethod, "self"))
	d.keys("s")
	shows(pass(t, r, query.ByMethod, "total"))
	d.keys("esc :").typed("top by class").keys("enter")
	shows(pass(t, r, query.ByClass, "self"))
	d.keys("p")
	shows(pass(t, r, query.ByPackage, "self"))
	d.keys("esc :").typed("top by nothing").keys("enter").has("top takes here, by with one of method, class, package, file, thread, and where")
}

// TestWhere: an answer of what matches a filter is the command's, and its title says so; mistakes in
// the filter leave the line open.
func TestWhere(t *testing.T) {
	r := uitest.Recorded(t, "gson.dump")
	d := drive(t, r, 160, 20, Options{}).keys(":").typed("top where class=JsonReader -method=doPeek").keys("enter")
	e, err := filter.Parse("class=JsonReader -method=doPeek")
	if err != nil {
		t.Fatal(err)
	}
	var scope query.Scope
	if err := scope.Where(t.Context(), r, e); err != nil {
		t.Fatal(err)
	}
	top := query.NewTop(r, scope, query.ByMethod)
	if err := r.Pass(t.Context(), scope.Over(top)); err != nil {
		t.Fatal(err)
	}
	want := top.Table(query.View{Done: 1, G: &display.Unicode})
	d.has(want.Title)
	if have, _ := d.m.env.Front.List().(*tables.Sheet).Row(); have.Rows.Len() != want.Rows.Len() || want.Rows.Len() == 0 {
		t.Errorf("%d rows, want %d", have.Rows.Len(), want.Rows.Len())
	}
	d.keys("esc :").typed("throws where class=Gson").keys("enter").has("exceptions · where class=Gson · 2 exceptions of 1 class")
	d.keys("esc :").typed("callers doPeek where ret=6").keys("enter").has("callers of JsonReader.doPeek · where ret=6 ·")
	d.keys("esc :").typed("top where method=doPek").keys("enter").has("this trace has no method doPek; the nearest: doPeek")
	if d.m.env.Front.Prompt() == nil {
		t.Error("the line is closed")
	}
	d.keys("esc :").typed("throws where").keys("enter").has("where needs a filter")
}

// TestTopBelow: :top here is of what is below the cursor only.
func TestTopBelow(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{}).keys("j j")
	n := d.m.tree.Out.Cursor.Node
	scope := query.Scope{}
	if err := scope.In(t.Context(), d.m.env.Trace.Reader, n.Handle()); err != nil {
		t.Fatal(err)
	}
	top := query.NewTop(d.m.env.Trace.Reader, scope, query.ByMethod)
	p := scope.Pass()
	p.Collect = []lazy.Collector{top}
	if err := d.m.env.Trace.Reader.Pass(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	want := top.Table(query.View{Done: 1, G: &display.Unicode})
	d.keys(":").typed("top here").keys("enter").has("below " + n.Handle().String() + ": " + want.Title)
	if have, _ := d.m.env.Front.List().(*tables.Sheet).Row(); have.Rows.Len() != want.Rows.Len() {
		t.Errorf("%d rows, expected %d", have.Rows.Len(), want.Rows.Len())
	}
}

// TestTopStops: Esc ends the pass, and only then closes the table.
func TestTopStops(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{})
	_, pass := d.m.Update(keys.Press("T")) // which has not begun
	d.has("none yet", "Esc stops", "partial")
	d.keys("esc").has("Esc back")
	if d.m.tables.Busy() {
		t.Error("the pass is still wanted")
	}
	d.run(pass)
	d.has("partial", "no calls")
	if alarmed(d) {
		t.Error(message(d))
	}
	if d.keys("esc"); d.m.env.Front.List() != nil {
		t.Errorf("still open:\n%s", d.screen())
	}
}

// TestTopToCalls: Enter goes to a call of the row's method, and n to the next; w shows its callers.
func TestTopToCalls(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{})
	for _, key := range []string{"enter", "w"} {
		d.keys("T /").typed("JsonReader.nextNonWhitespace").keys("enter").has("JsonReader.nextNonWhitespace(1)").keys(key)
		if key == "enter" {
			if text := d.cursorText(); !strings.Contains(text, "nextNonWhitespace(") || d.m.env.Front.List() != nil {
				t.Errorf("the cursor is on %s", text)
			}
			at := d.m.tree.Out.Cursor.Node.Position()
			if d.keys("n"); d.m.tree.Out.Cursor.Node.Position() == at || !strings.Contains(d.cursorText(), "nextNonWhitespace(") {
				t.Errorf("n goes to %s", d.cursorText())
			}
		}
	}
	d.has("callers of JsonReader.nextNonWhitespace").keys("tab").has("callees of JsonReader.nextNonWhitespace").keys("tab").has("callers of ")
}

// TestCallers: w shows the callers of the call under the cursor; a command those of any method.
func TestCallers(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{})
	d.keys("g w").has("no call under the cursor")
	d.keys("/").typed("nextNonWhitespace").keys("enter esc w").has("callers of JsonReader.nextNonWhitespace").keys("esc")
	at := d.m.tree.Out.Cursor.Node.Position()
	d.keys("w enter")
	if next := d.m.tree.Out.Cursor.Node.Position(); next == at || !strings.Contains(d.cursorText(), "nextNonWhitespace(") {
		t.Errorf("from %v to %v, %s", at, next, d.cursorText())
	}
	d.keys(":").typed("callees Gson.fromJson").keys("enter").has("callees of Gson.fromJson").keys("esc")
	d.keys(":").typed("callers Gson.fromJsn").keys("enter").has("the trace has no method Gson.fromJsn; the nearest: Gson.fromJson")
}

// TestThrows: Enter goes to the throw; a trace without exceptions says so.
func TestThrows(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{}).keys("!").has("3 exceptions of 2 classes")
	list, _ := d.m.env.Front.List().(*tables.Sheet)
	of, row := list.Row()
	event := of.Rows.Row(row)[of.Column("event")].Int()
	d.keys("enter")
	if n := d.m.tree.Out.Cursor.Node; d.m.env.Front.List() != nil || n == nil || int64(n.Point().Event) != event {
		t.Errorf("not at event %d:\n%s", event, d.screen())
	}
	// n goes through all exceptions in the order of the tree, and N back.
	var went []int32
	for i, key := range []string{"g n", "n", "n", "n", "N"} {
		d.keys(key).has(fmt.Sprintf("exception %d of 3", []int{1, 2, 3, 1, 3}[i]))
		went = append(went, d.m.tree.Out.Cursor.Node.Point().Event)
	}
	if !slices.IsSorted(went[:3]) || went[0] == went[1] || went[1] == went[2] || went[3] != went[0] || went[4] != went[2] {
		t.Errorf("n leads to %v", went)
	}
	d.keys("!").keys("s").has("▲ class").keys("S").has("▼ class").keys("s s").has("▲ caught in").keys("s s").has("▲ first")
	list, _ = d.m.env.Front.List().(*tables.Sheet)
	of, _ = list.Row()
	for i, at := 0, of.Column("event"); i+1 < of.Rows.Len(); i++ {
		if of.Rows.Row(i)[at].Int() > of.Rows.Row(i + 1)[at].Int() {
			t.Errorf("sorted by event, row %d is before row %d:\n%s", i, i+1, d.screen())
		}
	}
	if d.keys("G enter"); d.m.tree.Out.Cursor.Node.Point().Event != went[2] {
		t.Errorf("Enter on the last row of the sorted table leads elsewhere:\n%s", d.screen())
	}
	drive(t, uitest.Open(t, unpackFlat(t), lazy.Options{NoWrite: true}), 100, 20, Options{}).keys("!").has("exceptions · none", "no exceptions")
}

// TestStoppedResult: where the search for places was stopped, their number is the least, and the last one is not
// told to be the last.
func TestStoppedResult(t *testing.T) {
	d := drive(t, uitest.Recorded(t, "gson.dump"), 100, 20, Options{}).keys("j j")
	n, set := d.m.tree.Out.Cursor.Node, places.New()
	set.Add(n.Thread(), n.Position().At)
	d.m.results.Use(&search.Result{One: "call", Several: "calls", Raw: false, Set: set})
	d.keys("g n").has("call 1 of ≥ 1").keys("n").has("wrapped to the top of those found: it was stopped before all calls were")
	set.Finish()
	if d.keys("g n").has("call 1 of 1").keys("n").has("wrapped to the top"); strings.Contains(d.screen(), "stopped") {
		t.Errorf("all were found:\n%s", d.screen())
	}
}

// TestTopOfGrowing: an answer of a trace that grows tells that it is of what was recorded so far.
func TestTopOfGrowing(t *testing.T) {
	l := goLive(t, Options{Follow: true})
	l.record()
	th := l.rec.Thread("main")
	l.calls(th, 3)
	l.seen().keys("T").has("recorded so far: top · ", "3 calls", "Main.f()")
	l.calls(th, 3)
	l.seen().has("3 calls")
}

// TestAnswersBeforeGrowing: an answer asked for before anything was recorded is found once there is something,
// and is that of what was there then.
func TestAnswersBeforeGrowing(t *testing.T) {
	for _, c := range []struct{ keys, none, some string }{
		{"T", "nothing recorded yet: it is counted", "3 calls"}, {"!", "nothing recorded yet: it is counted", "no exceptions"},
		{": l o g space k i n d = c a l l enter", "nothing", "log · 3 lines"},
	} {
		l := goLive(t, Options{Follow: true})
		l.keys(c.keys).has(c.none)
		l.record()
		l.look().has(c.none)
		th := l.rec.Thread("main")
		l.calls(th, 3)
		l.seen().has("recorded so far: ", c.some)
		l.calls(th, 3)
		l.seen().has(c.some)
	}
}

// TestAnswersOfGrowing: each answer about a trace that grows tells so; and that it is cut short, when it does
// not grow any more.
func TestAnswersOfGrowing(t *testing.T) {
	l := goLive(t, Options{})
	l.record()
	th := l.rec.Thread("main")
	count := l.rec.Field(l.rec.Class("app.Main"), "count", recorder.FieldInfo{Static: true})
	l.enter(th, 2)
	th.WriteField(count, 0, recorder.Null(), recorder.Int(7))
	l.exit(th, 1)
	l.seen().keys("g j *")
	all := []struct{ command, has string }{
		{"top", "top · by own events"}, {"calls f", "calls of Main.f · 2 calls"}, {"history Main.count", "history · Main.count · 1 write"},
		{"throws", "exceptions · none"}, {"callers f", "callers of Main.f"}, {"around", "around #0"}, {"log kind=write", "log · 1 line"},
		{"state", "state before #1"},
	}
	for _, grows := range []bool{true, false} {
		first, notes := "recorded so far: ", []string{"1 call has not ended yet", "not ended yet"}
		if !grows {
			first, notes = "of what is not damaged: ", []string{"1 call had not ended when the recording did", "did not end"}
		}
		for _, x := range all {
			if l.keys("esc g j"); x.command == "state" {
				l.keys("j j")
			}
			l.keys(":").typed(x.command).keys("enter")
			if l.has(first + x.has); x.command == "top" || x.command == "calls f" {
				l.has(notes[:1]...)
			}
			if x.command == "calls f" {
				l.has(notes[1])
			}
		}
		l.r.Unfollow()
		l.look()
	}
}

// TestCallersEnter: Enter goes to the calls that a row of callers, or callees, counts, which are on its path; + makes
// paths longer.
func TestCallersEnter(t *testing.T) {
	for _, command := range []string{"callers JsonReader.nextNonWhitespace", "callees Gson.fromJson"} {
		d := drive(t, uitest.Recorded(t, "gson.dump"), 160, 40, Options{}).command(command)
		for _, row := range []int{0, 3, 7, 12} {
			shown, _ := d.m.env.Front.List().(*tables.Sheet).Row()
			values := shown.Rows.Row(row)
			calls, name := values[shown.Column("calls")].Int(), strings.TrimLeft(values[shown.Column("name")].Text(), " ▹")
			if d.keys("g " + strings.Repeat("j ", row) + "enter"); !strings.Contains(d.screen(), fmt.Sprintf(" of the path 1 of %d", calls)) && calls > 1 {
				t.Errorf("%s, row %d: %d calls:\n%s", command, row, calls, d.screen())
			}
			n := d.m.tree.Out.Cursor.Node
			path := strings.Join(d.m.tree.Out.Crumbs(10_000, d.m.env.Glyphs), " ") + " " + d.cursorText()
			if method, _, _ := strings.Cut(name[strings.LastIndexByte(name, '.')+1:], "("); n == nil || !strings.Contains(path, method) {
				t.Errorf("%s, row %d: %s is not on %q", command, row, name, path)
			}
			d.keys("g").command(command)
		}
		before, _ := d.m.env.Front.List().(*tables.Sheet).Row()
		if d.keys("+").has("beyond 10 calls"); strings.HasPrefix(command, "callers") {
			if after, _ := d.m.env.Front.List().(*tables.Sheet).Row(); after.Rows.Len() <= before.Rows.Len() {
				t.Errorf("%d rows after %d", after.Rows.Len(), before.Rows.Len())
			}
		}
	}
}
