package ui

import (
	"strings"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"

	"tracex/ui/internal/job"
	"tracex/ui/internal/outline"
	"tracex/ui/internal/screen"
	"tracex/ui/internal/tree"
)

// binding is a line of the key map: keys, what they do, and the text of the help.
type binding struct {
	name  string   // of the action, for users: lower-case words with hyphens; never change one
	keys  []string // as Bubble Tea names them
	group string
	help  string // {} is the key that a number is typed before
	brief string // for the bottom line; "" if not shown there
	// do runs with the number typed before the key, 0 if none was.
	do func(m *Model, n int) tea.Cmd
}

const (
	groupMove   = "Move"
	groupTree   = "Expand and collapse"
	groupFind   = "Find and go"
	groupAnswer = "Answers"
	groupScreen = "Screen"
	groupOther  = "Other"
)

// bindings is the key map, the only place that defines the keys. Help, the bottom line and the
// tour are made from it.
func bindings() []binding {
	return []binding{
		{"down", []string{"down", "j", "ctrl+n"}, groupMove, "down; 5{}: five rows", "", times(func(n int) outline.Goal { return outline.Steps(n) })},
		{"up", []string{"up", "k", "ctrl+p"}, groupMove, "up", "", times(func(n int) outline.Goal { return outline.Steps(-n) })},
		{"page-down", []string{"pgdown", "ctrl+f", "f"}, groupMove, "a screen down", "", screens(1)},
		{"page-up", []string{"pgup", "ctrl+b", "b"}, groupMove, "a screen up", "", screens(-1)},
		{"half-page-down", []string{"ctrl+d"}, groupMove, "half a screen down", "", halves(1)},
		{"half-page-up", []string{"ctrl+u"}, groupMove, "half a screen up", "", halves(-1)},
		{"scroll-down", []string{"ctrl+e"}, groupMove, "scroll a line down", "", scrolls(1)},
		{"scroll-up", []string{"ctrl+y"}, groupMove, "scroll a line up", "", scrolls(-1)},
		{"first", []string{"home", "g"}, groupMove, "first row; 100{}: row 100", "", onTree((*tree.Part).First)},
		{"last", []string{"end", "G"}, groupMove, "last row; 100{}: row 100", "", onTree((*tree.Part).Last)},
		{"follow", []string{"F"}, groupMove, "follow a growing trace (like tail -f), or stop", "follow", func(m *Model, n int) tea.Cmd { return m.follow.toggle(n) }},
		{"next-sibling", []string{"J"}, groupMove, "next sibling", "", siblings(1)},
		{"previous-sibling", []string{"K"}, groupMove, "previous sibling", "", siblings(-1)},
		{"next-thread", []string{"tab"}, groupMove, "next thread", "", otherThread(1)},
		{"previous-thread", []string{"shift+tab"}, groupMove, "previous thread", "", otherThread(-1)},
		{"enclosing", []string{"u"}, groupMove, "to the call around that is scrolled out; 2{}: around it", "", onTree((*tree.Part).Enclosing)},
		{"threads", []string{"t"}, groupMove, "list of threads; s there: as a tree, by name or by calls", "", func(m *Model, n int) tea.Cmd { return m.threads.show(n) }},

		{"expand", []string{"right", "l"}, groupTree, "expand, or go to the first child; at a leaf: scroll right", "", onTree((*tree.Part).Right)},
		{"collapse", []string{"left", "h"}, groupTree, "collapse, or go to the parent", "", onTree((*tree.Part).Left)},
		{"toggle", []string{"enter", "space"}, groupTree, "expand or collapse; on a go statement: to its goroutine", "", toggle},
		{"expand-level", []string{"e"}, groupTree, "expand one more level; 3{}: to depth 3", "", expandLevel},
		{"expand-all", []string{"E"}, groupTree, "expand everything below the row (Esc stops)", "", func(m *Model, _ int) tea.Cmd { return m.jobs.Expand(0) }},
		{"collapse-below", []string{"c"}, groupTree, "collapse the row and everything below it", "", onTree((*tree.Part).Collapse)},
		{"collapse-all", []string{"C"}, groupTree, "collapse everything", "", onTree((*tree.Part).CollapseAll)},
		{"unload", []string{"x"}, groupTree, "unload the subtree, to free memory", "unload", onTree((*tree.Part).Unload)},
		{"sort", []string{"s"}, groupTree, "sort children: longest or most nested; again: undo", "sort", asJob((*job.Part).Sort)},
		{"raw", []string{"r"}, groupTree, "raw or folded: with or without compiler-generated events", "raw", asJob((*job.Part).ToggleRaw)},

		{"search", []string{"/"}, groupFind, "search; Ctrl-R there: regular expression; smart case", "find", onSearch((*searching).askPattern)},
		{"next-hit", []string{"n"}, groupFind, "next hit or match", "", func(m *Model, n int) tea.Cmd { return m.results.hit(1, n) }},
		{"previous-hit", []string{"N"}, groupFind, "previous hit or match", "", func(m *Model, n int) tea.Cmd { return m.results.hit(-1, n) }},
		{"hits", []string{"M"}, groupFind, "list of hits or matches", "hits", func(m *Model, n int) tea.Cmd { return m.results.showList(n) }},
		{"filter", []string{"&"}, groupFind, "show only what matches a filter, with what is around it", "filter", func(m *Model, n int) tea.Cmd { return m.filter.ask(n) }},
		{"unfilter", []string{"backspace"}, groupFind, "show all rows again; else end the range, or the last step", "all rows", func(m *Model, n int) tea.Cmd { return m.flames.back(n) }},
		{"longest", []string{"L"}, groupFind, "longest child, without times the largest; 3{}: three levels", "longest", func(m *Model, n int) tea.Cmd { return m.tour.largest(n) }},
		{"next-same", []string{"*"}, groupFind, "next call of the same method", "", onSearch(func(s *searching, _ int) tea.Cmd { return s.sameName(1) })},
		{"previous-same", []string{"#"}, groupFind, "previous call of the same method", "", onSearch(func(s *searching, _ int) tea.Cmd { return s.sameName(-1) })},
		{"go-to", []string{":"}, groupFind, "go to :1204, :50%, :t3, :748ms; or a command (:help)", "go to", func(m *Model, _ int) tea.Cmd { return m.commands.open("") }},
		{"go-statement", []string{"O"}, groupFind, "to the goroutine's go statement; there: to its goroutine", "", func(m *Model, n int) tea.Cmd { return m.starts.key(n) }},
		{"back", []string{"["}, groupFind, "back to where you were", "", asJob((*job.Part).Back)},
		{"forward", []string{"]"}, groupFind, "forward again", "", asJob((*job.Part).Forward)},

		{"mark", []string{"m"}, groupFind, "mark the row: ma to mz", "", onMarks((*marking).askMark)},
		{"go-to-mark", []string{"'"}, groupFind, "go to a mark: 'a; '': back to before the jump", "", onMarks((*marking).askMarked)},
		{"note", []string{"A"}, groupFind, "write a note on the row, or edit it", "", onMarks((*marking).askNote)},
		{"notes", []string{"B"}, groupFind, "list of marks and notes", "", onMarks((*marking).showList)},

		{"top", []string{"T"}, groupAnswer, "where the time goes: a table of methods (:top here)", "top", asCommand("top")},
		{"throws", []string{"!"}, groupAnswer, "exceptions: where they were thrown and caught", "", asCommand("throws")},
		{"callers", []string{"w"}, groupAnswer, "who calls the method; Tab there: what it calls", "", asCommand("callers")},
		{"calls", []string{"a"}, groupAnswer, "all calls of the method, or iterations of the loop", "", asCommand("calls")},
		{"history", []string{"H"}, groupAnswer, "all values of the field, element, variable or object", "history", asCommand("history")},
		{"before", []string{","}, groupAnswer, "the write before here", "", asCommand("before")},
		{"after", []string{"."}, groupAnswer, "the write after here", "", asCommand("after")},
		{"compare", []string{"="}, groupAnswer, "compare two calls: on the first, then on the second", "", asCommand("compare")},
		{"around", []string{"U"}, groupAnswer, "what all threads did around the row, in one order", "", asCommand("around")},
		{"flame", []string{"V"}, groupAnswer, "a strip of the thread's time; again: its flame", "flame", asCommand("flame")},
		{"range-begin", []string{"("}, groupAnswer, "all answers: only from the row on", "", asCommand("range-begin")},
		{"range-end", []string{")"}, groupAnswer, "all answers: only up to the row", "", asCommand("range-end")},
		{"focus", []string{"z"}, groupAnswer, "focus: only the call and what is below it", "", asCommand("focus")},
		{"undo-step", []string{"Z"}, groupAnswer, "undo the last step: focus, merge, drop", "", asCommand("undo-step")},
		{"merge", []string{"-"}, groupAnswer, "merge calls away; asks which: only my code is {}!", "", asCommand("merge")},
		{"drop", []string{"_"}, groupAnswer, "drop calls with all below them; asks which", "", asCommand("drop")},

		{"details", []string{"d"}, groupScreen, "details of the row", "details", toggleDetails},
		{"details-down", []string{"}"}, groupScreen, "scroll the details down", "", scrollDetails(1)},
		{"details-up", []string{"{"}, groupScreen, "scroll the details up", "", scrollDetails(-1)},
		{"scroll-right", []string{">"}, groupScreen, "scroll lines to the right", "", shift(8)},
		{"scroll-left", []string{"<"}, groupScreen, "scroll lines to the left", "", shift(-8)},
		{"redraw", []string{"ctrl+l"}, groupScreen, "redraw the screen", "", redraw},
		{"sticky", nil, groupScreen, "keep the calls around in view while scrolling, or not", "", toggleSticky},
		{"locations", []string{"v"}, groupScreen, "show file and line of each row", "", onTree((*tree.Part).ToggleWide)},

		{"source", []string{"o"}, groupOther, "open the source in $EDITOR (see --source)", "", func(m *Model, _ int) tea.Cmd { return m.details.code.Edit(m.tree.Out.Cursor.Node) }},
		{"copy-row", []string{"y"}, groupOther, "copy the row", "", onCopy((*copying).row)},
		{"copy-path", []string{"Y"}, groupOther, "copy the path to the row", "", onCopy((*copying).path)},
		{"copy-subtree", []string{"S"}, groupOther, "copy the row and everything below it", "", onCopy((*copying).subtree)},
		{"copy-address", []string{"@"}, groupOther, "copy the address of the row: trace.bin#1204", "", onCopy((*copying).address)},
		{"export", nil, groupOther, "write what the screen shows to a file: :export", "", asCommand("export")},
		{"stop", []string{"esc"}, groupOther, "stop a running task, or close tour, search or details", "", (*Model).escape},
		{"help", []string{"?", "f1"}, groupOther, "these keys", "keys", (*Model).help},
		{"suspend", []string{"ctrl+z"}, groupOther, "suspend; fg resumes", "", (*Model).suspend},
		{"quit", []string{"q", "ctrl+c"}, groupOther, "quit", "quit", func(*Model, int) tea.Cmd { return tea.Quit }},
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

// action returns the binding of an action, which the key map must have.
func action(keys []binding, name string) *binding {
	for i := range keys {
		if keys[i].name == name {
			return &keys[i]
		}
	}
	panic("no action " + name)
}

// first spells the first key of a binding; "" if it has none.
func (b *binding) first(g *screen.Glyphs) string {
	if len(b.keys) == 0 {
		return ""
	}
	return screen.KeyName(b.keys[0], g)
}

// does returns the help of a binding with the user's keys.
func (b *binding) does(g *screen.Glyphs) string {
	if !strings.Contains(b.help, "{}") {
		return b.help
	}
	key := " " + b.first(g)
	for _, k := range b.keys {
		if utf8.RuneCountInString(k) == 1 {
			key = k
			break
		}
	}
	if len(b.keys) == 0 {
		text, _, _ := strings.Cut(b.help, ";")
		return text
	}
	return strings.Replace(b.help, "{}", key, 1)
}

// names spells all keys of a binding.
func (b *binding) names(g *screen.Glyphs) string {
	if len(b.keys) == 0 {
		return "(no key)"
	}
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

// onSearch makes a key of a method of the search.
func onSearch(do func(s *searching, n int) tea.Cmd) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return do(m.search, n) }
}

// onMarks makes a key of a method of the marks.
func onMarks(do func(s *marking, n int) tea.Cmd) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return do(m.marks, n) }
}

