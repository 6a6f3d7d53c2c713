// Package calls defines how Perfetto's packets contain recorded calls: what the data
// source tracex.calls writes into the field tracex_calls (2022) of a TracePacket. A
// recorder encodes a [Part], and a converter of packets decodes it; neither is in
// this package.
//
// # Bytes
//
// A part is a message of protocol buffers. The field numbers below must not change.
// Decoders skip unknown fields.
//
//	 1 recorder    fixed64  a random number that identifies the recording of one
//	                        process. Ids in objects are valid only within it
//	 2 thread      varint   the thread's id plus 1; absent: only references
//	 3 number      varint   of this part within its thread, counting from 0
//	 4 name        bytes    of the thread, UTF-8
//	 5 references  bytes    whole reference objects of the trace's file: descriptors,
//	                        strings, locations
//	 6 skipped     varint   how many open containers are outside of those in open
//	 7 open        bytes    headers of the containers that are open where objects
//	                        begin, outermost first
//	 8 began       varints  when those began: nanoseconds since the machine was
//	                        started, the first; since the one before, the others
//	 9 whole       varint   1: open is complete, even if it is empty
//	10 ended       varint   plus 1: nanoseconds from the last of times, or the packet's
//	                        timestamp, to the end of the thread; no part follows
//	11 times       varints  one for each header of a container and each footer in
//	                        objects: nanoseconds since the one before, the first since
//	                        the packet's timestamp; absent: times were not recorded
//	12 objects     bytes    headers and footers of trace points, whole, in order, as
//	                        in a block of the thread
//	13 format      varint   the version of the trace's format, for references, open and
//	                        objects; absent: 22
//
// References and objects are bytes of the trace file of that version, each object
// with its kind byte. All parts of a recorder have the same version. The packet's
// timestamp is on the boot clock.
//
// # Order
//
// All parts of a thread are in one sequence of packets, in order. References may be
// in another, and later than the first part that uses them. Duplicates are equal.
//
// # Loss
//
// If numbers are missing, or do not begin with 0, objects are missing: they were
// never written, or the service did not keep them. A recorder that knows about the
// loss, or cannot know, lists in the next part all containers that are open where it
// begins (whole). The reader then ends its other open containers, at an unknown
// time, begins those that it did not know, and continues. Containers are matched by
// depth, counting skipped ones: two containers at the same depth are the same if
// their headers have the same event id. About skipped ones the reader keeps what it
// knew before.
//
// If numbers are missing and there is no whole, a reader can only assume that
// footers without a header belong to containers that it never saw.
package calls

import (
	"errors"
	"fmt"
	"math"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
)

// Source is the name of the data source.
const Source = "tracex.calls"

// Field is the number of the field of a TracePacket.
const Field = pbfield.TracePacket_TracexCalls

// Part is the contents of one packet. When encoding, its slices are the caller's;
// after decoding, they are parts of the packet.
type Part struct {
	Recorder uint64
	Format   int // the version of the trace's format that its objects have; 0 means 22

	HasThread bool // if not, there are only References
	Thread    int32
	Number    uint64
	Name      string

	References []byte

	Whole   bool // Skipped, Open and Began describe all open containers
	Skipped int
	Open    []byte
	Began   []byte // varints

	Last  bool
	Ended uint64 // ns after the last of Times, if it is the Last

	Times   []byte // varints
	Objects []byte
}

const (
	fieldRecorder   = 1
	fieldThread     = 2
	fieldNumber     = 3
	fieldName       = 4
	fieldReferences = 5
	fieldSkipped    = 6
	fieldOpen       = 7
	fieldBegan      = 8
	fieldWhole      = 9
	fieldEnded      = 10
	fieldTimes      = 11
	fieldObjects    = 12
	fieldFormat     = 13
)

// ErrDamaged is returned for bytes that are not a Part.
var ErrDamaged = errors.New("calls: damaged packet of calls")

