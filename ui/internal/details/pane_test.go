package details

import (
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"

	"tracex/lazy"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// subject returns the i-th row of a recorded trace, as the tree shows it.
func subject(t *testing.T, i int) (*lazy.LazyTraceReader, *Subject) {
	t.Helper()
	r := uitest.Recorded(t, "gson.dump")
	tree := r.Tree(true)
	rows := uitest.EveryRow(t, r, true)
	n := rows[i].Node
	text, spans := tree.AppendSpans(nil, nil, n, false)
	return r, &Subject{
		Row: lazy.Row{Node: n, Parent: n.Parent(), Depth: n.Depth(), From: n.Position().At}, Text: string(text), Spans: spans,
		Name: func(n *lazy.Node) string { return string(tree.AppendName(nil, n)) }, Print: "tracex print", File: "some.bin", Settled: true,
	}
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
	r, thread := subject(t, 0)
	thread.Troubles, thread.HitBytes = []string{"cut short"}, 2048
	has(t, Describe(r, thread, 80, 40, &screen.Unicode), "Thread 1", "file       some.bin", "⚠          cut short", "2.0 KiB for hits")
	r, call := subject(t, 1)
	has(t, Describe(r, call, 80, 40, &screen.Unicode), call.Text[:10], "kind       call", "print      tracex print", "depth      0", "Thread 1 (main) › ")
	has(t, Describe(r, &Subject{}, 80, 40, &screen.Unicode), "no row")
	if blank := strings.Repeat(" ", 80); strings.Contains(strings.Join(Describe(r, call, 80, 5, &screen.Unicode), "\n"), "\n"+blank+"\n") {
		t.Error("there are empty lines though there is no room")
	}
}

// TestPane shows, scrolls and hides the details.
func TestPane(t *testing.T) {
	r, of := subject(t, 1)
	var p Pane
	if p.On() || p.Hide() {
		t.Error("it is shown at the start")
	}
	p.Scroll(3) // shows it
	view := func() []string {
		lines := p.View(r, of, 60, 6, &screen.Unicode)
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
	all := Describe(r, of, 60, 6, &screen.Unicode)
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
	_, of = subject(t, 2)
	if view()[0] != Describe(r, of, 60, 6, &screen.Unicode)[0] {
		t.Error("another row does not begin at its top")
	}
	p.Scroll(2)
	p.Toggle()
	p.Toggle()
	if !p.On() || view()[0] != Describe(r, of, 60, 6, &screen.Unicode)[0] {
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
		tree := r.Tree(true)
		position, err := r.FindFraction(r.Threads()[0].ID, 0.5)
		if err != nil {
			t.Fatal(err)
		}
		n, err := tree.Reveal(t.Context(), position)
		if err != nil {
			t.Fatal(err)
		}
		of := &Subject{Row: lazy.Row{Node: n}, Name: func(n *lazy.Node) string { return string(tree.AppendName(nil, n)) }}
		w := &writer{&sheet{width: 80, g: &screen.Unicode}, r, of}
		path := nodetext.Path(of.Row)
		if c.names == 0 {
			var names []string
			for _, n := range path {
				names = append(names, of.Name(n))
			}
			if got, want := w.stack(), strings.Join(names, " › "); got != want || len(names) < 5 {
				t.Errorf("the path is %q, want %q", got, want)
			}
			continue
		}
		if len(path) <= c.names {
			t.Fatalf("only %d levels", len(path))
		}
		text := w.stack()
		if n := strings.Count(text, " › "); n != c.names || !strings.Contains(text, " more levels …") {
			t.Errorf("%d names in %q", n, text)
		}
	}
}
