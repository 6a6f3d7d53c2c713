package calltrace

import (
	"encoding/binary"
	"slices"

	"tracex/format"
	"tracex/recorder/convert/fit"
)

// Why the Writer itself leaves something out.
var (
	manyTracks = fit.Why("event beyond the first 1,048,576 tracks", "events beyond the first 1,048,576 tracks")
	negative   = fit.Why("negative duration; taken as 0", "negative durations; taken as 0")
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

// begin notes a begin.
func (n *nesting) begin(w *Writer, ns int64, l Label) {
	switch {
	case n.tangled:
		return
	case n.begun && ns < n.last, n.some && ns == n.surplus, len(n.open) >= maxDepth, w.nested >= maxOpen:
		n.tangle(w)
		return
	}
	n.open, n.last, n.begun = append(n.open, l), ns, true
	w.nested++
}

// end notes an end.
func (n *nesting) end(w *Writer, ns int64, l Label) {
	top := len(n.open) - 1
	switch {
	case n.tangled:
		return
	case n.begun && ns < n.last, top >= 0 && !l.exactly(n.open[top]):
		n.tangle(w)
		return
	case top < 0:
		n.surplus, n.some = ns, true
	default:
		n.open = n.open[:top]
		w.nested--
	}
	n.last, n.begun = ns, true
}

func (n *nesting) tangle(w *Writer) {
	w.nested -= len(n.open)
	*n = nesting{tangled: true}
}

// Group makes a group.
func (w *Writer) Group() *Group {
	g := &Group{w: w, number: len(w.groups)}
	w.groups = append(w.groups, g)
	return g
}

// SetName names the group, at any time before Finish.
func (g *Group) SetName(name string) { g.name = fit.Name(name) }

// Track makes a track whose name follows that of the group.
func (g *Group) Track(name string) *Track {
	k := g.w.Track(name)
	k.group = g
	return k
}

// fullName returns the name of the track's first thread.
func (k *Track) fullName() string {
	if k.group == nil {
		return k.name
	}
	return k.group.name + k.name
}

// mostClosed bounds the records of a track that is kept in the temporary file when it is closed, in bytes. Larger
// ones are few, and stay as they are.
const mostClosed = 16 << 10

// Close tells that nothing more is added to a track of a group. Unless it has many events, it needs no memory
// from then on. Its threads follow those of other tracks.
func (k *Track) Close() error {
	w := k.w
	if w.err != nil || k.records == nil || k.group == nil {
		return w.err
	}
	b := append(w.record[:0], k.traits())
	b = binary.AppendUvarint(b, uint64(k.group.number))
	b = binary.AppendUvarint(b, uint64(len(k.name)))
	b = append(b, k.name...)
	b, ok, err := w.spool.Pack(b, k.records, mostClosed)
	w.record = b
	if err == nil && ok {
		w.forget(k)
		if w.closed == nil {
			w.closed = w.spool.Stream()
		}
		err = w.spool.Add(w.closed, 0, b)
	}
	w.err = err
	return err
}

// forget takes a track from the list.
func (w *Writer) forget(k *Track) {
	k.nesting.tangle(w)
	k.records = nil
	if w.gone++; w.gone > len(w.tracks)/2 {
		w.tracks = slices.DeleteFunc(w.tracks, func(k *Track) bool { return k.records == nil })
		w.gone = 0
	}
}

// What is known of a closed track: bits of the first byte of its record.
const (
	traitBegins = 1 << iota
	traitComplete
	traitTangled
	traitUnit // and above: how many digits its unit has
)

func (k *Track) traits() (bits byte) {
	for i, is := range [...]bool{k.begins, k.complete, k.nesting.tangled} {
		if is {
			bits |= 1 << i
		}
	}
	for u := k.unit; u > 0; u /= 10 {
		bits += traitUnit
	}
	return bits
}

func (k *Track) setTraits(bits byte) {
	k.begins, k.complete, k.nesting.tangled = bits&traitBegins != 0, bits&traitComplete != 0, bits&traitTangled != 0
	for n := bits / traitUnit; n > 0; n-- {
		k.unit = max(1, 10*k.unit)
	}
}
