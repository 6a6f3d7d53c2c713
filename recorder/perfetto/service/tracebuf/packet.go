package tracebuf

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
)

// Origin identifies the producer of a chunk, as known from its connection. All
// chunks of a connection share one Origin.
type Origin struct {
	Producer uint32 // consecutive; never reused
	UID, PID int32  // -1 if unknown
	Machine  uint32 // 0 for this machine
}

// SequenceID identifies a sequence within a buffer.
type SequenceID struct {
	Producer uint32
	Writer   uint16
}

func (a SequenceID) compare(b SequenceID) int {
	if a.Producer != b.Producer {
		return int(int64(a.Producer) - int64(b.Producer))
	}
	return int(a.Writer) - int(b.Writer)
}

// Packet is a whole packet in a buffer.
type Packet struct {
	From   *Origin
	Writer uint16
	// Lost reports whether packets of the sequence before this one are missing. It is
	// also set for the first one, since a ring cannot know what it had before.
	Lost bool
	// Chunk and Index are where the packet begins: the id of a chunk, and how many packets and
	// fragments of it precede. They rise within a sequence; ids wrap.
	Chunk uint32
	Index int
	// Parts are the packet's bytes, one part for each chunk. They belong to the buffer,
	// and are valid until it is written to or the next packet is read.
	Parts [][]byte
}

// Size returns the packet's size in bytes.
func (p *Packet) Size() (n int) {
	for _, part := range p.Parts {
		n += len(part)
	}
	return n
}

// Sequence returns the packet's sequence.
func (p *Packet) Sequence() SequenceID { return SequenceID{p.From.Producer, p.Writer} }

// Numbers of fields of a packet that only the service may set. They are fixed by the
// protocol: do not change them.
const (
	FieldTrustedUID     = pbfield.TracePacket_TrustedUid
	FieldSequenceID     = pbfield.TracePacket_TrustedPacketSequenceId
	FieldTraceConfig    = pbfield.TracePacket_TraceConfig
	FieldTraceStats     = pbfield.TracePacket_TraceStats
	FieldSyncMarker     = pbfield.TracePacket_SynchronizationMarker
	FieldCompressed     = pbfield.TracePacket_CompressedPackets
	FieldServiceEvent   = pbfield.TracePacket_ServiceEvent
	FieldTrustedPID     = pbfield.TracePacket_TrustedPid
	FieldMachineID      = pbfield.TracePacket_MachineId
	FieldProvenance     = pbfield.TracePacket_TraceProvenance
	FieldProtoVMs       = pbfield.TracePacket_Protovms
	FieldZstdCompressed = pbfield.TracePacket_ZstdCompressedPackets
)

// reserved reports whether a packet with the field is refused.
func reserved(field uint64) bool {
	const low uint64 = 1<<FieldTrustedUID | 1<<FieldSequenceID | 1<<FieldTraceConfig | 1<<FieldTraceStats |
		1<<FieldSyncMarker | 1<<FieldCompressed
	if field < 64 {
		return low>>field&1 != 0
	}
	switch field {
	case FieldServiceEvent, FieldTrustedPID, FieldMachineID, FieldProvenance, FieldProtoVMs, FieldZstdCompressed:
		return true
	}
	return false
}

// Acceptable reports whether a producer's packet is a message that may be in a
// trace: whole fields, none of them reserved for the service. It does not check the
// contents of the fields.
func Acceptable(b []byte) bool {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		field := tag >> 3
		if n <= 0 || field == 0 || field > uint64(protowire.MaxValidNumber) || reserved(field) {
			return false
		}
		b = b[n:]
		switch protowire.Type(tag & 7) {
		case protowire.VarintType:
			if _, n = binary.Uvarint(b); n <= 0 {
				return false
			}
		case protowire.Fixed64Type:
			n = 8
		case protowire.Fixed32Type:
			n = 4
		case protowire.BytesType:
			size, head := binary.Uvarint(b)
			if head <= 0 || size > uint64(len(b)-head) {
				return false
			}
			n = head + int(size)
		default:
			return false
		}
		if n > len(b) {
			return false
		}
		b = b[n:]
	}
	return true
}
