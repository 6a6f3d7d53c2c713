package search

import (
	"context"
	"maps"
	"strings"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/lazy/query/display"
	"tracex/lazy/query/pattern"
	"tracex/ui/internal/env"
	"tracex/ui/internal/prompt"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
)

const (
	maxPeeked = 4096                 // hits whose text is kept
	readFor   = 8 * time.Millisecond // texts are read so long before they are shown; the others on the screen follow
)

// HitList is the list of a search's hits. The text of a line is read in the background, through
// a tree of its own, when the line appears on the screen. A filter looks at all hits.
type HitList struct {
	prompt.List
	search  *Search
	run     *run
	folded  bool       // the view that was searched
	tree    *lazy.Tree // for the texts of the lines
	seen    map[lazy.Position]peek
	reading env.Task
	filter  *hitFilter // the last one; nil if there was none
	sifting env.Task
	number  int // cells of the longest number on the screen
}

// hitFilter is a filter of a list of hits. Their numbers are those in the order of the search.
type hitFilter struct {
	*prompt.Scan
	passed Hits
}

// peek is the text of a hit in the list.
type peek struct {
	text  string
	spans []format.Span
	class format.Class
	lit   [][2]int       // parts of the text that match the search
	more  []format.Extra // what the text may be extended by
	path  []string       // names of the containers, outermost first
}

// ShowList shows the hits to choose from, unless there are none and none can arrive.
func (s *Search) ShowList() tea.Cmd {
	if !s.Begun() {
		return s.sayNone()
	}
	run, folded := s.cur, s.tree.Out.Tree.Folded()
	run.useOther()
	if run.ended && run.err == nil && run.hits.Len() == 0 && !run.outgrown() {
		return s.env.Say(run.nothing(folded))
	}
	h := &HitList{search: s, run: run, folded: folded, tree: s.env.Trace.Reader.Tree(folded), seen: make(map[lazy.Position]peek)}
	h.List = prompt.List{
		Called:    "hits",
		Keys:      "Enter goes there",
		Len:       func() int { return h.hits().Len() },
		Item:      h.line,
		Choosable: true,
		Long:      true,
		None:      h.nothing,
		Wide:      prompt.AllRoom,
	}
	h.Select(max(0, run.shown-1))
	s.env.Front.Show(h, h.choose)
	return nil
}

// Path returns the names of what is around the cursor's hit, outermost first; nil if it has not been read yet.
func (h *HitList) Path() []string {
	if h.Selected() >= h.hits().Len() {
		return nil
	}
	return h.seen[h.hits().At(h.Selected()).Position].path
}

// Found returns the hits that the list shows, and what was searched for. ended is false while more may come.
func (h *HitList) Found() (hits *Hits, of string, ended bool) {
	ended = !h.run.running() && (h.Scan == nil || h.Scan.Ended)
	return h.hits(), h.run.p.Name(40, h.search.env.Glyphs.Glyphs), ended
}

// choose goes to the i-th hit shown.
func (h *HitList) choose(i int) tea.Cmd {
	at := h.hits().At(i).Position
	hit, _ := h.run.hits.Find(at)
	h.run.shown = hit + 1
	h.search.tree.Visit()
	return h.search.tree.Jobs.Show(at)
}

// SettleList brings the list of hits up to date if it is in front, on height lines, and stops its filter once it is closed.
func (s *Search) SettleList(height int) tea.Cmd {
	l, _ := s.env.Front.List().(*HitList)
	if s.list != nil && s.list != l && !s.env.Front.Kept(s.list) {
		s.list.sifting.Stop()
		s.list = nil
	}
	if l == nil {
		return nil
	}
	s.list = l
	return tea.Batch(l.sift(), l.read(height))
}

// hits returns those that pass the filter, as far as known.
func (h *HitList) hits() *Hits {
	if h.Scan == nil {
		return &h.run.hits
	}
	if h.filter == nil || h.filter.Scan != h.Scan {
		h.sifting.Stop()
		h.filter = &hitFilter{Scan: h.Scan, passed: Hits{origin: h.run.hits.origin}}
	}
	return &h.filter.passed
}

