package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/code"
	"tracex/ui/internal/details"
	"tracex/ui/internal/env"
	"tracex/ui/internal/here"
	"tracex/ui/internal/shell"
	"tracex/ui/internal/status"
	"tracex/ui/internal/tracestate"
	"tracex/ui/internal/tree"
)

// pane is the details of the cursor's row.
type pane struct {
	details.Pane
	env    *env.Env
	trace  *tracestate.State
	tree   *tree.Part
	code   *code.Part
	here   *here.Part
	search *searching
	marks  *marking
	starts *starting
}

// settle looks for what the details of the cursor's row show beside the row itself.
func (p *pane) settle() tea.Cmd {
	if !p.On() {
		p.here.Stop()
		return nil
	}
	n := p.tree.Out.Cursor.Node
	cmd := tea.Batch(p.code.Show(n), p.starts.settle(n))
	if p.trace.Known.Phase != lazy.PhaseReady {
		return cmd
	}
	return tea.Batch(cmd, p.here.Show(n, !p.tree.Out.Tree.Folded()))
}

// subject returns what the details need to know about the cursor's row.
func (p *pane) subject() *details.Subject {
	o := p.tree.Out
	of := &details.Subject{
		Row: o.Cursor, Name: o.ShortName, Code: p.code.Found(o.Cursor.Node), State: p.here.Found(),
		File: p.trace.File(), Settled: p.trace.Settled(), Troubles: p.trace.Troubles(p.env.Glyphs), Problem: p.trace.Known.Problem,
		Summary: status.Summary(p.trace.Reader),
		Stats:   o.Tree.Stats(), HitBytes: p.search.Bytes(), Notes: p.marks.noted(), Started: p.starts.told(o.Cursor.Node),
	}
	if n := of.Row.Node; n != nil {
		of.Text, of.Spans = o.Text(n)
		if at := n.Point(); at != nil {
			file := of.File
			if p.trace.Named() {
				file = "" // the trace came through a pipe, or is the built-in one
			}
			of.Print = shell.Print(shell.Subtree{Raw: !o.Tree.Folded(), Event: at.Event, Leaf: n.Leaf()}, file)
		}
	}
	return of
}
