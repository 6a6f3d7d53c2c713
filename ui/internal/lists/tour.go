package lists

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/env"
	"tracex/ui/internal/keys"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/search"
	"tracex/ui/internal/theme"
	"tracex/ui/internal/tree"
)

// Tour is the tour of the keys. Using the command of a stage completes it; all other keys work meanwhile.
type Tour struct {
	env  *env.Env
	tree *tree.Tree
	on   bool
	at   int // the stage
}

// NewTour returns the tour, which begins if on is set.
func NewTour(e *env.Env, t *tree.Tree, on bool) *Tour { return &Tour{env: e, tree: t, on: on} }

// seen is the effect of a key.
type seen struct {
	container bool // the cursor is on a node that may have children
	expanded  bool // and its children are shown
	hits      bool // the list of hits is shown
	arrived   bool // the work that it started has led somewhere
}

type stage struct {
	command keys.Name       // ends the stage
	text    string          // %s are the keys of that command; a name in braces is the key of another
	done    func(seen) bool // whether the key did what the stage is about; nil for always
}

var stages = []stage{
	{command: keys.Down, text: "This is what a program did, call by call. %s moves down: try it."},
	{command: keys.Expand, text: "%s expands a call that has a mark before it: what it did appears below. {collapse} collapses it again. The line at the top shows where you are.",
		done: func(s seen) bool { return s.container && s.expanded }},
	{command: keys.ExpandLevel, text: "%s expands one more level, here and below. Press it on a row further up, too.",
		done: func(s seen) bool { return s.container }},
	{command: keys.Longest, text: "%s goes to the longest child (in a trace without times, the largest). Press it again to follow where the time went.",
		done: func(s seen) bool { return s.arrived }},
	{command: keys.Details, text: "%s shows everything about a row: arguments with their types, the result, its times, its place in the source. {details-down} scrolls down."},
	{command: keys.Search, text: "%s searches the whole trace, loaded or not: type part of a name or value, then Enter."},
	{command: keys.Hits, text: "{next-hit} goes to the next hit, and %s lists all hits: Enter goes to one. {back} brings you back to where you were.",
		done: func(s seen) bool { return s.hits }},
	{command: keys.Help, text: "%s lists all keys, then how to find a slow call ({top}), a wrong value ({history}) and an exception ({throws}). {quit} quits."},
}

func (t *Tour) On() bool { return t.on }

// End ends the tour, and reports whether it was on.
func (t *Tour) End() bool {
	was := t.on
	t.on = false
	return was
}

// Command returns the command that ends the current stage; "" if the tour is over.
func (t *Tour) Command() keys.Name {
	if !t.on {
		return ""
	}
	return stages[t.at].command
}

// Did tells the tour that a command ran.
func (t *Tour) Did(c keys.Name) {
	var s seen
	_, s.hits = t.env.Front.List().(*search.HitList)
	if n := t.tree.Out.Cursor.Node; n != nil && !n.Leaf() {
		s.container, s.expanded = true, t.tree.Out.Tree.IsExpanded(n)
	}
	t.did(c, s)
}

// did notes that a command ran, and its effect.
func (t *Tour) did(c keys.Name, seen seen) {
	if c == t.Command() && (stages[t.at].done == nil || stages[t.at].done(seen)) {
		t.at++
		t.on = t.at < len(stages)
	}
}

// Largest goes to the longest or largest child, and tells the tour.
func (t *Tour) Largest(n int) tea.Cmd {
	return t.tree.Jobs.Largest(n, func() { t.did(keys.Longest, seen{arrived: true}) })
}

// lines returns the text of the current stage, wrapped.
func (t *Tour) lines(width int) (lines []string) {
	g := t.env.Glyphs
	names := keys.ActionKey(string(t.Command()), g)
	if c := t.env.Keyboard.Keys.Named(t.Command()); len(c.Key.Keys()) > 0 {
		names = c.Key.Help().Key
	}
	text := strings.Replace(t.env.Keyboard.Keys.Fill(stages[t.at].text), "%s", names, 1)
	for text != "" {
		head, rest := g.TakeWords(text, width-4)
		if head == "" {
			return nil // no room, or the width is not known yet
		}
		lines = append(lines, head)
		text = rest
	}
	return lines
}

// Height returns how many lines View needs in width cells; 0 if the tour is over.
func (t *Tour) Height(width int) int {
	if !t.on {
		return 0
	}
	return 1 + len(t.lines(width))
}

// View draws the tour: height lines of width cells.
func (t *Tour) View(width, height int) []string {
	g := t.env.Glyphs
	title := fmt.Sprintf(" tour %d of %d %s Esc leaves it ", t.at+1, len(stages), g.Dot)
	lines := []string{screen.Titled(title, "", width, g)}
	for _, text := range t.lines(width) {
		lines = append(lines, screen.NewLine(width, g).Put("  "+text, theme.Bold).End())
	}
	return screen.Fill(lines, width, height, g)
}
