// Package keys is what can be pressed and typed in the explorer: one table of all commands with their
// names, keys and help, from which the help, the bottom line, the command line and the manual page
// are made. What a command does is in package ui, in the method do.
package keys

import (
	"cmp"
	"slices"
	"strings"

	"charm.land/bubbles/v2/key"

	"tracex/lazy/query"
)

// Command is a line of the table.
type Command struct {
	Name  Name
	Group string // heading in the help
	// Key has the keys as ParseKey names them, and the text of the help. In the table {} in it is the
	// key that a number is typed before. A Map has the keys as the user reads them, too. Without a text
	// the command has no keys and cannot get any.
	Key     key.Binding
	Brief   string   // for the bottom line; "" if not shown there
	Word    string   // to type after ":"; "" for the name
	Aliases []string // other words, for users of other programs; completion does not offer them
	Args    string   // as the list of commands shows them: "METHOD", Number; "" if it takes none
	About   string   // what the command does if typed; "" for the text of the help
}

// Number is the argument of commands that take a number: typed before the key, or after the word.
const Number = "[N]"

const (
	GroupMove   = "Move"
	GroupTree   = "Expand and collapse"
	GroupFind   = "Find and go"
	GroupAnswer = "Answers"
	GroupScreen = "Screen"
	GroupOther  = "Other"
)

// Bindable reports whether the command has keys, or can get some.
func (c *Command) Bindable() bool { return c.Key.Help().Desc != "" }

// Typed returns the word to type after ":".
func (c *Command) Typed() string { return cmp.Or(c.Word, string(c.Name)) }

// Does returns what the command does if typed.
func (c *Command) Does() string { return cmp.Or(c.About, c.Key.Help().Desc) }

func bind(help string, keys ...string) key.Binding {
	return key.NewBinding(key.WithKeys(keys...), key.WithHelp("", help))
}

