package export

import (
	"bytes"
	"slices"
	"unicode/utf8"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
)

const (
	packetFlags = pbfield.TracePacket_SequenceFlags
	flagCleared = pbfield.TracePacket_SEQ_INCREMENTAL_STATE_CLEARED
	flagNeeded  = pbfield.TracePacket_SEQ_NEEDS_INCREMENTAL_STATE

	// The tables of texts.
	internedCategories  = pbfield.InternedData_EventCategories
	internedEvents      = pbfield.InternedData_EventNames
	internedAnnotations = pbfield.InternedData_DebugAnnotationNames
	internedLocations   = pbfield.InternedData_SourceLocations

	// sequence is the writer of all packets.
	sequence = 1
)

// packet appends a packet with what body appends.
func packet(dst []byte, body func(b []byte) []byte) []byte {
	return message(dst, pbfield.Trace_Packet, func(b []byte) []byte {
		b = number(b, pbfield.TracePacket_TrustedPacketSequenceId, sequence)
		return body(b)
	})
}

// message appends a field with what body appends.
func message(dst []byte, field protowire.Number, body func(b []byte) []byte) []byte {
	dst = protowire.AppendTag(dst, field, protowire.BytesType)
	at := len(dst)
	return closeMessage(body(append(dst, 0)), at)
}

// closeMessage writes the length of a message before it: one byte is free for it at an index.
func closeMessage(b []byte, at int) []byte {
	n := len(b) - at - 1
	if n < 0x80 {
		b[at] = byte(n)
		return b
	}
	size := protowire.SizeVarint(uint64(n))
	b = slices.Grow(b, size)[:len(b)+size-1]
	copy(b[at+size:], b[at+1:at+1+n])
	protowire.AppendVarint(b[:at], uint64(n))
	return b
}

func number(b []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(b, field, protowire.VarintType), v)
}

func text(b []byte, field protowire.Number, v string) []byte { return texts(b, field, []byte(v)) }

// texts appends a text. Readers may refuse one that is not valid UTF-8: a Java string may have half a character.
func texts(b []byte, field protowire.Number, v []byte) []byte {
	if !utf8.Valid(v) {
		v = bytes.ToValidUTF8(v, []byte("\ufffd"))
	}
	b = protowire.AppendTag(b, field, protowire.BytesType)
	return append(protowire.AppendVarint(b, uint64(len(v))), v...)
}

// Kinds of interned texts, in the lowest bits of their ids.
const (
	ofMethod = iota
	ofLoop
	ofIteration
	ofVariable
	ofField
	ofFixed // see fixedNames, and arguments by number
	ofPath
	ofClass
)

// Fixed names, by id.
const (
	fixedResult = iota
	fixedReceiver
	fixedException
	fixedValue
	fixedIndex
	fixedElement // an event
	fixedThrow
	fixedCatch
	fixedSnapshot
	fixedLoops // a category
	fixedUnfinished
	fixedNames
)

var fixedTexts = [fixedNames]string{"result", "receiver", "exception", "value", "index", "array element", "throw", "catch", "live breakpoint", "loop", "unfinished"}

func iid(kind int, id int32) uint64 { return (uint64(uint32(id))+1)<<3 | uint64(kind) }

// interned tells which ids of each table are in the file.
type interned struct {
	events, annotations, categories, locations map[uint64]bool
}

func newInterned() interned {
	return interned{map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}, map[uint64]bool{}}
}

func (t *interned) table(field protowire.Number) map[uint64]bool {
	switch field {
	case internedEvents:
		return t.events
	case internedAnnotations:
		return t.annotations
	case internedCategories:
		return t.categories
	}
	return t.locations
}

// internedText is a text that an encoder used first.
type internedText struct {
	table          protowire.Number
	iid            uint64
	text, function string
	line           int
}
