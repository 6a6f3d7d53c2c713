// Package raw has the layout of the file that an instrumented program records into, and reads
// such files while their programs still write them. See layout.go for the bytes.
//
// Nothing in a file is trusted: sizes are checked before memory is taken for them, and damage is
// an [*Error] with its place. A file may also be cut off, or change, while it is read. So it is
// read into memory of our own, and never mapped.
package raw
