package perfetto

import "encoding/binary"

// A record is what the spool keeps of one event. Its first byte tells its kind and
// which of the parts follow:
//
//	begin, instant, complete, next   method, word of the category, word of the name
//	                                 [track u64] [duration: complete] [location: see withPlace]
//	end, threw                       [words of category and name] [track u64] [result text]
//	value                            variable, 8 bytes of the value
//
// Numbers are uvarints unless noted otherwise.
type recordKind byte

const (
	recordBegin    recordKind = 1
	recordEnd      recordKind = 2
	recordInstant  recordKind = 3
	recordComplete recordKind = 4
	recordNext     recordKind = 5 // ends all open slices, and begins one
	recordLong     recordKind = 6 // a counter's value
	recordDouble   recordKind = 7
	recordThrew    recordKind = 8 // an end by an exception, whose class is the result text
	recordMask                = 0x0f

	withTrack  = 0x10 // for a timeline of joined tracks
	withPlace  = 0x20 // location, number of arguments, their values as in the trace
	withWords  = 0x40 // an end with the names of the slice that it ends
	withResult = 0x80

	trackSize = 8 // bytes
)

// ends reports whether a record is the end of a slice.
func (k recordKind) ends() bool { return k == recordEnd || k == recordThrew }

// record is a decoded record, or one to be written. Its slices are parts of the
// encoded record.
type record struct {
	kind           recordKind
	method         int32
	category, name int32 // words; 0 if none
	track          uint64
	hasTrack       bool
	duration       uint64 // ns
	place          bool
	location       int32
	arguments      int
	values         []byte
	result         []byte // nil if none
	variable       int32
	bits           uint64
}

// append appends the record.
func (r *record) append(dst []byte) []byte {
	at := len(dst)
	dst = append(dst, byte(r.kind))
	flags := byte(0)
	switch r.kind {
	case recordLong, recordDouble:
		dst = binary.AppendUvarint(dst, uint64(r.variable))
		return binary.LittleEndian.AppendUint64(dst, r.bits)
	case recordEnd, recordThrew:
		if r.category != 0 || r.name != 0 {
			flags |= withWords
			dst = binary.AppendUvarint(dst, uint64(r.category))
			dst = binary.AppendUvarint(dst, uint64(r.name))
		}
	default:
		dst = binary.AppendUvarint(dst, uint64(r.method))
		dst = binary.AppendUvarint(dst, uint64(r.category))
		dst = binary.AppendUvarint(dst, uint64(r.name))
	}
	if r.hasTrack {
		flags |= withTrack
		dst = binary.LittleEndian.AppendUint64(dst, r.track)
	}
	if r.kind == recordComplete {
		dst = binary.AppendUvarint(dst, r.duration)
	}
	if r.place {
		flags |= withPlace
		dst = binary.AppendUvarint(dst, uint64(r.location))
		dst = binary.AppendUvarint(dst, uint64(r.arguments))
		dst = append(dst, r.values...)
	}
	if len(r.result) > 0 {
		flags |= withResult
		dst = append(dst, r.result...)
	}
	dst[at] |= flags
	return dst
}

// parse decodes a record made by append.
func (r *record) parse(b []byte) {
	flags := b[0]
	*r = record{kind: recordKind(flags & recordMask)}
	c := numbers{b[1:]}
	switch {
	case r.kind == recordLong || r.kind == recordDouble:
		r.variable = c.next()
		r.bits = binary.LittleEndian.Uint64(c.rest)
		return
	case !r.kind.ends():
		r.method = c.next()
		r.category, r.name = c.next(), c.next()
	case flags&withWords != 0:
		r.category, r.name = c.next(), c.next()
	}
	if flags&withTrack != 0 {
		r.track, r.hasTrack = binary.LittleEndian.Uint64(c.rest), true
		c.rest = c.rest[trackSize:]
	}
	if r.kind == recordComplete {
		u, n := binary.Uvarint(c.rest)
		r.duration, c.rest = u, c.rest[n:]
	}
	if flags&withPlace != 0 {
		r.place = true
		r.location, r.arguments = c.next(), int(c.next())
		r.values = c.rest
	}
	if flags&withResult != 0 {
		r.result = c.rest
	}
}

// numbers decodes uvarints.
type numbers struct{ rest []byte }

func (n *numbers) next() int32 {
	if b := n.rest[0]; b < 0x80 {
		n.rest = n.rest[1:]
		return int32(b)
	}
	u, size := binary.Uvarint(n.rest)
	n.rest = n.rest[size:]
	return int32(u)
}
