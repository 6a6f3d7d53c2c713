package service

import (
	"encoding/binary"

	"google.golang.org/protobuf/encoding/protowire"

	"tracex/format/pbfield"
	"tracex/recorder/perfetto/service/tracebuf"
)

// Numbers of fields that are not reserved; see [tracebuf.Acceptable] for the
// reserved ones. They are fixed by the protocol: do not change them.
const (
	fieldPacket          = pbfield.Trace_Packet // of a trace
	fieldPreviousDropped = pbfield.TracePacket_PreviousPacketDropped
	// fieldPlace is this service's own: where a packet was in the memory, so that [Left] does not read it
	// again. Its contents are the numbers of a place.
	fieldPlace = 2023
)

// stamp is the fields that name the writer of the packets of a sequence. It follows
// a packet's own fields, and so overrides them.
type stamp struct {
	from   *tracebuf.Origin
	writer uint16
	bytes  []byte
	places bool // packets get a place, too
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

// place is where a packet begins in the memory of a producer.
type place struct {
	tracebuf.SequenceID
	chunk uint32
	index int
}

func placeOf(p *tracebuf.Packet) place { return place{p.Sequence(), p.Chunk, p.Index} }

func (p place) append(dst []byte) []byte {
	var room [24]byte
	b := binary.AppendUvarint(room[:0], uint64(p.Producer))
	b = binary.AppendUvarint(b, uint64(p.Writer))
	b = binary.AppendUvarint(b, uint64(p.chunk))
	b = binary.AppendUvarint(b, uint64(p.index))
	return protowire.AppendBytes(protowire.AppendTag(dst, fieldPlace, protowire.BytesType), b)
}

// parsePlace parses the contents of the field.
func parsePlace(b []byte) (p place, ok bool) {
	var n [4]uint64
	for i := range n {
		v, size := binary.Uvarint(b)
		if size <= 0 {
			return p, false
		}
		n[i], b = v, b[size:]
	}
	return place{tracebuf.SequenceID{Producer: uint32(n[0]), Writer: uint16(n[1])}, uint32(n[2]), int(n[3])}, true
}

// after reports whether a packet follows another of its sequence; ids of chunks wrap.
func (p place) after(o place) bool {
	if p.chunk != o.chunk {
		return int32(p.chunk-o.chunk) > 0
	}
	return p.index > o.index
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
	var room [40]byte
	at := room[:0]
	if s.places {
		at = placeOf(p).append(at)
	}
	dst = append(dst, fieldPacket<<3|byte(protowire.BytesType))
	dst = binary.AppendUvarint(dst, uint64(p.Size()+len(s.bytes)+len(lost)+len(at)))
	for _, part := range p.Parts {
		dst = append(dst, part...)
	}
	return append(append(append(dst, s.bytes...), lost...), at...)
}
