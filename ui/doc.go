// Package ui is the explorer: it shows a trace as a tree in the terminal and turns keys into moves through it.
//
// There is one [tea.Model], the [Model] (with several traces one for each, below [Tabs]): it routes keys to what is in
// front (a prompt, a list, the tree) and messages to the parts that they are for, lets the parts settle, and draws. A
// part is one struct in a package below ui/internal, with its keys, its state and its work in the background. Parts
// share an [env.Env]: the window, the clock, the trace, the keyboard, what is open in front, the line of messages, and
// how long a key may wait for the background. They are made in the order of their packages (see screenParts in
// ../imports_test.go): each knows those before it, and none knows the Model.
//
//	a key ──► Model.key ──► keys.Map.Of: the name of a command ──► Model.do, a switch by group and name ──► a method of a part
//	                                                                        │
//	messages ◄── env.Task: work in the background ◄─────────────────────────┘
//	    │
//	    ▼
//	Model.settle: which rows are on the screen, what is missing there
//	    ▼
//	Model.newFrame: all that the screen shows, as values
//	    ▼
//	frame.draw: header, breadcrumb, tree, details, status, what floats over them
//
// To add a command with a key: its name and its line in internal/keys/table.go, its case in do.go, in the function of its
// group; answers, and what takes other arguments than a whole number that may be left out, in commandline.go, with their
// check and completion. What it does is a method of a part: for the tree in internal/tree/keys.go; to rows that may not be
// loaded in goals.go; if a user may have to wait for it in jobs.go. What happens later is a message of env.Clock.After, with
// its case in Model.route in model.go.
//
// A column of the tree: internal/tree/columns.go, and docs/config.md; a cell gets the row as a lazy.Line, with its Node, and
// what all rows know as a View of row.go. One of the list of threads: internal/lists/thread_row.go, if it sorts also
// thread_sorting.go.
//
// A theme: a file NAME.theme in internal/theme, its name in source.go there, and docs/config.md. A role:
// internal/theme/roles.go, every theme, and the sample in themes.go; what is drawn in it: the text of points by
// roles.go, headings of threads in the tree in internal/tree/row.go, the breadcrumb in internal/screen/crumbs.go,
// tables by OfTable in internal/screen/line.go from the styles in lazy/query/table/value.go.
//
// A line of the screen, as the breadcrumb or the chips: its place, and whether it is there, in
// internal/screen/layout.go; it is drawn in frame.go and clicked in input.go. A switch is a field of its part, as
// Sticky in internal/tree/tree.go.
//
// A pane: the command that shows it, its type in internal/details, with the Lines of pane.go there, its name and place
// in internal/screen/layout.go, whose place knows what panes there may be at once; frame.go tells the layout that it is
// wanted, and has its lines. It is made and settled in model.go, its hints are in hints.go, session.go and
// lazy/notes/session.go remember it. Esc hides it, by panes.go.
//
// What a session has is restored in session.go: by begin, or, if it needs the trace, by arrival.
//
// An answer to a question about the trace (top, callers, throws) is a [tables.Answer]. To add one, give it a file in package
// tables with its command, a method of [tables.Answers]: it makes the answer with its keys, and opens it with a maker of
// what finds it. What is a type of its own can do more, as Top. Keys of several tables are in answers.go, those of all in
// sheet_keys.go and tables.go. Then add the command to the table of package keys and to doAnswer, check and complete here.
//
// Whatever may read the disk runs in the background. Its result arrives as a message, dropped if no longer wanted.
//
// Where to find things:
//
//	keys, commands, completion   internal/keys, map.go there; done by do.go and commandline.go; taught by internal/lists/tour.go
//	keys and clicks              input.go: to what is in front, or to do.go
//	what is drawn where          frame.go makes a frame and draws it; internal/screen/layout.go divides the window,
//	                             popup.go draws what floats, scroll.go scroll bars
//	roles, colors, themes        internal/theme; internal/env/env.go, background.go (dark or light); themes.go is the list
//	lines, cells, key hints      internal/screen/line.go, internal/keys/help.go, hints.go
//	prompt or list in front      internal/env/front.go, prefix.go for keys that follow one; internal/prompt draws them
//	Esc: stops, ends, goes back  escape.go
//	bars, colors of shares       internal/screen/line.go, lazy/query/table/line.go; of the tree internal/tree/columns.go
//	what folding hides           lazy.FoldedError, query.ErrHidden; said by internal/tree/goto.go
//	copying                      internal/tree/copying.go what, internal/env/clipboard.go how
//	work in the background       internal/env/task.go, with what panics
//	messages, header, troubles   internal/env/status.go, header.go, trace.go
//	chips: what is in force      chips.go, internal/screen/chips.go
//	the tree: keys, cursor, rows internal/tree/keys.go, outline.go, row.go, columns.go
//	loading what is not there    internal/tree/loading.go; moves that load on the way goals.go
//	the breadcrumb               internal/screen/crumbs.go; what is in it: internal/tree/outline.go
//	work that a user waits for   internal/tree/jobs.go: expand all, sort, raw, longest (found by lazy/largest.go), go to
//	steps that edit the tree     internal/tree/steps.go
//	staying at the newest row    internal/tree/following.go, also: the file is recorded anew, found by lazy/internal/trace/reader.go
//	numbers filled in later      internal/tree/counting.go, for the rows on the screen
//	searches, hits, the filter   internal/search: run.go is a search, with its hits; what it finds: lazy/internal/walk/search.go
//	threads, marks and notes     internal/lists; notes are kept by lazy/notes
//	all about a row, its values  internal/details: pane.go, describe.go, point.go, thread.go; viewer.go, whole.go
//	source beside the tree       internal/details/code_pane.go; what a call did at a line is found by query.Lines
//	the overview                 internal/lists/overview.go; found by lazy/query/overview.go, put into words by overview_text.go there
//	panes: sizes, keys, mouse    panes.go; internal/screen/layout.go
//	answers and their tables     internal/tables; their columns: lazy/query/*_table.go
//	exports of what is shown     internal/tables/export*.go, the formats export_order.go; made by lazy/export
//	time of a thread, a range    internal/flame; found by lazy/flame.go
//	where to begin, the session  session.go
//	several traces               tabs.go, closing.go; their names are drawn by internal/env/header.go
//	diffs: what differs          internal/search/differences.go, found by lazy/query/differences.go; what changed in a row:
//	                             internal/tree/diff.go, by lazy/query/changes.go; by kind: internal/tables/changes.go
//	diffs made here              diffs.go asks, diff_sides.go opens, diff_tab.go compares in a tab, by lazy/diff;
//	                             internal/tree/pairs.go: A, B, B - A
//	the world outside            internal/env/clipboard.go, terminal.go, quote.go; internal/details/editor.go
//
// Nothing is drawn that could disturb the terminal: see [display.Glyphs.NextCell].
package ui
