package format

import "encoding/binary"

// fastSize is the fast path of Size: the size of the object at the start of b,
// when it is a trace point or a footer of one of the shapes that make up nearly
// all of a trace; 0 for all else, damage and the last bytes of the input among
// it, which the slow path then looks at with care. Where it answers, it answers
// what the slow path does.
func fastSize(b []byte, open Class) int {
	const rest = 16 // more than is read of a value at once
	if len(b) < pointHead+rest {
		return 0
	}
	i := 0
	switch Kind(b[0]) {
	case KindTracePoint:
		if !DiffStatus(b[pointHead-1]).Valid() {
			return 0
		}
		switch Class(b[1]) {
		case ClassVariableRead, ClassVariableWrite:
			return fastValue(b, pointHead+4)
		case ClassFieldRead, ClassFieldWrite:
			if i = fastValue(b, pointHead+4); i > 0 {
				i = fastValue(b, i)
			}
			return i
		case ClassCall:
			return fastCall(b)
		case ClassIteration:
			if b[pointHead] == 0 {
				return pointHead + 1 + 8
			}
		}
	case KindFooter:
		switch open {
		case ClassIteration:
			return 1
		case ClassLoop:
			return 5
		case ClassCall:
			i = fastValue(b, 1)
			if i == 0 || len(b)-i < 2 {
				return 0
			}
			if i += 2 + int(binary.BigEndian.Uint16(b[i:])); i <= len(b) {
				return i
			}
		}
	}
	return 0
}

// fastCall is fastSize for the header of a call.
func fastCall(b []byte) int {
	if b[pointHead] != 0 { // diff statuses
		return 0
	}
	i := fastValue(b, pointHead+1+4)
	if i == 0 || len(b)-i < 6 {
		return 0
	}
	n := binary.BigEndian.Uint32(b[i:])
	i += 4
	for ; n > 0; n-- {
		if i = fastValue(b, i); i == 0 {
			return 0
		}
	}
	if i += 2; i > len(b) { // flags
		return 0
	}
	return i
}

// fastValue returns the offset behind the value at offset i of b; 0 when the
// slow path has to look.
func fastValue(b []byte, i int) int {
	if len(b)-i < 12 {
		return 0
	}
	id := int32(binary.BigEndian.Uint32(b[i:]))
	if id >= 0 {
		if binary.BigEndian.Uint32(b[i+8:]) != 0 { // captured
			return 0
		}
		return i + 12
	}
	if id < int32(lastValueKind) {
		return 0
	}
	if n := valueSizes[-id]; n >= 0 {
		return i + 4 + int(n)
	}
	if ValueKind(id) == ValueBuilder {
		i += 4
	}
	if i += 6 + int(binary.BigEndian.Uint16(b[i+4:])); i <= len(b) {
		return i
	}
	return 0
}
