package service

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"
)

// Numbers of a packet's fields that the service alone may set. They are facts of
// the protocol, do not change.
const (
	fieldPacket          = 1 // of a trace
	fieldTrustedUID      = 3
	fieldSequenceID      = 10
	fieldTraceConfig     = 33
	fieldTraceStats      = 35
	fieldSyncMarker      = 36
	fieldPreviousDropped = 42
	fieldCompressed      = 50
	fieldServiceEvent    = 69
	fieldTrustedPID      = 79
	fieldMachineID       = 98
	fieldProvenance      = 124
	fieldProtoVMs        = 125
	fieldZstdCompressed  = 133
)

// reserved reports whether a packet that has the field is refused.
func reserved(field uint64) bool {
	const low uint64 = 1<<fieldTrustedUID | 1<<fieldSequenceID | 1<<fieldTraceConfig | 1<<fieldTraceStats |
		1<<fieldSyncMarker | 1<<fieldCompressed
	if field < 64 {
		return low>>field&1 != 0
	}
	switch field {
	case fieldServiceEvent, fieldTrustedPID, fieldMachineID, fieldProvenance, fieldProtoVMs, fieldZstdCompressed:
		return true
	}
	return false
}

// acceptable reports whether a producer's packet is a message that may stand in
// a trace: fields that are whole, none of them the service's. What is in the
// fields is not looked at.
func acceptable(b []byte) bool {
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

// stamp is what says who wrote the packets of a sequence. It stands behind a
// packet's own fields, and so wins over them.
type stamp struct {
	from   *source
	writer uint16
	bytes  []byte
}

// of makes the stamp that of a packet's sequence, which has a number in the trace.
// Packets come sequence by sequence: most of the time it is that already.
func (s *stamp) of(p *packet, number func(sequenceID) uint32) {
	if s.from != p.from || s.writer != p.writer {
		s.from, s.writer = p.from, p.writer
		s.bytes = appendStamp(s.bytes[:0], p.from, number(sequenceID{p.from.producer, p.writer}))
	}
}

func appendStamp(dst []byte, from *source, sequence uint32) []byte {
	dst = appendVarint(dst, fieldTrustedUID, uint64(int64(from.uid)))
	dst = appendVarint(dst, fieldSequenceID, uint64(sequence))
	if from.pid >= 0 { // else nobody knows it
		dst = appendVarint(dst, fieldTrustedPID, uint64(int64(from.pid)))
	}
	if from.machine != 0 {
		dst = appendVarint(dst, fieldMachineID, uint64(from.machine))
	}
	return dst
}

// stampLost is the field that says that packets before this one are missing: what
// appendVarint makes of fieldPreviousDropped and lossPresent.
const stampLost = "\xd0\x02\x01"

func appendVarint(dst []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.VarintType), v)
}

// appendPacket appends a packet as it stands in a trace file: a field of its own,
// with the stamp at its end.
func appendPacket(dst []byte, p *packet, s *stamp) []byte {
	lost := ""
	switch p.lost {
	case 0:
	case lossPresent:
		lost = stampLost
	default:
		lost = string(appendVarint(nil, fieldPreviousDropped, uint64(p.lost)))
	}
	dst = append(dst, fieldPacket<<3|byte(protowire.BytesType))
	dst = binary.AppendUvarint(dst, uint64(p.size()+len(s.bytes)+len(lost)))
	for _, part := range p.parts {
		dst = append(dst, part...)
	}
	return append(append(dst, s.bytes...), lost...)
}
