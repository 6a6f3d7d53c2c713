// Package search is what the user looks for in a trace, and what was found: the [Search], whose hits stream in from the
// background and have a list ([HitList]) with a filter of its own; the [Filter] of the tree; and [Results], through which n and
// N walk, whatever found them.
package search

import (
	"context"
	"time"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/pattern"
	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/tree"
)

// maxHits bounds the hits kept, 24 bytes each.
const maxHits = 1_000_000

// Search is the search for a pattern, with its keys, its hits and their list.
type Search struct {
	Last    prompt.Text   // the last search, also that of the last session
	Earlier prompt.Text   // the search of the last session, until there is one in this
	Most    int           // maximum number of hits kept
	Every   time.Duration // how long news may wait; 0 for a value that suits a screen

	env     *env.Env
	tree    *tree.Tree
	filter  *Filter
	results *Results

	cur    *run // without a pattern if there is none
	before *run // the one that a prompt has been opened over
	shown  shownHits
	list   *HitList // nil if it is closed
}

// New returns the search, the filter of the tree, and the walk through what they find. Their work ends with e's life.
func New(e *env.Env, t *tree.Tree) (*Search, *Filter, *Results) {
	r := &Results{env: e, tree: t}
	r.filter = &Filter{env: e, tree: t, results: r}
	r.search = &Search{env: e, tree: t, filter: r.filter, results: r, Most: maxHits, cur: new(run)}
	return r.search, r.filter, r
}

// AskPattern asks for a pattern. While it is typed, the cursor goes to the first match on the screen; Enter searches
// the rest in the background. The search before goes on, and goes to no hit meanwhile.
func (s *Search) AskPattern() tea.Cmd {
	o := s.tree.Out
	origin, line, skip := o.Cursor, o.Line, o.Skip
	s.before, s.cur.want = s.cur, nil
	home := func() { o.Cursor, o.Line, o.Skip = origin, line, skip }
	return s.env.Front.Ask(&env.Question{
		Prompt: s.env.Front.Typed.OpenPattern("/", "find in all threads"),
		Typed: func(t prompt.Text) tea.Cmd {
			p := pattern.New(t.Text, t.Expr)
			s.Preview(p)
			s.env.Say("")
			if p.Fault != "" {
				s.env.Say("not complete: " + p.Fault)
			}
			home()
			if t.Text != "" {
				s.tree.ToMatch(p, origin)
			}
			return nil
		},
		Refuse: func(t prompt.Text) string { return pattern.New(t.Text, t.Expr).Fault },
		Cancel: func() {
			home()
			s.cur, s.before = s.before, nil
		},
		Submit: func(t prompt.Text) tea.Cmd {
			s.cur, s.before = s.before, nil
			if t.Text == "" {
				return s.hit(1, 1)
			}
			home()
			return s.searchFor(t)
		},
	})
}

// Preview shows a text that is being typed as the pattern.
func (s *Search) Preview(what *pattern.Pattern) { s.cur = &run{p: what} }

// Run searches for a text, or asks for one.
func (s *Search) Run(text string) tea.Cmd {
	s.env.Front.Leave()
	if text == "" {
		return s.AskPattern()
	}
	return s.searchFor(prompt.Text{Text: text})
}

func (s *Search) searchFor(t prompt.Text) tea.Cmd {
	origin := s.tree.Out.Cursor
	from, _ := s.tree.Out.Here()
	s.tree.Visit()
	s.Last, s.Earlier = t, prompt.Text{}
	p := pattern.New(t.Text, t.Expr)
	s.tree.ToMatch(p, origin)
	w := &wanted{from: from, dir: 1, count: 1, here: true}
	s.results.searched(w)
	return s.begin(p, w)
}

// Same searches for a pattern from a position, or goes on to its next hit.
func (s *Search) Same(what *pattern.Pattern, from lazy.Position, dir int) tea.Cmd {
	w := &wanted{from: from, dir: dir, count: 1}
	s.results.searched(w)
	switch {
	case !s.Begun() || !s.cur.p.Same(what) || s.cur.err != nil:
		return s.begin(what, w)
	case s.hides():
		return nil
	}
	return s.continueTo(w)
}

// SameName searches for calls of the method under the cursor, or accesses of the same field or variable.
func (s *Search) SameName(dir int) tea.Cmd {
	n := s.tree.Out.Cursor.Node
	if n == nil || n.Point() == nil {
		return s.env.Say("no call under the cursor")
	}
	p := s.like(n)
	if p == nil {
		return s.env.Say("this row has no name to search for")
	}
	s.tree.Visit()
	return s.Same(p, n.Position(), dir)
}