func (h *HitList) nothing() string {
	if h.run.running() {
		return "none yet"
	}
	return h.run.nothing(h.search.tree.Out.Tree.Folded())
}

// sift looks at some more hits for the filter, also at those that are still being found. It reads them again.
func (h *HitList) sift() tea.Cmd {
	passed, f, hits := h.hits(), h.filter, h.run.hits
	all := hits.Len()
	if h.Scan == nil || f.Ended || h.sifting.Running() || f.Looked == f.Of(all) && h.run.running() {
		return nil
	}
	turn := f.Turn(all, func(i int) int { return i }, func(ctx context.Context, numbers []int, test func(int, func(*pattern.Pattern) bool)) error {
		todo := make([]lazy.Hit, len(numbers))
		for i, n := range numbers {
			todo[i] = hits.list[n]
		}
		var line []byte
		i := 0
		return h.search.env.Trace.Reader.Recall(ctx, lazy.Search{Folded: h.folded}, func() (next []lazy.Hit) {
			next, todo = todo, nil
			return next
		}, func(hit *lazy.Recalled) error {
			line = append(append(append(line[:0], hit.Text...), ' '), hit.Path...) // not the number of the event, which is no value to look for
			test(numbers[i], func(p *pattern.Pattern) bool { return p.Match(line) || hit.Match(p.Find, p.Limits) })
			i++
			return nil
		})
	})
	return h.sifting.Later(h.search.env, func(ctx context.Context) func() tea.Cmd {
		found := turn(ctx)
		return func() tea.Cmd {
			known := len(f.Passed)
			found()
			list := make([]lazy.Hit, len(f.Passed)-known)
			for i, n := range f.Passed[known:] {
				list[i] = hits.list[n]
			}
			h.Moved(passed.add(list))
			f.Ended = f.Err != nil || !h.run.running() && f.Looked == f.Of(h.run.hits.Len())
			h.search.env.Fail("the filter ended early", f.Err)
			return h.sift()
		}
	})
}

func (h *HitList) View(width, height int, g *screen.Glyphs) []string {
	all := h.run.hits.Len()
	h.Title = h.run.least() + display.Plural(int64(all), "hit") + " of " + h.run.p.Name(40, g.Glyphs)
	h.NoLine = "none of " + display.Plural(int64(all), "hit")
	switch {
	case h.run.running():
		h.Title += " so far, " + h.run.percent()
	case h.run.full:
		h.Title += ", the limit (" + h.run.percent() + " searched)"
	}
	return h.List.View(width, height, g)
}

func (h *HitList) line(i int) prompt.Item {
	hit := h.hits().At(i)
	p, ok := h.seen[hit.Position]
	if !ok {
		p.text = h.search.env.Spinner()
	}
	e, event, bare := h.search.env, h.eventText(hit), p.text
	path := p.path
	if e.Trace.Size.Threads == 1 && len(path) > 1 {
		path = path[1:]
	}
	at, end := 2+h.number+2, e.Front.Area.Width-1
	pathAt := at + max(16, (end-at)*3/5)
	var with []format.Extra
	p.text, p.spans, with = screen.Extended(p.text, p.spans, p.more, pathAt-at-2, e.Glyphs)
	p.lit = pattern.ExtendedRanges(h.run.p, bare, with, p.lit)
	whole := screen.PathIn(path, 1<<12, e.Glyphs)
	if long := end - e.Glyphs.TextWidth(whole); long < pathAt {
		pathAt = max(long, min(pathAt, at+e.Glyphs.TextWidth(p.text)+2)) // the room that the text leaves
	}
	text := prompt.Cell{Text: p.text, Style: theme.Plain, At: at, Width: pathAt - at - 2, Lit: p.lit}
	if p.spans != nil {
		text.Spans, text.Of = p.spans, func(s format.Style) theme.Role { return theme.OfSpan(s, p.class) }
	}
	if len(p.lit) > 0 {
		text.Skip = screen.Window(p.text, p.lit[0], 0, text.Width, e.Glyphs)
	}
	return prompt.Item{Cells: []prompt.Cell{
		{Text: event, Style: theme.Faint, At: at - 2 - len(event), Aside: true},
		text,
		{Text: screen.PathIn(path, end-pathAt, e.Glyphs), Style: theme.Faint, At: pathAt},
	}}
}

