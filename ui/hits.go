package ui

import (
	"context"
	"sync"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
	"tracex/ui/internal/list"
	"tracex/ui/internal/pattern"
	"tracex/ui/internal/screen"
)

// maxPeeked bounds the hits whose text is kept.
const maxPeeked = 4096

// hitList is the list of a search's hits. What a line says is read in the
// background, through a tree of its own, when it comes on the screen. A filter
// looks at all of them: see sift.
type hitList struct {
	list.List
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
	h.List = list.List{
		Keys:      "Enter goes there",
		Len:       func() int { return h.hits().len() },
		Item:      func(i int) list.Item { return h.line(i, m) },
		Choosable: true,
		Sift:      h.filterBy,
		None:      func() string { return h.nothing(m) },
	}
	h.Select(max(0, s.shown-1))
	m.overlay = &opened{h, func(m *Model, i int) tea.Cmd {
		m.visit()
		p := h.hits().at(i).Place
		at, _ := s.hits.find(p)
		s.shown = at + 1
		return m.show(p)
	}}
	return nil
}

// hitList is the list of hits, while that is shown; else nil.
func (m *Model) hitList() *hitList {
	if m.overlay == nil {
		return nil
	}
	h, _ := m.overlay.overlay.(*hitList)
	return h
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

// filterBy filters the hits; nil: shows all.
func (h *hitList) filterBy(p *pattern.Pattern) {
	h.sift = nil // Model.siftHits ends what is under way
	if p != nil {
		h.sift = newSift(p, h.s)
	}
}

func (h *hitList) View(width, height int, g *screen.Glyphs) []string {
	all := h.s.hits.len()
	h.Title, h.After = h.least()+screen.Plural(int64(all), "hit")+" of "+h.s.p.Name(40, g), ""
	switch {
	case h.s.running():
		h.Title += " so far, " + screen.Percent(h.s.done, h.s.total)
	case h.s.full:
		h.Title += ", the limit (" + screen.Percent(h.s.done, h.s.total) + " searched)"
	}
	if h.sift != nil {
		h.Title = screen.Grouped(int64(h.sift.passed.len())) + " of " + h.Title
		h.After = h.sift.progress(all)
	}
	return h.List.View(width, height, g)
}

func (h *hitList) line(i int, m *Model) list.Item {
	hit := h.hits().at(i)
	p, ok := h.seen[hit.Place]
	if !ok {
		p.text = m.spinner()
	}
	half := max(24, m.width*3/5)
	return list.Item{Cells: []list.Cell{
		{Text: eventText(hit), Style: screen.Faint, At: 2, Aside: true},
		{Text: screen.CutEnd(p.text, half-14, m.g), Style: screen.Plain, At: 14},
		{Text: p.path, Style: screen.Faint, At: half + 2},
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
	h := m.hitList()
	if h == nil || h.busy {
		return nil
	}
	var want []lazy.Place
	from, to := h.Visible(m.overlayHeight(m.layout())) // drawing has not seen the last key yet
	for i := from; i < to; i++ {
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
