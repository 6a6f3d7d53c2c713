// Package diff tells what is different between two traces, or between two parts of one.
//
// Containers with everything in them are compared by hashes, which one pass over each trace makes. Where two containers
// differ, their children are aligned, and those that have a partner with another hash are entered. What comes out is a
// script of steps, pairs of offsets in the two traces: nothing of them is copied.
//
//	sign.go      what a trace point is about, and its values, as hashes; mix.go has the arithmetic, identity.go which objects are the same
//	hash.go      the hashes of containers with everything in them; hash_part.go and hash_merge.go make them
//	threads.go   which threads belong together
//	align.go     the partners among the children of two containers
//	build.go     the walk over what differs, which puts the steps; build_long.go and build_cuts.go for containers with many children
//	script.go    the steps; moved.go and kinds.go find what was moved and renamed, and count
//	write.go     a trace with marks, made by the script: what users see; pairs.go where each of its rows comes from
//	ignore.go    filters of changes that do not count
//	first.go     the first place where the two part, at once: without hashes of containers
//
// Line numbers, numbers of events, of iterations and of goroutines, and times never make a difference, nor do the identities of objects unless that is
// asked for.
package diff
