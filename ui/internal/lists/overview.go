package lists

import (
	"context"
	"slices"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy/query"
	"tracex/lazy/query/display"
	"tracex/lazy/query/table"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
)

// Overview is the list of what is worth knowing about the trace, each line with a way there. It is found in the
// background once it is wanted, and the details show it, too.
type Overview struct {
	prompt.List
	env  *env.Env
	tree *tree.Tree

	// Given are the lines of a diff made by the explorer, which is not read; nil for a trace.
	Given func() []query.OverviewLine

	Found  []query.OverviewLine // so far
	as     int                  // the generation of the trace that the lines are about
	ended  bool
	err    error
	done   float64 // the part of the trace that was read
	task   env.Task
	Wanted bool // the details show it
}

// NewOverview returns the overview. Nothing is looked for yet.
func NewOverview(e *env.Env, t *tree.Tree) *Overview {
	o := &Overview{env: e, tree: t, as: -1}
	o.List = prompt.List{Called: "overview", Keys: "Enter goes there", Len: func() int { return len(o.Found) }, Item: o.line, Choosable: true, None: o.Progress, Wide: prompt.AllRoom}
	return o
}

const (
	newsEvery = 100 * time.Millisecond // news of the overview may wait so long

	mostBytes   = 256 << 20 // a larger trace is not read for the details alone
	mostThreads = 10_000

	barredFrom = 60 // from so many cells on lines have bars
	barCells   = 8
)

// large reports whether the trace is too large to be read before the user asks for it.
func (o *Overview) large() bool {
	return o.env.Trace.Size.Data > mostBytes || o.env.Trace.Size.Threads > mostThreads
}

// Settle looks for the overview if it is wanted and nothing else reads the trace, and stops once it is not wanted.
func (o *Overview) Settle(idle bool) tea.Cmd {
	wanted := o.Wanted && !o.large() || o.env.Front.Open(o)
	o.Title = "overview " + o.env.Trace.Name()
	if o.Given != nil {
		if lines := o.Given(); !slices.Equal(lines, o.Found) {
			o.Found, o.ended = lines, true
			o.Changed()
		}
		return nil
	}
	o.After, o.Wanted = o.Progress(), false
	switch {
	case !wanted:
		o.task.Stop()
		return nil
	case o.task.Running() || o.ended && o.as == o.env.Trace.Generation || !idle && len(o.Found) == 0 && !o.env.Trace.Following():
		return nil
	}
	r, g := o.env.Trace.Reader, o.env.Glyphs.Glyphs
	o.as, o.ended, o.err = o.env.Trace.Generation, false, nil
	return o.task.Feed(o.env, func(ctx context.Context, send func(func() tea.Cmd)) func() tea.Cmd {
		view, last := query.NewOverview(r, 0), time.Time{}
		take := func(ended bool, err error) func() tea.Cmd {
			facts := view.Facts(g)
			lines := facts.Lines(g)
			return func() tea.Cmd {
				if ended || len(lines) >= len(o.Found) || !o.ended {
					o.Found, o.done = lines, facts.Done
					o.Changed()
				}
				o.ended, o.err = ended, err
				return nil
			}
		}
		err := view.Run(ctx, func(done, total int64) {
			if now := time.Now(); now.Sub(last) >= newsEvery {
				last = now
				send(take(false, nil))
			}
		})
		return take(true, err)
	})
}

// Stop stops looking for the overview, and reports whether it was being looked for.
func (o *Overview) Stop() bool {
	if !o.task.Stop() {
		return false
	}
	o.ended, o.err = true, context.Canceled
	return true
}

// Running reports whether the overview is being looked for.
func (o *Overview) Running() bool { return o.task.Running() }

// Done returns which part of the trace was read, in millionths.
func (o *Overview) Done() (done, total int64) { return int64(1e6 * o.done), 1e6 }

// Progress tells how far the overview is; "" if it is complete.
func (o *Overview) Progress() string {
	switch {
	case len(o.Found) == 0 && o.large() && !o.env.Front.Open(o):
		return keys.ActionKey("overview", o.env.Glyphs) + " reads the trace for its overview"
	case o.err != nil:
		return "stopped, partial"
	case !o.ended:
		return o.env.Spinner() + " partial, " + display.Percent(o.Done())
	}
	return ""
}

// Text returns a line for width cells, with its bar, and how its parts are drawn: see [screen.OfTable].
func (o *Overview) Text(l *query.OverviewLine, width int) (text string, spans []format.Span) {
	style := table.Plain
	switch {
	case l.Head:
		style = table.Strong
	case l.Note:
		style = table.Faint
	case l.Bar > 0 && width >= barredFrom:
		bar, track := o.env.Glyphs.Gauge(l.Part, l.Whole, barCells)
		from := l.Bar + 1
		to := from + len(bar)
		return l.Text[:l.Bar] + " " + bar + track + l.Text[l.Bar:], []format.Span{
			{End: from, Style: style}, {Start: from, End: to, Style: table.Heat(float64(l.Part) / float64(l.Whole))},
			{Start: to, End: to + len(track), Style: table.Track}, {Start: to + len(track), End: 1 << 16, Style: style},
		}
	}
	return l.Text, []format.Span{{End: len(l.Text), Style: style}}
}

func (o *Overview) line(i int) prompt.Item {
	l, at := &o.Found[i], 2
	if !l.Head {
		at = 4
	}
	text, spans := o.Text(l, o.env.Front.Area.Width)
	item := prompt.Item{Cells: []prompt.Cell{{Text: text, Spans: spans, Of: screen.OfTable, At: at}}}
	if l.Command != "" {
		item.Cells = append(item.Cells, prompt.Cell{Text: "  :" + l.Command, Style: theme.Faint})
	}
	return item
}

// Go goes to the place of a line; command is what is to be run instead if the line leads to an answer.
func (o *Overview) Go(i int) (cmd tea.Cmd, command string) {
	l := &o.Found[i]
	switch {
	case l.Leads && l.At.Event < 0:
		o.tree.Visit()
		return o.tree.Jobs.Show(l.At.Position), ""
	case l.Leads:
		o.tree.Visit()
		return o.tree.Jobs.ToPoint(l.At.Position, l.At.Event), ""
	case l.Command == "":
		o.env.Front.Return()
		o.env.Say("this line leads nowhere")
	}
	return nil, l.Command
}
