package calltrace

import (
	"encoding/binary"
	"hash/maphash"
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
	l := Label{binary.LittleEndian.Uint64(r.rest), binary.LittleEndian.Uint64(r.rest[labelSize/2:])}
	r.rest = r.rest[labelSize:]
	return l
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
