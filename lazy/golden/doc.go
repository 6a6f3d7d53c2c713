// Package golden keeps what a program did as a small text file in its repository, and tells what is
// different in a new recording: a golden trace.
//
// The file has the calls that were chosen, nested as they were, with how they ended; values only if asked for. It has no
// line numbers, times, numbers of events or goroutines, and no identities of objects. Neighbours that are the same are one line with
// their number. Threads have the order of their names. Those whose names differ by numbers alone, and goroutines that
// begin with the same function and are started by the same one, are one section, in which the order of root calls does not count.
//
// A test calls [Check]; the command golden saves and checks from a shell.
//
//	golden.go    options, and the file
//	visit.go     from a trace to shapes
//	shape.go     subtrees, each kept once
//	text.go      from shapes to lines
//	check.go     golden traces in tests, and what differs
//	lines.go     what differs between two texts
package golden
