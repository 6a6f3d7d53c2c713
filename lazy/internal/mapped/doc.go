// Package mapped maps files into memory, reads ahead of their user, and guards
// against a file that shrinks meanwhile.
//
// A mapped file can become shorter at any time. Reading beyond its new end is a
// processor fault (SIGBUS), which [Guard] turns into an error: touch the bytes of a
// [File] only within Guard, and do not hand them out.
package mapped
