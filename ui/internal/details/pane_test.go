package details

import (
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/ansi"

	"tracex/format"
	"tracex/format/formattest"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/lists"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/tree"
	"tracex/ui/internal/uitest"
)

// paneOf returns the details of a trace. Nothing works in the background unless it is asked for.
func paneOf(t *testing.T, r *lazy.LazyTraceReader) *Pane {
	e := explorer(t, r)
	of := tree.New(e, true)
	found, _, results := search.New(e, of)
	return New(e, of, found, lists.NewMarks(e, of, results, nil), tree.NewStarts(e, of), lists.NewOverview(e, of), tree.NewCopying(e, of), nil)
}

// rowOf returns the details of the i-th row of a recorded trace, as the tree shows it.
func rowOf(t *testing.T, i int) *Pane {
	t.Helper()
	r := uitest.Recorded(t, "gson.dump")
	p := paneOf(t, r)
	p.tree.Out.Cursor = tree.RowOf(uitest.EveryRow(t, r, true)[i].Node)
	return p
}

// explorer returns the environment for a trace, which is called some.bin.
func explorer(t *testing.T, r *lazy.LazyTraceReader) *env.Env {
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Trace = env.NewTrace(r, "", "some.bin")
	return e
}

// has checks that lines contain texts.
func has(t *testing.T, lines []string, texts ...string) {
	t.Helper()
	all := ansi.Strip(strings.Join(lines, "\n"))
	for _, text := range texts {
		if !strings.Contains(all, text) {
			t.Errorf("%q is not in\n%s", text, all)
		}
	}
}

// TestDescribe: the details of a thread and of a call.
func TestDescribe(t *testing.T) {
	thread := rowOf(t, 0)
	row := thread.tree.Out.Cursor
	thread.env.Trace.Known.Ended = "cut short"
	for todo := []tea.Cmd{thread.search.Run("gson")}; len(todo) > 0; todo = todo[1:] {
		if todo[0] == nil {
			continue
		}
		switch msg := todo[0]().(type) {
		case env.Ran:
			todo = append(todo, msg.Then())
		case tea.BatchMsg:
			todo = append(todo, msg...)
		}
	}
	thread.tree.Out.Cursor = row // not that of a hit
	hits := display.Size(thread.search.Bytes())
	has(t, thread.describe(80, 40).lines, "Thread 1", "file       some.bin", "⚠          cut short", hits+" for hits")
	call := rowOf(t, 1)
	text, _ := call.tree.Out.Text(call.tree.Out.Cursor.Node)
	has(t, call.describe(80, 40).lines, text[:10], "kind       call", "print      tracex print", "depth      0", "Thread 1 (main) › ")
	if blank := strings.Repeat(" ", 80); strings.Contains(strings.Join(call.describe(80, 5).lines, "\n"), "\n"+blank+"\n") {
		t.Error("there are empty lines though there is no room")
	}
	call.tree.Out.Cursor = lazy.Row{}
	has(t, call.describe(80, 40).lines, "no row")
}

// TestDurationKnownInPart: the end, or the beginning, of a call was not recorded.
func TestDurationKnownInPart(t *testing.T) {
	spec := formattest.Spec{Shape: formattest.Random, N: 3000, Seed: 4, Timed: true}
	r := uitest.Open(t, formattest.File(t, spec), lazy.Options{NoWrite: true})
	p := paneOf(t, r)
	found := map[string]int{}
	for _, row := range uitest.EveryRow(t, r, true) {
		n := row.Node
		if _, timed := n.Time(); !timed || n.IsThread() || n.Point().Class != format.ClassCall {
			continue
		}
		want := ""
		switch f := n.Footer(); {
		case f.Result.Kind == format.ValueUntracked && !f.Threw:
			want = ": its end was not recorded"
		case n.Point().Flags&format.FlagUnderWay != 0:
			want = ": its beginning was not recorded"
		}
		p.tree.Out.Cursor = tree.RowOf(n)
		if l := p.tree.Out.Tree.Lines([]lazy.Row{p.tree.Out.Cursor}, false)[0]; l.Least != (want != "") {
			t.Errorf("%s: %v for %q", n.Handle(), l.Least, want)
		}
		if found[want]++; found[want] > 3 {
			continue
		}
		all := ansi.Strip(strings.Join(p.describe(200, 200).lines, "\n"))
		at := strings.Index(all, "duration   ")
		line, _, _ := strings.Cut(all[max(at, 0):], "\n")
		if at < 0 || strings.HasPrefix(line, "duration   at least ") != (want != "") || !strings.HasSuffix(strings.TrimSpace(line), want) {
			t.Errorf("%s: %q, want %q", n.Handle(), line, want)
		}
	}
	if len(found) != 3 {
		t.Errorf("the trace has only %v", found)
	}
}

// TestPane shows, scrolls and hides the details.
func TestPane(t *testing.T) {
	p := rowOf(t, 1)
	if p.On() || p.Hide() {
		t.Error("it is shown at the start")
	}
	p.Scroll(3) // shows it
	view := func() []string {
		lines := p.View(60, 6)
		if len(lines) != 6 {
			t.Fatalf("%d lines", len(lines))
		}
		for _, l := range lines {
			if w := ansi.StringWidth(l); w != 60 {
				t.Errorf("%q has %d cells", ansi.Strip(l), w)
			}
		}
		return lines
	}
	all := p.describe(60, 6).lines
	if !p.On() || view()[0] != all[0] || !strings.Contains(view()[5], "more lines: :details-down scrolls") {
		t.Errorf("on %v: %q", p.On(), view())
	}
	p.Scroll(2)
	if view()[0] != all[2] {
		t.Error("it is not scrolled")
	}
	p.Scroll(1000)
	if view()[5] != all[len(all)-1] || view()[0] != all[len(all)-6] {
		t.Error("its end is not at the bottom")
	}
	p.tree.Out.Cursor = tree.RowOf(uitest.EveryRow(t, p.env.Trace.Reader, true)[2].Node)
	if view()[0] != p.describe(60, 6).lines[0] {
		t.Error("another row does not begin at its top")
	}
	p.Scroll(2)
	p.Toggle()
	p.Toggle()
	if !p.On() || view()[0] != p.describe(60, 6).lines[0] {
		t.Error("opened again it does not begin at its top")
	}
}

// TestStack: a path of up to a hundred names is complete; of a longer one both ends are shown.
func TestStack(t *testing.T) {
	for _, c := range []struct {
		name  string
		names int // number of names shown
	}{{"kotlin.stream", 0}, {"deep.stream", 2 * mostInStack}} {
		r := uitest.Recorded(t, c.name)
		p := paneOf(t, r)
		position, err := r.FindFraction(r.Threads()[0].ID, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		n, err := p.tree.Out.Tree.Reveal(t.Context(), position)
		if err != nil {
			t.Fatal(err)
		}
		w := &writer{sheet: sheet{width: 80, g: &screen.Unicode}, p: p}
		path := screen.Path(tree.RowOf(n))
		if c.names == 0 {
			var names []string
			for _, n := range path {
				names = append(names, p.tree.Out.ShortName(n))
			}
			if got, want := w.stack(n), strings.Join(names, " › "); got != want || len(names) < 5 {
				t.Errorf("the path is %q, want %q", got, want)
			}
			continue
		}
		if len(path) <= c.names {
			t.Fatalf("only %d levels", len(path))
		}
		text := w.stack(n)
		if n := strings.Count(text, " › "); n != c.names || !strings.Contains(text, " more levels …") {
			t.Errorf("%d names in %q", n, text)
		}
	}
}
