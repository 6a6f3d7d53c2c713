package format

import (
	"encoding/binary"
	"fmt"
	"io"
)

// ThreadMatch tells where a thread of a diff comes from. Left and Right are positions among the
// traced threads of the left (old) and the right (new) trace, -1 if the thread is not in that trace.
type ThreadMatch struct {
	Thread      int32 // id in the diff
	Left, Right int32
}

// EventMatch tells where a trace point of a diff comes from: event ids of the left and the
// right trace, -1 if it is not in that trace. In a diff.idmap the match of event n is the n-th.
type EventMatch struct{ Left, Right int32 }

// matchSize is the size in bytes of an EventMatch. On disk, do not change.
const matchSize = 8

// AppendThreadMap appends a diff.threadmap.
//
//	count i32, count × (thread i32, left i32, right i32)
func AppendThreadMap(dst []byte, list []ThreadMatch) []byte {
	be := binary.BigEndian
	dst = be.AppendUint32(dst, uint32(len(list)))
	for _, m := range list {
		dst = be.AppendUint32(dst, uint32(m.Thread))
		dst = be.AppendUint32(dst, uint32(m.Left))
		dst = be.AppendUint32(dst, uint32(m.Right))
	}
	return dst
}

// DecodeThreadMap decodes a diff.threadmap.
func DecodeThreadMap(b []byte) ([]ThreadMatch, error) {
	c := reader{b: b}
	n := c.count(12, "threads")
	if n == 0 || c.err != nil {
		return nil, c.error()
	}
	list := make([]ThreadMatch, n)
	for i := range list {
		list[i] = ThreadMatch{Thread: c.i32(), Left: c.i32(), Right: c.i32()}
	}
	return list, c.error()
}

// AppendEventMap appends a diff.idmap, or a part of one.
//
//	(left i32, right i32) for each event of the diff
func AppendEventMap(dst []byte, list []EventMatch) []byte {
	for _, m := range list {
		dst = binary.BigEndian.AppendUint32(dst, uint32(m.Left))
		dst = binary.BigEndian.AppendUint32(dst, uint32(m.Right))
	}
	return dst
}

// DecodeEventMatch decodes the match at the start of b, which must have 8 bytes. The match of
// event n is at offset 8n of the diff.idmap.
func DecodeEventMatch(b []byte) EventMatch {
	_ = b[matchSize-1]
	return EventMatch{Left: int32(binary.BigEndian.Uint32(b)), Right: int32(binary.BigEndian.Uint32(b[IDSize:]))}
}

// ReadEventMap reads a diff.idmap to its end. It takes 8 bytes of memory for each event. With
// an error it returns the matches before it.
func ReadEventMap(r io.Reader) ([]EventMatch, error) {
	var list []EventMatch
	buf := make([]byte, 8192*matchSize)
	for {
		n, err := io.ReadFull(r, buf)
		for i := 0; i+matchSize <= n; i += matchSize {
			list = append(list, DecodeEventMatch(buf[i:]))
		}
		switch {
		case err == nil:
			continue
		case err == io.EOF, err == io.ErrUnexpectedEOF && n%matchSize == 0:
			return list, nil
		case err == io.ErrUnexpectedEOF:
			return list, &Error{Offset: int64(len(list)) * matchSize, Err: ErrTruncated,
				Expected: fmt.Sprintf("%d bytes of an event's match", matchSize), Found: fmt.Sprint(n % matchSize)}
		}
		return list, err
	}
}

// DiffClass is the class of the methods that only diffs have: their calls stand for something else.
const DiffClass = "<diff>"

const (
	// EqualMethod is the method of a call that stands for siblings that are equal in both traces. Its arguments are two
	// longs: how many calls they are, with those in them, and how many siblings.
	EqualMethod = "<equal>"
	// RootMethod is the method of the call around all roots of a thread.
	RootMethod = "<root>"
)

// EqualArgs are the types of the arguments of [EqualMethod].
func EqualArgs() []Type { return []Type{{Kind: TypeLong}, {Kind: TypeLong}} }

// EqualRow returns what a call of [EqualMethod] stands for; ok is false for any other point. c has the methods.
func EqualRow(c *Context, p *Point) (calls, siblings int64, ok bool) {
	if p.Class != ClassCall {
		return 0, 0, false
	}
	return equalRow(c, p, c.methods.get(p.Ref))
}

// equalRow is EqualRow for a call of a method, which may be nil.
func equalRow(c *Context, p *Point, m *namedMethod) (calls, siblings int64, ok bool) {
	if m == nil || !m.equal || len(p.Args) != 2 || p.Args[0].Kind != ValueLong || p.Args[1].Kind != ValueLong {
		return 0, 0, false
	}
	if class := c.classes.get(m.ClassID); class == nil || class.Name != DiffClass {
		return 0, 0, false
	}
	return p.Args[0].Bits, p.Args[1].Bits, true
}
