//go:build tracexrt

package tracexrt

import "unsafe"

// putArguments writes the arguments of a call. It encodes numbers, texts and addresses itself, because
// most arguments are one of these.
func (f *Func) putArguments(q uintptr, args []any) uintptr {
	for i := range args {
		e := (*eface)(unsafe.Pointer(&args[i]))
		t, depth := e.typ, depthMost
		if t != f.known[i] {
			q = retyped(q, t)
		}
		if f.Follow != 0 && f.Follow>>i&1 != 0 {
			q = putInterface(q, e, failure(depth), q+failureMost)
			continue
		}
		if t != nil {
			switch t.kindOf() {
			case kindInt, kindInt64:
				q = putInt(q, *(*int64)(e.data))
				continue
			case kindString:
				q = putString(q, *(*string)(e.data), stringsMost, q+valueMost)
				continue
			case kindPointer:
				if depth == 0 && e.data != nil && t.direct() {
					*u64(q + 1) = object(e.data)
					*u8(q) = ValueAddress
					q += 1 + AddressSize
					continue
				}
			}
		}
		q = putInterface(q, e, depth, q+valueMost)
	}
	return q
}

// putResults writes what pointers to the results of a call point to. Like putArguments, it encodes most itself.
func (f *Func) putResults(q uintptr, results []any) uintptr {
	for i := range results {
		d, t := (*eface)(unsafe.Pointer(&results[i])).data, elemOf(&results[i])
		if t != f.known[f.args+uint32(i)] {
			q = retyped(q, t)
		}
		room := q + valueMost
		switch t.kindOf() {
		case kindInt, kindInt64:
			q = putInt(q, *(*int64)(d))
			continue
		case kindInterface:
			if *(*uintptr)(d) == 0 {
				*u8(q) = ValueNil
				q++
				continue
			}
			if t == errorType {
				room = q + failureMost
			}
		}
		q = put(q, t, d, depthMost, room)
	}
	return q
}

// retyped writes that the type of a value is not the known one.
//
//go:noinline
func retyped(p uintptr, t *rtype) uintptr {
	if t == nil {
		return p // nil needs no type
	}
	*u8(p) = ValueType
	*u32(p + 1) = typeNumber(meant(t))
	return p + 5
}

// putInterface writes the value in an interface. room is as for put.
func putInterface(p uintptr, e *eface, depth int, room uintptr) uintptr {
	t := e.typ
	if t == nil {
		*u8(p) = ValueNil
		return p + 1
	}
	if t.direct() {
		return put(p, t, unsafe.Pointer(&e.data), depth, room)
	}
	return put(p, t, e.data, depth, room)
}

// put writes the value at d, which has type t. room is the end of the room for it. It may write up to
// 24 bytes beyond room, so callers leave that much.
func put(p uintptr, t *rtype, d unsafe.Pointer, depth int, room uintptr) uintptr {
	switch t.kindOf() {
	case kindBool:
		*u8(p) = ValueFalse + *(*uint8)(d)&1
		return p + 1
	case kindInt, kindInt64:
		return putInt(p, *(*int64)(d))
	case kindInt8:
		return putInt(p, int64(*(*int8)(d)))
	case kindInt16:
		return putInt(p, int64(*(*int16)(d)))
	case kindInt32:
		return putInt(p, int64(*(*int32)(d)))
	case kindUint, kindUint64, kindUintptr:
		return putUint(p, *(*uint64)(d))
	case kindUint8:
		return putUint(p, uint64(*(*uint8)(d)))
	case kindUint16:
		return putUint(p, uint64(*(*uint16)(d)))
	case kindUint32:
		return putUint(p, uint64(*(*uint32)(d)))
	case kindFloat32:
		*u8(p) = ValueFloat32
		*u32(p + 1) = *(*uint32)(d)
		return p + 5
	case kindFloat64:
		*u8(p) = ValueFloat64
		*u64(p + 1) = *(*uint64)(d)
		return p + 9
	case kindComplex64:
		*u8(p) = ValueComplex64
		*u64(p + 1) = *(*uint64)(d)
		return p + 9
	case kindComplex128:
		*u8(p) = ValueComplex
		*u64(p + 1) = *(*uint64)(d)
		*u64(p + 9) = *(*uint64)(unsafe.Add(d, 8))
		return p + 17
	case kindString:
		return putString(p, *(*string)(d), textMost(depth), room)
	case kindSlice:
		return putSlice(p, t, d, depth, room)
	case kindInterface:
		return putInner(p, t, d, depth, room)
	case kindStruct:
		if (*structType)(unsafe.Pointer(t)).pkgPath == refPath {
			return put(p, meant(t), *(*unsafe.Pointer)(d), depth, room)
		}
		return putStruct(p, t, d, depth, room)
	case kindArray:
		return putArray(p, t, d, depth, room)
	case kindPointer:
		return putPointer(p, t, d, depth, room)
	}
	w := *(*uintptr)(d)
	if w == 0 {
		*u8(p) = ValueNil
		return p + 1
	}
	q := p + 1 + AddressSize
	switch t.kindOf() {
	case kindMap:
		return putMap(p, t, *(*unsafe.Pointer)(d), depth, room)
	case kindFunc:
		*u64(p + 1) = object(*(*unsafe.Pointer)(d))
		*u8(p) = ValueFunc
		pc := uint32(0)
		if readable(w, 8) {
			pc = uint32(*word(w) - text)
		}
		*u32(q) = pc
		return q + 4
	}
	if *u64(p + 1) = numberOf(w, 0) << ObjectShift; t.kindOf() == kindChan {
		*u64(p + 1) = object(*(*unsafe.Pointer)(d))
	} // an unsafe pointer may point anywhere
	*u8(p) = ValueAddress
	return q
}

