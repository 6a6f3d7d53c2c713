package calltrace

import (
	"encoding/binary"

	"tracex/format"
	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
)

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

// microsecond in ns. The times of a track are rounded to its unit, a begin and a duration each on its own: a call that
// ends one unit after the one around it is inside it.
const microsecond = 1000

// A record is what the spool keeps of an event. Numbers are uvarints.
//
//	call      1, ns that it took, location + 1, size of header, header, footer: nothing for void
//	begin     2, label, location + 1, header
//	end       3, label, footer: nothing for void
//	leaf      4, point
//	sequence  5, its number, how many numbers later it ended: 0 if it was added whole, then as a call: see pairs
//
// A label is its two hashes, u64 little-endian. Headers are without the fields that all points begin with, and leaves without their thread and event.
const (
	recordCall  = 1
	recordBegin = 2
	recordEnd   = 3
	recordLeaf  = 4
)

// maxTracks bounds the number of tracks with events: each takes some memory.
const maxTracks = 1 << 20

// Track makes a track.
func (w *Writer) Track(name string) *Track { return &Track{w: w, name: fit.Name(name)} }

// SetName names the track anew, at any time before Finish.
func (k *Track) SetName(name string) {
	if k.name != name {
		k.name = fit.Name(name)
	}
}

// Begin begins a call at a time, in ns, that an End of the track with its label ends.
func (k *Track) Begin(ns int64, c *Call, l Label) error {
	k.begins = true
	k.nesting.begin(k.w, ns, l)
	b := l.append(append(k.w.record[:0], recordBegin))
	b = binary.AppendUvarint(b, uint64(uint32(c.Place)))
	return k.add(ns, k.header(b, c, false))
}

// End ends the innermost open call that its label suits, whatever else is open. Without such a call it is
// counted and left out.
func (k *Track) End(ns int64, l Label, e *End) error {
	k.begins = true
	k.nesting.end(k.w, ns, l)
	b := l.append(append(k.w.record[:0], recordEnd))
	return k.add(ns, k.footer(b, e))
}

// Complete adds a whole call, which took so many ns.
func (k *Track) Complete(ns, duration int64, c *Call, e *End) error {
	w := k.w
	if duration < 0 {
		w.left.Count(negative, 1, -1)
		duration = 0
	}
	if k.unit == 0 {
		k.unit = microsecond
	}
	for k.unit > 1 && (ns%k.unit != 0 || duration%k.unit != 0) {
		k.unit /= 10
	}
	start := w.note(ns)
	end := w.noted(start + min(duration, farTime))
	k.complete = k.complete || end > start
	b := append(w.record[:0], recordCall)
	b = binary.AppendUvarint(b, uint64(end-start))
	b = binary.AppendUvarint(b, uint64(uint32(c.Place)))
	return k.add(ns, k.footer(k.header(b, c, true), e))
}

// Instant adds a call that took no time.
func (k *Track) Instant(ns int64, c *Call) error { return k.Complete(ns, 0, c, &End{}) }

// Set adds a value that a variable got at a time.
func (k *Track) Set(ns int64, name string, v *format.Value) error {
	b := append(k.w.record[:0], recordLeaf)
	b = k.w.encoder.leaf(b, format.ClassVariableWrite, 0, 0, k.w.variable(name), v)
	return k.add(ns, b)
}

// header appends the header of a call, with its size before it if it is not the last part.
func (k *Track) header(b []byte, c *Call, sized bool) []byte {
	w := k.w
	w.header = w.encoder.call(w.header[:0], 0, 0, c)
	header := w.header[format.CallMethodAt:]
	if sized {
		b = binary.AppendUvarint(b, uint64(len(header)))
	}
	return append(b, header...)
}

// footer appends the footer of a call, nothing if it is the usual one.
func (k *Track) footer(b []byte, e *End) []byte {
	if e == nil || *e == (End{}) {
		return b
	}
	return k.w.encoder.footer(b, e)
}

// add adds a record to the spool.
func (k *Track) add(ns int64, record []byte) error {
	w := k.w
	w.record = record
	switch {
	case w.err != nil:
		return w.err
	case w.finished:
		return errFinished
	case w.probe:
		w.note(ns)
		return nil
	}
	if k.records == nil {
		if len(w.tracks) >= maxTracks {
			w.left.Count(manyTracks, 1, -1)
			return nil
		}
		k.records = w.spool.Stream()
		w.tracks = append(w.tracks, k)
	}
	if err := w.spool.Add(k.records, w.note(ns), record); err != nil {
		w.err = err
	}
	return w.err
}
