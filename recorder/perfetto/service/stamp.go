package service

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/recorder/perfetto/service/tracebuf"
)

// Numbers of fields that are not reserved; see [tracebuf.Acceptable] for the
// reserved ones. They are fixed by the protocol: do not change them.
const (
	fieldPacket          = 1 // of a trace
	fieldPreviousDropped = 42
)

// stamp is the fields that name the writer of the packets of a sequence. It follows
// a packet's own fields, and so overrides them.
type stamp struct {
	from   *tracebuf.Origin
	writer uint16
	bytes  []byte
}

// of makes the stamp that of a packet's sequence, whose number in the trace number
// returns. Packets are read sequence by sequence, so most of the time it already is.
func (s *stamp) of(p *tracebuf.Packet, number func(tracebuf.SequenceID) uint32) {
	if s.from != p.From || s.writer != p.Writer {
		s.from, s.writer = p.From, p.Writer
		s.bytes = appendStamp(s.bytes[:0], p.From, number(p.Sequence()))
	}
}

func appendStamp(dst []byte, from *tracebuf.Origin, sequence uint32) []byte {
	dst = appendVarint(dst, tracebuf.FieldTrustedUID, uint64(int64(from.UID)))
	dst = appendVarint(dst, tracebuf.FieldSequenceID, uint64(sequence))
	if from.PID >= 0 { // otherwise it is unknown
		dst = appendVarint(dst, tracebuf.FieldTrustedPID, uint64(int64(from.PID)))
	}
	if from.Machine != 0 {
		dst = appendVarint(dst, tracebuf.FieldMachineID, uint64(from.Machine))
	}
	return dst
}

// stampLost is the field that marks a loss of packets before this one: appendVarint
// of fieldPreviousDropped and 1.
const stampLost = "\xd0\x02\x01"

func appendVarint(dst []byte, field protowire.Number, v uint64) []byte {
	return protowire.AppendVarint(protowire.AppendTag(dst, field, protowire.VarintType), v)
}

// appendPacket appends a packet in the format of a trace file: as a field, with the
// stamp at its end.
func appendPacket(dst []byte, p *tracebuf.Packet, s *stamp) []byte {
	lost := ""
	if p.Lost {
		lost = stampLost
	}
	dst = append(dst, fieldPacket<<3|byte(protowire.BytesType))
	dst = binary.AppendUvarint(dst, uint64(p.Size()+len(s.bytes)+len(lost)))
	for _, part := range p.Parts {
		dst = append(dst, part...)
	}
	return append(append(dst, s.bytes...), lost...)
}
