// Package details is the pane with all that is known about a row: what was called with which values, how long it took,
// the state before it, the source around it, and for a thread facts about the whole trace. It looks for source files
// in the background, and tells the user's editor to open one.
package details

import (
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/lists"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
)

// Pane is the details of the cursor's row, which may be hidden. It is hidden at first.
type Pane struct {
	env    *env.Env
	tree   *tree.Tree
	search *search.Search
	marks  *lists.Marks
	about  *lists.Overview
	starts *tree.Starts
	Source *Source
	state  *state
	viewer *viewer

	Lines
	of     lazy.Row // the row that the lines are about
	values []held   // among the lines
	// Welcome shows the overview of the trace until the user presses a key.
	Welcome bool
}

// New returns the details. Sources are looked for in directories.
func New(e *env.Env, t *tree.Tree, s *search.Search, marks *lists.Marks, starts *tree.Starts, about *lists.Overview, clip *tree.Copying, dirs []string) *Pane {
	return &Pane{env: e, tree: t, search: s, marks: marks, about: about, starts: starts, Source: NewSource(e, dirs), state: &state{env: e}, viewer: newViewer(e, t, clip)}
}

// Settle looks for what the details of the cursor's row show beside the row itself, and the viewer beside the value.
func (p *Pane) Settle() tea.Cmd {
	if p.viewer.arrived() {
		p.ShowValue()
	}
	cmd := p.viewer.settle()
	if !p.on {
		p.state.task.Cancel()
		return cmd
	}
	n := p.tree.Out.Cursor.Node
	p.Welcome = p.Welcome && !p.env.Keyboard.Touched
	if p.Welcome || n != nil && n.IsThread() {
		p.about.Wanted = true
	}
	cmd = tea.Batch(cmd, p.Source.show(n), p.starts.Settle(n))
	if p.env.Trace.Known.Phase != lazy.PhaseReady {
		return cmd
	}
	return tea.Batch(cmd, p.state.show(n, !p.tree.Out.Tree.Folded()))
}

// Forget forgets what was found, as the trace is another one.
func (p *Pane) Forget() {
	p.state.forget()
	p.viewer.eventsOf = ""
}

func (p *Pane) Title() string {
	if p.Welcome {
		return strings.TrimSpace("overview  " + p.about.Progress())
	}
	return "details"
}

// Enter shows the value of the cursor's line whole.
func (p *Pane) Enter() tea.Cmd {
	for i := range p.values {
		if h := &p.values[i]; p.at >= h.from && p.at < h.to {
			return p.viewer.show(p.of.Node, p.values, i)
		}
	}
	return p.env.Say("no value in this line")
}

// ShowValue shows the most telling value of the cursor's row whole.
func (p *Pane) ShowValue() tea.Cmd {
	w := p.describe(p.env.Width, p.env.Height)
	return p.viewer.show(p.tree.Out.Cursor.Node, w.values[:w.own], -1)
}

// View draws the details of the cursor's row. It scrolls back to the top when the row changes.
func (p *Pane) View(width, height int) []string {
	w := p.describe(width, height)
	g, all := p.env.Glyphs, w.lines
	p.values = w.values
	if row := p.tree.Out.Cursor; p.of != row {
		p.of, p.top, p.at = row, 0, 0
	}
	p.fit(len(all), height)
	lines := all[p.top:]
	if len(lines) > height {
		lines = slices.Clip(lines[:height])
		if more := display.Plural(int64(len(all)-p.top-height+1), "more line") + ": " + keys.ActionKey("details-down", g) + " scrolls"; !p.keys {
			lines = append(slices.Clip(lines[:height-1]), screen.NewLine(width, g).Put(more, theme.Faint).End())
		}
	}
	return screen.Fill(lines, width, height, g)
}

// Print returns the command that prints the cursor's row; "" if there is none.
func (p *Pane) Print() string {
	n := p.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil {
		return ""
	}
	file := p.env.Trace.File()
	if p.env.Trace.Named() {
		file = "" // the trace came through a pipe, or is the built-in one
	}
	return env.PrintCommand(env.Subtree{Raw: !p.tree.Out.Tree.Folded(), Event: n.Point().Event, Leaf: n.Leaf()}, file)
}

// Lines is a pane of lines: which of them it shows, and where its cursor is while it has the keys.
type Lines struct {
	on     bool
	keys   bool
	top    int // the first line shown
	at     int // the cursor's line
	total  int // how many lines there are, as of the last drawing
	height int // of the pane, as of the last drawing
}

func (l *Lines) On() bool { return l.on }

// Toggle shows the pane from its beginning, or hides it.
func (l *Lines) Toggle() { l.on, l.top, l.at = !l.on, 0, 0 }

// Hide hides the pane, and reports whether it was shown.
func (l *Lines) Hide() bool {
	was := l.on
	l.on, l.keys = false, false
	return was
}

// Scroll scrolls the pane by n lines. It shows the pane if that is hidden.
func (l *Lines) Scroll(n int) {
	if !l.on {
		l.on = true
		return
	}
	l.top = max(0, min(l.top+n, l.total-l.height))
	l.at = max(l.top, min(l.at, l.top+l.height-1))
}

// Move moves the cursor by n lines.
func (l *Lines) Move(n int) { l.show(l.at + n) }

// Put moves the cursor to the line at y of the pane.
func (l *Lines) Put(y int) { l.show(l.top + y) }

// show puts the cursor on a line, and scrolls so far that it is seen.
func (l *Lines) show(at int) {
	l.at = max(0, min(at, l.total-1))
	l.top = max(l.at-l.height+1, min(l.top, l.at), 0)
}

// SetKeys gives the keys to the pane, or takes them away.
func (l *Lines) SetKeys(on bool) {
	if l.keys = on; on {
		l.at = max(l.top, min(l.at, l.top+l.height-1))
	}
}

// Cursor returns the line of the cursor in the pane; -1 if the pane has not got the keys.
func (l *Lines) Cursor() int {
	if !l.keys {
		return -1
	}
	return l.at - l.top
}

// Extent returns which of the lines are shown.
func (l *Lines) Extent() screen.Scroll { return screen.ScrollOf(l.top, l.height, l.total) }

// fit takes over how many lines there are, and how many are shown.
func (l *Lines) fit(total, height int) {
	l.total, l.height = total, height
	l.top = max(0, min(l.top, total-height))
	l.at = max(0, min(l.at, total-1))
}