// AppendHead appends all but the bytes of Objects, which must follow: this saves a
// copy of them.
func (p *Part) AppendHead(b []byte) []byte {
	b = protowire.AppendFixed64(protowire.AppendTag(b, fieldRecorder, protowire.Fixed64Type), p.Recorder)
	if p.HasThread {
		b = appendVarint(b, fieldThread, uint64(uint32(p.Thread))+1)
		b = appendVarint(b, fieldNumber, p.Number)
		b = appendBytes(b, fieldName, p.Name)
	}
	if p.Format != 0 {
		b = appendVarint(b, fieldFormat, uint64(p.Format))
	}
	b = appendBytes(b, fieldReferences, p.References)
	if p.Whole {
		b = appendVarint(b, fieldWhole, 1)
		b = appendVarint(b, fieldSkipped, uint64(p.Skipped))
		b = appendBytes(b, fieldOpen, p.Open)
		b = appendBytes(b, fieldBegan, p.Began)
	}
	if p.Last {
		b = appendVarint(b, fieldEnded, p.Ended+1)
	}
	b = appendBytes(b, fieldTimes, p.Times)
	if len(p.Objects) > 0 {
		b = protowire.AppendTag(b, fieldObjects, protowire.BytesType)
		b = protowire.AppendVarint(b, uint64(len(p.Objects)))
	}
	return b
}

func (p *Part) Append(b []byte) []byte { return append(p.AppendHead(b), p.Objects...) }

func appendVarint(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

// appendBytes appends a field, unless it is empty.
func appendBytes[T []byte | string](b []byte, field protowire.Number, v T) []byte {
	if len(v) == 0 {
		return b
	}
	b = protowire.AppendVarint(protowire.AppendTag(b, field, protowire.BytesType), uint64(len(v)))
	return append(b, v...)
}

// Decode decodes a part. It does not check the contents of references, objects and
// times. Its errors are [ErrDamaged], with the offset.
func Decode(b []byte) (p Part, err error) {
	for rest := b; len(rest) > 0; {
		at := len(b) - len(rest)
		field, kind, n := protowire.ConsumeTag(rest)
		if n < 0 {
			return p, fmt.Errorf("%w: no field at byte %d of %d", ErrDamaged, at, len(b))
		}
		size := protowire.ConsumeFieldValue(field, kind, rest[n:])
		if size < 0 {
			return p, fmt.Errorf("%w: field %d at byte %d of %d is cut short", ErrDamaged, field, at, len(b))
		}
		if !p.set(field, kind, rest[n:n+size]) {
			return p, fmt.Errorf("%w: field %d at byte %d of %d is invalid", ErrDamaged, field, at, len(b))
		}
		rest = rest[n+size:]
	}
	return p, nil
}

// set sets a field from its complete encoded value. It reports whether the value is
// valid.
func (p *Part) set(field protowire.Number, kind protowire.Type, value []byte) bool {
	switch kind {
	case protowire.VarintType:
		v, _ := protowire.ConsumeVarint(value)
		return p.setNumber(field, v)
	case protowire.BytesType:
		v, _ := protowire.ConsumeBytes(value)
		if field == fieldName {
			p.Name = string(v)
		} else if to := p.bytes(field); to != nil {
			*to = v
		}
	case protowire.Fixed64Type:
		if field == fieldRecorder {
			p.Recorder, _ = protowire.ConsumeFixed64(value)
		}
	}
	return true
}

func (p *Part) setNumber(field protowire.Number, v uint64) bool {
	switch field {
	case fieldThread:
		if v == 0 || v > 1<<31 {
			return false
		}
		p.HasThread, p.Thread = true, int32(v-1)
	case fieldNumber:
		p.Number = v
	case fieldSkipped:
		if v > math.MaxInt32 {
			return false
		}
		p.Skipped = int(v)
	case fieldFormat:
		if v > math.MaxInt32 {
			return false
		}
		p.Format = int(v)
	case fieldWhole:
		p.Whole = v != 0
	case fieldEnded:
		p.Last, p.Ended = v != 0, max(v, 1)-1
	}
	return true
}

func (p *Part) bytes(field protowire.Number) *[]byte {
	switch field {
	case fieldReferences:
		return &p.References
	case fieldOpen:
		return &p.Open
	case fieldBegan:
		return &p.Began
	case fieldTimes:
		return &p.Times
	case fieldObjects:
		return &p.Objects
	}
	return nil
}

// NextTime removes the first value from Times or Began. ok is false if there is
// none, or it is invalid.
func NextTime(times []byte) (ns uint64, rest []byte, ok bool) {
	ns, n := protowire.ConsumeVarint(times)
	if n < 0 {
		return 0, nil, false
	}
	return ns, times[n:], true
}
