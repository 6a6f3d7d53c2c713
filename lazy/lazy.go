package lazy

import (
	"context"
	"io"
	"time"

	"tracex/format"
	"tracex/lazy/internal/trace"
	"tracex/lazy/internal/walk"
	"tracex/lazy/literal"
)

// LazyTraceReader reads a trace of any size. It maps data and index; its memory
// grows with the number of blocks and reference objects, not with the number of
// calls. All methods may be called from any goroutine, and any number of readers
// may be open at once.
type LazyTraceReader struct {
	r *walk.Reader
}

// Open opens a trace: a data file, with its index beside it if it exists, or
// a packed trace. It returns quickly, whatever the size; the rest is read in the
// background, see Status and Changed. An error about a fault of the file is
// an [*format.Error].
func Open(path string, o Options) (*LazyTraceReader, error) {
	if o.Memory <= 0 {
		o.Memory = DefaultMemory
	}
	r, err := walk.Open(path, o)
	if err != nil {
		return nil, err
	}
	return &LazyTraceReader{r}, nil
}

// ReaderOf returns what reads the trace, for the packages below lazy that walk over its threads themselves.
func ReaderOf(r *LazyTraceReader) *walk.Reader { return r.r }

// Close ends the background work and unmaps the files. It waits for reads in
// progress. Values handed out before stay valid.
func (r *LazyTraceReader) Close() error { return r.r.Close() }

// Version returns the format version of the trace; 0 while nothing of it has been
// read, as with a packed trace that is still being unpacked.
func (r *LazyTraceReader) Version() format.Version { return r.r.Version() }

// Path returns the path that was opened.
func (r *LazyTraceReader) Path() string { return r.r.Path }

// Info returns what a packed trace records about its run; nil for any other trace.
func (r *LazyTraceReader) Info() *format.Info { return r.r.Info }

// Diff returns what a packed trace tells of the two that it compares; ok is false if it is no diff.
func (r *LazyTraceReader) Diff() (d DiffInfo, ok bool) {
	if r.r.Diff == nil {
		return d, false
	}
	return *r.r.Diff, true
}

// Moves returns what was moved and renamed in a diff: [Options.Moves]. The caller must not change it.
func (r *LazyTraceReader) Moves() Moves { return r.r.Opts.Moves }

// Size returns the sizes of data and index in bytes; 0 for an index that is absent
// or not used.
func (r *LazyTraceReader) Size() (data, index int64) { return r.r.Sizes() }

// WithContext calls f with the trace's descriptors. f may only read them, and must not
// keep them: they may grow after it has returned.
func (r *LazyTraceReader) WithContext(f func(*format.Context)) { r.r.WithContext(f) }

// Status returns the state of the reader.
func (r *LazyTraceReader) Status() Status { return r.r.Now() }

// Changed returns a channel that receives after the status, or what is known
// about the trace, has changed. Several changes may be combined into one.
func (r *LazyTraceReader) Changed() <-chan struct{} { return r.r.Changed }

// Wait waits until the background work has ended, successfully or not, or, for a
// followed trace, until everything written so far is known. It returns ctx's error
// if ctx ends first.
func (r *LazyTraceReader) Wait(ctx context.Context) error { return r.r.Wait(ctx) }

// Follow continues to read an incomplete trace, as if it had been opened with
// Options.Follow. Loaded nodes become stale, see Status.Epoch. It reports whether
// it will: a complete trace does not grow, unless its file has been replaced, nor does a packed one.
func (r *LazyTraceReader) Follow() bool { return r.r.Follow() }

// Unfollow stops following. If the data has no end, it is shown as a recording that
// was cut short.
func (r *LazyTraceReader) Unfollow() { r.r.Unfollow() }

// CatchUp waits until everything now in the file of a followed trace is known; for
// any other trace, until everything is known. It returns ctx's error if ctx ends
// first.
func (r *LazyTraceReader) CatchUp(ctx context.Context) error { return r.r.CatchUp(ctx) }

// Newest returns the thread of the last block; ok is false if there are no blocks.
func (r *LazyTraceReader) Newest() (thread int32, ok bool) { return r.r.Newest() }

// Threads returns the threads known so far, by id. There may be a million: use ThreadInfo for
// one, Totals for all together, and ThreadList for one after the other.
func (r *LazyTraceReader) Threads() (list []ThreadInfo) { return r.r.Threads() }

// ThreadInfo describes a thread; ok is false if no thread has this id.
func (r *LazyTraceReader) ThreadInfo(id int32) (t ThreadInfo, ok bool) { return r.r.ThreadInfo(id) }

