// Package keys is what can be pressed and typed in the explorer: one table of all commands with their
// names, keys and help, from which the help, the bottom line, the command line and the manual page
// are made. What a command does is in package ui, in the method do.
package keys

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
	GoTo, GoStatement      Name = "go-to", "go-statement"
	Back, Forward          Name = "back", "forward"
	Mark, GoToMark         Name = "mark", "go-to-mark"
	Note, Notes            Name = "note", "notes"

	Top, Throws          Name = "top", "throws"
	Callers, Calls       Name = "callers", "calls"
	History              Name = "history"
	Before, After        Name = "before", "after"
	Compare, Around      Name = "compare", "around"
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
	ExportOver      Name = "export!"
	Commands        Name = "commands"
	Messages        Name = "messages"
)
