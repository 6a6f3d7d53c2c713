package chrome

import (
	"context"
	"math"
	"strconv"
	"strings"
	"time"

	"tracex/format"
	"tracex/recorder/convert/calltrace"
	"tracex/recorder/convert/sources"
)

// batch is events with the text of their parts.
type batch struct {
	text     string
	events   []event
	others   []member
	metadata []metadata
	large    []int64 // offsets of events that are too large
	strange  []int64 // offsets of values that are no events
	left     []left
}

// left is what is around the events and has no place in a trace.
type left struct {
	why *unused
	n   int64
	at  int64 // offset
}

// unused are the keys around the events whose values tell of the program, too.
type unused struct{ key, one, several string }

var unusedKeys = []unused{
	{"samples", "sample", "samples"},
	{"stackFrames", "stack frame", "stack frames"},
	{"systemTraceEvents", "line of system events", "lines of system events"},
	{"powerTraceAsString", "line of power measurements", "lines of power measurements"},
}

// largestMetadata bounds the values of keys around the events that are of interest, in bytes.
const largestMetadata = 64 << 10

// metadata is a key of the object around the events.
type metadata struct{ key, value string }

// document finds the events of an input, and passes them on in batches.
type document struct {
	window
	batch batch
	pass  func(batch) // it takes the batch
	used  chan batch  // batches whose memory may be used again; nil if there are none
	lines bool        // events are objects of their own
	found bool        // there are events, or a list of them, or what else is counted
}

// newDocument returns a document that is read in windows of so many bytes.
func newDocument(ctx context.Context, in sources.Input, size int, pass func(batch), used chan batch) *document {
	d := &document{window: window{ctx: ctx, in: in, least: size, size: size}, pass: pass, used: used}
	d.moves = d.flush
	return d
}

// flush passes the events on.
func (d *document) flush() {
	b := &d.batch
	if len(b.events)+len(b.metadata)+len(b.large)+len(b.strange)+len(b.left) == 0 {
		return
	}
	b.text = d.s
	d.pass(*b)
	d.batch = batch{}
	select {
	case used := <-d.used:
		d.batch.events, d.batch.others = used.events[:0], used.others[:0]
	default:
	}
}

// read reads the whole input. It returns its first fault; the events before it were passed on.
func (d *document) read() error {
	d.refill()
	if strings.HasPrefix(d.s, "\ufeff") {
		d.i = len("\ufeff")
	}
	for d.fault == sound {
		c := d.byte(true)
		if d.fault != sound || c == 0 {
			break
		}
		switch c {
		case '[':
			d.i++
			d.array(false)
		case '{':
			d.topObject()
		default:
			d.fail("[ or {")
		}
	}
	err := d.failure()
	d.flush()
	if err == nil && !d.found && d.offset() > 0 {
		err = &format.Error{File: d.in.Path, Offset: -1, Expected: "events", Found: "none in the file", Err: format.ErrNotTrace}
	}
	return err
}

// array reads events until the end of their array. Within an object its end must be there.
func (d *document) array(within bool) {
	d.found = true
	for d.fault == sound {
		switch d.byte(true) {
		case ']':
			d.i++
			return
		case '{':
			d.event()
		case 0:
			if within {
				d.end()
			}
			return
		default:
			at := d.offset()
			if d.whole(func() { d.value() }) && d.fault != sound {
				return
			}
			d.batch.strange = append(d.batch.strange, at)
		}
	}
}

// event reads an event.
func (d *document) event() {
	at := d.offset()
	b := &d.batch
	n := len(b.others)
	var e event
	whole := d.whole(func() {
		e = event{at: at}
		n = min(n, len(b.others))
		b.others = b.others[:n]
		d.scanner.event(&e, &b.others)
	})
	switch {
	case !whole:
		b.large = append(b.large, at)
	case d.fault == sound:
		b.events = append(b.events, e)
	}
}

// topObject reads an object that is not in an array: an event, or what is around the events.
func (d *document) topObject() {
	if d.lines || d.isEvent() {
		d.lines, d.found = true, true
		d.event()
		return
	}
	d.around(0)
}

