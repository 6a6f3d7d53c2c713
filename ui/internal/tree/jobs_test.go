package tree

import (
	"context"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// testJobs returns the jobs of a tree on a screen of 20 rows. Its keys wait for no work: results
// arrive as messages.
func testJobs(t *testing.T, r *lazy.LazyTraceReader) (*Jobs, *env.Env) {
	t.Helper()
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Width, e.Height = 80, 24
	e.Trace = env.NewTrace(r, "", "")
	p := New(e, true).Jobs
	p.tree.Out.Height, p.tree.Out.Width = 20, 80
	p.tree.Out.Settle()
	finishJob(t, p, p.tree.Begin())
	return p, e
}

// finish runs a command and those that follow it to their end.
func finishJob(t *testing.T, p *Jobs, cmd tea.Cmd) {
	t.Helper()
	todo := []tea.Cmd{cmd, p.tree.Settle()}
	for len(todo) > 0 {
		cmd, todo = todo[0], todo[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			todo = append(todo, msg...)
		case LoadMsg:
			todo = append(todo, p.tree.Update(msg), p.tree.Settle())
		default:
			todo = append(todo, msg.(env.Ran).Then(), p.tree.Settle())
		}
	}
}

func timed(t *testing.T) *lazy.LazyTraceReader {
	spec := formattest.Spec{Shape: formattest.WideCalls, N: 50, Seed: 1, Timed: true}
	return uitest.Open(t, formattest.File(t, spec), lazy.Options{})
}

func jobMessage(e *env.Env) string { text, _ := e.Status.Message(); return text }

// TestJob: the text of a job tells how far it is, and a new one stops the one before.
func TestJob(t *testing.T) {
	p, _ := testJobs(t, timed(t))
	begun := make(chan lazy.Progress, 1)
	var last context.Context
	done := ""
	run := func(name string) (tea.Cmd, lazy.Progress) {
		work := p.Run(name, "", func(ctx context.Context, report lazy.Progress) (func() tea.Cmd, error) {
			last = ctx
			begun <- report
			return func() tea.Cmd { done += name; return nil }, nil
		})
		return work, <-begun
	}
	if p.Running() || p.Stop() || p.Current() != 0 {
		t.Error("there is a job from the start")
	}
	first, _ := run("looking")
	if !p.Running() || p.Text() != "looking" {
		t.Errorf("%q", p.Text())
	}
	before, id := last, p.Current()
	second, report := run("expanding")
	if before.Err() == nil || last.Err() != nil || p.Current() == id {
		t.Error("the job before continues")
	}
	if first().(env.Ran).Then(); done != "" || !p.Running() {
		t.Errorf("%q is done, running %v", done, p.Running())
	}
	if report(1234, rowsOnly); p.Text() != "expanding 1,234 rows" {
		t.Errorf("%q", p.Text())
	}
	ran := second().(env.Ran)
	ran.Then()
	if ran.Then(); done != "expanding" || p.Running() || last.Err() == nil {
		t.Error("it does not end, once")
	}
	third, report := run("sorting")
	if p.Text() != "sorting" {
		t.Errorf("%q", p.Text())
	}
	if report(21, 50); p.Text() != "sorting 42 %" {
		t.Errorf("%q", p.Text())
	}
	if !p.Stop() || last.Err() == nil {
		t.Error("it does not stop")
	}
	if third().(env.Ran).Then(); done != "expanding" {
		t.Error("the result of a job that was stopped is taken")
	}
}

// TestSortedLate: a sort that takes long leaves the cursor where the user has moved it, and its
// result is dropped once it is stopped.
func TestSortedLate(t *testing.T) {
	p, e := testJobs(t, timed(t))
	finishJob(t, p, p.tree.Right(0))
	finishJob(t, p, p.Expand(1))
	finishJob(t, p, p.tree.Right(0))
	in := p.tree.Out.Sortable()
	cmd := p.Sort()
	if !p.Running() {
		t.Fatal("the sort has ended at once: the test shows nothing")
	}
	finishJob(t, p, p.tree.Siblings(1))
	there := p.tree.Out.Cursor.Node
	if finishJob(t, p, cmd); p.tree.Out.Cursor.Node != there || in.Order() != lazy.OrderWeight {
		t.Errorf("the cursor was at %v, and went to %v", there, p.tree.Out.Cursor.Node)
	}
	e.Say("")
	cmd = p.Sort()
	if !p.Stop() {
		t.Fatal("it cannot be stopped")
	}
	if finishJob(t, p, cmd); jobMessage(e) != "" {
		t.Errorf("stopped, but it says %q", jobMessage(e))
	}
}

// TestRaw: another tree is shown, with the cursor on the same event.
func TestRaw(t *testing.T) {
	p, _ := testJobs(t, uitest.Recorded(t, "gson.dump"))
	event, was := p.tree.Out.Cursor.Node.Point().Event, p.tree.Out.Tree
	if p.tree.Replaced() {
		t.Error("replaced before")
	}
	finishJob(t, p, p.ToggleRaw())
	if p.tree.Out.Tree == was || p.tree.Out.Cursor.Node.Point().Event != event || !p.tree.Replaced() || p.tree.Replaced() {
		t.Errorf("at %+v", p.tree.Out.Cursor)
	}
}

// TestGoTo: an event, a share of the thread and a thread are gone to, and left again.
func TestGoTo(t *testing.T) {
	p, e := testJobs(t, uitest.Recorded(t, "gson.dump"))
	first := p.tree.Out.Cursor.Node
	if finishJob(t, p, p.GoTo(ParseAddress("42"))); p.tree.Out.Cursor.Node.Point().Event != 42 {
		t.Errorf(":42 is at %+v", p.tree.Out.Cursor)
	}
	finishJob(t, p, p.GoTo(ParseAddress("100%")))
	if at := p.tree.Out.Cursor.Node.Fraction(); at < 0.9 {
		t.Errorf(":100%% is at %f", at)
	}
	if finishJob(t, p, p.GoTo(ParseAddress("t1"))); !p.tree.Out.Cursor.Node.IsThread() {
		t.Errorf(":t1 is at %+v", p.tree.Out.Cursor)
	}
	if finishJob(t, p, p.GoTo(ParseAddress("t9"))); !strings.HasPrefix(jobMessage(e), "no thread 9: ") {
		t.Errorf("%q", jobMessage(e))
	}
	for range 3 {
		finishJob(t, p, p.Back())
	}
	if p.tree.Out.Cursor.Node != first {
		t.Errorf("back is at %+v", p.tree.Out.Cursor)
	}
	if finishJob(t, p, p.Back()); !strings.HasPrefix(jobMessage(e), "no earlier position") {
		t.Errorf("%q", jobMessage(e))
	}
	if finishJob(t, p, p.Forward()); p.tree.Out.Cursor.Node.Point().Event != 42 {
		t.Errorf("forward is at %+v", p.tree.Out.Cursor)
	}
}
