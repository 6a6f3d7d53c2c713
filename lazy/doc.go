// Package lazy reads traces of any size: it maps data and index, finds the
// children of a call when they are asked for, and forgets them again. It knows
// nothing of screens, and leaves what a byte means to package format.
//
//	TraceReader   one open trace: mappings, descriptors, what is known so far
//	  view        what is known at one moment; never changes, others replace it
//	    stream    one thread: its blocks, joined into logical offsets
//	      cells   its containers in post-order: in the mapped index, or found
//	              again from the data
//	  Tree        a view for a person, folded or raw: nodes in pages, a budget
//	    Node      a thread or a trace point
//	    Row       a line of the outline: a node, or a gap of what is not loaded
//
// Package lazy/eager has the plain way: all of a trace in memory, from any reader,
// without an index.
//
// # Finding children
//
// A container's cell says where its content begins and where its footer is.
// Going forward, the child whose header has just been read is the first cell at
// or behind a place in post-order whose start is not beyond its content; a
// sample of the smallest start of each 512 cells makes that a few steps,
// whatever the child contains. Going backward, the cell before a child's own
// subtree is that of the child before it. Leaves lie between containers and are
// decoded on the way. No grandchild is read to show a child.
//
// # What is known when
//
// Open scans the first 256 KiB, which holds the first thread's root. Then one
// pass over the index finds blocks and reference objects, or, where the index
// is missing or wrong, a scan of the data finds all, showing what it knows as
// it goes, and the index is stored. A node whose end has not been found is
// pending; [Tree.Refresh] brings it up to date.
//
// # Counts
//
// An index has a cell for each call, loop and iteration, and does not tell them
// apart; leaves have none. A scan of the data counts calls and events as it goes;
// where there was none, a [Census] reads the data for that alone. Until then no
// more is known than that there are at most as many calls as cells.
//
// # Times
//
// How long a call took stands in a file beside the data, see [format.TimeCell]:
// its cells are in the order of the recorder's index, so that the place of a
// container's cell there, which is known with or without that index, leads to
// its time. The ID of each cell is compared when it is used. One that is another
// makes the trace one without times; nothing else depends on them.
//
// # Sorted nodes
//
// The rows of a node may come by duration. Its children stay where they are, in
// pages by offset; what is added is a list of which come first, found by one walk
// over all of them. Where it ends is a gap like any other, but that loading it
// takes another walk: the order of all children is never in memory at once.
//
// # A trace that is being written
//
// With Options.Follow the reader looks ten times a second whether the data has
// grown, maps it anew, scans on from where it stood and publishes another view,
// until the recording has its end: then it takes the index as with any trace. It
// shows whole blocks. What stands behind them is not there yet, as long as more
// may come, whatever it looks like; nor is it damaged.
//
// The index that the recorder writes meanwhile is not used, though the pass over
// it takes a tenth of the time of a scan: it does not tell which calls are open,
// without which nothing of it can be shown, and to find those is to go over all
// children of each, which with a loop of millions takes more than half as long
// as the scan. The scan shows what it has found as it goes.
//
// # Locks
//
// The mappings may only be touched within TraceReader.use, which keeps them in
// place and turns a fault, from a file that has shrunk, into an error. A Tree's
// own lock may be held when use is called, not taken within it. Nothing that is
// handed out points into a mapping.
package lazy
