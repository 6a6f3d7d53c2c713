// Package sourcefiles finds the source files of code locations: below directories, and those of Go also in the
// modules that these need and in the standard library.
package sourcefiles
