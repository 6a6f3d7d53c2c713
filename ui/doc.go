// Package ui is the explorer: it shows a trace as a tree in the terminal and turns keys into
// moves through it.
//
// There is one [tea.Model], which routes keys to what is in front (a prompt, a list, the tree)
// and messages to the parts that they are for. Parts are packages below ui/internal with their
// own state; in most of them its type is named Part. (The parts of a recording, in the glossary
// of package format, are something else.) None of them knows the model: a part handles a key or a
// message by returning a command or what to do, and draws values.
//
//	key ──► Model.Update ──► keymap (one table) ──► tree, job, search, …
//	                │                                  │
//	                │         messages ◄── work in the background: load, count, search, …
//	                ▼
//	             settle: which rows are on the screen, what is missing there
//	                ▼
//	             frame: all that the screen shows, as values
//	                ▼
//	             View: header, breadcrumb, tree, details, status
//
// An answer to a question about the trace (top, callers, throws) is a type with the parts that it
// uses, see answering. To add one:
//
//   - its result as a source of a table goes to internal/answer, with a test there;
//   - a file here has its type, made from asking, with its commands: they open tables with
//     tables.show, and give the tables keys;
//   - the function answers lists it;
//   - each of its keys is a line of keymap.go with asCommand, by the name of the command. A key
//     that takes a number, or does more, is a method of the answer.
//
// Whatever may read the disk runs in the background. Its result arrives as a message and is
// dropped if it is no longer wanted. What the parts share is an [env.Env]: the window, the clock,
// the line of messages, and how long a key may wait for the background.
//
// Rows end in columns of numbers: how many children, and, in a trace with times, how long the
// call took, its self time, and its share of the parent's time. Numbers that need a walk over
// the children (their number, the self time of a call) are computed in the background, for the
// rows on the screen.
//
// Where to find things:
//
//	keys and what they do        keymap.go; drawn by internal/help, taught by internal/tour
//	what is drawn where          frame.go; internal/layout divides the window
//	counts before keys, clicks   internal/input
//	prompt or list in front      internal/front
//	answers                      answers.go, asking.go, a file for each; internal/answer
//	their tables                 tables.go, internal/sheet
//	commands, completion         commandline.go, internal/command
//	text in cells, styles        internal/screen
//	keys of the tree             internal/tree
//	cursor and moves in the tree internal/outline
//	loading what is not there    internal/loading
//	rows and their columns       internal/rows, internal/nodetext
//	work that a user waits for   internal/job: expand all, sort, raw, longest, go to
//	back and forward             internal/jumps
//	marks, notes, their list     marks.go, internal/marks; kept by lazy/notes
//	where to begin, the session  arrival.go, session.go
//	staying at the newest row    internal/follow
//	searches, hits, their list   internal/search, internal/pattern
//	lists with a filter          internal/list, internal/threads
//	typing                       internal/prompt, internal/address
//	all about a row              internal/details
//	source code and the editor   internal/code, internal/editor
//	the state before a row       internal/here
//	exports of what is shown     export.go, export_piece.go, internal/saving; made by lazy/export
//	two rows compared            compare.go; found by lazy/query/compare.go
//	time of a thread, a range    flame.go, internal/flame; found by lazy/flame.go
//	name, size, state of a trace internal/tracestate
//	header, messages, troubles   internal/status
//	numbers filled in            internal/counting
//	rate and time left           lazy/status.go; drawn by lazy/query/display/numbers.go
//	the world outside            internal/clipboard, shell, terminal
//	terminal after a panic       restored by Bubble Tea, which run in ui.go starts; panics of
//	                             background work get there through internal/background/panic.go
//
// Nothing is drawn that could disturb the terminal: see [screen.NextCell].
package ui
