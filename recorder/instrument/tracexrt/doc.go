//go:build tracexrt

// Package tracexrt is linked into instrumented programs. It records what they do in a mapped file,
// whose layout package raw defines: layout.go of that package is compiled into this one. So is a
// file with the offsets of the runtime's fields, which are found in the runtime's source.
//
// It imports only unsafe. It starts no goroutine or thread, installs no signal handler, and leaves
// no file open. It calls no code of the program, allocates nothing on the program's heap, and keeps
// none of the program's objects alive. A failure ends only the recording.
package tracexrt
