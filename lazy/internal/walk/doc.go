// Package walk reads the threads of an open trace, point by point, and keeps none of them.
//
//	Walker        reads one thread: the next point, where its content ends, its time
//	ChildReader   the children of one point, as they are or folded, with or without edits
//	Reader        a trace.Worker that walks over whole traces: Pass, Search, Print, Translate, Summarize, and
//	              finds places: by number, by time, by fraction
//
// Package lazy has the tree, which keeps points, and the names of this package that others use.
package walk