// table is all commands, in the order of the help.
var table = []Command{
	{Name: Down, Group: GroupMove, Key: bind("down; 5{}: five rows", "down", "j", "ctrl+n"), Args: Number},
	{Name: Up, Group: GroupMove, Key: bind("up", "up", "k"), Args: Number},
	{Name: PageDown, Group: GroupMove, Key: bind("a screen down", "pgdown", "ctrl+f", "f"), Args: Number},
	{Name: PageUp, Group: GroupMove, Key: bind("a screen up", "pgup", "ctrl+b", "b"), Args: Number},
	{Name: HalfPageDown, Group: GroupMove, Key: bind("half a screen down", "ctrl+d"), Args: Number},
	{Name: HalfPageUp, Group: GroupMove, Key: bind("half a screen up", "ctrl+u"), Args: Number},
	{Name: ScrollDown, Group: GroupMove, Key: bind("scroll a line down", "ctrl+e"), Args: Number},
	{Name: ScrollUp, Group: GroupMove, Key: bind("scroll a line up", "ctrl+y"), Args: Number},
	{Name: First, Group: GroupMove, Key: bind("first row; 100{}: row 100", "home", "g"), Aliases: []string{"top-row"}, Args: Number},
	{Name: Last, Group: GroupMove, Key: bind("last row; 100{}: row 100", "end", "G"), Aliases: []string{"bottom", "end"}, Args: Number},
	{Name: Follow, Group: GroupMove, Key: bind("follow a growing trace (like tail -f), or stop", "F"), Brief: "follow"},
	{Name: NextSibling, Group: GroupMove, Key: bind("next sibling", "J"), Args: Number},
	{Name: PreviousSibling, Group: GroupMove, Key: bind("previous sibling", "K"), Args: Number},
	{Name: NextThread, Group: GroupMove, Key: bind("next thread", "tab"), Args: Number},
	{Name: PreviousThread, Group: GroupMove, Key: bind("previous thread", "shift+tab"), Args: Number},
	{Name: Enclosing, Group: GroupMove, Key: bind("to the call around that is scrolled out; 2{}: around it", "u"), Args: Number},
	{Name: Threads, Group: GroupMove, Key: bind("list of threads; s there: as a tree, by name or by calls", "t")},

	{Name: Expand, Group: GroupTree, Key: bind("expand, or go to the first child; at a leaf: scroll right", "right", "l")},
	{Name: Collapse, Group: GroupTree, Key: bind("collapse, or go to the parent", "left", "h")},
	{Name: Toggle, Group: GroupTree, Key: bind("expand or collapse; on a go statement: to its goroutine", "enter", "space"), Aliases: []string{"open"}},
	{Name: ExpandLevel, Group: GroupTree, Key: bind("expand one more level; 3{}: to depth 3", "e"), Args: Number},
	{Name: ExpandAll, Group: GroupTree, Key: bind("expand everything below the row (Esc stops)", "E")},
	{Name: CollapseBelow, Group: GroupTree, Key: bind("collapse the row and everything below it", "c")},
	{Name: CollapseAll, Group: GroupTree, Key: bind("collapse everything", "C")},
	{Name: Unload, Group: GroupTree, Key: bind("unload the subtree, to free memory", "x"), Brief: "unload"},
	{Name: Sort, Group: GroupTree, Key: bind("sort children: longest or most nested; again: undo", "s"), Brief: "sort"},
	{Name: Raw, Group: GroupTree, Key: bind("raw or folded: with or without compiler-generated events", "r"), Brief: "raw"},

	{Name: Search, Group: GroupFind, Key: bind("search; Ctrl-R there: regular expression; smart case", "/"), Brief: "find", Args: "[TEXT]", About: "search all threads for a text"},
	{Name: NextHit, Group: GroupFind, Key: bind("next hit or match", "n"), Args: Number},
	{Name: PreviousHit, Group: GroupFind, Key: bind("previous hit or match", "N"), Args: Number},
	{Name: Hits, Group: GroupFind, Key: bind("list of hits or matches", "M"), Brief: "hits", Aliases: []string{"matches"}},
	{Name: Filter, Group: GroupFind, Key: bind("show only what matches a filter, with what is around it", "&"), Brief: "filter", Args: "[FILTER]"},
	{Name: Find, Group: GroupFind, Args: "[FILTER]", About: "show only what matches a filter, with what is around it"},
	{Name: Unfilter, Group: GroupFind, Key: bind("show all rows again; else end the range, or the last step", "backspace"), Brief: "all rows"},
	{Name: Longest, Group: GroupFind, Key: bind("longest child, without times the largest; 3{}: three levels", "L"), Brief: "longest", Aliases: []string{"slowest"}, Args: Number},
	{Name: NextSame, Group: GroupFind, Key: bind("next call of the same method", "*")},
	{Name: PreviousSame, Group: GroupFind, Key: bind("previous call of the same method", "#")},
	{Name: NextDifference, Group: GroupFind, Key: bind("next row that differs; in no diff: compare with a file", "D"), Args: Number, About: "next row that differs, in a diff of two traces"},
	{Name: PreviousDifference, Group: GroupFind, Key: bind("previous row that differs"), Args: Number},
	{Name: Partner, Group: GroupFind, Key: bind("of a moved row in a diff: to the other one", "%")},
	{Name: GoTo, Group: GroupFind, Key: bind("go to :1204, 50%, t3, g45, 748ms or a command (:help)", ":"), Brief: "go to", Aliases: []string{"goto", "go"}, Args: "PLACE", About: "go to an event (1204), 50%, a thread (t3), a goroutine (g45), a time (748ms)"},
	{Name: GoStatement, Group: GroupFind, Key: bind("to the start of a goroutine or process; in a diff: B or A", "O")},
	{Name: Back, Group: GroupFind, Key: bind("back to where you were", "[", "ctrl+o"), Aliases: []string{"undo"}, Args: Number},
	{Name: Forward, Group: GroupFind, Key: bind("forward again", "]"), Args: Number},
	{Name: Mark, Group: GroupFind, Key: bind("mark the row: ma to mz", "m")},
	{Name: GoToMark, Group: GroupFind, Key: bind("go to a mark: 'a; '': back to before the jump", "'")},
	{Name: Note, Group: GroupFind, Key: bind("write a note on the row, or edit it", "A")},
	{Name: Notes, Group: GroupFind, Key: bind("list of marks and notes", "B")},
	{Name: Same, Group: GroupFind, Args: "THREAD", About: "what another thread did at this moment: its number, g45, or name"},

	{Name: Top, Group: GroupAnswer, Key: bind("where the time goes: a table of methods (:top here)", "T"), Brief: "top", Aliases: []string{"slow"}, Args: "[here] [by " + strings.Join(query.Bys[:], "|") + "] [where FILTER]", About: "where the time goes; here: below the cursor"},
	{Name: Throws, Group: GroupAnswer, Key: bind("exceptions: where they were thrown and caught", "!"), Args: "[where FILTER]"},
	{Name: Callers, Group: GroupAnswer, Key: bind("who calls the method; Tab there: what it calls", "w"), Args: "[METHOD] [where FILTER]", About: "who calls a method, or that of the cursor"},
	{Name: Calls, Group: GroupAnswer, Key: bind("all calls of the method, or iterations of the loop", "a"), Args: "[METHOD|FILTER] [by COLUMN] [col COLUMN]", About: "all calls of a method, or that of the cursor, with their values; of a loop: its iterations"},
	{Name: Callees, Group: GroupAnswer, Args: "[METHOD] [where FILTER]", About: "what a method calls, or that of the cursor"},
	{Name: Col, Group: GroupAnswer, Args: "COLUMN", About: "one more column in the table of calls: iter, or a captured field: arg.1.name"},
	{Name: Iterations, Group: GroupAnswer, About: "the iterations of the loop at the cursor, or around it"},
	{Name: History, Group: GroupAnswer, Key: bind("all values of the field, element, variable or object", "H"), Brief: "history", Args: "[LOCATION]", About: "all values of a field, element, variable or object: Account.balance, or the row's"},
	{Name: State, Group: GroupAnswer, About: "arguments, variables and fields as last seen before the row"},
	{Name: Before, Group: GroupAnswer, Key: bind("the write before here", ","), About: "the write before here of what the row reads or writes"},
	{Name: After, Group: GroupAnswer, Key: bind("the write after here", "."), About: "the write after here of what the row reads or writes"},
	{Name: Compare, Group: GroupAnswer, Key: bind("compare two calls: on the first, then on the second", "="), Args: "[A] [B]", About: "what is different between two calls: of two rows, or :compare #106 #1204"},
	{Name: Changes, Group: GroupAnswer, About: "the changes of a diff, by what changed; each leads to its first place"},
	{Name: Diff, Group: GroupAnswer, Args: "FILE [--identity] [--noise FILE]", About: "compare this trace, A, with another, B: where they differ, in a tab of its own"},
	{Name: Ignore, Group: GroupAnswer, Args: "[FILTER]", About: "in a diff: differences that a filter matches do not count; or asks; :ignore - counts all"},
	{Name: Side, Group: GroupAnswer, Args: "[A|B]", About: "in a diff: the place of the row in A or in B, in a tab of its own"},
	{Name: Around, Group: GroupAnswer, Key: bind("what all threads did around the row, in one order", "U"), Args: "[FILTER]", About: "what all threads did around the cursor, in one order"},
	{Name: At, Group: GroupAnswer, Key: bind("what every thread was in at the moment of the row", "P"), Args: "[TIME|EVENT]", About: "what every thread was in at a moment: 1.2s, #1204, or when the row began"},
	{Name: Log, Group: GroupAnswer, Args: `[FILTER: "FORMAT"]`, About: "lines for events, over all threads; without arguments those so far; :log - forgets them"},
	{Name: Flame, Group: GroupAnswer, Key: bind("a strip of the thread's time; again: its flame", "V"), Brief: "flame", About: "a strip of the thread's time over the tree; again: its flame; again: neither"},
	{Name: Range, Group: GroupAnswer, Args: "FROM..TO", About: "only a part of the recording: 1.2s..1.3s; without times #100..#2000"},
	{Name: RangeBegin, Group: GroupAnswer, Key: bind("all answers: only from the row on", "("), About: "the range of all answers begins at the row"},
	{Name: RangeEnd, Group: GroupAnswer, Key: bind("all answers: only up to the row", ")"), About: "the range of all answers ends with the row"},
	{Name: Focus, Group: GroupAnswer, Key: bind("focus: only the call and what is below it", "z"), Args: "[CALLS]", About: "only what is below the call, or below calls: they become roots"},
	{Name: UndoStep, Group: GroupAnswer, Key: bind("undo the last step: focus, merge, drop", "Z"), About: "undo the last of focus, merge, drop, only"},
	{Name: Merge, Group: GroupAnswer, Key: bind("merge calls away; asks which: only my code is {}!", "-"), Args: "[CALLS]", About: "leave calls out, their own time becomes their callers': a method, a filter, kind=loop; or asks"},
	{Name: Drop, Group: GroupAnswer, Key: bind("drop calls with all below them; asks which", "_"), Args: "[CALLS]", About: "leave calls out with everything below them, and with their time, or kind=array; or asks"},
	{Name: Only, Group: GroupAnswer, Args: "[CALLS]", About: "only my code: merge all calls but these, with their reads and writes: pkg=com.shop.*"},
	{Name: Recursion, Group: GroupAnswer, Args: "[METHOD]", About: "collapse the recursion of a method: its calls within one another are one"},
	{Name: Steps, Group: GroupAnswer, About: "list of the steps in force: focus, merge, drop …"},

	{Name: Details, Group: GroupScreen, Key: bind("details of the row", "d"), Brief: "details"},
	{Name: DetailsDown, Group: GroupScreen, Key: bind("scroll the details down", "}"), Args: Number},
	{Name: DetailsUp, Group: GroupScreen, Key: bind("scroll the details up", "{"), Args: Number},
	{Name: Value, Group: GroupScreen, Key: bind("value of the row, whole", "v"), About: "the value of the row, whole: a struct as a tree, JSON indented, bytes as a dump"},
	{Name: Overview, Group: GroupScreen, Key: bind("overview of the trace: each line leads on", "I"), Brief: "overview"},
	{Name: ShowSource, Group: GroupScreen, Key: bind("source of the call, with what it did at each line", "S"), Brief: "source"},
	{Name: Panes, Group: GroupScreen, Key: bind("size, zoom and keys of the panes", "ctrl+w"), Args: "[CHANGE]", About: "change the panes: next, wider, narrower, higher, lower, even, zoom, close"},
	{Name: Columns, Group: GroupScreen, Key: bind("columns of numbers: show, hide, all digits", "|"), Args: "[COLUMN ...]", About: "the columns of numbers: duration self share, or auto"},
	{Name: ScrollRight, Group: GroupScreen, Key: bind("scroll lines to the right", ">"), Args: Number},
	{Name: ScrollLeft, Group: GroupScreen, Key: bind("scroll lines to the left", "<"), Args: Number},
	{Name: Redraw, Group: GroupScreen, Key: bind("redraw the screen", "ctrl+l")},
	{Name: Sticky, Group: GroupScreen, Key: bind("keep the calls around in view while scrolling, or not")},
	{Name: Locations, Group: GroupScreen, Key: bind("show file and line of each row", "i")},
	{Name: Theme, Group: GroupScreen, Aliases: []string{"colors", "colorscheme"}, Args: "[NAME]", About: "the colors: a list that shows each theme"},

	{Name: Source, Group: GroupOther, Key: bind("open the source in $EDITOR (see --source)", "o"), Aliases: []string{"edit"}},
	{Name: CopyRow, Group: GroupOther, Key: bind("copy the row", "y"), Aliases: []string{"yank"}},
	{Name: CopyPath, Group: GroupOther, Key: bind("copy the path to the row", "Y")},
	{Name: CopySubtree, Group: GroupOther, Key: bind("copy the row and everything below it", "W")},
	{Name: CopyAddress, Group: GroupOther, Key: bind("copy the address of the row: trace.bin#1204", "@")},
	{Name: Export, Group: GroupOther, Key: bind("write what the screen shows to a file: :export"), Args: "[FORMAT] [FILE]", About: "write what the screen shows to a file: perfetto, csv … of the row with all below it, a list, a table"},
	{Name: ExportOver, Group: GroupOther, Args: "[FORMAT] [FILE]", About: "the same, in place of an existing file, and whatever its size"},
	{Name: Stop, Group: GroupOther, Key: bind("stop; back to the table; close tour, search, details", "esc")},
	{Name: Tab, Group: GroupOther, Key: bind("next trace of several (tracex A B); 2{}: the second", "ctrl+t"), Args: "[N|NAME]", About: "another trace of those that are open: by number or name, or the next"},
	{Name: Close, Group: GroupOther, Key: bind("close the tab, one of several", "X"), Args: "[N|NAME]", About: "close this tab, or another by number or name: a diff, or one of several traces"},
	{Name: Palette, Group: GroupOther, Key: bind("all commands, by a few letters of their names", "ctrl+p"), Brief: "commands"},
	{Name: Help, Group: GroupOther, Key: bind("these keys", "?", "f1"), Brief: "keys", Word: "keys"},
	{Name: Commands, Group: GroupOther, Word: "help", Aliases: []string{"h", "commands"}, About: "this list of commands"},
	{Name: Messages, Group: GroupOther, About: "the messages so far, whole, and what is known to be wrong with the trace"},
	{Name: Suspend, Group: GroupOther, Key: bind("suspend; fg resumes", "ctrl+z")},
	{Name: Quit, Group: GroupOther, Key: bind("quit", "q", "ctrl+c"), Brief: "quit", Aliases: []string{"q", "q!", "exit"}},
}

