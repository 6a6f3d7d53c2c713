package calltrace

import (
	"encoding/binary"
	"hash/maphash"
	"math"

	"tracex/recorder/convert/spool"
)

// Label is what the begin and the end of a call have in common: a name, and perhaps a category. An end
// without a name ends any call; of a begin and an end, one may lack the category.
type Label struct {
	name uint64 // a hash; 0 without a name
	full uint64 // of the category, too; the same as name without one
}

var labelSeed = maphash.MakeSeed()

// LabelOf returns the label of a category and a name, each of which may be empty.
func LabelOf(category, name string) Label {
	if name == "" {
		return Label{}
	}
	n := maphash.String(labelSeed, name) | 1
	if category == "" {
		return Label{n, n}
	}
	const odd = 0x9e3779b97f4a7c15
	return Label{n, maphash.String(labelSeed, category)*odd + n}
}

// suits reports whether an end may be that of a begin.
func (end Label) suits(begin Label) bool {
	return end.name == begin.name && (end.full == begin.full || end.full == end.name || begin.full == begin.name) || end.name == 0
}

// exactly reports whether no other begin would suit an end better.
func (end Label) exactly(begin Label) bool {
	return end.full == begin.full || end.full == end.name && end.name == begin.name || end.name == 0
}

// labelSize is the size of a label in a record, in bytes.
const labelSize = 16

func (l Label) append(b []byte) []byte {
	return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, l.name), l.full)
}

// label reads a label.
func (r *reader) label() Label {
	l := Label{binary.LittleEndian.Uint64(r.Rest), binary.LittleEndian.Uint64(r.Rest[labelSize/2:])}
	r.Rest = r.Rest[labelSize:]
	return l
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

const (
	// recordSequence is the kind of the records made here.
	recordSequence = 5
	// unknownEnd is the duration of a call without an end.
	unknownEnd = math.MaxInt64
	// maxHeaders bounds the headers of open calls, in bytes.
	maxHeaders = 64 << 20
	// maxEarly bounds the ends of one time that wait for their begins.
	maxEarly = 1 << 10
	// largestEarly bounds the footer of each, in bytes.
	largestEarly = 1 << 12
)

// reader reads a record, which this package wrote.
type reader struct{ spool.Numbers }

// recordedCall is a record of a whole call.
type recordedCall struct {
	duration       uint64 // ns, or unknownEnd
	location       int32
	header, footer []byte
}

func (r *reader) call() (c recordedCall) {
	c.duration, c.location = r.Wide(), r.Int32()-1
	size := r.Wide()
	c.header, c.footer = r.Rest[:size], r.Rest[size:]
	return c
}
