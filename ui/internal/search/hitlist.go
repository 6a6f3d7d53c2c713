package search

import (
	"context"
	"strings"
	"sync"
	"time"
	"unsafe"

	tea "charm.land/bubbletea/v2"

	"tracex/format"
	"tracex/lazy"
	"tracex/ui/internal/list"
	"tracex/ui/internal/nodetext"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// maxPeeked bounds the hits whose text is kept.
const maxPeeked = 4096

// HitList is the list of a search's hits. The text of a line is read in the background, through
// a tree of its own, when the line appears on the screen. A filter looks at all hits: see hitFilter.
// A [Part] makes it.
type HitList struct {
	list.List
	s      *search
	folded bool              // the view that was searched
	tree   func() *lazy.Tree // made when the first lines are read
	seen   map[lazy.Position]peek
	busy   bool
	filter *hitFilter // of the filter; nil if none
	facts  Facts      // at the last Settle
	number int        // cells of the longest number on the screen
	now    func() time.Time
}

// peek is the text of a hit in the list.
type peek struct {
	text  string
	spans []format.Span
	class format.Class
	lit   [][2]int // parts of the text that match the search
	path  []string // names of the containers, outermost first
}

// OpenList returns the list of the hits, to be shown. It is nil if there are no hits, and
// none can arrive.
func (p *Part) OpenList(f Facts) (h *HitList, out Outcome) {
	s := p.cur
	if !p.Begun() {
		out.say(NoSearch(f.Glyphs))
		return nil, out
	}
	s.useOther()
	if s.ended && s.err == nil && s.hits.Len() == 0 && !s.outgrown(f) {
		out.say(s.nothing(f))
		return nil, out
	}
	r, folded := p.r, f.Folded
	h = &HitList{s: s, folded: folded, seen: make(map[lazy.Position]peek), facts: f, now: p.now}
	h.tree = sync.OnceValue(func() *lazy.Tree { return r.Tree(folded) })
	h.List = list.List{
		Keys:      "Enter goes there",
		Len:       func() int { return h.hits().Len() },
		Item:      h.line,
		Choosable: true,
		Filter:    h.filterBy,
		None:      h.nothing,
	}
	h.Select(max(0, s.shown-1))
	p.list = h
	return h, out
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
func (h *HitList) Found() (hits Hits, of string, ended bool) {
	of, ended = h.s.p.Name(40, h.facts.Glyphs), !h.s.running()
	if h.filter != nil {
		ended = ended && h.filter.ended
	}
	return *h.hits(), of, ended
}

// Choose notes that the user goes to the i-th hit shown, and returns its position.
func (h *HitList) Choose(i int) lazy.Position {
	position := h.hits().At(i).Position
	at, _ := h.s.hits.Find(position)
	h.s.shown = at + 1
	return position
}

// Settle updates the list of hits if one is shown, on height lines; shown is nil if none is. It
// returns work for the background, whose message is for Update, and a command.
func (p *Part) Settle(shown *HitList, height int, f Facts) (work func() tea.Msg, cmd tea.Cmd) {
	p.list = shown
	cmd = p.filtering()
	if shown == nil {
		return nil, cmd
	}
	shown.facts = f
	return shown.peekVisible(p.life, height), cmd
}

// hits returns the hits that the list shows.
func (h *HitList) hits() *Hits {
	if h.filter != nil {
		return &h.filter.passed
	}
	return &h.s.hits
}

// nothing explains why the list is empty.
func (h *HitList) nothing() string {
	switch {
	case h.filter != nil:
		return h.filter.nothing(h.s.hits.Len())
	case h.s.running():
		return "none yet"
	}
	return h.s.nothing(h.facts)
}

// filterBy filters the hits; a nil pattern shows all.
func (h *HitList) filterBy(p *pattern.Pattern) {
	h.filter = nil // Part.filtering stops the filtering under way
	if p != nil {
		h.filter = newHitFilter(p, h.s)
	}
}

// View draws the list: height lines of width cells.
func (h *HitList) View(width, height int, g *screen.Glyphs) []string {
	all := h.s.hits.Len()
	h.Title, h.After = h.s.least(h.facts)+screen.Plural(int64(all), "hit")+" of "+h.s.p.Name(40, g), ""
	switch {
	case h.s.running():
		h.Title += " so far, " + h.s.work.percent()
	case h.s.full:
		h.Title += ", the limit (" + h.s.work.percent() + " searched)"
	}
	if h.filter != nil {
		h.Title = screen.Grouped(int64(h.filter.passed.Len())) + " of " + h.Title
		h.After = h.filter.progress(all)
	}
	return h.List.View(width, height, g)
}

func (h *HitList) line(i int) list.Item {
	hit := h.hits().At(i)
	p, ok := h.seen[hit.Position]
	if !ok {
		p.text = h.facts.Spinner
	}
	g, event := h.facts.Glyphs, eventText(hit)
	at := 2 + h.number + 2
	pathAt := at + max(16, (h.facts.Width-at)*3/5)
	text := list.Cell{Text: p.text, Style: screen.Plain, At: at, Width: pathAt - at - 2, Lit: p.lit}
	if p.spans != nil {
		text.Spans, text.Of = p.spans, func(s format.Style) screen.Style { return screen.SpanStyle(s, p.class) }
	}
	if len(p.lit) > 0 {
		text.Skip = screen.Window(p.text, p.lit[0], 0, text.Width, g)
	}
	path := p.path
	if h.facts.Threads == 1 && len(path) > 1 {
		path = path[1:]
	}
	return list.Item{Cells: []list.Cell{
		{Text: event, Style: screen.Faint, At: at - 2 - len(event), Aside: true},
		text,
		{Text: nodetext.PathIn(path, h.facts.Width-pathAt-1, g), Style: screen.Faint, At: pathAt},
	}}
}

// eventText returns the number of a hit's event; a thread has none.
func eventText(h lazy.Hit) string {
	if h.At < 0 {
		return ""
	}
	return lazy.EventHandle(h.Event).String()
}

// peekVisible returns the work of reading the texts of the hits on the screen, or nil
// if there is none.
func (h *HitList) peekVisible(life context.Context, height int) func() tea.Msg {
	var want []lazy.Position
	from, to := h.Visible(height) // drawing has not seen the last key yet
	for i := from; i < to; i++ {
		hit := h.hits().At(i)
		h.number = max(h.number, len(eventText(hit)))
		p := hit.Position
		if _, ok := h.seen[p]; !ok {
			want = append(want, p)
		}
	}
	if len(want) == 0 || h.busy {
		return nil
	}
	h.busy = true
	return func() tea.Msg { return h.read(life, want) }
}

// readFor is how long texts are read before they are shown; the others on the screen follow.
const readFor = 8 * time.Millisecond

// read reads the texts of hits, as many as it can in a short time. It keeps nothing loaded.
func (h *HitList) read(ctx context.Context, want []lazy.Position) tea.Msg {
	t, got := h.tree(), make(map[lazy.Position]peek, len(want))
	began := h.now()
	for i, p := range want {
		if i > 0 && h.now().Sub(began) >= readFor {
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
	return peeked{h, got}
}

// peek returns what the list shows of a node.
func (h *HitList) peek(t *lazy.Tree, n *lazy.Node) peek {
	l := t.Lines([]lazy.Row{{Node: n, Parent: n.Parent(), Depth: n.Depth(), From: n.Position().At}}, false)[0]
	p := peek{text: l.Text, spans: l.Spans, class: l.Class, lit: h.s.p.Ranges([]byte(l.Text))}
	if len(p.lit) == 0 && !n.IsThread() {
		named := t.Named(n, false)
		p.lit = pattern.NameRanges(&named, h.s.p, len(l.Text))
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
	}
	return p
}

// peeked is the texts of some hits.
type peeked struct {
	h   *HitList
	got map[lazy.Position]peek
}

func (p peeked) apply(*Part, Facts) Outcome {
	p.h.busy = false
	if len(p.h.seen)+len(p.got) > maxPeeked {
		clear(p.h.seen)
	}
	for position, what := range p.got {
		p.h.seen[position] = what
	}
	return Outcome{}
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