// lineOrder are the commands that completion and the list of commands have first: those with arguments, and their kin.
var lineOrder = []Name{
	Top, Throws, Callers, Callees, Calls, Col, Iterations, History, State, Before, After, Around, At, Same, Log,
	Focus, Merge, Drop, Only, Recursion, UndoStep, Steps, Compare, Flame, Range, RangeBegin, RangeEnd,
	Export, ExportOver, GoTo, Search, Filter, Find,
}

// rank is the place of a command among those typed: moves are nearly last, as keys are shorter.
func (c *Command) rank() int {
	switch i := slices.Index(lineOrder, c.Name); {
	case i >= 0:
		return i
	case c.Name == Help || c.Name == Commands:
		return len(lineOrder) + 2
	case c.Group == GroupMove:
		return len(lineOrder) + 1
	}
	return len(lineOrder)
}

// Name is the name of a command, for users too: lower-case words with hyphens. Never change one.
type Name string

// Commands that have keys, or may have.
const (
	Down, Up                     Name = "down", "up"
	PageDown, PageUp             Name = "page-down", "page-up"
	HalfPageDown, HalfPageUp     Name = "half-page-down", "half-page-up"
	ScrollDown, ScrollUp         Name = "scroll-down", "scroll-up"
	First, Last                  Name = "first", "last"
	Follow                       Name = "follow"
	NextSibling, PreviousSibling Name = "next-sibling", "previous-sibling"
	NextThread, PreviousThread   Name = "next-thread", "previous-thread"
	Enclosing, Threads           Name = "enclosing", "threads"

	Expand, Collapse           Name = "expand", "collapse"
	Toggle                     Name = "toggle"
	ExpandLevel, ExpandAll     Name = "expand-level", "expand-all"
	CollapseBelow, CollapseAll Name = "collapse-below", "collapse-all"
	Unload, Sort, Raw          Name = "unload", "sort", "raw"

	Search                 Name = "search"
	NextHit, PreviousHit   Name = "next-hit", "previous-hit"
	Hits                   Name = "hits"
	Filter, Unfilter       Name = "filter", "unfilter"
	Longest                Name = "longest"
	NextSame, PreviousSame Name = "next-same", "previous-same"
	NextDifference         Name = "next-difference"
	PreviousDifference     Name = "previous-difference"
	Partner                Name = "partner"
	GoTo, GoStatement      Name = "go-to", "go-statement"
	Back, Forward          Name = "back", "forward"
	Mark, GoToMark         Name = "mark", "go-to-mark"
	Note, Notes            Name = "note", "notes"

	Top, Throws          Name = "top", "throws"
	Callers, Calls       Name = "callers", "calls"
	History              Name = "history"
	Before, After        Name = "before", "after"
	Compare, Around      Name = "compare", "around"
	At                   Name = "at"
	Flame                Name = "flame"
	RangeBegin, RangeEnd Name = "range-begin", "range-end"
	Focus, UndoStep      Name = "focus", "undo-step"
	Merge, Drop          Name = "merge", "drop"

	Details                 Name = "details"
	DetailsDown, DetailsUp  Name = "details-down", "details-up"
	ShowSource, Panes       Name = "show-source", "panes"
	Columns                 Name = "columns"
	Overview, Value         Name = "overview", "value"
	ScrollRight, ScrollLeft Name = "scroll-right", "scroll-left"
	Redraw                  Name = "redraw"
	Sticky, Locations       Name = "sticky", "locations"

	Source                   Name = "source"
	CopyRow, CopyPath        Name = "copy-row", "copy-path"
	CopySubtree, CopyAddress Name = "copy-subtree", "copy-address"
	Export                   Name = "export"
	Stop                     Name = "stop"
	Palette                  Name = "palette"
	Tab                      Name = "trace"
	Help                     Name = "help"
	Close                    Name = "close"
	Suspend, Quit            Name = "suspend", "quit"
)

// Commands that are only typed.
const (
	Find            Name = "find"
	Theme           Name = "theme"
	Same            Name = "same"
	Callees         Name = "callees"
	Col             Name = "col"
	Iterations      Name = "iterations"
	State           Name = "state"
	Log             Name = "log"
	Only, Recursion Name = "only", "recursion"
	Steps           Name = "steps"
	Range           Name = "range"
	Changes, Diff   Name = "changes", "diff"
	Ignore, Side    Name = "ignore", "side"
	ExportOver      Name = "export!"
	Commands        Name = "commands"
	Messages        Name = "messages"
)
