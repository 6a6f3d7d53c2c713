package tree

import (
	"context"
	"slices"
	"strings"
	"testing"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/pattern"
	"tracex/ui/internal/env"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/uitest"
)

// newPart returns the tree of a trace on a screen of 20 rows. Its keys wait for no work, unless
// Start is called: results arrive as messages.
func newPart(t *testing.T, r *lazy.LazyTraceReader) (*Tree, *env.Env) {
	t.Helper()
	e := env.New(&screen.Unicode)
	t.Cleanup(e.Close)
	e.Width, e.Height = 80, 24
	e.Trace = env.NewTrace(r, "", "")
	p := New(e, true)
	p.Out.Height, p.Out.Width = 20, 80
	p.Out.Settle()
	return p, e
}

// finish runs a command and those that follow it to their end.
func finish(t *testing.T, p *Tree, cmd tea.Cmd) {
	t.Helper()
	todo := []tea.Cmd{cmd, p.Settle()}
	for len(todo) > 0 {
		cmd, todo = todo[0], todo[1:]
		if cmd == nil {
			continue
		}
		switch msg := cmd().(type) {
		case nil:
		case tea.BatchMsg:
			todo = append(todo, msg...)
		default:
			todo = append(todo, p.Update(msg.(LoadMsg)), p.Settle())
		}
	}
}

func message(e *env.Env) string { text, _ := e.Status.Message(); return text }

// shown returns the texts of the rows on the screen.
func shown(p *Tree) (texts []string) {
	lit := func(*lazy.Node, string, []format.Extra) [][2]int { return nil }
	for _, r := range p.Rows(p.Out.Rows, lit, func(*lazy.Node) (sign, note string) { return "", "" }) {
		texts = append(texts, r.Shown)
	}
	return texts
}

// TestKeys: the keys move the cursor, expand and collapse.
func TestKeys(t *testing.T) {
	p, e := newPart(t, uitest.Recorded(t, "gson.dump"))
	finish(t, p, p.Begin())
	first := p.Out.Cursor.Node
	if first == nil || first.IsThread() {
		t.Fatalf("at the start the cursor is at %+v", p.Out.Cursor)
	}
	finish(t, p, p.Right(0))
	if p.Out.Cursor.Parent != first {
		t.Error("right does not go to the first child")
	}
	if finish(t, p, p.Siblings(-1)); message(e) != "no previous sibling" {
		t.Errorf("%q", message(e))
	}
	finish(t, p, p.Left())
	if finish(t, p, p.Left()); p.Out.Cursor.Node != first || p.Out.Tree.IsExpanded(first) {
		t.Error("left does not collapse")
	}
	if finish(t, p, p.Toggle()); !p.Out.Tree.IsExpanded(first) {
		t.Error("toggle does not expand")
	}
	finish(t, p, p.Last(0))
	if _, more := p.Out.Tree.Next(p.Out.Cursor); more {
		t.Error("last is not the last row")
	}
	if at, ok := through(&p.jumps.before, &p.jumps.after, nil); !ok || at != first.Position() {
		t.Errorf("it was left at %v", at)
	}
	p.jumpTo(first)
	if finish(t, p, p.Unload()); !strings.HasPrefix(message(e), "unloaded ") {
		t.Errorf("%q", message(e))
	}
}

// TestStopped: gaps whose load was stopped are shown as such, and loaded by a key.
func TestStopped(t *testing.T) {
	p, e := newPart(t, uitest.Recorded(t, "gson.dump"))
	life, stop := context.WithCancel(e.Life)
	stop()
	e.Life, life = life, e.Life
	p.StopLoading()
	finish(t, p, p.Toggle())
	gap := slices.IndexFunc(p.Out.Rows, lazy.Row.Gap)
	if gap < 0 {
		t.Fatal("all is loaded: the test shows nothing")
	}
	if r := p.Rows(p.Out.Rows[gap:gap+1], nil, nil)[0]; r.Err == nil || message(e) != "" {
		t.Errorf("error %v, message %q", r.Err, message(e))
	}
	e.Life = life
	p.StopLoading()
	p.Out.Jump(p.Out.Rows[gap])
	finish(t, p, p.Toggle())
	if slices.ContainsFunc(p.Out.Rows, lazy.Row.Gap) || len(p.Out.Rows) < 2 {
		t.Errorf("rows: %q", shown(p))
	}
}

// TestToMatch: while a pattern is typed, the cursor goes to the first match.
func TestToMatch(t *testing.T) {
	p, _ := newPart(t, uitest.Recorded(t, "gson.dump"))
	finish(t, p, p.Begin())
	origin := p.Out.Cursor
	if p.ToMatch(pattern.New("nowhere to be seen", false), origin) || p.Out.Cursor != origin {
		t.Error("it finds what is not there")
	}
	if !p.ToMatch(pattern.New("builder", false), origin) {
		t.Fatal("nothing found")
	}
	if text, _ := p.Out.Text(p.Out.Cursor.Node); !strings.Contains(text, "Builder") {
		t.Errorf("at %q", text)
	}
}
