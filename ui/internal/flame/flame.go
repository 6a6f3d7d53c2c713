// Package flame shows what a thread did over its time or events: a strip over the tree, and the flame in its place.
package flame

import (
	"context"
	"errors"
	"hash/fnv"
	"maps"
	"math"
	"slices"
	"sync/atomic"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/lazy/query"
	"tracex/ui/internal/env"
	"tracex/ui/internal/lists"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
)

// Answers shows the answer top.
type Answers interface{ Top(args string) tea.Cmd }

// Flame is the strip over the tree, the flame of a thread, and the range that they set for all answers.
type Flame struct {
	env     *env.Env
	tree    *tree.Tree
	results *search.Results
	filter  *search.Filter
	search  *search.Search
	marks   *lists.Marks
	answers Answers

	On     bool                  // the strip is shown
	hues   map[string]theme.Role // of packages, as long as the explorer runs
	strip  finder
	screen *Screen // in front; nil if none is
}

// New returns a Flame that shows nothing.
func New(e *env.Env, t *tree.Tree, results *search.Results, filter *search.Filter, s *search.Search, marks *lists.Marks, answers Answers) *Flame {
	return &Flame{env: e, tree: t, results: results, filter: filter, search: s, marks: marks, answers: answers, hues: make(map[string]theme.Role)}
}

// Next shows the strip, if the window has room, then the flame of the cursor's thread.
func (f *Flame) Next() tea.Cmd {
	if !f.On && f.env.Front.List() == nil && f.env.Height >= screen.RuleFrom {
		f.On = true
		return nil
	}
	f.env.Front.Push(f.newScreen(), nil)
	return nil
}

// Settle looks for what is shown: the flame, if it is in front with height lines, or the strip.
func (f *Flame) Settle(height int) tea.Cmd {
	open, _ := f.env.Front.List().(*Screen)
	if f.screen != nil && f.screen != open {
		f.screen.find.task.Stop()
	}
	f.screen = open
	switch {
	case open != nil:
		f.strip.task.Stop()
		return open.settle(f.env.Width, height)
	case f.On:
		thread, _ := f.here()
		return f.strip.settle(f, want{thread: thread, columns: f.env.Width, depth: stripDepth})
	}
	f.strip.task.Stop()
	return nil
}

// stripDepth is how many levels are looked at for the package of a column of the strip.
const stripDepth = 32

// hue returns the hue of a package: that of its name, or the next one that is free, if any is.
func (f *Flame) hue(pkg string) theme.Role {
	if r, ok := f.hues[pkg]; ok {
		return r
	}
	h := fnv.New32a()
	h.Write([]byte(pkg))
	at, used := int(h.Sum32()%uint32(hueCount)), slices.Collect(maps.Values(f.hues))
	for n := 0; n < hueCount && slices.Contains(used, theme.Hue1+theme.Role(at)); n++ {
		at = (at + 1) % hueCount
	}
	f.hues[pkg] = theme.Hue1 + theme.Role(at)
	return f.hues[pkg]
}

const hueCount = int(theme.Hue8-theme.Hue1) + 1

// Busy reports whether something runs in the background.
func (f *Flame) Busy() bool {
	return f.strip.task.Running() || f.screen != nil && f.screen.find.task.Running()
}

// here returns the thread of the cursor and its logical offset there.
func (f *Flame) here() (thread int32, at int64) {
	p, _ := f.tree.Out.Here()
	return p.Thread, max(p.At, 0)
}

// Click goes to the place in the thread that a column of the strip is about.
func (f *Flame) Click(x int) tea.Cmd {
	pic := f.strip.picture
	if pic == nil || x < 0 || x+1 >= len(pic.Edges) || f.strip.err != nil {
		return nil
	}
	return f.tree.Jobs.ToPoint(lazy.Position{Thread: pic.Thread, At: pic.Edges[x]}, -1)
}

