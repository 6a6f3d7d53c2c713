// Package lazy reads traces of any size: it maps data and index, finds the
// children of a call when they are asked for, and forgets them again. It knows
// nothing of screens, and leaves what a byte means to package format.
//
//	TraceReader   one open trace: the face of the two that follow
//	  trace       what is open and known: mappings, descriptors, a view
//	    board     its status, and who is told when that changes
//	  worker      the goroutine that finds out more, and what it is asked to do
//	    follower  what it knows of a file that is being written
//	  walker      reads one thread of a trace; descent: a walk over whole threads
//	  Tree        a view for a person, folded or raw: nodes in pages, a budget
//	    Node      a thread or a trace point
//	    Row       a line of the outline: a node, or a gap of what is not loaded
//
// What these are made of has packages of its own: lazy/internal/mapped has files in
// memory, lazy/internal/index a view (its streams and cells) and what finds it,
// lazy/internal/times the file of times, lazy/internal/fold the rules of folding,
// lazy/internal/lines the lines of a printed tree.
//
// Package lazy/eager has the plain way: all of a trace in memory, from any reader,
// without an index.
//
// # Finding children
//
// A container's cell says where its content begins and where its footer is.
// Going forward, the child whose header has just been read is the first cell at
// or after a place in post-order whose start is not beyond its content; a
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
// How long a call took is in a file beside the data, see [format.TimeCell]: its cells
// are in the order of the recorder's index, so that the place of a container's cell
// there, which is known with or without that index, leads to its time. The ID of
// each cell is compared when it is used. When one differs, the trace is one without
// times; nothing else depends on them.
//
// # Sorted nodes
//
// The rows of a node may come by duration. Its children stay where they are, in
// pages by offset; what is added is a list of which come first, found by one walk
// over all of them. Where it ends is a gap like any other, but that loading it
// takes another walk: the order of all children is never in memory at once.
//
// # What the worker does
//
// One goroutine finds out about a trace. Others send it orders, and never wait for it
// to take them:
//
//	    Open                              Open with Follow
//	      │ learn                                │
//	      ▼                Follow                ▼
//	 ┌─ resting ─────────────────────────────► following ─┐
//	 │    ▲  ▲                                   │    ▲   │ tick, CatchUp:
//	 └────┘  └───────────────────────────────────┘    └───┘ look
//	 a doubt:      the data has its end; Unfollow;
//	 make the      it is no trace
//	 index again
//
//	order        resting                       following
//	tick         –                             look
//	CatchUp      done                          look, then done
//	Follow       look; following               –
//	Unfollow     –                             look, what is there is all; resting
//	a doubt      make the index again from     –
//	             the data, if it is still the
//	             index that was doubted
//	Close        end                           end
//
// A doubt is the error of a walk that finds that index and data contradict each other.
// Status.Phase says what is done on an arrow: PhaseOpening, PhaseUnpacking,
// PhaseIndexing and PhaseRebuilding; PhaseFollowing is following, PhaseReady and
// PhaseFailed are resting.
//
// # A trace that is being written
//
// With Options.Follow the reader looks ten times a second whether the data has
// grown, maps it again, scans on from where it stopped and publishes another view,
// until the recording has its end: then it takes the index as with any trace. It
// shows whole blocks. What comes after them is not there yet, as long as more may
// come, whatever it looks like; nor is it damaged.
//
// The index that the recorder writes meanwhile is not used, though the pass over it
// takes a tenth of the time of a scan. It does not tell which calls are open, and
// nothing of it can be shown without them. To find them takes a walk over all
// children of each, which with a loop of millions takes more than half as long as
// the scan. The scan shows what it has found as it goes.
//
// # Locks
//
// The mappings may only be touched within trace.use, which keeps them in place and
// turns a fault, from a file that has shrunk, into an error. A Tree's own lock may
// be held when use is called, not taken within it; likewise trace.ctxMu, of the
// descriptors, is taken within use and not around it. The locks of a board and of
// orders are held for a few lines that take no other lock. Nothing that is handed
// out points into a mapping.
package lazy
