package format

import "encoding/binary"

// AppendCall appends the header of a call without receiver, diff statuses and flags, like
// [Point.Append]. It is for writers that have the count argument values in encoded form.
func (v Version) AppendCall(dst []byte, location, thread, event, method int32, count int, values []byte) []byte {
	be := binary.BigEndian
	dst = append(dst, byte(KindTracePoint), v.ClassByte(ClassCall))
	dst = be.AppendUint32(dst, uint32(location))
	dst = be.AppendUint32(dst, uint32(thread))
	dst = be.AppendUint32(dst, uint32(event))
	noDiff := DiffNone
	noStatuses := byte(0)
	if v >= V27 {
		noStatuses = 0xff
	}
	dst = append(dst, byte(noDiff), noStatuses)
	dst = be.AppendUint32(dst, uint32(method))
	noReceiver := Null()
	dst, _ = v.AppendValue(dst, &noReceiver) // cannot fail
	dst = be.AppendUint32(dst, uint32(count))
	dst = append(dst, values...)
	return append(dst, 0, 0)
}
