// Package tour leads through the keys in a few stages.
package tour

import (
	"fmt"
	"regexp"
	"strings"

	"tracex/ui/internal/screen"
)

// Tour is the user's position in the tour. Using the action of a stage completes it; all other keys
// work meanwhile. Its methods may be called on nil, a tour that is over.
type Tour struct{ at int }

// Seen is the effect of a key.
type Seen struct {
	Container bool // the cursor is on a node that may have children
	Expanded  bool // and its children are shown
	Hits      bool // the list of hits is shown
}

type stage struct {
	action string          // of the key map, which ends the stage
	text   string          // %s are the keys of that action; a name in braces is the key of another
	done   func(Seen) bool // whether the key did what the stage is about; nil for always
	// later means that the key starts work, and the stage ends when that has led
	// somewhere: see Arrived.
	later bool
}

var stages = []stage{
	{action: "down", text: "This is what a program did, call by call. %s moves down: try it."},
	{action: "expand", text: "%s expands a call that has a mark before it: what it did appears below. {collapse} collapses it again. The line at the top shows where you are.",
		done: func(s Seen) bool { return s.Container && s.Expanded }},
	{action: "expand-level", text: "%s expands one more level, here and below. Press it on a row further up, too.",
		done: func(s Seen) bool { return s.Container }},
	{action: "longest", text: "%s goes to the longest child (in a trace without times, the largest). Press it again to follow where the time went.",
		later: true},
	{action: "details", text: "%s shows everything about a row: arguments with their types, the result, its times, its place in the source. {details-down} scrolls down."},
	{action: "search", text: "%s searches the whole trace, loaded or not: type part of a name or value, then Enter."},
	{action: "hits", text: "{next-hit} goes to the next hit, and %s lists all hits: Enter goes to one. {back} brings you back to where you were.",
		done: func(s Seen) bool { return s.Hits }},
	{action: "help", text: "%s lists all keys, then how to find a slow call ({top}), a wrong value ({history}) and an exception ({throws}). {quit} quits."},
}

// Actions returns the actions of the key map that end the stages, in their order.
func Actions() (actions []string) {
	for _, s := range stages {
		actions = append(actions, s.action)
	}
	return actions
}

// Action returns the action that ends the current stage; "" if the tour is over.
func (t *Tour) Action() string {
	if t == nil || t.at >= len(stages) {
		return ""
	}
	return stages[t.at].action
}

// Did notes that the key of the current stage was used, and its effect. It reports whether
// the tour is over.
func (t *Tour) Did(seen Seen) (over bool) {
	if t.Action() == "" {
		return t != nil
	}
	if s := stages[t.at]; !s.later && (s.done == nil || s.done(seen)) {
		t.at++
	}
	return t.at == len(stages)
}

// Arrived notes that the work started by an action has led somewhere. It reports whether
// the tour is over.
func (t *Tour) Arrived(action string) (over bool) {
	if t.Action() == action && action != "" && stages[t.at].later {
		t.at++
	}
	return t != nil && t.at == len(stages)
}

// other is the name of an action in the text of a stage.
var other = regexp.MustCompile(`\{[a-z-]+\}`)

// Height returns how many lines View needs in width cells. names are the names of the stage's
// key, as the user reads them.
func (t *Tour) Height(names string, width int, g *screen.Glyphs) int {
	return 1 + len(t.lines(names, width, g))
}

// lines returns the text of the current stage, wrapped.
func (t *Tour) lines(names string, width int, g *screen.Glyphs) (lines []string) {
	if t.Action() == "" {
		return nil
	}
	text := other.ReplaceAllStringFunc(stages[t.at].text, func(name string) string {
		return screen.ActionKey(strings.Trim(name, "{}"), g)
	})
	text = strings.Replace(text, "%s", names, 1)
	for text != "" {
		head, rest := screen.TakeWords(text, width-4, g.ASCII)
		if head == "" {
			return nil // no room, or the width is not known yet
		}
		lines = append(lines, head)
		text = rest
	}
	return lines
}

// View draws the tour: height lines of width cells.
func (t *Tour) View(names string, width, height int, g *screen.Glyphs) []string {
	title := fmt.Sprintf(" tour %d of %d %s Esc leaves it ", t.at+1, len(stages), g.Dot)
	lines := []string{screen.Titled(title, "", width, g)}
	for _, text := range t.lines(names, width, g) {
		lines = append(lines, screen.NewLine(width, g).Put("  "+text, screen.Bold).End())
	}
	for len(lines) < height {
		lines = append(lines, screen.NewLine(width, g).End())
	}
	return lines[:height]
}