// around reads the object around the events.
func (d *document) around(depth int) {
	d.i++
	for d.fault == sound {
		var key span
		var ok bool
		if d.byte(true) == 0 {
			d.end()
		}
		if !d.whole(func() { key, ok = d.key() }) {
			d.fail("a key of a usual size")
		}
		if !ok || d.fault != sound {
			return
		}
		d.member(d.s[key.from:key.to], depth)
	}
}

// mostAround bounds how many objects may be around each other: traces that were read and written again as a whole
// have two.
const mostAround = 8

// member reads the value of a key of the object around the events.
func (d *document) member(key string, depth int) {
	c := d.byte(false)
	if c == 0 {
		d.end()
		return
	}
	if key == "traceEvents" {
		switch {
		case c == '[':
			d.i++
			d.array(true)
		case c == '{' && depth < mostAround:
			d.around(depth + 1)
		case c == 'n': // null
			d.skip()
		default:
			d.fail("a list of events")
		}
		return
	}
	for i := range unusedKeys {
		if u := &unusedKeys[i]; u.key == key {
			d.leave(u)
			return
		}
	}
	if !known[key] {
		d.skip()
		return
	}
	var v span
	if d.whole(func() { v = d.value() }) && d.fault == sound && v.to-v.from <= largestMetadata {
		d.batch.metadata = append(d.batch.metadata, metadata{key, strings.Clone(d.s[v.from:v.to])})
	}
}

// leave counts what is in a value, and skips it.
func (d *document) leave(u *unused) {
	at := d.offset()
	if n := d.skip(); n > 0 {
		d.found = true
		d.batch.left = append(d.batch.left, left{u, n, at})
	}
}

// isEvent reports whether the object at i is an event rather than what is around events. An event
// that is larger than some windows is not recognised.
func (d *document) isEvent() bool {
	const some = 16
	for {
		s := d.scanner
		var e event
		var others []member
		around := s.event(&e, &others)
		if s.fault != short || around || d.eof || d.err != nil {
			return !around && s.fault == sound && e.phase != 0
		}
		if len(d.s)-d.i >= d.size {
			if d.size >= some*d.least {
				return false
			}
			d.size *= 2
		}
		d.refill()
	}
}

// anchor is the wall time of the moment 0, as far as an input tells.
type anchor struct {
	at    time.Time
	known bool
}

// known are the keys around the events that tell of it.
var known = map[string]bool{"baseTimeNanoseconds": true, "beginningOfTime": true, "otherData": true}

func (a *anchor) read(m metadata) {
	switch m.key {
	case "baseTimeNanoseconds": // ns, PyTorch
		a.take(m.value, time.Nanosecond)
	case "beginningOfTime": // µs, Clang
		a.take(m.value, time.Microsecond)
	case "otherData":
		if !strings.HasPrefix(m.value, "{") {
			return
		}
		s := scanner{s: m.value, i: 1}
		for {
			key, ok := s.key()
			if !ok {
				return
			}
			v := s.value()
			if m.value[key.from:key.to] == "profile_start_ts" && s.fault == sound { // ms, Bazel
				a.take(m.value[v.from:v.to], time.Millisecond)
			}
		}
	}
}

// take takes a time since 1970 in a unit.
func (a *anchor) take(text string, unit time.Duration) {
	n, err := strconv.ParseInt(strings.Trim(text, `"`), 10, 64)
	if err == nil && n > 0 && n < int64(math.MaxInt64/unit) {
		a.at, a.known = time.Unix(0, n*int64(unit)), true
	}
}

// set sets the anchor of times that count from an origin, in µs, unless the wall time is beyond what the format has.
func (a *anchor) set(to *calltrace.Writer, origin int64) {
	at := a.at
	if !a.known {
		if origin == 0 {
			return
		}
		at = time.Unix(0, 0)
	}
	const most = math.MaxInt64 / 1000
	if origin > most || origin < -most || at.UnixMicro() > most-max(origin, 0) {
		return
	}
	to.SetAnchor(at.Add(time.Duration(origin) * time.Microsecond))
}
