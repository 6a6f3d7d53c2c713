package search

import (
	"context"
	"maps"
	"slices"
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

// maxPeeked bounds the hits whose text is kept.
const maxPeeked = 4096

// HitList is the list of a search's hits. The text of a line is read in the background, through
// a tree of its own, when the line appears on the screen. A filter looks at all hits: see hitFilter.
type HitList struct {
	prompt.List
	search  *Search
	run     *run
	folded  bool       // the view that was searched
	tree    *lazy.Tree // for the texts of the lines
	seen    map[lazy.Position]peek
	reading env.Task
	filter  *hitFilter // nil if none
	number  int        // cells of the longest number on the screen
}

// peek is the text of a hit in the list.
type peek struct {
	text  string
	spans []format.Span
	class format.Class
	lit   [][2]int // parts of the text that match the search
	path  []string // names of the containers, outermost first
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
		Keys:      "Enter goes there",
		Len:       func() int { return h.hits().Len() },
		Item:      h.line,
		Choosable: true,
		Filter:    h.filterBy,
		None:      h.nothing,
	}
	h.Select(max(0, run.shown-1))
	s.env.Front.Show(h, h.choose)
	return nil
}

// Path returns the names of what is around the hit under the cursor, outermost first; nil if it
// has not been read yet.
func (h *HitList) Path() []string {
	if h.Selected() >= h.hits().Len() {
		return nil
	}
	return h.seen[h.hits().At(h.Selected()).Position].path
}

// Found returns the hits that the list shows, and what was searched for. ended is false while more may come.
func (h *HitList) Found() (hits *Hits, of string, ended bool) {
	ended = !h.run.running() && (h.filter == nil || h.filter.ended)
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

// SettleList brings the list of hits up to date if it is in front, on height lines, and ends its filter if it is not.
func (s *Search) SettleList(height int) tea.Cmd {
	s.list, _ = s.env.Front.List().(*HitList)
	cmd := s.sift()
	if s.list != nil {
		cmd = tea.Batch(cmd, s.list.read(height))
	}
	return cmd
}

func (h *HitList) hits() *Hits {
	if h.filter != nil {
		return &h.filter.passed
	}
	return &h.run.hits
}

func (h *HitList) nothing() string {
	switch f := h.filter; {
	case f != nil && f.ended:
		return prompt.NonePasses(f.p, "none of "+display.Plural(int64(h.run.hits.Len()), "hit"), f.others)
	case f != nil, h.run.running():
		return "none yet"
	}
	return h.run.nothing(h.search.tree.Out.Tree.Folded())
}

func (h *HitList) filterBy(p *pattern.Pattern) {
	h.filter = nil // Search.sift stops the one under way
	if p == nil {
		return
	}
	f, hits := &hitFilter{p: p, queue: make(hitQueue, 1), ended: p.Fault != ""}, &h.run.hits
	f.passed.origin = hits.origin
	f.queue.add(slices.Clip(hits.after))
	f.queue.add(slices.Clip(hits.before))
	if !h.run.running() {
		close(f.queue)
	}
	h.filter = f
}

func (h *HitList) View(width, height int, g *screen.Glyphs) []string {
	all := h.run.hits.Len()
	h.Title, h.After = h.run.least()+display.Plural(int64(all), "hit")+" of "+h.run.p.Name(40, g.Glyphs), ""
	switch {
	case h.run.running():
		h.Title += " so far, " + h.run.percent()
	case h.run.full:
		h.Title += ", the limit (" + h.run.percent() + " searched)"
	}
	if h.filter != nil {
		h.Title = display.Grouped(int64(h.filter.passed.Len())) + " of " + h.Title
		h.After = h.filter.progress(all)
	}
	return h.List.View(width, height, g)
}

func (h *HitList) line(i int) prompt.Item {
	hit := h.hits().At(i)
	p, ok := h.seen[hit.Position]
	if !ok {
		p.text = h.search.env.Spinner()
	}
	e, event := h.search.env, eventText(hit)
	at := 2 + h.number + 2
	pathAt := at + max(16, (e.Front.Area.Width-at)*3/5)
	text := prompt.Cell{Text: p.text, Style: theme.Plain, At: at, Width: pathAt - at - 2, Lit: p.lit}
	if p.spans != nil {
		text.Spans, text.Of = p.spans, func(s format.Style) theme.Role { return theme.OfSpan(s, p.class) }
	}
	if len(p.lit) > 0 {
		text.Skip = screen.Window(p.text, p.lit[0], 0, text.Width, e.Glyphs)
	}
	path := p.path
	if e.Trace.Size.Threads == 1 && len(path) > 1 {
		path = path[1:]
	}
	return prompt.Item{Cells: []prompt.Cell{
		{Text: event, Style: theme.Faint, At: at - 2 - len(event), Aside: true},
		text,
		{Text: screen.PathIn(path, e.Front.Area.Width-pathAt-1, e.Glyphs), Style: theme.Faint, At: pathAt},
	}}
}

// eventText returns the number of a hit's event; a thread has none.
func eventText(h lazy.Hit) string {
	if h.At < 0 {
		return ""
	}
	return lazy.EventHandle(h.Event).String()
}

// readFor is how long texts are read before they are shown; the others on the screen follow.
const readFor = 8 * time.Millisecond

// read reads the texts of the hits on the screen that have not been read.
func (h *HitList) read(height int) tea.Cmd {
	var want []lazy.Position
	from, to := h.Visible(height) // drawing has not seen the last key yet
	for i := from; i < to; i++ {
		hit := h.hits().At(i)
		h.number = max(h.number, len(eventText(hit)))
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
	p := peek{text: l.Text, spans: l.Spans, class: l.Class, lit: h.run.p.Ranges([]byte(l.Text))}
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
