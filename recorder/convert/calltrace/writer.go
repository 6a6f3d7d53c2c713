package calltrace

import (
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
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

// Memory is how many bytes of events are usually kept in memory.
const Memory = 64 << 20

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

	open        int       // calls that have begun, in all threads
	nested      int       // calls that have begun, in the nesting of all tracks
	first, last int64     // ns: of all events
	live        Thread    // the head of a ring of the threads that are not closed
	anchor      time.Time // the wall time of the moment 0
	anchored    bool      // it is known
	shift       int64     // ns: is added to the times of events, see Move
	moved       bool
	probe       bool // see Probe
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
		o.Memory = Memory
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

// number numbers an event.
func (w *Writer) number() (int32, error) {
	if w.err != nil {
		return 0, w.err
	}
	event, ok := w.blocks.To.NextEvent()
	if !ok {
		w.err = errNumbers
	}
	return event, w.err
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

// LeftOut is what is not in the trace, or was mended.
type LeftOut = fit.LeftOut

// Summary tells what was written.
type Summary struct {
	Threads int
	Events  int64         // calls, values of variables, and exceptions
	Took    time.Duration // from the first event to the last
	LeftOut []LeftOut     // the largest counts first
}

var others = fit.Why("thing of another kind", "things of other kinds")

// kindsLeft bounds how many kinds of things are counted separately: some are named after something
// in the input.
const kindsLeft = 1 << 10

// Leave counts something of the input that has no place in the trace: one or several, such as
// "flow event" and "flow events". at is where it is in the input, in bytes; -1 if unknown.
func (w *Writer) Leave(one, several string, n, at int64) {
	why := fit.Reason{One: one, Several: several}
	if w.left.Kinds() >= kindsLeft && w.left.Counted(why) == 0 {
		why = others
	}
	w.left.Count(why, n, at)
}

// LeaveAll counts what a converter has counted.
func (w *Writer) LeaveAll(left *fit.Tally) { w.left.Add(left) }

// Thread is a thread of the trace whose events arrive in order of time. A time before that of
// the event before is counted and taken as that time. A thread without events is not in the trace.
type Thread struct {
	w          *Writer
	block      Block
	stack      []tracefile.Open
	buried     int   // calls in it that did not fit on the stack
	last       int64 // ns: of its last event
	begun      bool  // it has a number
	closed     bool
	prev, next *Thread // in Writer.live
}

// Track is events in any order. Its calls become those of a thread, or of several, named
// "name", "name #2" and so on, where calls overlap without being one in the other. A track without
// events is not in the trace.
type Track struct {
	w        *Writer
	name     string
	group    *Group        // nil if it has none
	records  *spool.Stream // nil until it has an event
	begins   bool          // it has calls by Begin, or ends
	nesting  nesting       // of these
	complete bool          // it has calls by Complete that took time
	unit     int64         // ns: the largest power of ten up to a microsecond that all times of these are multiples of; 0 if there are none
}

// Group is what the names of some tracks begin with. It may be known at the end only.
type Group struct {
	w      *Writer
	number int
	name   string
}

// nesting tells, while the events of a track arrive, whether its calls are one in the other.
type nesting struct {
	open    []Label
	last    int64 // time of the last begin or end
	surplus int64 // time of the last end without a begin
	begun   bool  // last is known
	some    bool  // surplus is known
	tangled bool  // the calls may not be one in the other; the rest has no meaning
}

// Method returns the number of a method. class may be "": then only the name is shown.
func (w *Writer) Method(class, name string) Method {
	m := Method(w.dict.Method([]byte(class), []byte(name), Anything))
	w.described()
	return m
}

// Class returns the number of a class, for values that are objects.
func (w *Writer) Class(name string) int32 {
	c := w.dict.Class([]byte(name))
	w.described()
	return c
}

// Package says what import path a package of Go has whose name classes begin with.
func (w *Writer) Package(name, path string) {
	w.dict.String([]byte(format.PackageText(name, path)))
	w.described()
}

// Place returns the number of a place. file, function and line may be empty. names are those of the
// arguments of the calls there, as many as they have; nil if they have none. Arguments are shown
// without names if a call has another number of them; a name may be "".
// An empty name is none.
func (w *Writer) Place(file, function string, line int, names []string) Place {
	if file == "" && function == "" && line == 0 && len(names) == 0 {
		return 0
	}
	p := Place(w.dict.place(file, function, line, names) + 1)
	w.described()
	return p
}

// described looks after the descriptors that wait to be written.
func (w *Writer) described() {
	if w.err == nil {
		if w.err = w.dict.Err; w.err == ErrNumbers {
			w.err = errNumbers
		}
	}
	if w.dict.Pending() >= mostPending && w.err == nil {
		w.err = w.spillDescriptors()
	}
}

// place returns the number of a code location, by its texts.
func (d *Dictionary) place(file, function string, line int, names []string) int32 {
	names = names[:min(len(names), maxArgs)]
	d.begin(format.KindCodeLocation)
	d.key = binary.AppendVarint(d.key, int64(int32(line)))
	d.key = binary.AppendUvarint(d.key, uint64(len(file)))
	d.key = append(d.key, file...)
	d.key = binary.AppendUvarint(d.key, uint64(len(function)))
	d.key = append(d.key, function...)
	for _, name := range names {
		d.key = binary.AppendUvarint(d.key, uint64(len(name)))
		d.key = append(d.key, name...)
	}
	id, key, isNew := d.number()
	if isNew {
		o := format.CodeLocation{Kind: format.LocationCall, ID: id, Class: none, Line: int32(line), Path: none}
		o.File, o.Method = d.String([]byte(file)), d.String([]byte(function))
		for _, name := range names {
			path := none
			if name = shownName(name); name != "" {
				path = d.Path([]byte(name))
			}
			o.ArgNames = append(o.ArgNames, path)
		}
		object, err := o.Append(d.object[:0], d.Version)
		d.define(format.KindCodeLocation, key, object, err)
	}
	return id
}

// spillDescriptors makes room for new descriptors: in a block of a thread that is open, or, without
// one, in the temporary file.
func (w *Writer) spillDescriptors() error {
	if t := w.live.next; t != &w.live {
		return w.blocks.Flush(&t.block)
	}
	if w.spilled == nil {
		w.spilled = w.spool.Stream()
	}
	return w.dict.Each(func(object []byte) error { return w.spool.Add(w.spilled, 0, object) })
}
