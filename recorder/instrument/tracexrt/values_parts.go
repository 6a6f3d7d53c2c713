//go:build tracexrt

package tracexrt

import "unsafe"

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
	if listMost > 0 && elem.kindOf() == kindUint8 {
		*u8(p) = ValueContents
		return putPart(q, from, n, min(textMost(depth), 255), partOf(p, room, depth))
	}
	most := uintptr(0)
	follow := steps(depth) > 0 || depth&failing != 0 && elem == errorType
	if follow {
		most = uintptr(countMost(depth))
	}
	if inList(elem) {
		most = max(most, listMost)
	}
	most = min(n, most, elementsMost)
	if most == 0 || !readable(uintptr(from), most*elem.size) {
		*u8(p) = ValueSlice
		return q
	}
	*u8(p) = ValueElements
	if follow {
		return putElements(q, elem, from, most, depth, room)
	}
	if room = partOf(p, room, depth); elem.kindOf() == kindInterface {
		return putInterfaces(q, elem, from, most, room)
	}
	return putElements(q, elem, from, most, depth, room)
}

// inList reports whether elements of a type are recorded whatever the depth is: strings, numbers, booleans and interfaces.
func inList(t *rtype) bool { return listedKinds>>(t.kind&31)&1 != 0 }

const (
	basicKinds  = 1<<(kindComplex128+1) - 1<<kindBool | 1<<kindString
	listedKinds = basicKinds | 1<<kindInterface
)

// putArray writes the elements of an array if it has no more than structs may have fields. It writes the first ones of any
// array with depth, and of one whose elements inList accepts.
func putArray(p uintptr, t *rtype, d unsafe.Pointer, depth int, room uintptr) uintptr {
	a := (*arrayType)(unsafe.Pointer(t))
	most := uintptr(countMost(depth))
	if a.length > uintptr(fieldsMost) && steps(depth) == 0 {
		if most = listMost; most == 0 || !inList(a.elem) {
			*u8(p) = ValueArray
			return p + 1
		}
		room = partOf(p, room, depth)
	} else if inList(a.elem) {
		most = max(most, listMost)
	}
	*u8(p) = ValueItems
	return putElements(p+1, a.elem, d, min(a.length, most, elementsMost), depth, room)
}

// elementsMost bounds the elements that are recorded, whatever the options are.
const elementsMost = 255

// putElements writes the number of elements that follow, at most n, and the elements. Those at d must
// be readable.
func putElements(p uintptr, elem *rtype, d unsafe.Pointer, n uintptr, depth int, room uintptr) uintptr {
	if elem.flags&flagNamed != 0 || elem.kindOf() >= kindArray {
		typeNumber(elem)
	}
	q, k := p+1, uintptr(0)
	switch elem.kindOf() {
	case kindInt, kindInt64:
		for ; k < n && q+32 <= room; k++ {
			q = putInt(q, *(*int64)(unsafe.Add(d, k*8)))
		}
	case kindUint, kindUint64, kindUintptr:
		for ; k < n && q+32 <= room; k++ {
			q = putUint(q, *(*uint64)(unsafe.Add(d, k*8)))
		}
	case kindString:
		for most := textMost(depth); k < n && q+32 <= room; k++ {
			q = putString(q, *(*string)(unsafe.Add(d, k*16)), most, room)
		}
	default:
		for depth = further(depth) | within; k < n && q+32 <= room; k++ {
			q = put(q, elem, unsafe.Add(d, k*elem.size), depth, room)
		}
	}
	*u8(p) = uint8(k)
	return q
}

// putInterfaces is putElements for those of a slice that are interfaces when no pointer is followed.
func putInterfaces(p uintptr, elem *rtype, d unsafe.Pointer, n, room uintptr) uintptr {
	typeNumber(elem)
	q, k := p+1, uintptr(0)
	for ; k < n && q+32 <= room; k++ {
		q = putShallow(q, elem, unsafe.Add(d, k*elem.size), room)
	}
	*u8(p) = uint8(k)
	return q
}

// putShallow writes the value in an interface that is part of a slice or a map if it is a string, a number, a boolean or an
// address, otherwise the type alone: another goroutine may write the interface, whose type may then be that of another value.
func putShallow(p uintptr, t *rtype, d unsafe.Pointer, room uintptr) uintptr {
	w := (*[2]unsafe.Pointer)(d)
	typ, data := (*rtype)(w[0]), w[1]
	if typ == nil {
		*u8(p) = ValueNil
		return p + 1
	}
	if len((*interfaceType)(unsafe.Pointer(t)).methods) > 0 {
		typ = (*itab)(w[0]).typ
	}
	p = retyped(p, typ)
	switch kind := typ.kindOf(); {
	case basicKinds>>kind&1 != 0 && !typ.direct() && data != nil && readable(uintptr(data), typ.size):
		return put(p, typ, data, 0, room)
	case (kind == kindPointer || kind == kindChan) && typ.direct():
		return put(p, typ, unsafe.Pointer(&data), 0, room)
	}
	*u8(p) = ValueLarge
	return p + 1
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
		p = put(p, f.typ, unsafe.Add(d, f.offset), depth|within, room)
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

// The offsets of fields in a testing.T, B or F; 0 if they are unknown.
var testName, testPackage, testFailed, testSkipped, testDone, testParallel uintptr

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
			f := &common[i]
			text, truth := f.typ.kindOf() == kindString, f.typ.kindOf() == kindBool
			switch name := nameAt(unsafe.Pointer(f.name)); {
			case text && name == "name":
				testName = f.offset
			case text && name == "importPath":
				testPackage = f.offset
			case truth && name == "failed":
				testFailed = f.offset
			case truth && name == "skipped":
				testSkipped = f.offset
			case truth && name == "done":
				testDone = f.offset
			case truth && name == "isParallel":
				testParallel = f.offset
			}
		}
	}
	return testName
}
