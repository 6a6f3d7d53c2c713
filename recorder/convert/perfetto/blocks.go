package perfetto

import (
	"time"

	"tracex/format"
	"tracex/format/tracefile"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/fit"
)

// blocks writes threads as blocks: it encodes their events.
type blocks struct {
	calltrace.Blocks
	void   []byte // the footer of a call that returned void
	events int64  // added so far
}

// thread is a thread of the trace that is being written.
type thread struct {
	calltrace.Block
	stack   []open
	known   []int // positions in stack of slices with a known end
	soonest int64 // the earliest of these ends, or an earlier time
	buried  int   // slices in it that did not fit on the stack
	lane    lane
}

// open is a slice that has begun and whose end is not written.
type open struct {
	tracefile.Open
	duration       int64 // ns; unknown if < 0
	category, name int32
	result         []byte
	threw          bool // result is the class of the exception
}

// beginBlocks begins the three files. wall is the wall time at origin.
func beginBlocks(v format.Version, to tracefile.Files, origin int64, wall time.Time) *blocks {
	b := newBlocks(tracefile.NewWriter(v, to, wall))
	b.To.Origin = origin
	return b
}

// newBlocks adds to a trace.
func newBlocks(to *tracefile.Writer) *blocks {
	of := calltrace.Blocks{To: to, Size: calltrace.BlockSize, Budget: calltrace.BlockBudget}
	return &blocks{Blocks: of, void: voidFooter(to.Version())}
}

// number numbers an event.
func (b *blocks) number() (int32, error) {
	event, ok := b.To.NextEvent()
	if !ok {
		return 0, calltrace.ErrNumbers
	}
	b.events++
	return event, nil
}

// push begins a call.
func (b *blocks) push(t *thread, time, duration int64, r *record) error {
	event, err := b.number()
	if err != nil {
		return err
	}
	location := int32(-1)
	if r.place {
		location = r.location
	}
	header := b.To.Version().AppendCall(t.Bytes(), location, t.Thread, event, r.method, r.arguments, r.values)
	t.stack = append(t.stack, open{Open: t.Begin(header, event, time), duration: duration, category: r.category, name: r.name})
	return nil
}

// voidFooter returns the footer of a call that returned void.
func voidFooter(v format.Version) []byte {
	f := format.Footer{Result: format.Value{Kind: format.ValueVoid}}
	footer, err := f.Append(nil, v, format.ClassCall)
	if err != nil {
		panic(err) // a bug of this package
	}
	return footer
}

// footer appends the footer of a call.
func (b *blocks) footer(dst []byte, o *open) []byte {
	f := format.Unfinished(format.ClassCall)
	switch {
	case o.duration < 0:
	case o.threw:
		f.Threw, f.Exception = true, string(o.result)
	case len(o.result) > 0:
		f.Result = calltrace.Unquoted(string(o.result))
		fit.Unquoted(&f.Result, b.To.Version())
	default:
		return append(dst, b.void...)
	}
	footer, err := f.Append(dst, b.To.Version(), format.ClassCall)
	if err != nil {
		return append(dst, b.void...) // impossible: the result is text that was cut to fit
	}
	return footer
}

// pop writes the end of a thread's innermost call.
func (b *blocks) pop(t *thread, end int64) {
	o := &t.stack[len(t.stack)-1]
	t.End(b.footer(t.Bytes(), o), &o.Open, end)
	t.stack = t.stack[:len(t.stack)-1]
}

// leaf adds the value of a counter.
func (b *blocks) leaf(t *thread, r *record) error {
	event, err := b.number()
	if err != nil {
		return err
	}
	p := format.Point{Class: format.ClassVariableWrite, Diff: format.DiffNone, Location: -1,
		Thread: t.Thread, Event: event, Ref: r.variable, Value: calltrace.Int(int64(r.bits))}
	if r.kind == recordDouble {
		p.Value = double(r.bits)
	}
	data, err := p.Append(t.Bytes(), b.To.Version())
	t.Leaf(data)
	return err
}

// cover notes that the recording goes on to a moment at least.
func (b *blocks) cover(last int64) { b.To.Last = max(b.To.Last, last-b.To.Origin) }

// finish ends the files. last is when the recording ended.
func (b *blocks) finish(last int64) error { return b.To.End(last - b.To.Origin) }

// writer writes the timelines of a Converter one after the other.
type writer struct {
	*Converter
	blocks   *blocks
	last     int64 // ns: the end of the recording
	threads  []Thread
	lanes    *lanes // of the current timeline
	timeline *timeline
	open     int // open slices of the timeline
	record   record
	changes  map[format.Change]int64
}

// lanes are the threads of one timeline. Joined tracks share threads, as in
// trace_processor: while a track has an open slice it keeps its thread; otherwise it
// takes the first free one.
type lanes struct {
	w       *writer
	name    string
	joined  bool
	threads []*thread
	of      map[uint64]*thread // by track
	free    []uint64           // a bit for each thread, set if it is free
}

// lane is the lanes' state of a thread.
type lane struct {
	index int
	track uint64
	taken bool // track is valid
	busy  int  // open slices of the track
}

// Thread is a thread of the result.
type Thread struct {
	ID   int32
	Name string
	// As described in the trace; 0 and "" if unknown.
	PID     int32
	TID     int64
	Process string
	Thread  string
}

// The slices of a thread nest as in Perfetto's trace_processor. The stack holds
// slices that have begun, innermost last. A slice whose end is known stays on it
// until something later begins or ends, since a slice that begins at the same moment
// may be inside it.

const (
	// maxOpen bounds how many slices may be open at once, in all threads of a timeline.
	maxOpen = 1 << 19
	// maxKnown bounds how many slices of a stack may have known ends, and maxNamed how
	// deep an end searches for the slice that it names: both limit the time for one
	// event.
	maxKnown = 1 << 10
	maxNamed = 1 << 12
)