func putInt(p uintptr, v int64) uintptr {
	if int64(int8(v)) == v {
		*u8(p), *u8(p + 1) = ValueInt8, uint8(v)
		return p + 2
	}
	if int64(int32(v)) == v {
		*u8(p) = ValueInt32
		*u32(p + 1) = uint32(v)
		return p + 5
	}
	*u8(p) = ValueInt64
	*u64(p + 1) = uint64(v)
	return p + 9
}

func putUint(p uintptr, v uint64) uintptr {
	if v < 1<<8 {
		*u8(p), *u8(p + 1) = ValueUint8, uint8(v)
		return p + 2
	}
	if v < 1<<32 {
		*u8(p) = ValueUint32
		*u32(p + 1) = uint32(v)
		return p + 5
	}
	*u8(p) = ValueUint64
	*u64(p + 1) = v
	return p + 9
}

// putString writes a string, of which it keeps so many bytes at most.
func putString(p uintptr, s string, most, room uintptr) uintptr {
	n := uintptr(len(s))
	from := unsafe.Pointer(unsafe.StringData(s))
	if n <= min(most, 255) && p+2+n <= room && (n == 0 || readable(uintptr(from), n)) {
		*u8(p), *u8(p + 1) = ValueString, uint8(n)
		copyBytes(p+2, uintptr(from), n)
		return p + 2 + n
	}
	*u32(p + 1) = uint32(min(n, 1<<32-1))
	if most <= 255 {
		*u8(p) = ValueCut
		return putPart(p+5, from, n, most, room)
	}
	*u8(p) = ValueText
	kept := min(n, most)
	if p+7+kept > room {
		kept = 0
		if p+7 < room {
			kept = room - p - 7
		}
	}
	if kept > 0 && !readable(uintptr(from), kept) {
		kept = 0
	}
	*u8(p + 5), *u8(p + 6) = uint8(kept), uint8(kept>>8)
	copyBytes(p+7, uintptr(from), kept)
	return p + 7 + kept
}

// putName writes a string whole if there is room, whatever the limit for other strings.
func putName(p uintptr, s string, room uintptr) uintptr {
	return putString(p, s, failureText, room)
}

// putPart writes the number of bytes that follow, at most n and most, and the bytes. most is at most 255.
func putPart(p uintptr, from unsafe.Pointer, n, most, room uintptr) uintptr {
	n = min(n, most)
	if p+1+n > room {
		n = 0
		if p+1 < room {
			n = room - p - 1
		}
	}
	if n > 0 && !readable(uintptr(from), n) {
		n = 0
	}
	*u8(p) = uint8(n)
	copyBytes(p+1, uintptr(from), n)
	return p + 1 + n
}
