package calltrace

import (
	"context"
	"encoding/binary"
	"slices"

	"tracex/recorder/convert/fit"
	"tracex/recorder/convert/spool"
)

// Group is what the names of some tracks begin with. It may be known at the end only.
type Group struct {
	w      *Writer
	number int
	name   string
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

// writeClosed writes the threads of the tracks that are closed.
func (w *Writer) writeClosed(ctx context.Context) error {
	if w.closed == nil {
		return nil
	}
	records := w.spool.OpenBeside(w.closed)
	for records.Next() {
		k := Track{w: w}
		k.setTraits(records.Body[0])
		r := reader{records.Body[1:]}
		k.group = w.groups[r.wide()]
		size := r.wide()
		k.name, k.records = string(r.rest[:size]), spool.Unpack(r.rest[size:])
		if err := w.writeTrack(ctx, &k); err != nil {
			return err
		}
	}
	return records.Err()
}
