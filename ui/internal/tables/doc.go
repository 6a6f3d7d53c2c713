// Package tables shows tables in place of the tree, makes the answers of package query that are shown
// so, and writes what is shown to files.
//
//	Source   what is shown: gives the table as it is now; may sort, group, load rows, stop
//	Sheet    a table on the screen, a list in front of the tree, of any number of rows
//	Tables   opens sheets, one over the other, and runs their work
//	Answers  the commands that open answers, and what these share
//	Top, Paths, Throws, Calls … answers, each a Source whose table grows while a pass over the trace runs, with its
//	         command and its keys
//	Exports  writes files in the background, one at a time; a file takes its place when it is complete
//
// A source gives another table whenever something has changed, so what is on the screen is never
// half of one answer and half of the next. An answer is of what was known when it began; it does not
// follow a growing trace.
package tables
