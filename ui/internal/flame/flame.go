// Package flame shows what a thread did over its time, or over its events: a strip of one line over
// the tree, and the flame in its place.
package flame

import (
	"errors"
	"hash/fnv"
	"maps"
	"slices"

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

// Flame is the strip over the tree and the flame of a thread, and the range that they set for the
// other answers. Its methods run on Bubble Tea's goroutine.
type Flame struct {
	env     *env.Env
	tree    *tree.Tree
	steps   *tree.Steps
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
func New(e *env.Env, t *tree.Tree, steps *tree.Steps, results *search.Results, filter *search.Filter, s *search.Search, marks *lists.Marks, answers Answers) *Flame {
	return &Flame{env: e, tree: t, steps: steps, results: results, filter: filter, search: s, marks: marks, answers: answers, hues: make(map[string]theme.Role)}
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

// hue returns the hue of a package: that of its name, or, as long as there are others, the next one that no package
// seen before has.
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
	if at, ok := f.tree.Out.Here(); ok {
		return at.Thread, max(at.At, 0)
	}
	if n := f.tree.Out.Cursor.Parent; n != nil {
		return n.Thread(), max(n.Position().At, 0)
	}
	return 0, 0
}

// show goes to a point in the tree; event is -1 for whatever is at an offset.
func (f *Flame) show(at lazy.Position, event int32) tea.Cmd {
	if event < 0 {
		f.tree.Visit()
		return f.tree.Jobs.Show(at)
	}
	return f.tree.Jobs.ToPoint(at, event)
}

// Click goes to the place in the thread that a column of the strip is about.
func (f *Flame) Click(x int) tea.Cmd {
	pic := f.strip.picture
	if pic == nil || x < 0 || x+1 >= len(pic.Edges) || f.strip.err != nil {
		return nil
	}
	return f.show(lazy.Position{Thread: pic.Thread, At: pic.Edges[x]}, -1)
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
