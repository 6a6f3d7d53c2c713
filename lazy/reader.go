package lazy

import (
	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// DefaultMemory is the budget for loaded nodes, in bytes, when none is given.
const DefaultMemory = 256 << 20

// firstScan is how much of the data Open looks at itself, in bytes: the first
// block begins with the first thread's root and what it refers to.
const firstScan = 256 << 10

// Options say how a trace is opened.
type Options struct {
	Memory  int64 // budget in bytes for the loaded nodes of a Tree; 0: DefaultMemory
	NoWrite bool  // store no index

	// Follow reads on while the trace is being written: what comes is known
	// as it comes, until the recording has its end. A file that is not there
	// yet is waited for. See Status.Growth.
	Follow bool

	// Unended, when not nil, says why data without an end has none. Any goroutine
	// may call it.
	Unended func() Unended
	// Finish, when not nil, is called while a trace is followed that does not grow.
	// Where its program has ended without closing it, it brings in what that left,
	// and says so in a sentence for Status.Ended; "" while there is nothing to do.
	// Its error says why that cannot be done.
	Finish func() (told string, err error)
	// Ended is what Status.Ended says at first.
	Ended string
}

// TraceReader reads a trace of any size. It maps data and index; what it keeps
// in memory grows with the number of blocks and reference objects, not with
// the number of calls. All methods may be called from any goroutine, and any
// number of readers may be open at once.
//
// It is the face of two parts: the trace, which is what is open and known, and the
// worker, whose goroutine finds out more.
type TraceReader struct {
	*worker
}

// ErrNotRegular: a pipe, a socket or a device, where a file was expected. Such an
// error is a [format.ErrNotTrace], too.
var ErrNotRegular = mapped.ErrNotRegular

// Open opens a trace: a data file, with its index beside it if there is one, or
// a packed trace. It returns at once whatever the size; what else there is to
// know is found in the background, see Status and Changed. An error that names
// a fault of the file is an [*format.Error].
func Open(path string, o Options) (*TraceReader, error) {
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	if o.Follow {
		return openFollowed(path, o)
	}
	f, size, err := mapped.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := newReader(path, o)
	work, err := r.open(f, size)
	if err != nil {
		r.data.Unmap()
		r.times.Load().Mapped().Unmap()
		return nil, err
	}
	r.run(work)
	return r, nil
}

func newReader(path string, o Options) *TraceReader {
	return &TraceReader{newWorker(newTrace(path, o.Ended), o)}
}

// Close ends the background work and unmaps the files. It waits for what is
// being read. What was handed out stays good.
func (r *TraceReader) Close() error {
	r.cancel()
	<-r.done
	return r.close()
}

// Version returns the version of the format that the trace has; 0 as long as
// nothing of it has been seen, as of a packed trace that is being unpacked.
func (r *TraceReader) Version() format.Version { return r.version() }

// Path returns the path that was opened.
func (r *TraceReader) Path() string { return r.path }

// Info returns what a packed trace says of the run that it was recorded from;
// nil for another trace.
func (r *TraceReader) Info() *format.Info { return r.info }

// Size returns the sizes of data and index in bytes; 0 for an index that is
// not there or not used.
func (r *TraceReader) Size() (data, index int64) { return r.sizes() }

// WithContext calls f with the trace's descriptors, which f may only read and
// not keep: they may grow when it has returned.
func (r *TraceReader) WithContext(f func(*format.Context)) { r.withContext(f) }