// Totals returns how many threads are known so far, and the sum of their contents. It
// looks at each of them only if more is known than before.
func (r *LazyTraceReader) Totals() (threads int, all Population) { return r.r.AddUp() }

// Times reports whether the trace has usable times, and the wall clock time at which
// they begin to count. If there is a file of times that cannot be used, Status has
// the reason.
//
// A trace whose clock is not related to the wall clock counts from 1970: see [WallKnown].
func (r *LazyTraceReader) Times() (anchor time.Time, ok bool) { return r.r.Times() }

// TimesSize returns the size of the file of times in bytes; 0 if it is absent or not
// used. For a packed trace it is the unpacked size.
func (r *LazyTraceReader) TimesSize() int64 { return r.r.TimesSize() }

// ThreadTime returns the time of a thread: from the start of its first block to the end of its
// last. ok is false if it is not known, as in a trace without times.
func (r *LazyTraceReader) ThreadTime(thread int32) (t Time, ok bool) { return r.r.ThreadTime(thread) }

// Recording returns when the recording began and how long it took: to its end,
// or, if it has none, to the last known time. ok is false if the trace has no times.
func (r *LazyTraceReader) Recording() (begin time.Time, length time.Duration, ok bool) {
	return r.r.Recording()
}

// FindEvent returns the position of the trace point with an event number, in the known
// part of the trace. Recorders number events in rising order within each thread;
// otherwise the search reads all of the data.
func (r *LazyTraceReader) FindEvent(ctx context.Context, event int32) (Position, error) {
	return r.r.FindEvent(ctx, event)
}

// FindFraction returns the Position at a fraction of a thread's stream, from 0 for its first point to 1 for its end.
func (r *LazyTraceReader) FindFraction(thread int32, f float64) (Position, error) {
	return r.r.FindFraction(thread, f)
}

// FindTime finds the place in a thread at a time: nanoseconds since the anchor of
// [LazyTraceReader.Times]. The error is [ErrNoTimes] if the trace has none, or none of the thread.
//
// The containers of a thread are found in the order of their ends, which rise, so the first that
// ends at the time or later is found by halving.
func (r *LazyTraceReader) FindTime(thread int32, at int64) (found Moment, err error) {
	return r.r.FindTime(thread, at)
}

// AlsoIn returns other threads with an event of the same number as the one at a position, at
// most limit. It relies on numbers that rise within each thread.
func (r *LazyTraceReader) AlsoIn(ctx context.Context, event int32, at Position, limit int) (threads []int32, err error) {
	return r.r.AlsoIn(ctx, event, at, limit)
}

// Extent returns the part of a thread that a trace point takes: with its header, everything
// below it, and its footer. p is its Position, as of a Hit; that of a thread, with At -1, is all
// of it.
func (r *LazyTraceReader) Extent(p Position) (g PassRange, err error) { return r.r.Extent(p) }

// Pass runs p on what is known when it begins: wait for [PhaseReady] to read all. If the
// data is damaged, everything before the damage is visited and Status().Problem has the
// reason, unless Skip or Among leaves the damaged part out; a damaged class, method or text ends nothing. After an error, or when ctx ends, everything merged so far is valid, apart from
// what the collectors know to be missing.
func (r *LazyTraceReader) Pass(ctx context.Context, p Pass) error { return r.r.Pass(ctx, p) }

// Search searches all threads and calls tell with its findings, on the caller's
// goroutine: at once for the first hit, then now and then, and at the end. It
// searches what is known when it begins: wait for PhaseReady to search all.
func (r *LazyTraceReader) Search(ctx context.Context, s Search, tell func(Found)) error {
	return r.r.Search(ctx, s, tell)
}

// Recall reads hits again, with their paths, and calls visit with each on the caller's
// goroutine; the argument is valid until visit returns. s selects the view, and whether
// to show code locations. more returns the hits, batch by batch, in the order in which
// Search reported them; an empty batch ends them. It may wait. Points between two hits
// are skipped if the index leads past them.
func (r *LazyTraceReader) Recall(ctx context.Context, s Search, more func() []Hit, visit func(*Recalled) error) error {
	return r.r.Recall(ctx, s, more, visit)
}

// TallyPass returns a TallyPass over the current data; nil if there is nothing to count because
// the counts are known already, or because the trace is not completely known.
func (r *LazyTraceReader) TallyPass() *TallyPass { return r.r.TallyPass() }

// Summarize reads all data once and counts. If the data is damaged, the reader's
// Status().Problem has the reason. progress may be nil; it gets bytes.
func (r *LazyTraceReader) Summarize(ctx context.Context, progress func(done, total int64)) (Summary, error) {
	return r.r.Summarize(ctx, progress)
}