// onCopy makes a key of a method that copies.
func onCopy(do func(c *copying, n int) tea.Cmd) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return do(m.clip, n) }
}

// asJob makes a key of a method that starts a job.
func asJob(do func(j *job.Part, n int) tea.Cmd) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return do(m.jobs, n) }
}

// times makes a key of a move that is repeated as often as the number before it says.
func times(g func(n int) outline.Goal) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return m.tree.Aim(g(max(1, n))) }
}

// toggle expands or collapses the row, or goes to the goroutine that it made.
func toggle(m *Model, n int) tea.Cmd {
	if cmd, is := m.starts.follow(); is {
		return cmd
	}
	return m.tree.Toggle(n)
}

func screens(dir int) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd { return m.tree.Aim(outline.Screens(dir * max(1, n))) }
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

// expandLevel expands one more level, or as many as were typed.
func expandLevel(m *Model, n int) tea.Cmd {
	if n > 0 {
		return m.jobs.Expand(n)
	}
	return m.jobs.ExpandMore()
}

func shift(cells int) func(*Model, int) tea.Cmd {
	return func(m *Model, n int) tea.Cmd {
		m.tree.Out.Shift(cells * max(1, n))
		return nil
	}
}

func toggleSticky(m *Model, _ int) tea.Cmd {
	m.tree.Sticky = !m.tree.Sticky
	m.env.Say(map[bool]string{true: "the calls around stay in view", false: "the calls around scroll out"}[m.tree.Sticky])
	return nil
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
