//go:build tracexrt

// Package tracexrt is linked into instrumented programs. It records what they do in a mapped file,
// whose layout package raw defines: layout.go of that package is compiled into this one. So is a
// file with the offsets of the runtime's fields, which are found in the runtime's source.
//
// It imports only unsafe. It starts no goroutine or thread, installs no signal handler, and leaves
// no file open. It calls no code of the program, allocates nothing on the program's heap, and keeps
// none of the program's objects alive. A failure ends only the recording.
//
// A runtime that was built for it calls waits.go when a goroutine begins to wait, and when it goes on. What makes a recording
// begin and end is in control.go; which calls it has, in options.go and trees.go; what it lasts until, in triggers.go.
package tracexrt
