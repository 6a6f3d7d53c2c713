//go:build tracexrt

package tracexrt

import "unsafe"

// Options: how much of values is recorded.
var (
	depthMost   = 0            // how many pointers are followed
	stringsMost = uintptr(64)  // bytes of a string
	fieldsMost  = 12           // fields of a struct
	valueMost   = uintptr(320) // bytes that a value takes in the file, unless it is an error or a panic
)

const (
	// failing marks a depth as that of a value within an error, or within the value of a panic: texts are
	// kept longer there, because what an error wraps is at the end of its text, and other errors are followed.
	failing = 1 << 16
	// failureText is how many bytes of a text are kept there, unless no texts are wanted, failureFields how
	// many fields at least, and failureMost how many bytes the whole takes.
	failureText   = 1 << 10
	failureFields = 12
	failureMost   = uintptr(2 << 10)
)

// steps returns how many more pointers are followed at a depth.
func steps(depth int) int { return depth &^ failing }

// further returns the depth after another pointer.
func further(depth int) int {
	if steps(depth) == 0 {
		return depth
	}
	return depth - 1
}

// textMost returns how many bytes of a text are kept.
func textMost(depth int) uintptr {
	if depth&failing != 0 && stringsMost > 0 {
		return max(stringsMost, failureText)
	}
	return stringsMost
}

// countMost returns how many fields or elements are kept.
func countMost(depth int) int {
	if depth&failing != 0 {
		return max(fieldsMost, failureFields)
	}
	return fieldsMost
}

// failure returns the depth for an error, or for the value of a panic, that was met at a depth.
func failure(depth int) int { return max(steps(depth), 1) | failing }

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
		*u64(p + 1) = object(*(*unsafe.Pointer)(d))
		*u8(p) = ValueMap
		n := uint32(0)
		if readable(w, 8) {
			n = uint32(*u64(w)) // the first word of each of the runtime's maps
		}
		*u32(q) = n
		return q + 4
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

func putSlice(p uintptr, t *rtype, d unsafe.Pointer, depth int, room uintptr) uintptr {
	from, n := *(*unsafe.Pointer)(d), *(*uintptr)(unsafe.Add(d, 8))
	if from == nil {
		*u8(p) = ValueNil
		return p + 1
	}
	*u64(p + 1) = numberOf(uintptr(from), 0) << ObjectShift
	if *(*uintptr)(unsafe.Add(d, 16)) > 0 { // otherwise it may point behind an object
		*u64(p + 1) = object(from)
	}
	*u32(p + 1 + AddressSize) = uint32(min(n, 1<<32-1))
	q := p + 5 + AddressSize
	elem := (*elemType)(unsafe.Pointer(t)).elem
	if steps(depth) > 0 && elem.kindOf() == kindUint8 {
		*u8(p) = ValueBytes
		return putPart(q, from, n, min(textMost(depth), 255), room)
	}
	follow := steps(depth) > 0 || depth&failing != 0 && elem == errorType
	if follow && n > 0 && readable(uintptr(from), min(n, elementsMost)*elem.size) {
		*u8(p) = ValueElements
		return putElements(q, elem, from, n, further(depth), room)
	}
	*u8(p) = ValueSlice
	return q
}

// putArray writes the elements of an array if it has no more than structs may have fields. With depth
// it writes the first ones of any array.
func putArray(p uintptr, t *rtype, d unsafe.Pointer, depth int, room uintptr) uintptr {
	a := (*arrayType)(unsafe.Pointer(t))
	if a.length > uintptr(fieldsMost) && steps(depth) == 0 {
		*u8(p) = ValueArray
		return p + 1
	}
	*u8(p) = ValueItems
	return putElements(p+1, a.elem, d, a.length, further(depth), room)
}

// elementsMost bounds the elements that are recorded, whatever fieldsMost is.
const elementsMost = 255

// putElements writes the number of elements that follow, at most n, and the elements. Those at d must
// be readable.
func putElements(p uintptr, elem *rtype, d unsafe.Pointer, n uintptr, depth int, room uintptr) uintptr {
	if elem.flags&flagNamed != 0 || elem.kindOf() >= kindArray {
		typeNumber(elem)
	}
	most := min(n, uintptr(countMost(depth)), elementsMost)
	q, k := p+1, uintptr(0)
	for ; k < most && q+32 <= room; k++ {
		q = put(q, elem, unsafe.Add(d, k*elem.size), depth, room)
	}
	*u8(p) = uint8(k)
	return q
}

// putInner writes the value of a type that is an interface.
func putInner(p uintptr, t *rtype, d unsafe.Pointer, depth int, room uintptr) uintptr {
	w := (*[2]unsafe.Pointer)(d)
	typ, data := (*rtype)(w[0]), w[1]
	if typ == nil {
		*u8(p) = ValueNil
		return p + 1
	}
	if methods := (*interfaceType)(unsafe.Pointer(t)).methods; len(methods) > 0 {
		typ = (*itab)(w[0]).typ
		if t == errorType {
			depth = failure(depth) // an error's text is in the struct that it points to
		}
	}
	if p+32 > room {
		*u8(p) = ValueLeftOut
		return p + 1
	}
	e := eface{typ, data}
	return putInterface(retyped(p, typ), &e, depth, room)
}

