package tables

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/tree"
)

func recorded(t *testing.T) (*Answers, Of) {
	t.Helper()
	r, err := lazy.Open(formattest.Unpack(t, "gson.dump.bin", "gson.dump.bin.idx"), lazy.Options{NoWrite: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	if err := r.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	return &Answers{env: e, steps: new(tree.Steps), filter: new(search.Filter)}, Of{R: r, G: &display.Unicode}
}

// drain routes what the command of a pass brings, as the Model does, until the pass has ended, and returns what the
// explorer tells then.
func drain(a *Answers, cmd tea.Cmd) (told string) {
	a.env.Say("")
	for cmd != nil {
		ran, more := cmd().(env.Ran)
		if !more {
			break // the explorer has ended
		}
		cmd = ran.Then()
	}
	told, _ = a.env.Status.Message()
	return told
}

// gated is a finder whose pass has rows, and ends once the gate is open.
type gated struct {
	now  *time.Time
	gate chan struct{}
}

func (g gated) Run(_ context.Context, tell lazy.Progress) error {
	*g.now = g.now.Add(noRows)
	tell(1, 2)
	<-g.gate
	return nil
}

func (g gated) Table(v query.View) *table.Table {
	made := &table.Table{Rows: table.List{}, Partial: v.Done < 1}
	if v.Done > 0 {
		made.Rows = table.List{{table.Int(1)}}
	}
	return made
}

// TestFirstRows: a message tells of the first rows while the pass runs, another one of its end.
func TestFirstRows(t *testing.T) {
	now := time.Unix(0, 0)
	a := newAnswer(recorded(t))
	a.now = func() time.Time { return now }
	gate := make(chan struct{})
	cmd := a.start(func(query.Scope) (finder, error) { return gated{now: &now, gate: gate}, nil })
	next := cmd().(env.Ran).Then()
	if next == nil || !a.Running() || a.Table().Rows.Len() != 1 {
		t.Errorf("%d rows", a.Table().Rows.Len())
	}
	close(gate)
	if end := next().(env.Ran); end.Then() != nil || a.Running() {
		t.Error("it still runs")
	}
}

// TestProgress: while the pass runs, the table is replaced only when it has been shown for a while.
func TestProgress(t *testing.T) {
	a, of := recorded(t)
	top, _ := startTop(a, of, query.ByMethod)
	now := time.Unix(0, 0)
	top.now = func() time.Time { return now }
	top.run.last = now
	first := top.Table()
	if !first.Partial || !top.Running() {
		t.Error("it does not run")
	}
	top.progress(top.run, 1, 4)
	if top.Table() != first {
		t.Error("another table at once")
	}
	now = now.Add(noRows)
	top.progress(top.run, 2, 4)
	if got := top.Table(); got == first || got.Done != 0.5 {
		t.Errorf("half of the data: %v", got.Done)
	}
	rows := *top.Table()
	rows.Rows = table.List{{table.Int(1)}}
	top.shown.Store(&rows)
	now = now.Add(refresh - 1)
	if top.progress(top.run, 2, 4); top.Table() != &rows {
		t.Error("rows are replaced too soon")
	}
	now = now.Add(1)
	if top.progress(top.run, 2, 4); top.Table() == &rows {
		t.Error("rows are not replaced")
	}
	now = now.Add(9 * time.Second)
	top.run.took = time.Second
	second := top.Table()
	top.progress(top.run, 3, 4)
	if top.Table() != second {
		t.Error("making tables takes more than a tenth of the time")
	}
}

// TestReplaced: a pass that another one has replaced changes nothing.
func TestReplaced(t *testing.T) {
	a, of := recorded(t)
	top, cmd := startTop(a, of, query.ByMethod)
	if err := top.Group(t.Context(), "class"); err != nil {
		t.Fatal(err)
	}
	want := top.Table()
	if want.Partial || want.Row != "class" {
		t.Errorf("%+v", want)
	}
	if told := drain(a, cmd); told != "" {
		t.Error(told)
	}
	if top.Table() != want {
		t.Error("the methods are back")
	}
	if top.Running() {
		t.Error("it still runs")
	}
}

// TestGroups begin with how the rows are shown at first.
func TestAnswerGroups(t *testing.T) {
	a, of := recorded(t)
	for by, first := range query.Bys {
		top, _ := startTop(a, of, query.By(by))
		if got := top.Groups(); len(got) != len(query.Bys) || got[0] != first {
			t.Errorf("%v", got)
		}
	}
}

// TestNoScope: below an event that does not exist there is no answer; the error is told.
func TestNoScope(t *testing.T) {
	a, of := recorded(t)
	h := lazy.EventHandle(1 << 30)
	of.Below = &h
	x := newAnswer(a, of)
	cmd := x.start(func(scope query.Scope) (finder, error) { return query.NewThrows(x.of.R, scope, 0), nil })
	if drain(a, cmd) == "" {
		t.Error("no error")
	}
}

// TestNoMethod: the error names the methods that are spelled alike.
func TestNoMethod(t *testing.T) {
	a, of := recorded(t)
	p := newPaths(a, of, "Gson.fromJsn", false)
	_, err := p.begin(p.with(p.options))
	var none *query.NoMethodError
	if !errors.As(err, &none) || len(none.Near) == 0 {
		t.Errorf("%v", err)
	}
}

// TestRows: each row of top names a method as callers takes it.
func TestAnswerRows(t *testing.T) {
	a, of := recorded(t)
	top, cmd := startTop(a, of, query.ByMethod)
	drain(a, cmd)
	for i := range top.Table().Rows.Len() {
		r := query.RowOf(top.Table(), i)
		if _, _, ok := r.Method(); !ok {
			t.Errorf("row %d is no method", i)
		}
		p := newPaths(a, of, r.Call(), false)
		if _, err := p.begin(p.with(p.options)); err != nil {
			t.Errorf("%s: %v", r.Call(), err)
		}
	}
}

// TestLife: an answer ends with the explorer.
func TestLife(t *testing.T) {
	a, of := recorded(t)
	top, cmd := startTop(a, of, query.ByMethod)
	a.env.Close()
	if told := drain(a, cmd); told != "" || !top.Table().Partial {
		t.Error(told)
	}
}

// TestGroupGoesOn: giving up to wait for a grouping does not end it; Stop does.
func TestGroupGoesOn(t *testing.T) {
	a, of := recorded(t)
	top, _ := startTop(a, of, query.ByMethod)
	ctx, giveUp := context.WithCancel(t.Context())
	giveUp()
	if err := top.Group(ctx, "class"); err != nil && !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if err := top.Sort(ctx, "calls", false); err != nil {
		t.Fatal(err)
	}
	for top.Running() {
		runtime.Gosched()
	}
	if got := top.Table(); got.Partial || got.Row != "class" || got.Sorted != "calls" {
		t.Errorf("%+v", got)
	}
}

// recalled is a collector that knows the answer about the whole trace.
type recalled struct{ *query.Top }

func (recalled) Recall() bool { return true }

// TestEdit: with steps the answer is that of the edited tree, whatever is known without reading.
func TestEdit(t *testing.T) {
	a, of := recorded(t)
	top, cmd := startTop(a, of, query.ByMethod)
	drain(a, cmd)
	title := top.Table().Title
	whole := top.run.make
	top.run.make = func(s query.Scope) (finder, error) {
		c, err := whole(s)
		return recalled{c.(*query.Top)}, err
	}
	step, err := query.ParseStep(query.Merge, "JsonReader.nextNonWhitespace")
	if err != nil {
		t.Fatal(err)
	}
	edit := func(steps ...query.Step) string {
		a.steps.List = steps
		if told := drain(a, top.edited()); told != "" {
			t.Fatal(told)
		}
		return top.Table().Title
	}
	if got := edit(step); !strings.HasPrefix(got, "merge JsonReader.nextNonWhitespace: top · ") || !strings.Contains(got, "2,929 calls") {
		t.Errorf("%s", got)
	}
	if notes := top.Table().Notes; len(notes) == 0 || notes[0] != "steps: merge JsonReader.nextNonWhitespace" {
		t.Errorf("%q", notes)
	}
	if got := edit(step, step); !strings.HasPrefix(got, "2 steps, the last merge ") {
		t.Errorf("%s", got)
	}
	top.run.make = whole
	if got := edit(); got != title {
		t.Errorf("undone: %s, before %s", got, title)
	}
	// A step that does not fit tells so, as the pass runs.
	bad, _ := query.ParseStep(query.Drop, "nope")
	a.steps.List = query.Steps{bad}
	if drain(a, top.edited()) == "" {
		t.Error("no error")
	}
}

// TestCallsWhere: where before a filter is no text to look for.
func TestCallsWhere(t *testing.T) {
	for _, c := range []struct{ args, what string }{
		{"where dur>1ms", "dur>1ms"}, {"get where ret=null by arg.1", "method=get ret=null"}, {"Map.get", "Map.get"}, {"method=get ret=null", "method=get ret=null"},
	} {
		if what, _, _ := callsArguments(c.args); what != c.what {
			t.Errorf(":calls %s is about %q, expected %q", c.args, what, c.what)
		}
	}
}

// startTop returns a Top, and the command that runs its pass.
func startTop(a *Answers, of Of, by query.By) (*Top, tea.Cmd) {
	t := &Top{Answer: newAnswer(a, of), first: by}
	return t, t.start(t.by(by))
}

type planted struct{}

func (planted) Table(query.View) *table.Table { panic("planted") }

// TestPanicInTable: if the maker of a table panics, others may still ask whether the answer runs.
func TestPanicInTable(t *testing.T) {
	a, of := recorded(t)
	x := &Top{Answer: newAnswer(a, of)}
	r, err := x.begin(x.by(query.ByMethod))
	if err != nil {
		t.Fatal(err)
	}
	r.finder = planted{}
	r.last = time.Time{}
	func() {
		defer func() {
			if recover() == nil {
				t.Error("no panic")
			}
		}()
		x.progress(r, 1, 4)
	}()
	x.Running() // waits for ever if it is locked
}
