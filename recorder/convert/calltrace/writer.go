package calltrace

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
)

// Options of a Writer.
type Options struct {
	Version format.Version // to write: 22 or 27; 0 for the newest
	TempDir string         // for the temporary file of tracks; "" for the system's
	Memory  int64          // bytes of the events of tracks in memory; 0 for 64 MiB
	// Progress gets the bytes of data written while Finish writes the tracks. It may be nil.
	Progress func(data int64)
}

const defaultMemory = 64 << 20

// Writer writes one trace. One goroutine may use it and its threads and tracks. After a failure of
// a file all calls return its error.
type Writer struct {
	options Options
	to      tracefile.Files
	blocks  Blocks
	dict    *Dictionary
	encoder encoder
	left    fit.Tally
	spool   *spool.Spool
	spilled *spool.Stream // descriptors that no block has yet; nil if none
	tracks  []*Track
	gone    int           // of tracks: those that are closed
	closed  *spool.Stream // these, see Track.Close; nil if there are none
	groups  []*Group

	threads     int64     // numbered
	events      int64     // numbered
	open        int       // calls that have begun, in all threads
	nested      int       // calls that have begun, in the nesting of all tracks
	first, last int64     // ns: of all events
	origin      int64     // ns: where the times of the trace begin
	live        Thread    // the head of a ring of the threads that are not closed
	anchor      time.Time // the wall time of the moment 0
	anchored    bool      // it is known
	shift       int64     // ns: is added to the times of events, see Move
	moved       bool
	probe       bool // see Probe
	finishing   bool // no events of threads come any more
	finished    bool
	constants
	class          int32  // without a name, plus one; 0: not yet
	header, record []byte // scratch of tracks
	err            error  // the first that ends the conversion
}

var (
	errNumbers  = errors.New("more than 2,147,483,647 events, threads or descriptors: the format has no numbers for them")
	errFinished = errors.New("an event for a trace or a thread that is finished") // a bug of the caller
)

// New begins a trace. Nothing is written to the files before the first event.
func New(to tracefile.Files, o Options) *Writer {
	o.Version = cmp.Or(o.Version, format.Newest)
	if o.Memory <= 0 {
		o.Memory = defaultMemory
	}
	w := &Writer{options: o, to: to, spool: spool.New(o.TempDir, o.Memory), first: math.MaxInt64, last: math.MinInt64}
	w.live.next, w.live.prev = &w.live, &w.live
	w.dict = NewDictionary(o.Version)
	w.encoder = encoder{version: o.Version, left: &w.left}
	w.constants = w.encoder.constants()
	w.blocks = Blocks{Dictionary: w.dict, Size: BlockSize, Budget: BlockBudget}
	w.anchor = time.Unix(0, 0)
	if !o.Version.Writable() {
		w.err = fmt.Errorf("version %d of the format is not written: the version is 27, 22, or 0", o.Version)
	}
	return w
}

// TempDir returns where temporary files go; "" for the system's directory.
func (w *Writer) TempDir() string { return w.options.TempDir }

// SetAnchor sets the wall time of the moment 0 of all events. It must be called before the first
// event of a thread, otherwise that moment is 1970; events of tracks may come before it.
//
// The times of the trace begin at that moment, or with its first event if that is earlier. Without
// threads they always begin with the first event.
func (w *Writer) SetAnchor(t time.Time) {
	if w.threads == 0 && !w.moved {
		w.anchor, w.anchored = t, true
	}
}

// setOrigin begins the files: it decides where the times of the trace begin, before the first thread.
func (w *Writer) setOrigin(ns int64) {
	w.origin = ns
	w.blocks.To = tracefile.NewWriter(w.options.Version, w.to, w.anchor.Add(time.Duration(ns)))
	w.blocks.To.Behind()
}

// number numbers an event.
func (w *Writer) number() (int32, error) {
	if w.err == nil && w.events > math.MaxInt32 {
		w.err = errNumbers
	}
	if w.err != nil {
		return 0, w.err
	}
	w.events++
	return int32(w.events - 1), nil
}

// farTime bounds times, in ns: 146 years before and after the anchor. So no difference overflows.
const farTime = math.MaxInt64 / 2

// within returns a time within the bounds.
func within(ns int64) int64 { return min(max(ns, -farTime), farTime) }

// note notes the time of an event, and returns where it is in the trace.
func (w *Writer) note(ns int64) int64 { return w.noted(within(ns) + w.shift) }

// noted notes a time in the trace, and returns it within the bounds.
func (w *Writer) noted(ns int64) int64 {
	ns = within(ns)
	w.first, w.last = min(w.first, ns), max(w.last, ns)
	return ns
}

// Discard frees what the Writer holds, its temporary file included. It returns when nothing is being
// written to the files. It may be called after Finish.
func (w *Writer) Discard() {
	w.finished = true
	w.spool.Close()
	if w.blocks.To != nil {
		_ = w.blocks.To.Stop() // a failure was returned before, or the files are not wanted
	}
}

// A trace of several inputs needs to know when they begin before the first of their events is
// written. So each is converted to a Writer of [Probe] first, whose Clock tells when its events are, and
// [Writer.Move] puts them where they belong in the trace.

// Clock tells when the events of an input are.
type Clock struct {
	First  int64     // ns: of the first event
	Anchor time.Time // the wall time of the moment 0; zero if unknown
	Some   bool      // there is an event
}

// errProbed ends a conversion to a Writer of Probe: all is known that is asked.
var errProbed = errors.New("the clock of the input is known")

// Probe returns a Writer that only finds the Clock of an input. It writes nothing, and ends the
// conversion at the first event of a thread.
func Probe() *Writer {
	w := New(tracefile.Files{Data: io.Discard, Index: io.Discard, Times: io.Discard}, Options{})
	w.probe = true
	return w
}

// Clock returns what a Writer of Probe has found. err is what the conversion ended with: it is returned, unless
// the Writer has ended it.
func (w *Writer) Clock(err error) (Clock, error) {
	if errors.Is(w.err, errProbed) {
		err = nil
	}
	c := Clock{Some: w.first <= w.last}
	if c.Some {
		c.First = w.first
	}
	const farFrom1970 = 946_684_800e9 // ns: the year 2000
	if w.anchored || c.First > farFrom1970 {
		c.Anchor = w.anchor // times that count from 1970 need none
	}
	return c, err
}

// Move adds ns to the times of the events that follow. From then on, SetAnchor does nothing: the
// caller has set the anchor of the trace.
func (w *Writer) Move(ns int64) { w.shift, w.moved = within(ns), true }
