// Package raw defines the layout of the file that an instrumented program records into, and reads
// such files, even while their programs write them. See layout.go for the bytes.
//
// Nothing in a file is trusted: sizes are checked before memory is allocated for them, and damage is
// an [*Error] with its place. A file may also be cut off, or change, while it is read. So it is
// copied into memory, and never mapped.
package raw