// Print writes threads as text, with all their roots, without keeping nodes: memory
// grows with the depth of nesting and with the number of processors; it uses up to 16. It prints what is known when it begins; wait for PhaseReady to print all.
// If the index turns out to be wrong, it waits for a new one and continues. If the
// data is damaged, everything before the damage has been written. Headings have names if several threads have
// points. A thread without events within the range has no heading; without any events it has one in
// version 22 alone, if names are shown. If it has a From and there is nothing to print from
// there on, Print writes nothing and returns a [*NoEventError]. A nil w is standard output.
func (r *LazyTraceReader) Print(ctx context.Context, w io.Writer, o PrintOptions, within PrintRange) error {
	return r.r.Print(ctx, w, o, within)
}

// Translate writes the trace in another version of the format: the same objects
// in the same blocks, and the index in the same order. Data and calls without an end
// stay without one. The reader must know everything, see Wait, and must not follow.
// progress may be nil; it gets bytes of two passes over the data.
//
// If the data is damaged, the new trace ends before the damage, and Translation.Problem
// is set. Translate returns an error if it cannot write, or if ctx has ended.
func (r *LazyTraceReader) Translate(ctx context.Context, to format.Version, out TranslateFiles, progress func(done, total int64)) (*Translation, error) {
	return r.r.Translate(ctx, to, out, progress)
}

// IdentityOf returns the identity of a complete trace: a digest of the sizes of its data and times, and of 64
// samples of 4 KiB of each. Two recordings of a program differ in the moment when they began, which is
// in the times. Without times they may be the same, byte by byte: then they are one trace.
func IdentityOf(r *LazyTraceReader) (id Identity, err error) { return trace.IdentityOf(r.r.Worker) }

// LookForAnother looks whether another data file has the name of the trace's now, or, if the trace is complete, whether
// its file was written to: then the status tells, and [LazyTraceReader.Follow] begins with what is there. It asks the file
// system. A trace that is followed does not need it, and of a packed one it learns nothing.
func LookForAnother(r *LazyTraceReader) { trace.LookForAnother(r.r.Worker) }

// TimesMissing returns the path where the times of a Go program's trace would be, if there is no such file: it was not
// copied with the trace, or no times were recorded. It is "" for others: what records in a JVM writes none.
func TimesMissing(r *LazyTraceReader) (path string) { return walk.TimesMissing(r.r) }

// TimesAround returns the last known time before a position, and the first after it: see [PassPoint.When].
func TimesAround(r *LazyTraceReader, p Position) (from, to int64, err error) {
	return walk.TimesAround(r.r, p)
}

// OpenAt returns what threads, given by their ids, had open at a time, in the order of these: see
// [LazyTraceReader.FindTime]. The error is [ErrNoTimes] if the trace has none.
func OpenAt(ctx context.Context, r *LazyTraceReader, threads []int32, at int64) ([]OpenThread, error) {
	return walk.OpenAt(ctx, r.r, threads, at)
}

// Needles returns texts for [Pass.Among], with ends: the encoding of each point whose text contains one of needs, or
// that of its footer, has at least one of them. It returns nil if nothing can be promised, as while the trace is not
// completely known.
func Needles(r *LazyTraceReader, needs []literal.Text) []literal.Text {
	return walk.Needles(r.r, needs)
}

// LimitsOf returns what a text does not have, for a search for it.
func LimitsOf(text string) Limits { return walk.LimitsOf(text) }

// SearchCollector returns a collector of the points that a search finds by their texts, for a pass: found gets those of
// each part of the trace, in their order, and up to where the part was searched. From, Else, Every and Folded of the search do not
// count.
func SearchCollector(r *LazyTraceReader, s Search, found func(at []Position, upto Position) error) Collector {
	return walk.SearchCollector(r.r, s, found)
}

// SummaryOf returns the summary file of a trace.
func SummaryOf(r *LazyTraceReader) SummaryFile { return walk.SummaryOf(r.r) }

// Explain adds the result of ended to err if err means that the data at path has no
// end, and returns err otherwise. [errors.Is] still finds [format.ErrTruncated]. size
// is the number of bytes of the file that were read; -1 for all.
func Explain(err error, path string, size int64, ended func() WhyUnended) error {
	return trace.Explain(err, path, size, ended)
}

// AppendPath appends the names of n containers, outermost first. Of a long path the part after the
// first name is left out. name appends the name of the i-th container, counted from the outermost.
func AppendPath(dst []byte, n int, name func(dst []byte, i int) []byte) []byte {
	return walk.AppendPath(dst, n, name)
}