// Strip draws the strip in width cells.
func (f *Flame) Strip(width int) string {
	l := screen.NewLine(width, f.env.Glyphs)
	pic, err := f.strip.picture, f.strip.err
	thread, at := f.here()
	switch {
	case errors.Is(err, lazy.ErrNoTimes):
		return l.Put(" nothing in this thread has a time", theme.Faint).End()
	case err != nil:
		return l.Put(" "+screen.ErrorLine(err), theme.Faint).End()
	case pic == nil || pic.Thread != thread:
		return l.Put(" "+f.env.Spinner()+" strip of the thread", theme.Faint).End()
	}
	f.drawStrip(l, pic, pic.Column(at))
	return l.End()
}

// drawStrip draws the bars of a picture, with what is marked there. The cursor is in a column; -1 for none.
func (f *Flame) drawStrip(l *screen.Line, pic *query.FlamePicture, cursor int) {
	bar, note, match := "┃", "✎", "╹"
	if pic.G.ASCII {
		bar, note, match = "|", "n", "'"
	}
	ranged := f.ranged() >= 0
	begin, end := f.ends()
	for k, r := range []rune(pic.Strip()) {
		style, text := theme.Faint, string(r)
		if i := pic.Inner[k]; i >= 0 && (!ranged || pic.Shows(k, begin, end)) {
			style = f.hue(pic.Groups[i])
		}
		var from, to int64
		if k+1 < len(pic.Edges) {
			from, to = pic.Edges[k], pic.Edges[k+1]
		}
		switch {
		case k == cursor:
			style, text = theme.Bold, bar
		case f.Noted(pic.Thread, from, to):
			style, text = theme.Accent, note
		case f.Matched(pic.Thread, from, to):
			style, text = theme.Match, match
		}
		l.Put(text, style)
	}
}

// Matched reports whether the current result has a place of a thread in a range of offsets.
func (f *Flame) Matched(thread int32, from, to int64) bool {
	if of := f.results.Now(); of != nil {
		_, ok := of.Set.First(thread, from, to)
		return ok
	}
	hits := f.search.Hits()
	if hits == nil {
		return false
	}
	i, _ := hits.Find(lazy.Position{Thread: thread, At: from})
	return i < hits.Len() && hits.At(i).Thread == thread && hits.At(i).At < to
}

// Noted reports whether a mark or a note is in a range of offsets of a thread.
func (f *Flame) Noted(thread int32, from, to int64) bool {
	return slices.ContainsFunc(f.marks.Places, func(at lazy.Position) bool {
		return at.Thread == thread && from <= at.At && at.At < to
	})
}

// want is what a finder looks for.
type want struct {
	thread         int32
	raw            bool
	from, to       int64 // all if to is 0
	columns, depth int
	generation     int // of what is known of the trace
}

// finder finds one flame at a time, in the background.
type finder struct {
	picture *query.FlamePicture // as last found; nil if none was
	of      want                // what it, or err, is about
	known   bool                // that was found, stopped, or failed
	err     error
	why     string // the same for the screen

	task  env.Task
	looks want // what the task looks for
	part  *atomic.Pointer[lazy.Flame]
}

// settle looks for what is wanted, in the view of the tree, and stops what runs for something else.
func (f *finder) settle(p *Flame, w want) tea.Cmd {
	w.raw, w.generation = !p.tree.Out.Tree.Folded(), p.env.Trace.Known.Generation
	now := w
	now.generation = f.looks.generation // a growing trace is looked at again afterwards
	if f.task.Running() && f.looks == now {
		f.showPart(p)
		return nil
	}
	if f.task.Stop(); f.known && f.of == w {
		return nil
	}
	r, part := p.env.Trace.Reader, new(atomic.Pointer[lazy.Flame])
	f.looks, f.part = w, part
	return f.task.Run(p.env, func(ctx context.Context) func() tea.Cmd {
		found, err := lazy.FlameOf(ctx, r, lazy.FlameOptions{
			Thread: w.thread, Raw: w.raw, From: w.from, To: w.to, Columns: w.columns, Depth: w.depth,
			Tell: func(f lazy.Flame) { part.Store(&f) },
		})
		return env.Done(func() {
			f.of, f.known, f.err = w, true, err
			if err != nil {
				f.picture, f.why = nil, p.why(w, err)
			} else {
				f.show(p, found)
			}
		})
	})
}

