// Package ui is the explorer: it shows a trace as a tree in the terminal and turns keys into
// steps through it.
//
// There is one [tea.Model], which routes keys to what is in front (a prompt, a list, the tree)
// and messages to the parts that they are for. Parts are packages below ui/internal with their
// own state. None of them updates the whole: a part handles a key or a message by returning
// what to do, and draws values.
//
//	key ──► Model.Update ──► keymap (one table) ──► action ──► tree, search, …
//	                │                                  │
//	                │         results ◄── work in the background: load, count, search, …
//	                ▼
//	             settle: which rows are on the screen, what is missing there
//	                ▼
//	             View: header, breadcrumb, tree, details, status
//
// Whatever may read the disk runs in the background. Its result arrives as a message and is
// dropped if it is no longer wanted.
//
// Rows end in columns of numbers: how many children, and, in a trace with times, how long the
// call took, its self time, and its share of the parent's time. Numbers that need a walk over
// the children (their number, the self time of a call) are computed in the background, for the
// rows on the screen.
//
// Where to find things:
//
//	keys and what they do        keymap.go; drawn by internal/help, taught by internal/tour
//	text in cells, styles        internal/screen
//	cursor and moves in the tree internal/outline
//	rows and their columns       internal/rows, internal/nodetext
//	searches, hits, their list   internal/search, internal/pattern
//	lists with a filter          internal/list, internal/threads
//	typing                       internal/prompt, internal/address
//	all about a row              internal/details, internal/source
//	header, messages, troubles   internal/status
//	work that a person waits for internal/job, internal/history
//	numbers filled in            internal/counting
//	the world outside            internal/clipboard, editor, shell, terminal
//
// Nothing is drawn that could disturb the terminal: see [screen.NextCell].
package ui
