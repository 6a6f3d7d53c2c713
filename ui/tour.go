package ui

import (
	"fmt"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/screen"
)

// tour leads through the keys in a few steps. A step is done when its key is
// used; all other keys work meanwhile, and Esc leaves the tour at any time.
type tour struct {
	at int
}

type step struct {
	key  string // of the key map: what ends the step
	text string
	done func(m *Model) bool // whether the key did what the step is about; nil: always
	// later says that the key begins work, which ends the step when it has led
	// somewhere: see arrived.
	later bool
}

var tourSteps = []step{
	{key: "down", text: "This is what a program did, call by call. %s moves down: try it."},
	{key: "right", text: "%s expands a call that has a mark before it: what it did appears below it. h collapses it again. The line at the top says where you are.",
		done: func(m *Model) bool {
			n := m.out.cursor.Node
			return n != nil && !n.Leaf() && m.out.t.IsExpanded(n)
		}},
	{key: "e", text: "%s expands one more level, here and below. Press it on a row further up, too.",
		done: func(m *Model) bool {
			n := m.out.cursor.Node
			return n != nil && !n.Leaf()
		}},
	{key: "L", text: "%s goes to the heaviest child: the longest, or without times the largest. Press it again to follow where the time went.",
		later: true},
	{key: "d", text: "%s shows all about a row: arguments with their types, the result, its times, where it is in the source; } scrolls what has no room."},
	{key: "/", text: "%s finds: type a part of a name or value, then Enter. It looks in what is not loaded, too."},
	{key: "H", text: "n goes to the next hit, and %s lists all hits: Enter goes to one. [ brings you back to where you were.",
		done: func(m *Model) bool {
			return m.hitList() != nil
		}},
	{key: "?", text: "%s lists all keys, and q quits."},
}

// did notes that a key was used.
func (t *tour) did(m *Model, b *binding) tea.Cmd {
	if t == nil || t.at >= len(tourSteps) {
		return nil
	}
	if s := tourSteps[t.at]; find(m.keys, s.key) == b && !s.later && (s.done == nil || s.done(m)) {
		t.next(m)
	}
	return nil
}

// arrived notes that the work that a key began has led somewhere.
func (t *tour) arrived(m *Model, key string) {
	if t == nil || t.at >= len(tourSteps) {
		return
	}
	if s := tourSteps[t.at]; s.later && s.key == key {
		t.next(m)
	}
}

func (t *tour) next(m *Model) {
	if t.at++; t.at == len(tourSteps) {
		m.tour = nil
	}
}

// lines are the text of the current step, wrapped.
func (t *tour) lines(m *Model) []string {
	if t.at >= len(tourSteps) {
		return nil
	}
	s := tourSteps[t.at]
	text := fmt.Sprintf(s.text, find(m.keys, s.key).names(m.g))
	var lines []string
	for text != "" {
		head, rest := screen.TakeWords(text, m.width-4, m.g.ASCII)
		lines = append(lines, head)
		text = rest
	}
	return lines
}

// view draws the tour: height lines.
func (t *tour) view(m *Model, height int) []string {
	title := fmt.Sprintf(" tour %d of %d %s Esc leaves it ", t.at+1, len(tourSteps), m.g.Dot)
	lines := []string{screen.Titled(title, "", m.width, m.g)}
	for _, text := range t.lines(m) {
		lines = append(lines, screen.NewLine(m.width, m.g).Put("  "+text, screen.Bold).End())
	}
	for len(lines) < height {
		lines = append(lines, screen.NewLine(m.width, m.g).End())
	}
	return lines[:height]
}
