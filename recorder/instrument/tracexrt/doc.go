//go:build tracexrt

// Package tracexrt is linked into instrumented programs. It writes what they do into a mapped
// file, whose layout package raw tells: its file layout.go becomes a part of this package, and so
// does a file with the offsets of fields of the runtime, found in the runtime's source.
//
// It imports nothing but unsafe, and starts nothing: no goroutine, no thread, no signal handler,
// no open file stays behind. It calls no code of the program, allocates nothing from the
// program's memory and keeps nothing of it alive. A failure ends the recording only.
package tracexrt
