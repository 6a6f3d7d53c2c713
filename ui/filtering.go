package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/lazy/query/filter"
	"tracex/lazy/query/places"
	"tracex/ui/internal/command"
	"tracex/ui/internal/env"
	"tracex/ui/internal/front"
	"tracex/ui/internal/job"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/sheet"
	"tracex/ui/internal/sift"
	"tracex/ui/internal/tracestate"
	"tracex/ui/internal/tree"
)

// filtering is the filter on the tree, with its keys: the tree shows only what matches, with what is
// around it.
type filtering struct {
	*sift.Part
	env     *env.Env
	trace   *tracestate.State
	tree    *tree.Part
	jobs    *job.Part
	front   *front.Front
	results *results
	steps   func() query.Steps // of the tree

	last   string         // the text of the last filter, also of the last session
	result *result        // of the filter; nil if there is none
	home   *lazy.Position // where the cursor returns to once that is known to match; nil if nowhere
}

// commands returns the commands that filter.
func (f *filtering) commands() (all []command.Command) {
	for _, name := range []string{"filter", "find"} {
		all = append(all, command.Command{
			Name: name, Args: "[FILTER]", Help: "show only what matches a filter, with what is around it",
			Check: func(args string) error {
				_, err := f.parse(args)
				return err
			},
			Complete: func(args string) (int, []prompt.Candidate) { return f.complete(args) },
			Run: func(args string) tea.Cmd {
				f.front.CloseLists()
				if args == "" {
					return f.ask(0)
				}
				return f.begin(args)
			},
		})
	}
	all[1].Group = groupFind
	return all
}

// parse reads a filter for this trace.
func (f *filtering) parse(text string) (*filter.Expr, error) {
	e, err := filter.Parse(text)
	if err == nil {
		err = query.Check(f.trace.Reader, e)
	}
	return e, err
}

// complete returns what can be typed at the end of a filter. At the beginning of a term, terms made
// of the cursor's row are first.
func (f *filtering) complete(text string) (from int, with []prompt.Candidate) {
	from, list := query.Complete(f.trace.Reader, text)
	add := func(list []filter.Candidate) {
		for _, c := range list {
			with = append(with, prompt.Candidate{Text: c.Text, Help: c.About})
		}
	}
	if n := f.tree.Out.Cursor.Node; n != nil && from == len(text) && (text == "" || strings.HasSuffix(text, " ") || strings.HasSuffix(text, "(")) {
		add(query.Suggest(f.trace.Reader, n))
	}
	add(list)
	return from, with
}

// ask asks for a filter, beginning with the last one.
func (f *filtering) ask(int) tea.Cmd {
	p := f.front.Typed.Open("& ", "a filter: method=get ret=null dur>10ms in(…); "+screen.KeyName("tab", f.env.Glyphs)+": terms made of this row")
	p.Complete(f.complete)
	if text := f.last; text != "" {
		p.Paste(tea.PasteMsg{Content: text})
	}
	defer f.typed(f.last)
	return f.front.Ask(&front.Question{
		Prompt: p,
		Typed: func(t prompt.Text) {
			f.typed(t.Text)
		},
		Refuse: func(t prompt.Text) string {
			if _, err := f.parse(t.Text); err != nil {
				return screen.ErrorLine(err)
			}
			return ""
		},
		Submit: func(t prompt.Text) tea.Cmd { return f.begin(t.Text) },
	})
}

// typed tells what is wrong with the text of a filter, and begins to find out how many matches it has at
// most.
func (f *filtering) typed(text string) {
	f.env.Say("")
	f.Bound.Want(nil, false)
	if text == "" {
		return
	}
	e, err := f.parse(text)
	if err != nil {
		f.env.Say(screen.ErrorLine(err))
		return
	}
	f.Bound.Want(e, !f.tree.Out.Tree.Folded())
}

// count finds out how many matches the filter that is typed has at most, and tells it.
func (f *filtering) count() tea.Cmd {
	if f.front.Prompt() == nil {
		f.Bound.Want(nil, false)
		return nil
	}
	var cmd tea.Cmd
	if work := f.Count(); work != nil {
		var msg tea.Msg
		if msg, cmd = f.env.Soon(work); msg != nil {
			f.Update(msg.(sift.Msg))
		}
	}
	if most, ok := f.Bound.Known(); ok {
		text := f.env.Glyphs.AtMost + " " + screen.Grouped(most) + " matches"
		switch most {
		case 0:
			text = "no matches"
		case 1:
			text = f.env.Glyphs.AtMost + " 1 match"
		}
		if now, _ := f.env.Status.Message(); now == "" {
			f.env.Say(text)
		}
	}
	return cmd
}

// begin filters the tree, and goes to the first match from the cursor on; an empty filter shows
// everything.
func (f *filtering) begin(text string) tea.Cmd {
	f.env.Status.Clear() // it was about the text typed
	text = strings.TrimSpace(text)
	if text == "" {
		f.clear()
		return nil
	}
	e, err := f.parse(text)
	if err != nil {
		f.env.Warn(screen.ErrorLine(err))
		return nil
	}
	f.last, f.home = text, nil
	from, ok := f.tree.Out.Here()
	if f.Cur() == nil {
		f.tree.Visit()
	}
	cmd := f.start(e)
	if ok {
		f.results.want = &step{of: f.result, from: from, dir: 1, n: 1, here: true, calm: true}
	}
	return cmd
}

