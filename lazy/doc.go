// Package lazy reads traces of any size: it maps data and index, finds the
// children of a call on demand, and forgets them again. It knows nothing about
// screens; package format decodes the bytes.
//
//	LazyTraceReader   one open trace: a facade, in lazy.go
//	  Tree        a view to show, folded or raw: nodes in slabs, a memory budget
//	    Node      a thread or a trace point
//	    Row       a line of the outline: a node, or a gap of nodes that are not loaded
//
// It stands on two packages, each of which uses only those before it. Their names that callers need are names of
// this package, too: names.go.
//
//	lazy/internal/trace   the open files and what is known: mappings, descriptors, a view, the status, following
//	lazy/internal/walk    reads threads: children, passes, searches, printing, finding
//
// The building blocks of all three are lazy/internal/mapped, which maps files, lazy/internal/index, which builds a view
// (its streams and cells), lazy/internal/times, which reads the file of times, lazy/internal/fold with the rules of
// folding, and lazy/internal/lines, which writes the lines of a printed tree.
//
// Package lazy/eager is the simple alternative: it loads a whole trace into memory,
// from any io.Reader, without an index.
//
// # Finding children
//
// A container's cell says where its content begins and where its footer is.
// Going forward, the child whose header has just been read has the first cell, in
// post-order from a known cell on, whose start is not beyond the start of the child's
// content. Checkpoints with the smallest start of each 128 cells find it in a few
// reads, whatever the child contains (lazy/internal/index/cells_search.go). Going
// backward, the cell before the first cell of a child's subtree belongs to the
// previous sibling. Leaves between containers are decoded on the way. Showing a child
// reads no grandchild.
//
// # What is known when
//
// Open scans the first 256 KiB, which holds the first thread's root. Then one
// pass over the index finds blocks and reference objects. If the index is missing
// or wrong, a scan of the data finds everything, publishes what it knows as it
// proceeds, and stores an index. A node whose end has not been found is pending;
// [Tree.Refresh] brings it up to date.
//
// # Searches
//
// A search is a [Pass]. A caller who knows texts of which each match contains one cuts
// the work: such a text is cut at spaces and punctuation into pieces that must each be within
// one name, number or string of a point's text (lazy/internal/walk/search_pieces.go). Which pieces the names of an id have is
// found out once, and values are looked at as they are in the data (search_prefilter.go). Only
// points that may have all pieces are decoded.
//
// # Counts
//
// An index has a cell for each call, loop and iteration, and does not distinguish
// them; leaves have no cells. A scan of the data counts calls and events as it
// proceeds. If no scan was needed, a [TallyPass] reads the data only to count. Until
// then the number of cells is an upper bound for the number of calls.
//
// # Times
//
// The duration of a call is in a file beside the data, see [format.TimeCell]. Its
// cells are in the order of the recorder's index. The position of a container's cell
// in that index is known with or without the index, and leads to its time. The ID of
// each cell is compared when it is used. If one differs, the trace is treated as one
// without times; nothing else depends on them.
//
// # Sorted nodes
//
// The rows of a node may be ordered by duration. Its children stay in their slabs,
// ordered by offset; in addition there is a list of the first children in the new
// order, found by one walk over all of them. The rest is a gap like any other, except
// that loading it takes another walk: the order of all children is never in memory
// at once.
//
// # Flames
//
// A picture of a thread over its time has columns. A container that is at least a column wide is
// open in the middle of one, so [FlameOf] looks only there: which containers are open at a moment
// is found as for a search by time, by halving and by the checkpoints. Of these it reads the
// headers of those on the screen. How many containers end in a column is the difference of two
// ordinals. So a picture costs about columns × depth reads, whatever the size of the trace.
//
// # What the worker does
//
// One goroutine reads a trace in the background. Others send it requests, and never
// wait for it to take them:
//
//	    Open                              Open with Follow
//	      │ learn                                │
//	      ▼                Follow                ▼
//	 ┌─ resting ─────────────────────────────► following ─┐
//	 │    ▲  ▲                                   │    ▲   │ tick, CatchUp:
//	 └────┘  └───────────────────────────────────┘    └───┘ poll
//	 a doubt:      the data is complete; Unfollow;
//	 rebuild       it is not a trace
//	 the index
//
//	request      resting                       following
//	tick         –                             poll
//	CatchUp      done                          poll, then done
//	Follow       poll; following               –
//	Unfollow     –                             poll once more; resting
//	a doubt      rebuild the index from the    –
//	             data, if it is still the
//	             index that was doubted
//	Close        end                           end
//
// A doubt is the error of a walk that finds that index and data contradict each other.
// Status.Phase is the work done on an arrow: PhaseOpening, PhaseUnpacking,
// PhaseIndexing and PhaseRebuilding. PhaseFollowing is following; PhaseReady and
// PhaseFailed are resting.
//
// # A trace that is being written
//
// With Options.Follow the reader checks ten times a second whether the data has
// grown. If so, it maps the data again, continues its scan and publishes another view,
// until the data is complete; then it reads the index as with any trace. It shows
// whole blocks. Bytes after the last whole block are ignored while more may be
// written, whatever they look like; they do not count as damage.
//
// The index that the recorder writes meanwhile is not used, although a pass over it
// takes a tenth of the time of a scan. It does not tell which calls are open, and
// without them nothing can be shown. Finding them takes a walk over all children of
// each open call; with a loop of millions that takes more than half as long as the
// scan. The scan shows what it has found as it proceeds.
//
// # Locks
//
// The mappings may only be touched within Trace.Use, which keeps them in place and
// turns a fault, from a file that has shrunk, into an error. A Tree's own lock may
// be held when use is called, but must not be taken within it. Trace.CtxMu, which
// guards the descriptors, is taken within use, not around it. The locks of a board
// and of requests are held for a few lines that take no other lock. No value handed out
// points into a mapping.
package lazy
