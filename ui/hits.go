package ui

import (
	"context"
	"slices"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/lazy"
)

// maxPeeked bounds the hits whose text is kept.
const maxPeeked = 4096

// hitList is the list of a search's hits. What a line says is read in the
// background, through a tree of its own, when it comes on the screen.
type hitList struct {
	list
	s    *search
	t    *lazy.Tree
	seen map[lazy.Place]peek
	busy bool

	least func() string // what stands before their number
}

// peek is what the list says of a hit.
type peek struct{ text, path string }

func (m *Model) listHits() tea.Cmd {
	s := m.search
	if s == nil || s.cancel == nil {
		m.say("no hits: / finds")
		return nil
	}
	h := &hitList{s: s, t: m.r.Tree(m.out.t.Folded()), seen: make(map[lazy.Place]peek), least: func() string { return s.least(m) }}
	h.list = list{
		hint: "Enter goes there",
		n:    func() int { return len(s.hits) },
		item: func(i int) item { return h.line(i, m) },
		choose: func(m *Model, i int) tea.Cmd {
			m.visit()
			s.shown = i + 1
			return m.show(s.hits[i].Place)
		},
		sel:   max(0, s.shown-1),
		among: h.known,
		none:  "of the hits that were on the screen, none contains",
	}
	m.overlay = h
	return nil
}

// known returns the hits whose text has been read: there may be a million,
// and to read them all for a filter would take as long as the search.
func (h *hitList) known() []int {
	var read []int
	for p := range h.seen {
		i, ok := slices.BinarySearchFunc(h.s.hits, p, func(hit lazy.Hit, p lazy.Place) int { return compare(hit.Place, p) })
		if ok {
			read = append(read, i)
		}
	}
	slices.Sort(read)
	return read
}

func (h *hitList) View(width, height int, g *glyphs) []string {
	h.title = h.least() + plural(int64(len(h.s.hits)), "hit") + " of /" + h.s.p.source
	if h.s.running() {
		h.title += " so far, " + percent(h.s.done, h.s.total)
	}
	return h.list.View(width, height, g)
}

func (h *hitList) line(i int, m *Model) item {
	hit := h.s.hits[i]
	p, ok := h.seen[hit.Place]
	if !ok {
		p.text = m.spinner()
	}
	half := max(24, m.width*3/5)
	return item{cells: []cell{
		{text: grouped(int64(hit.Event)), s: faint, at: 2},
		{text: cutEnd(p.text, half-14, m.g), s: plain, at: 14},
		{text: p.path, s: faint, at: half + 2},
	}}
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
		p := h.s.hits[h.index(i)].Place
		if _, ok := h.seen[p]; !ok {
			want = append(want, p)
		}
	}
	if len(want) == 0 {
		return nil
	}
	h.busy = true
	life, name := m.life, m.shortName
	e, cmd := m.soon(func() effect { return h.read(life, want, name) })
	if e != nil {
		return e.apply(m)
	}
	return cmd
}

// read reads what hits say. It keeps nothing loaded.
func (h *hitList) read(ctx context.Context, want []lazy.Place, name func(*lazy.Node) string) effect {
	got := make(map[lazy.Place]peek, len(want))
	for _, p := range want {
		n, err := h.t.Reveal(ctx, p)
		if err != nil {
			got[p] = peek{text: describe(err)}
			continue
		}
		var path []string
		for up := n.Parent(); up != nil && len(path) < 8; up = up.Parent() {
			path = append(path, name(up))
		}
		got[p] = peek{string(h.t.AppendText(nil, n, false)), strings.Join(path, " < ")}
	}
	for _, n := range h.t.Threads() {
		h.t.Forget(n)
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
