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