// eventText returns the number of a hit's event; a thread has none.
func (h *HitList) eventText(hit lazy.Hit) string {
	if hit.At < 0 {
		return ""
	}
	return h.search.tree.Named(lazy.EventHandle(hit.Event))
}

// read reads the texts of the hits on the screen that have not been read.
func (h *HitList) read(height int) tea.Cmd {
	var want []lazy.Position
	from, to := h.Visible(height) // drawing has not seen the last key yet
	for i := from; i < to; i++ {
		hit := h.hits().At(i)
		h.number = max(h.number, len(h.eventText(hit)))
		if _, ok := h.seen[hit.Position]; !ok {
			want = append(want, hit.Position)
		}
	}
	if len(want) == 0 || h.reading.Running() {
		return nil
	}
	return h.reading.Run(h.search.env, func(ctx context.Context) func() tea.Cmd {
		got := h.peeks(ctx, want)
		return env.Done(func() {
			if len(h.seen)+len(got) > maxPeeked {
				clear(h.seen)
			}
			maps.Copy(h.seen, got)
		})
	})
}

// peeks reads the texts of hits, as many as it can in a short time. It keeps nothing loaded.
func (h *HitList) peeks(ctx context.Context, want []lazy.Position) map[lazy.Position]peek {
	t, got, now := h.tree, make(map[lazy.Position]peek, len(want)), h.search.env.Clock.Now
	began := now()
	for i, p := range want {
		if i > 0 && now().Sub(began) >= readFor {
			want = want[:i]
			break
		}
		n, err := lazy.RevealAlone(ctx, t, p)
		if err != nil {
			got[p] = peek{text: screen.ErrorLine(err)}
			continue
		}
		got[p] = h.peek(t, n)
	}
	for _, p := range want {
		if n, _ := t.Thread(p.Thread); n != nil {
			t.Forget(n)
		}
	}
	return got
}

// peek returns what the list shows of a node.
func (h *HitList) peek(t *lazy.Tree, n *lazy.Node) peek {
	l := t.Lines([]lazy.Row{{Node: n, Parent: n.Parent(), Depth: n.Depth(), From: n.Position().At}}, false)[0]
	p := peek{text: l.Text, spans: l.Spans, class: l.Class, more: l.Extras, lit: h.run.p.Ranges([]byte(l.Text))}
	if len(p.lit) == 0 && !n.IsThread() {
		named := t.Named(n, false)
		p.lit = pattern.NameRanges(&named, h.run.p, len(l.Text))
	}
	var around []*lazy.Node
	for up := n.Parent(); up != nil; up = up.Parent() {
		around = append(around, up)
	}
	path := lazy.AppendPath(nil, len(around), func(dst []byte, i int) []byte {
		return t.AppendName(dst, around[len(around)-1-i])
	})
	if len(path) > 0 {
		p.path = strings.Split(string(path), lazy.PathSep)
		p.path[0] = tree.ShortThread(p.path[0])
	}
	return p
}

// bytes returns the memory that the list takes besides the hits of its search.
func (h *HitList) bytes() (n int64) {
	if h.filter != nil {
		n += h.filter.passed.bytes()
	}
	for position, p := range h.seen {
		n += int64(unsafe.Sizeof(position)) + int64(unsafe.Sizeof(p)) + int64(len(p.text)) + int64(len(p.spans))*int64(unsafe.Sizeof(format.Span{}))
		for _, name := range p.path {
			n += int64(len(name)) + int64(unsafe.Sizeof(name))
		}
	}
	return n
}