// like returns the pattern for calls of the method of a node, or accesses of the same field
// or variable; nil if the node has no name. The node is a trace point.
func (s *Search) like(n *lazy.Node) (what *pattern.Pattern) {
	s.env.Trace.Reader.WithContext(func(c *format.Context) { what = pattern.Alike(c, n.Point()) })
	return what
}

// LikeMethod returns the pattern that finds the calls of a method of a class; nil if the trace has no such method.
func (s *Search) LikeMethod(class, method string) (what *pattern.Pattern) {
	list := tree.MethodsNamed(s.env.Trace.Reader, class, method)
	if len(list) == 0 {
		return nil
	}
	s.env.Trace.Reader.WithContext(func(c *format.Context) {
		what = pattern.Alike(c, &format.Point{Class: format.ClassCall, Ref: list[0]})
	})
	return what
}

// hit goes to the n-th hit from the cursor.
func (s *Search) hit(dir, n int) tea.Cmd {
	from, ok := s.tree.Jobs.HereToward(dir)
	switch last := s.Earlier; {
	case !s.Begun() && ok && dir > 0 && last.Text != "":
		return s.searchFor(last)
	case !s.Begun():
		return s.sayNone()
	case !ok:
		return nil
	}
	s.tree.Visit()
	cmd := s.continueTo(&wanted{from: from, dir: dir, count: max(1, n)})
	if s.cur.want != nil {
		s.env.Say("still searching; Esc stops")
	}
	return cmd
}

func (s *Search) sayNone() tea.Cmd {
	return s.env.Say("no search yet; press " + keys.ActionKey("search", s.env.Glyphs))
}

// Again searches once more, as the view has changed, and goes to no hit. A pattern that is being typed stays.
func (s *Search) Again() tea.Cmd {
	if !s.Begun() {
		return nil
	}
	from, _ := s.tree.Out.Here()
	cmd := s.begin(s.cur.p, &wanted{from: from, dir: 1})
	s.cur.want = nil
	return cmd
}

// At notes where the cursor is: the hit there, if there is one, is the one last gone to.
func (s *Search) At() {
	at, ok := s.tree.Out.Here()
	if !ok || !s.Begun() || s.cur.want != nil {
		return
	}
	if i, exact := s.cur.hits.Find(at); exact {
		s.cur.shown = i + 1
	}
}

// Stop stops the search under way, and reports whether there was one. Its hits stay.
func (s *Search) Stop() bool {
	if !s.Running() {
		return false
	}
	s.stop(s.cur, context.Canceled)
	s.cur.want = nil
	return true
}

// End ends the search, and reports whether there was one.
func (s *Search) End() bool {
	was := s.Some()
	s.Stop() // a list of its hits may be left
	s.cur = new(run)
	return was
}

// Some reports whether there is a search, or a pattern is being typed.
func (s *Search) Some() bool { return s.cur.p != nil }

// Begun reports whether a search has begun, other than a preview.
func (s *Search) Begun() bool { return s.cur.begun }

func (s *Search) Running() bool { return s.cur.running() }

// Progress returns how much of the trace is searched, in bytes.
func (s *Search) Progress() (done, total int64) { return s.cur.work.Done, s.cur.work.Total }

// Pattern returns the current pattern, or nil if none.
func (s *Search) Pattern() *pattern.Pattern { return s.cur.p }

// Hits returns the hits found so far, by position. Callers must not change them.
func (s *Search) Hits() *Hits { return &s.cur.hits }

// Bytes returns the memory that hits and their list take.
func (s *Search) Bytes() int64 {
	n := s.cur.hits.bytes() + s.cur.others.bytes()
	if s.list != nil {
		n += s.list.bytes()
	}
	return n
}

// Highlight returns the parts of a row's text that match the search, once it is extended; if a call was found by another of
// its names, the parts of that name that appear in the text, or the method's name.
func (s *Search) Highlight(n *lazy.Node, text string, with []format.Extra) [][2]int {
	what := s.Pattern()
	if what == nil || what.Text == "" {
		return nil
	}
	if what.Only != (pattern.Identity{}) {
		at := n.Point()
		is := at != nil
		s.env.Trace.Reader.WithContext(func(c *format.Context) { is = is && what.Only.Finds(c, at) })
		if !is {
			return nil
		}
	}
	list := what.Ranges([]byte(text))
	if len(list) == 0 && !n.IsThread() {
		if named := s.tree.Out.Named(n); named.Match(what.Find, what.Limits) {
			list = pattern.NameRanges(&named, what, len(text))
		}
	}
	return pattern.ExtendedRanges(what, text, with, list)
}
