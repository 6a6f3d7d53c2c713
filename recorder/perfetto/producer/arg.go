package producer

import (
	"encoding/binary"
	"math"

	"google.golang.org/protobuf/encoding/protowire"
	"google.golang.org/protobuf/proto"

	"tracex/format/pbfield"
	"tracex/recorder/perfetto/messages"
)

// Arg is an argument of an event: a debug annotation, in Perfetto's terms, or a
// flow. Making one does not allocate.
type Arg struct {
	key  *Key // nil for a flow
	kind protowire.Number
	bits uint64
	text string
}

// Fields of a DebugAnnotation, and fields of an event that are written as arguments.
const (
	annotationBool    = 2
	annotationUint    = 3
	annotationInt     = 4
	annotationDouble  = 5
	annotationString  = 6
	annotationPointer = 7

	eventFlow    = 47
	eventFlowEnd = 48
)

// Bool returns a boolean argument.
func Bool(k *Key, v bool) Arg {
	a := Arg{key: k, kind: annotationBool}
	if v {
		a.bits = 1
	}
	return a
}

// Int returns a signed argument.
func Int(k *Key, v int64) Arg { return Arg{key: k, kind: annotationInt, bits: uint64(v)} }

// Uint returns an unsigned argument.
func Uint(k *Key, v uint64) Arg { return Arg{key: k, kind: annotationUint, bits: v} }

// Pointer returns an argument that is shown as an address.
func Pointer(k *Key, v uintptr) Arg { return Arg{key: k, kind: annotationPointer, bits: uint64(v)} }

// Float returns a floating-point argument.
func Float(k *Key, v float64) Arg {
	return Arg{key: k, kind: annotationDouble, bits: math.Float64bits(v)}
}

// String returns a text argument.
func String(k *Key, v string) Arg { return Arg{key: k, kind: annotationString, text: v} }

// Flow connects the event to the next one with the same id. The program chooses the
// id, for example that of a request; the events may be in different processes.
func Flow(id uint64) Arg { return Arg{kind: eventFlow, bits: id} }

// FlowEnd connects the event to the previous one with the id and ends the flow, so
// that the id can be reused.
func FlowEnd(id uint64) Arg { return Arg{kind: eventFlowEnd, bits: id} }

// append appends the argument to the body of an event.
func (a *Arg) append(b []byte) []byte {
	if a.key == nil {
		if a.kind == 0 {
			return b
		}
		return appendFixed64(protowire.AppendTag(b, a.kind, protowire.Fixed64Type), a.bits)
	}
	id := uint64(a.key.id + 1)
	size := 1 + protowire.SizeVarint(id) + 1
	switch a.kind {
	case annotationString:
		size += protowire.SizeBytes(len(a.text))
	case annotationDouble:
		size += 8
	default:
		size += protowire.SizeVarint(a.bits)
	}
	b = appendVarint(append(b, tagAnnotation), uint64(size))
	b = appendVarint(append(b, 1<<3), id)
	switch a.kind {
	case annotationString:
		b = appendVarint(append(b, annotationString<<3|2), uint64(len(a.text)))
		return append(b, a.text...)
	case annotationDouble:
		return appendFixed64(append(b, annotationDouble<<3|1), a.bits)
	}
	return appendVarint(append(b, byte(a.kind)<<3), a.bits)
}

// Packets of events are encoded by hand. The numbers of fields are fixed by the
// protocol: do not change them.

type eventType byte

const (
	typeBegin   eventType = pbfield.TrackEvent_TYPE_SLICE_BEGIN
	typeEnd     eventType = pbfield.TrackEvent_TYPE_SLICE_END
	typeInstant eventType = pbfield.TrackEvent_TYPE_INSTANT
	typeCounter eventType = pbfield.TrackEvent_TYPE_COUNTER
)

// Fields of a packet: number and wire type.
const (
	tagTimestamp     = pbfield.TracePacket_Timestamp << 3
	tagSequenceFlags = pbfield.TracePacket_SequenceFlags << 3
	tagTrackEvent    = pbfield.TracePacket_TrackEvent<<3 | 2
	tagInterned      = pbfield.TracePacket_InternedData<<3 | 2

	stateCleared = pbfield.TracePacket_SEQ_INCREMENTAL_STATE_CLEARED
	needsState   = pbfield.TracePacket_SEQ_NEEDS_INCREMENTAL_STATE
)

// Fields of a TrackEvent.
const (
	tagCategory   = pbfield.TrackEvent_CategoryIids << 3
	tagAnnotation = pbfield.TrackEvent_DebugAnnotations<<3 | 2
	tagType       = pbfield.TrackEvent_Type << 3
	tagName       = pbfield.TrackEvent_NameIid << 3
	tagTrack      = pbfield.TrackEvent_TrackUuid << 3
)

// Fields of interned data: lists of messages with iid 1 and name 2.
const (
	internedCategories = 1
	internedNames      = 2
	internedKeys       = 3
)

var endEvent = []byte{tagTrackEvent, 2, tagType, byte(typeEnd)}

func floatBits(v float64) uint64 { return math.Float64bits(v) }

func appendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

func appendField(b []byte, field protowire.Number, v uint64) []byte {
	return appendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

// appendMessage appends a field with a message or text.
func appendMessage(b []byte, field protowire.Number, message []byte) []byte {
	return protowire.AppendBytes(protowire.AppendTag(b, field, protowire.BytesType), message)
}

func appendFixed64(b []byte, v uint64) []byte { return binary.LittleEndian.AppendUint64(b, v) }

// appendUUID appends the field of an event with its track's uuid.
func appendUUID(b []byte, uuid uint64) []byte { return appendVarint(append(b, tagTrack), uuid) }

// packetOf encodes a packet with a track descriptor.
func packetOf(m *messages.TrackDescriptor) []byte {
	b, err := proto.Marshal(m)
	if err != nil {
		return nil // a name that is not UTF-8 is accepted; nothing else can fail
	}
	return appendMessage(nil, 60, b)
}
