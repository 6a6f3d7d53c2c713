package lazy

import (
	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// DefaultMemory is the default budget for loaded nodes, in bytes.
const DefaultMemory = 256 << 20

// firstScan is how many bytes of the data Open scans itself: the first block
// begins with the first thread's root and the objects it refers to.
const firstScan = 256 << 10

// Options configure Open.
type Options struct {
	Memory  int64 // budget in bytes for the loaded nodes of a Tree; 0: DefaultMemory
	NoWrite bool  // do not store an index
	Alone   bool  // the data is a copy, as of a pipe: the other files of the trace are not beside it

	// Index is the path of the index; "" for the data's name with [format.IndexSuffix] added, or the index
	// in a packed trace. One that is given is only read: if it is missing or not of this data the trace is
	// read without it, Status.IndexReason tells why, and nothing is stored.
	Index string

	// Follow keeps reading while the trace is being written: new data is shown
	// as it arrives, until the trace is complete. A file that does not exist yet
	// is waited for. See Status.Growth.
	Follow bool

	// Unended, if not nil, returns why data without an end has none. Any goroutine
	// may call it.
	Unended func() WhyUnended
	// Finish, if not nil, is called while a followed trace does not grow. If its
	// program has ended without closing it, Finish brings in what the program left,
	// and returns a sentence for Status.Ended; "" if there is nothing to do.
	// Its error is why that failed.
	Finish func() (told string, err error)
	// Ended is the initial value of Status.Ended.
	Ended string
}

// LazyTraceReader reads a trace of any size. It maps data and index; its memory
// grows with the number of blocks and reference objects, not with the number of
// calls. All methods may be called from any goroutine, and any number of readers
// may be open at once.
//
// It is a facade for two parts: the trace, with the open files and what is known, and
// the worker, whose goroutine finds out more.
type LazyTraceReader struct {
	*worker
}

// ErrNotRegular is the error for a pipe, a socket or a device where a file was
// expected. Such an error is also a [format.ErrNotTrace].
var ErrNotRegular = mapped.ErrNotRegular

// Close ends the background work and unmaps the files. It waits for reads in
// progress. Values handed out before stay valid.
func (r *LazyTraceReader) Close() error {
	r.cancel()
	<-r.done
	return r.close()
}

// Version returns the format version of the trace; 0 while nothing of it has been
// read, as with a packed trace that is still being unpacked.
func (r *LazyTraceReader) Version() format.Version { return r.version() }

// Path returns the path that was opened.
func (r *LazyTraceReader) Path() string { return r.path }

// Info returns what a packed trace records about its run; nil for any other trace.
func (r *LazyTraceReader) Info() *format.Info { return r.info }

// Size returns the sizes of data and index in bytes; 0 for an index that is absent
// or not used.
func (r *LazyTraceReader) Size() (data, index int64) { return r.sizes() }

// WithContext calls f with the trace's descriptors. f may only read them, and must not
// keep them: they may grow after it has returned.
func (r *LazyTraceReader) WithContext(f func(*format.Context)) { r.withContext(f) }
