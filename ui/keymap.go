package ui

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
)

// action is what a part asks for. It runs on Bubble Tea's goroutine.
type action func(m *Model) tea.Cmd

// binding is a line of the key map: keys, what they do, and the text of the help.
type binding struct {
	keys  []string // as Bubble Tea names them
	group string
	help  string
	brief string // for the bottom line; "" if not shown there
	// do runs with the number typed before the key, 0 if none was.
	do func(m *Model, n int) tea.Cmd
}

const (
	groupMove   = "Move"
	groupTree   = "Expand and collapse"
	groupFind   = "Find and go"
	groupScreen = "Screen"
	groupOther  = "Other"
)

// bindings is the key map, the only place that defines the keys. Help, the bottom line and the
// tour are made from it.
func bindings() []binding {
	return []binding{
		{[]string{"down", "j", "ctrl+n"}, groupMove, "down; 5j: five rows", "", times(func(n int) outline.Goal { return outline.Steps(n) })},
		{[]string{"up", "k", "ctrl+p"}, groupMove, "up", "", times(func(n int) outline.Goal { return outline.Steps(-n) })},
		{[]string{"pgdown", "ctrl+f", "f"}, groupMove, "a screen down", "", screens(1)},
		{[]string{"pgup", "ctrl+b", "b"}, groupMove, "a screen up", "", screens(-1)},
		{[]string{"ctrl+d"}, groupMove, "half a screen down", "", halves(1)},
		{[]string{"ctrl+u"}, groupMove, "half a screen up", "", halves(-1)},
		{[]string{"ctrl+e"}, groupMove, "scroll a line down", "", scrolls(1)},
		{[]string{"ctrl+y"}, groupMove, "scroll a line up", "", scrolls(-1)},
		{[]string{"home", "g"}, groupMove, "first row; 100g: row 100", "", (*Model).first},
		{[]string{"end", "G"}, groupMove, "last row; 100G: row 100", "", (*Model).last},
		{[]string{"F"}, groupMove, "follow a growing trace (like tail -f), or stop", "follow", (*Model).toggleFollow},
		{[]string{"J"}, groupMove, "next sibling", "", (*Model).nextSibling},
		{[]string{"K"}, groupMove, "previous sibling", "", (*Model).prevSibling},
		{[]string{"tab"}, groupMove, "next thread", "", func(m *Model, n int) tea.Cmd { return m.thread(max(1, n)) }},
		{[]string{"shift+tab"}, groupMove, "previous thread", "", func(m *Model, n int) tea.Cmd { return m.thread(-max(1, n)) }},
		{[]string{"t"}, groupMove, "list of threads; s there: by name, duration or calls", "", func(m *Model, _ int) tea.Cmd { return m.listThreads() }},

		{[]string{"right", "l"}, groupTree, "expand, or go to the first child; at a leaf: scroll right", "", (*Model).right},
		{[]string{"left", "h"}, groupTree, "collapse, or go to the parent", "", (*Model).left},
		{[]string{"enter", "space"}, groupTree, "expand or collapse", "", (*Model).toggle},
		{[]string{"e"}, groupTree, "expand one more level; 3e: to depth 3", "", (*Model).expandOne},
		{[]string{"E"}, groupTree, "expand all below it (Esc stops)", "", (*Model).expandAll},
		{[]string{"c"}, groupTree, "collapse it and all below", "", (*Model).collapse},
		{[]string{"C"}, groupTree, "collapse everything", "", (*Model).collapseAll},
		{[]string{"x"}, groupTree, "unload the subtree, to free memory", "unload", (*Model).forget},
		{[]string{"s"}, groupTree, "sort children (collapsed: siblings) by duration, or back", "sort", (*Model).sort},
		{[]string{"r"}, groupTree, "raw or folded: with or without what compilers add", "raw", (*Model).toggleRaw},

		{[]string{"/"}, groupFind, "search; Ctrl-R there: regular expression; smart case", "find", (*Model).askSearch},
		{[]string{"n"}, groupFind, "next hit", "", (*Model).nextHit},
		{[]string{"N"}, groupFind, "previous hit", "", (*Model).prevHit},
		{[]string{"H"}, groupFind, "list of hits", "hits", func(m *Model, _ int) tea.Cmd { return m.listHits() }},
		{[]string{"L"}, groupFind, "longest child, without times the largest; 3L: three levels", "longest", (*Model).largest},
		{[]string{"*"}, groupFind, "next call of the same method", "", func(m *Model, _ int) tea.Cmd { return m.sameName(1) }},
		{[]string{"#"}, groupFind, "previous call of the same method", "", func(m *Model, _ int) tea.Cmd { return m.sameName(-1) }},
		{[]string{":"}, groupFind, "go to an event (:1204), a place (:50%), a thread (:t3)", "go to", (*Model).askPlace},
		{[]string{"["}, groupFind, "back to where you were", "", (*Model).back},
		{[]string{"]"}, groupFind, "forward again", "", (*Model).forth},

		{[]string{"d"}, groupScreen, "details of the row", "details", (*Model).toggleDetails},
		{[]string{"}"}, groupScreen, "scroll the details down", "", func(m *Model, n int) tea.Cmd { return m.scrollDetails(max(1, n)) }},
		{[]string{"{"}, groupScreen, "scroll the details up", "", func(m *Model, n int) tea.Cmd { return m.scrollDetails(-max(1, n)) }},
		{[]string{">"}, groupScreen, "scroll lines to the right", "", func(m *Model, n int) tea.Cmd { return m.shift(8 * max(1, n)) }},
		{[]string{"<"}, groupScreen, "scroll lines to the left", "", func(m *Model, n int) tea.Cmd { return m.shift(-8 * max(1, n)) }},
		{[]string{"ctrl+l"}, groupScreen, "redraw the screen", "", (*Model).redraw},
		{[]string{"v"}, groupScreen, "show file and line of each row", "", (*Model).toggleWide},

		{[]string{"o"}, groupOther, "open the source in $EDITOR (see --source)", "", (*Model).openEditor},
		{[]string{"y"}, groupOther, "copy the row", "", (*Model).copyRow},
		{[]string{"Y"}, groupOther, "copy the path to it", "", (*Model).copyPath},
		{[]string{"esc"}, groupOther, "stop what is running; go back", "", (*Model).escape},
		{[]string{"?", "f1"}, groupOther, "these keys", "keys", (*Model).help},
		{[]string{"ctrl+z"}, groupOther, "suspend; fg resumes", "", (*Model).suspend},
		{[]string{"q", "ctrl+c"}, groupOther, "quit", "quit", func(*Model, int) tea.Cmd { return tea.Quit }},
	}
}

// find returns the binding of a key.
func find(keys []binding, key string) *binding {
	for i := range keys {
		for _, k := range keys[i].keys {
			if k == key {
				return &keys[i]
			}
		}
	}
	return nil
}

// names spells all keys of a binding.
func (b *binding) names(g *screen.Glyphs) string {
	var names []string
	for _, k := range b.keys {
		names = append(names, screen.KeyName(k, g))
	}
	return strings.Join(names, " ")
}

// times makes a key of a move that is repeated as often as the number before it says.
func times(g func(n int) outline.Goal) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return m.aim(g(max(1, n))) }
}

func screens(dir int) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return m.aim(outline.Pages(dir * max(1, n) * max(1, m.out.Height-1))) }
}

func halves(dir int) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd {
		if n == 0 {
			n = max(1, m.out.Height/2)
		}
		return m.aim(outline.Pages(dir * n))
	}
}

func scrolls(dir int) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return m.aim(m.out.Scroll(dir * max(1, n))) }
}
