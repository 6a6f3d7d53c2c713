// Package mapped holds files in memory: mapped, read ahead of their user, and
// guarded against a file that shrinks meanwhile.
//
// A mapped file can become shorter at any time. Reading beyond its new end is a
// fault of the processor (SIGBUS), which [Guard] turns into an error: touch the
// bytes of a [File] only within Guard, and hand none of them out.
package mapped
