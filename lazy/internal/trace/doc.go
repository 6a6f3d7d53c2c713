// Package trace is the open files of a trace and what is known about them. It finds blocks, descriptors and threads;
// what is in the threads is read by package walk.
//
//	Trace       mappings, descriptors, the known view, its times and its summary file; sums of what was counted
//	  board     the status, and the channels that announce a change
//	Worker      a Trace with the background goroutine and its queue of requests
//	follower    the state of a file that is being written
//
// All of it is for the packages walk and lazy: callers of package lazy see the types of [Status] and [Options] only.
package trace
