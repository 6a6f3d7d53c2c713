package ui

import (
	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/env"
	"tracex/ui/internal/follow"
	"tracex/ui/internal/job"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tracestate"
	"tracex/ui/internal/tree"
)

// following stays at the newest row of a trace that is being recorded.
type following struct {
	follow.Follow
	env   *env.Env
	trace *tracestate.State
	tree  *tree.Part
	jobs  *job.Part
}

// toggle turns following on or off.
func (f *following) toggle(int) tea.Cmd {
	if f.On() {
		f.Leave()
		f.env.Say("the cursor stays here; " + screen.ActionKey("follow", f.env.Glyphs) + " goes to the end again")
		return nil
	}
	if !f.trace.Known.Growth.On && !f.trace.Reader.Follow() {
		f.env.Say("the recording has ended: there will be no more events")
		return f.tree.Last(0)
	}
	f.tree.Visit()
	f.Begin(f.tree.Out, f.env.Clock.Now())
	return nil
}

// facts returns what following needs to know.
func (f *following) facts() follow.Facts {
	return follow.Facts{
		Reader: f.trace.Reader, Generation: f.trace.Generation, Settled: f.trace.Settled(),
		Busy: f.jobs.Running() || f.tree.Out.Goal != nil, Now: f.env.Clock.Now(),
	}
}