func putStruct(p uintptr, t *rtype, d unsafe.Pointer, depth int, room uintptr) uintptr {
	*u8(p) = ValueStruct
	p++
	fields := (*structType)(unsafe.Pointer(t)).fields
	if t == operationType {
		depth = failure(max(steps(depth), 2)) // as far as the bytes of its addresses
	}
	most := countMost(depth)
	for i := range fields {
		if i == most || p+32 > room {
			*u8(p) = ValueMore
			return p + 1
		}
		f := &fields[i]
		if f.typ.flags&flagNamed != 0 || f.typ.kindOf() >= kindArray {
			typeNumber(f.typ)
		}
		if t == assertionType {
			if w := typeIn(f, d); w != nil { // the message has the name
				p = putName(p, nameOf(w), room)
				continue
			}
		}
		p = put(p, f.typ, unsafe.Add(d, f.offset), depth, room)
	}
	return p
}

// typeIn returns the type that a field of the struct at d points to; nil if it points to none.
func typeIn(f *field, d unsafe.Pointer) *rtype {
	if f.typ.kindOf() != kindPointer || nameOf((*elemType)(unsafe.Pointer(f.typ)).elem) != "abi.Type" {
		return nil
	}
	t := *(**rtype)(unsafe.Add(d, f.offset))
	if t == nil || !readable(uintptr(unsafe.Pointer(t)), unsafe.Sizeof(rtype{})) {
		return nil
	}
	return t
}

func putPointer(p uintptr, t *rtype, d unsafe.Pointer, depth int, room uintptr) uintptr {
	w := *(*uintptr)(d)
	if w == 0 {
		*u8(p) = ValueNil
		return p + 1
	}
	*u64(p + 1) = object(*(*unsafe.Pointer)(d))
	e := (*elemType)(unsafe.Pointer(t)).elem
	if steps(depth) > 0 && e.kindOf() == kindStruct && p+48 < room && readable(w, e.size) {
		if off := testNameIn(e); off != 0 {
			*u8(p) = ValueTest
			return putName(p+1+AddressSize, *(*string)(unsafe.Pointer(w + off)), room)
		}
		*u8(p) = ValuePointee
		return put(p+1+AddressSize, e, unsafe.Pointer(w), further(depth), room)
	}
	*u8(p) = ValueAddress
	return p + 1 + AddressSize
}

// testName is the offset of the name in a testing.T, B or F; 0 if it is unknown.
var testName uintptr

// testNameIn returns the offset of a test's name in a struct, 0 if the struct is not a test. Tests
// begin with the struct common of package testing.
func testNameIn(t *rtype) uintptr {
	s := (*structType)(unsafe.Pointer(t))
	if t.flags&flagNamed == 0 || s.pkgPath == nil || len(s.fields) == 0 || nameAt(unsafe.Pointer(s.pkgPath)) != "testing" {
		return 0
	}
	first := &s.fields[0]
	if first.typ.kindOf() != kindStruct || nameAt(unsafe.Pointer(first.name)) != "common" {
		return 0
	}
	if testName == 0 {
		common := (*structType)(unsafe.Pointer(first.typ)).fields
		for i := range common {
			if f := &common[i]; f.typ.kindOf() == kindString && nameAt(unsafe.Pointer(f.name)) == "name" {
				testName = f.offset
			}
		}
	}
	return testName
}

// bound returns how many bytes arguments take at most.
//
//go:noinline
func bound(args []any, follow uint64) uintptr {
	n := uintptr(0)
	for i := range args {
		switch t := (*eface)(unsafe.Pointer(&args[i])).typ; {
		case t == nil:
		case follow>>i&1 != 0:
			n += boundFailure
		default:
			n += boundOf(meant(t), depthMost)
		}
		n++
	}
	return n
}

// boundResults returns how many bytes the results that pointers point to take at most.
//
//go:noinline
func boundResults(results []any) uintptr {
	n := uintptr(0)
	for i := range results {
		t := elemOf(&results[i])
		switch {
		case t != errorType:
			n += boundOf(t, depthMost)
		case *(*uintptr)((*eface)(unsafe.Pointer(&results[i])).data) != 0:
			n += boundFailure
		}
		n++
	}
	return n
}

// boundFailure is boundOf for an error, or for the value of a panic.
const boundFailure = 5 + failureMost

func boundOf(t *rtype, depth int) uintptr {
	switch k := t.kindOf(); {
	case k == kindString:
		return 5 + 6 + min(stringsMost, 255)
	case k == kindStruct, k == kindArray, k == kindInterface, k == kindPointer && depth > 0, k == kindSlice && depth > 0:
		return valueMost
	}
	return 5 + 17 // a type, and the longest number
}

// copyBytes copies memory. Like readable it is nosplit: addresses are plain numbers here, which would
// be stale if the stack moved.
//
//go:nosplit
func copyBytes(to, from, n uintptr) {
	if n >= 8 {
		for i := uintptr(0); i+8 <= n; i += 8 {
			*u64(to + i) = *u64(from + i)
		}
		*u64(to + n - 8) = *u64(from + n - 8)
		return
	}
	if n >= 4 {
		*u32(to) = *u32(from)
		*u32(to + n - 4) = *u32(from + n - 4)
		return
	}
	for i := uintptr(0); i < n; i++ {
		*u8(to + i) = *u8(from + i)
	}
}

// readable reports whether memory is readable and stays so: the program's own data, its arguments,
// and Go's heap, in whose 64 GiB the collector never unmaps anything.
//
//go:nosplit
func readable(p, n uintptr) bool {
	return p>>36 == heap && (p+n)>>36 == heap || p >= text && p+n <= dataEnd || p-argsBegin < argsSize && p+n-argsBegin <= argsSize
}