// resume filters the tree as in the last session, if the filter still fits the trace.
func (f *filtering) resume(text string, at lazy.Position) tea.Cmd {
	e, err := f.parse(text)
	if err != nil {
		return nil
	}
	f.last, f.home = text, &at
	return f.start(e)
}

// text returns the filter of the tree as it was typed; "" if there is none.
func (f *filtering) text() string {
	if f.Cur() == nil {
		return ""
	}
	return f.last
}

// expr returns the filter of the tree; nil if there is none.
func (f *filtering) expr() *filter.Expr {
	if run := f.Cur(); run != nil {
		return run.Filter
	}
	return nil
}

// start looks for the matches in the view of the tree, and shows them.
func (f *filtering) start(e *filter.Expr) tea.Cmd {
	t := f.tree.Out.Tree
	run, cmd := f.Begin(e, !t.Folded(), f.steps())
	lazy.ShownIn(t).Only(run)
	f.result = &result{
		one: "match", several: "matches", of: e.String(), raw: run.Raw,
		set: func() *places.Set { return run.Set() }, running: run.Running,
	}
	f.results.use(f.result)
	return cmd
}

// clear shows all rows again, and reports whether there was a filter.
func (f *filtering) clear() bool {
	if f.Cur() == nil {
		return false
	}
	f.End()
	f.home = nil
	if f.results.cur == f.result {
		f.results.use(nil)
	}
	f.result = nil
	f.tree.Unfilter()
	return true
}

// back is the key that shows all rows again.
func (f *filtering) back(int) tea.Cmd {
	if !f.clear() {
		f.env.Say("all rows are shown; " + screen.ActionKey("filter", f.env.Glyphs) + " filters them")
	}
	return nil
}

// adopt filters another tree: that of the other view, or of another recording.
func (f *filtering) adopt() tea.Cmd {
	f.results.use(nil)
	if run := f.Cur(); run != nil {
		if here, ok := f.tree.Out.Here(); ok {
			f.home = &here
		}
		return f.start(run.Filter)
	}
	return nil
}

// goHome returns to where the cursor was before the matches were looked for, once it is known
// whether that matches.
func (f *filtering) goHome(run *sift.Run) tea.Cmd {
	at := f.home
	if at == nil || f.jobs.Running() || run.Running() && run.Known(at.Thread) <= at.At {
		return nil
	}
	f.home = nil
	return f.jobs.Show(*at)
}

// settle brings the tree up to date with the matches.
func (f *filtering) settle() tea.Cmd {
	run, count := f.Cur(), f.count()
	if run == nil {
		f.tree.Open = ""
		return count
	}
	cmd := tea.Batch(count, f.Settle(f.trace.Recorded))
	if run.Changed() {
		lazy.ShownIn(f.tree.Out.Tree).Again()
	}
	_, beyond := run.Set().Count()
	switch {
	case run.Running():
		f.tree.Open = ""
	case run.Stopped():
		f.tree.Open = "not searched: the search has ended early"
	case beyond > 0:
		f.tree.Open = "after the matches that can be listed: narrow the filter down"
	default:
		f.tree.Open = "recorded since"
	}
	return tea.Batch(cmd, f.goHome(run))
}

// line returns the line about the filter: what it is, and what it has found. The line is "" if there
// is no filter.
func (f *filtering) line() (left, right string) {
	run := f.Cur()
	if run == nil {
		return "", ""
	}
	of, key := " matches", screen.ActionKey("unfilter", f.env.Glyphs)
	if l := f.front.List(); l != nil {
		s, _ := l.(*sheet.Sheet)
		sifted := false
		if s != nil {
			var ends bool
			if sifted, ends = sheet.SiftedIn(s); !ends {
				key = ""
			} else if key != "" {
				key = screen.KeyName("backspace", f.env.Glyphs) // the keys of tables are not bound
			}
		}
		if !sifted {
			return "& " + f.last + " does not apply here", ""
		}
		of += " in the tree"
	}
	g := f.env.Glyphs
	kept, beyond := run.Set().Count()
	n := int64(kept) + beyond
	if n == 1 {
		of = strings.Replace(of, "matches", "match", 1)
	}
	right = screen.Grouped(n) + of
	done, total := run.Progress()
	switch {
	case run.Running() && total > 0:
		right += " " + g.Dot + " " + f.env.Spinner() + " " + screen.Percent(done, total)
	case run.Running():
		right += " " + g.Dot + " " + f.env.Spinner()
	case run.Stopped() && total > 0:
		right += " in " + screen.Percent(done, total)
	case run.Grows():
		right = g.AtLeast + right
	}
	if key != "" {
		right += "   " + key + ": all rows"
	}
	return "& " + f.last, right + " "
}
