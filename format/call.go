package format

import "encoding/binary"

// AppendCall appends the header of a call without receiver, diff statuses and
// flags, as [Point.Append] does: for writers that have the values of the
// arguments in encoded form, count of them.
func AppendCall(dst []byte, location, thread, event, method int32, count int, values []byte) []byte {
	be := binary.BigEndian
	dst = append(dst, byte(KindTracePoint), byte(ClassCall))
	dst = be.AppendUint32(dst, uint32(location))
	dst = be.AppendUint32(dst, uint32(thread))
	dst = be.AppendUint32(dst, uint32(event))
	noDiff := DiffNone
	dst = append(dst, byte(noDiff), 0)
	dst = be.AppendUint32(dst, uint32(method))
	noReceiver := ValueNull
	dst = be.AppendUint32(dst, uint32(noReceiver))
	dst = be.AppendUint32(dst, uint32(count))
	dst = append(dst, values...)
	return append(dst, 0, 0)
}
