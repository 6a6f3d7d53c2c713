package ui

import (
	"context"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// maxPeeked bounds the hits whose text is kept.
const maxPeeked = 4096

// hitList is the list of a search's hits. What a line says is read in the
// background, through a tree of its own, when it comes on the screen. A filter
// looks at all of them: see sift.
type hitList struct {
	list
	s      *search
	folded bool              // the view that was searched
	tree   func() *lazy.Tree // made when the first lines are read
	seen   map[lazy.Place]peek
	busy   bool
	sift   *sift // of the filter; nil: there is none

	least func() string // what stands before their number
}

// peek is what the list says of a hit.
type peek struct{ text, path string }

func (m *Model) listHits() tea.Cmd {
	s := m.search
	if s == nil || s.cancel == nil {
		m.say(noSearch)
		return nil
	}
	s.takeOther()
	if s.ended && s.err == nil && s.hits.len() == 0 && !s.outgrown(m) {
		m.say(s.nothing(m))
		return nil
	}
	r, folded := m.r, m.out.t.Folded()
	h := &hitList{s: s, folded: folded, seen: make(map[lazy.Place]peek), least: func() string { return s.least(m) }}
	h.tree = sync.OnceValue(func() *lazy.Tree { return r.Tree(folded) })
	h.list = list{
		hint: "Enter goes there",
		n:    func() int { return h.hits().len() },
		item: func(i int) item { return h.line(i, m) },
		choose: func(m *Model, i int) tea.Cmd {
			m.visit()
			p := h.hits().at(i).Place
			at, _ := s.hits.find(p)
			s.shown = at + 1
			return m.show(p)
		},
		sel:  max(0, s.shown-1),
		sift: h.filterBy,
		none: func() string { return h.nothing(m) },
	}
	m.overlay = h
	return nil
}

// hits are those that the list shows.
func (h *hitList) hits() *hitSet {
	if h.sift != nil {
		return &h.sift.passed
	}
	return &h.s.hits
}

// nothing says why the list is empty.
func (h *hitList) nothing(m *Model) string {
	switch {
	case h.sift != nil:
		return h.sift.nothing(h.s.hits.len())
	case h.s.running():
		return "none yet"
	}
	return h.s.nothing(m)
}

// moved keeps the choice on its hit where others came before it.
func (h *hitList) moved(first, by int) {
	if by > 0 && h.sel >= first {
		h.sel, h.top = h.sel+by, h.top+by
	}
}

// filterBy filters the hits; nil: shows all.
func (h *hitList) filterBy(p *pattern.Pattern) {
	h.sift = nil // Model.siftHits ends what is under way
	if p != nil {
		h.sift = newSift(p, h.s)
	}
}

func (h *hitList) View(width, height int, g *screen.Glyphs) []string {
	all := h.s.hits.len()
	h.title, h.after = h.least()+screen.Plural(int64(all), "hit")+" of "+h.s.p.Name(40, g), ""
	switch {
	case h.s.running():
		h.title += " so far, " + screen.Percent(h.s.done, h.s.total)
	case h.s.full:
		h.title += ", the limit (" + screen.Percent(h.s.done, h.s.total) + " searched)"
	}
	if h.sift != nil {
		h.title = screen.Grouped(int64(h.sift.passed.len())) + " of " + h.title
		h.after = h.sift.progress(all)
	}
	return h.list.View(width, height, g)
}

func (h *hitList) line(i int, m *Model) item {
	hit := h.hits().at(i)
	p, ok := h.seen[hit.Place]
	if !ok {
		p.text = m.spinner()
	}
	half := max(24, m.width*3/5)
	return item{cells: []cell{
		{text: eventText(hit), s: screen.Faint, at: 2, aside: true},
		{text: screen.CutEnd(p.text, half-14, m.g), s: screen.Plain, at: 14},
		{text: p.path, s: screen.Faint, at: half + 2},
	}}
}

// eventText is the number of a hit's event; a thread has none.
func eventText(h lazy.Hit) string {
	if h.At < 0 {
		return ""
	}
	return screen.Grouped(int64(h.Event))
}

// peekVisible asks for what the hits on the screen say.
func (m *Model) peekVisible() tea.Cmd {
	h, ok := m.overlay.(*hitList)
	if !ok || h.busy {
		return nil
	}
	// Drawing has not seen the last key yet.
	h.settle(m.overlayHeight(m.layout()))
	var want []lazy.Place
	for i := h.top; i < min(h.count(), h.top+h.height); i++ {
		p := h.hits().at(i).Place
		if _, ok := h.seen[p]; !ok {
			want = append(want, p)
		}
	}
	if len(want) == 0 {
		return nil
	}
	h.busy = true
	life := m.life
	e, cmd := m.soon(func() effect { return h.read(life, want) })
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// read reads what hits say. It keeps nothing loaded.
func (h *hitList) read(ctx context.Context, want []lazy.Place) effect {
	t, got := h.tree(), make(map[lazy.Place]peek, len(want))
	for _, p := range want {
		n, err := t.Reveal(ctx, p)
		if err != nil {
			got[p] = peek{text: screen.ErrorLine(err)}
			continue
		}
		var path []byte
		for up, i := n.Parent(), 0; up != nil && i < lazy.PathLength; up, i = up.Parent(), i+1 {
			if i > 0 {
				path = append(path, lazy.PathSep...)
			}
			path = t.AppendName(path, up)
		}
		got[p] = peek{string(t.AppendText(nil, n, false)), string(path)}
	}
	for _, p := range want {
		if n, _ := t.Thread(p.Thread); n != nil {
			t.Forget(n)
		}
	}
	return peeked{h, got}
}

// peeked is what some hits say.
type peeked struct {
	h   *hitList
	got map[lazy.Place]peek
}

func (p peeked) apply(m *Model) tea.Cmd {
	p.h.busy = false
	if len(p.h.seen)+len(p.got) > maxPeeked {
		clear(p.h.seen)
	}
	for place, what := range p.got {
		p.h.seen[place] = what
	}
	return nil
}