func (f *finder) show(p *Flame, found lazy.Flame) {
	f.picture = query.NewFlamePicture(p.env.Trace.Reader, found, p.env.Glyphs.Glyphs)
	for _, pkg := range f.picture.Groups { // in their order in the trace: the same at the next opening
		p.hue(pkg)
	}
}

// showPart shows what has been found so far.
func (f *finder) showPart(p *Flame) {
	if part := f.part.Load(); part != nil {
		f.show(p, *part)
	}
}

// stop stops what runs, and keeps what is known; it reports whether anything did.
func (f *finder) stop(p *Flame) bool {
	if !f.task.Stop() {
		return false
	}
	f.of, f.known = f.looks, true
	f.showPart(p)
	return true
}

// why tells why there is no flame.
func (p *Flame) why(w want, err error) string {
	r := p.env.Trace.Reader
	_, timed := r.Times()
	of := query.NewFlamePicture(r, lazy.Flame{Thread: w.thread, Timed: timed, Begin: w.from, From: w.from, End: w.to, To: w.to}, p.env.Glyphs.Glyphs)
	switch {
	case errors.Is(err, lazy.ErrNoTimes):
		return of.Subject() + ": nothing in it has a time"
	case !errors.Is(err, lazy.ErrEmptyFlame):
		return of.Subject() + ": " + screen.ErrorLine(err)
	case w.to == 0:
		return of.Subject() + ": nothing is there"
	}
	return of.Title() + ": nothing is there; 0 shows all of the thread"
}

// Run sets a range that was typed.
func (f *Flame) Run(args string) tea.Cmd {
	step, _ := query.ParseStep(query.Range, args)
	if timed, from, to, ok := step.Span(); ok {
		f.limit(timed, from, to)
	}
	return nil
}

// ranged returns the index of the range among the steps; -1 if there is none.
func (f *Flame) ranged() int {
	return slices.IndexFunc(f.tree.Steps.List, func(s query.Step) bool { return s.Kind == query.Range })
}

// ends returns the range in force on the axis; all of it without one.
func (f *Flame) ends() (from, to int64) {
	if i := f.ranged(); i >= 0 {
		_, from, to, _ = f.tree.Steps.List[i].Span()
		return from, to
	}
	return 0, math.MaxInt64
}

// limit sets the range.
func (f *Flame) limit(timed bool, from, to int64) {
	step := query.RangeStep(timed, from, to)
	if i := f.ranged(); i >= 0 {
		f.tree.Steps.Replace(i, step)
		return
	}
	f.tree.Steps.Add(step)
}

// begin sets the begin of the range. An end that is not after it goes.
func (f *Flame) begin(timed bool, at int64) {
	_, to := f.ends()
	if to <= at {
		to = math.MaxInt64
	}
	f.limit(timed, at, to)
}

// end sets the end of the range. A begin that is not before it goes.
func (f *Flame) end(timed bool, at int64) {
	from, _ := f.ends()
	if from >= at {
		from = 0
	}
	f.limit(timed, from, at)
}

// Here sets the begin or the end of the range at the cursor's row.
func (f *Flame) Here(begin bool) tea.Cmd {
	n := f.tree.Out.Cursor.Node
	if n == nil {
		return f.env.Say("the row is not loaded: it has no place in the recording")
	}
	r, raw := f.env.Trace.Reader, !f.tree.Out.Tree.Folded()
	return new(env.Task).Run(f.env, func(ctx context.Context) func() tea.Cmd {
		timed, from, to, err := lazy.AxisOf(ctx, r, n, raw)
		return env.Done(func() {
			switch {
			case errors.Is(err, lazy.ErrNoTimes):
				f.env.Say("nothing is known about when this happened")
			case err != nil:
				f.env.Fail("the range is not set", err)
			case begin:
				f.begin(timed, from)
			default:
				f.end(timed, to)
			}
		})
	})
}

// Back ends the filter of the tree; without one, a range, and without that the last step.
func (f *Flame) Back() tea.Cmd {
	if f.filter.Cur != nil || len(f.tree.Steps.List) == 0 {
		return f.filter.Back()
	}
	if i := f.ranged(); i >= 0 {
		f.tree.Steps.Remove(i)
		return nil
	}
	return f.tree.Steps.Undo()
}
