package ui

import (
	"cmp"
	"strings"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/job"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

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
		{[]string{"home", "g"}, groupMove, "first row; 100g: row 100", "", onTree((*tree.Part).First)},
		{[]string{"end", "G"}, groupMove, "last row; 100G: row 100", "", onTree((*tree.Part).Last)},
		{[]string{"F"}, groupMove, "follow a growing trace (like tail -f), or stop", "follow", (*Model).toggleFollow},
		{[]string{"J"}, groupMove, "next sibling", "", siblings(1)},
		{[]string{"K"}, groupMove, "previous sibling", "", siblings(-1)},
		{[]string{"tab"}, groupMove, "next thread", "", otherThread(1)},
		{[]string{"shift+tab"}, groupMove, "previous thread", "", otherThread(-1)},
		{[]string{"t"}, groupMove, "list of threads; s there: by name, duration or calls", "", (*Model).listThreads},

		{[]string{"right", "l"}, groupTree, "expand, or go to the first child; at a leaf: scroll right", "", onTree((*tree.Part).Right)},
		{[]string{"left", "h"}, groupTree, "collapse, or go to the parent", "", onTree((*tree.Part).Left)},
		{[]string{"enter", "space"}, groupTree, "expand or collapse", "", onTree((*tree.Part).Toggle)},
		{[]string{"e"}, groupTree, "expand one more level; 3e: to depth 3", "", func(m *Model, n int) tea.Cmd { return m.jobs.Expand(cmp.Or(n, 2)) }},
		{[]string{"E"}, groupTree, "expand everything below the row (Esc stops)", "", func(m *Model, _ int) tea.Cmd { return m.jobs.Expand(0) }},
		{[]string{"c"}, groupTree, "collapse the row and everything below it", "", onTree((*tree.Part).Collapse)},
		{[]string{"C"}, groupTree, "collapse everything", "", onTree((*tree.Part).CollapseAll)},
		{[]string{"x"}, groupTree, "unload the subtree, to free memory", "unload", onTree((*tree.Part).Unload)},
		{[]string{"s"}, groupTree, "sort children by duration, or undo; if collapsed: siblings", "sort", asJob((*job.Part).Sort)},
		{[]string{"r"}, groupTree, "raw or folded: with or without compiler-generated events", "raw", asJob((*job.Part).ToggleRaw)},

		{[]string{"/"}, groupFind, "search; Ctrl-R there: regular expression; smart case", "find", (*Model).askSearch},
		{[]string{"n"}, groupFind, "next hit", "", func(m *Model, n int) tea.Cmd { return m.hit(1, n) }},
		{[]string{"N"}, groupFind, "previous hit", "", func(m *Model, n int) tea.Cmd { return m.hit(-1, n) }},
		{[]string{"H"}, groupFind, "list of hits", "hits", (*Model).listHits},
		{[]string{"L"}, groupFind, "longest child, without times the largest; 3L: three levels", "longest", (*Model).largest},
		{[]string{"*"}, groupFind, "next call of the same method", "", func(m *Model, _ int) tea.Cmd { return m.sameName(1) }},
		{[]string{"#"}, groupFind, "previous call of the same method", "", func(m *Model, _ int) tea.Cmd { return m.sameName(-1) }},
		{[]string{":"}, groupFind, "go to an event (:1204), a position (:50%), a thread (:t3)", "go to", (*Model).askAddress},
		{[]string{"["}, groupFind, "back to where you were", "", asJob((*job.Part).Back)},
		{[]string{"]"}, groupFind, "forward again", "", asJob((*job.Part).Forward)},

		{[]string{"d"}, groupScreen, "details of the row", "details", toggleDetails},
		{[]string{"}"}, groupScreen, "scroll the details down", "", scrollDetails(1)},
		{[]string{"{"}, groupScreen, "scroll the details up", "", scrollDetails(-1)},
		{[]string{">"}, groupScreen, "scroll lines to the right", "", shift(8)},
		{[]string{"<"}, groupScreen, "scroll lines to the left", "", shift(-8)},
		{[]string{"ctrl+l"}, groupScreen, "redraw the screen", "", redraw},
		{[]string{"v"}, groupScreen, "show file and line of each row", "", onTree((*tree.Part).ToggleWide)},

		{[]string{"o"}, groupOther, "open the source in $EDITOR (see --source)", "", func(m *Model, _ int) tea.Cmd { return m.code.Edit(m.tree.Out.Cursor.Node) }},
		{[]string{"y"}, groupOther, "copy the row", "", (*Model).copyRow},
		{[]string{"Y"}, groupOther, "copy the path to the row", "", (*Model).copyPath},
		{[]string{"esc"}, groupOther, "stop a running task, or close tour, search or details", "", (*Model).escape},
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

// onTree makes a key of a method of the tree.
func onTree(do func(t *tree.Part, n int) tea.Cmd) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return do(m.tree, n) }
}

// asJob makes a key of a method that starts a job.
func asJob(do func(j *job.Part, n int) tea.Cmd) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return do(m.jobs, n) }
}

// times makes a key of a move that is repeated as often as the number before it says.
func times(g func(n int) outline.Goal) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return m.tree.Aim(g(max(1, n))) }
}

func screens(dir int) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd {
		return m.tree.Aim(outline.Pages(dir * max(1, n) * max(1, m.tree.Out.Height-1)))
	}
}

func halves(dir int) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd {
		if n == 0 {
			n = max(1, m.tree.Out.Height/2)
		}
		return m.tree.Aim(outline.Pages(dir * n))
	}
}

func scrolls(dir int) func(*Model, int) tea.Cmd {
	return times(func(n int) outline.Goal { return outline.Scroll(dir * n) })
}

func siblings(dir int) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return m.tree.Siblings(dir * max(1, n)) }
}

func otherThread(dir int) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return m.tree.Threads(dir * max(1, n)) }
}

func shift(cells int) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd {
		m.tree.Out.Shift(cells * max(1, n))
		return nil
	}
}

func toggleDetails(m *Model, _ int) tea.Cmd {
	m.details.Toggle()
	return nil
}

func scrollDetails(dir int) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd {
		m.details.Scroll(dir * max(1, n))
		return nil
	}
}
