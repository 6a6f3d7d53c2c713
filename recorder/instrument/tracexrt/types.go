//go:build tracexrt

package tracexrt

import "unsafe"

// The runtime's types, as package internal/abi declares them.

type eface struct {
	typ  *rtype
	data unsafe.Pointer
}

type rtype struct {
	size, pointers       uintptr
	hash                 uint32
	flags, align, falign uint8
	kind                 uint8
	equal                func(unsafe.Pointer, unsafe.Pointer) bool
	gcdata               *byte
	str, ptrToThis       int32
}

const (
	flagUncommon  = 1
	flagExtraStar = 2
	flagNamed     = 4
	flagDirect    = 32 // kind until Go 1.25, flags since Go 1.26
)

// elemType is a pointer, slice, array or channel type.
type elemType struct {
	rtype
	elem *rtype
}

type arrayType struct {
	rtype
	elem, slice *rtype
	length      uintptr
}

type interfaceType struct {
	rtype
	pkgPath *byte
	methods []struct{ name, typ int32 }
}

type structType struct {
	rtype
	pkgPath *byte
	fields  []field
}

type field struct {
	name   *byte
	typ    *rtype
	offset uintptr
}

type itab struct {
	inter *interfaceType
	typ   *rtype
}

// The kinds of package reflect.
const (
	kindBool = 1 + iota
	kindInt
	kindInt8
	kindInt16
	kindInt32
	kindInt64
	kindUint
	kindUint8
	kindUint16
	kindUint32
	kindUint64
	kindUintptr
	kindFloat32
	kindFloat64
	kindComplex64
	kindComplex128
	kindArray
	kindChan
	kindFunc
	kindInterface
	kindMap
	kindPointer
	kindSlice
	kindString
	kindStruct
	kindUnsafePointer
)

func (t *rtype) kindOf() uint8 { return t.kind & 31 }

// direct reports whether an interface holds a value of the type instead of its address.
func (t *rtype) direct() bool { return (t.kind|t.flags)&flagDirect != 0 }

// meant returns the type of the argument that a value of a type represents: for a Ref, that of the
// argument that it refers to.
func meant(t *rtype) *rtype {
	if t.kindOf() == kindStruct {
		if s := (*structType)(unsafe.Pointer(t)); s.pkgPath == refPath {
			return (*elemType)(unsafe.Pointer(s.fields[0].typ)).elem
		}
	}
	return t
}

// typeNumber returns the id of a type in the file, and describes the type there if necessary. The id
// is the type's offset from the first of the program's types, or a number if it was made at run time.
func typeNumber(t *rtype) uint32 {
	off := uintptr(unsafe.Pointer(t)) - types
	if off < typesSize && *u8(described + off/64)&(1<<(off/8%8)) != 0 {
		return uint32(off)
	}
	acquire()
	n := typeNumberLocked(t)
	release()
	return n
}

// typeNumberLocked is typeNumber when the lock is held.
func typeNumberLocked(t *rtype) uint32 {
	off := uintptr(unsafe.Pointer(t)) - types
	if off >= typesSize {
		return outsideNumber(t)
	}
	if b, bit := u8(described+off/64), uint8(1)<<(off/8%8); *b&bit == 0 {
		*b |= bit // set first: a type can be an element of itself
		if !describeType(t, uint32(off)) {
			*b &^= bit
		}
	}
	return uint32(off)
}

// nameOnly returns the id of a type without describing it.
func nameOnly(t *rtype) uint32 {
	if off := uintptr(unsafe.Pointer(t)) - types; off < typesSize {
		return uint32(off)
	}
	return TypeOutside
}

// outside is a type that was made at run time, in a list of a hash table.
type outside struct {
	typ     *rtype
	number  uint32
	session uint32
	next    *outside
}

var (
	outsides     [256]*outside
	outsideCount uint32
)

// outsideNumber returns the id of a type that was made at run time. The lock is held.
//
//go:noinline
func outsideNumber(t *rtype) uint32 {
	b := &outsides[uintptr(unsafe.Pointer(t))>>5&255]
	o := *b
	for o != nil && o.typ != t {
		o = o.next
	}
	if o == nil {
		p := memory(unsafe.Sizeof(outside{}))
		if p == 0 {
			return TypeOutside
		}
		outsideCount++
		o = (*outside)(unsafe.Pointer(p))
		*word(uintptr(unsafe.Pointer(&o.typ))) = uintptr(unsafe.Pointer(t))
		o.number = TypeOutside | outsideCount
		*word(uintptr(unsafe.Pointer(&o.next))) = uintptr(unsafe.Pointer(*b))
		*word(uintptr(unsafe.Pointer(b))) = p
	}
	if o.session != session && describeType(t, o.number) {
		o.session = session
	}
	return o.number
}

// describeType writes the descriptor of a type. The lock is held.
func describeType(t *rtype, number uint32) bool {
	name := nameOf(t)
	var fields []field
	var entry [1]field
	var elem uint32
	var path string
	kind := t.kindOf()
	switch kind {
	case kindStruct:
		fields = (*structType)(unsafe.Pointer(t)).fields
	case kindPointer, kindSlice, kindArray, kindChan:
		// The element may be an outside type, which has no number before it is described.
		elem = typeNumberLocked((*elemType)(unsafe.Pointer(t)).elem)
	case kindMap:
		if key, value := entryTypes(t); key != nil {
			typeNumberLocked(key)
			elem = typeNumberLocked(value)
			entry[0].typ = key
			fields = entry[:]
		}
	}
	named := uint8(0)
	if t.flags&flagNamed != 0 {
		named, path = TypeNamed, packagePath(t)
		if isError(t) {
			named |= TypeError
		}
	}
	if path == "runtime" && name == "runtime.TypeAssertionError" { // not one of a package of that name
		*word(uintptr(unsafe.Pointer(&assertionType))) = uintptr(unsafe.Pointer(t))
	}
	if path == "net" && name == "net.OpError" {
		*word(uintptr(unsafe.Pointer(&operationType))) = uintptr(unsafe.Pointer(t))
	}
	n := 8 + 24 + 8 + uintptr(len(name)+len(path))
	for i := range fields {
		n += 8 + uintptr(len(nameAt(unsafe.Pointer(fields[i].name))))
	}
	n = (n + 7) &^ 7
	p := descriptor(n)
	if p == 0 {
		return false
	}
	*u32(p + 8) = number
	*u8(p + 12) = kind
	*u8(p + 13) = named
	*u64(p + 16) = uint64(t.size)
	*u32(p + 24) = elem
	*u32(p + 28) = uint32(len(fields))
	q := putText(p+32, name)
	q = putText(q, path)
	for i := range fields {
		*u32(q) = nameOnly(fields[i].typ)
		q = putText(q+4, nameAt(unsafe.Pointer(fields[i].name)))
	}
	*u32(p + 4) = uint32(n)
	commit(p, DescriptorType)
	return true
}

// nameOf returns the name of a type, with the name of its package.
func nameOf(t *rtype) string {
	name := nameAt(resolveNameOff(unsafe.Pointer(t), t.str))
	if t.flags&flagExtraStar != 0 {
		name = name[1:]
	}
	return name
}

// nameAt returns a name of the runtime: a byte of flags, the length as a varint, and the bytes.
func nameAt(p unsafe.Pointer) string {
	if p == nil {
		return ""
	}
	at, n, shift := uintptr(p)+1, uintptr(0), 0
	for {
		c := *u8(at)
		at++
		n |= uintptr(c&0x7f) << shift
		if c < 0x80 {
			break
		}
		shift += 7
	}
	return unsafe.String(u8(at), n)
}

// methodsOf returns where the package and the methods of a type are described, which follows the part for
// the type's kind; 0 if it has neither.
func methodsOf(t *rtype) uintptr {
	if t.flags&flagUncommon == 0 {
		return 0
	}
	size := unsafe.Sizeof(rtype{})
	switch t.kindOf() {
	case kindStruct, kindInterface:
		size = unsafe.Sizeof(structType{})
	case kindPointer, kindSlice:
		size = unsafe.Sizeof(elemType{})
	case kindArray:
		size = unsafe.Sizeof(elemType{}) + 16
	case kindChan:
		size = unsafe.Sizeof(elemType{}) + 8
	case kindFunc:
		size = unsafe.Sizeof(rtype{}) + 8
	case kindMap:
		size = mapTypeSize
		if size == 0 {
			return 0
		}
	}
	return uintptr(unsafe.Pointer(t)) + size
}

// packagePath returns the import path of a named type's package.
func packagePath(t *rtype) string {
	m := methodsOf(t)
	if m == 0 || *u32(m) == 0 {
		return ""
	}
	return nameAt(resolveNameOff(unsafe.Pointer(t), int32(*u32(m))))
}

// isError reports whether a type has the method Error() string. It may miss that of a type that was made at run
// time.
func isError(t *rtype) bool {
	// i32 path, u16 methods, u16 exported methods, u32 where they are; a method: i32 name, i32 type, two more.
	m := methodsOf(t)
	if m == 0 || uintptr(unsafe.Pointer(t))-types >= typesSize {
		return false
	}
	at := m + uintptr(*u32(m + 8))
	for n := *u32(m + 4) >> 16; n > 0; n-- {
		if typ := uintptr(*u32(at + 4)); typ < typesSize && nameAt(resolveNameOff(unsafe.Pointer(t), int32(*u32(at)))) == "Error" {
			return nameOf((*rtype)(unsafe.Pointer(types+typ))) == "func() string"
		}
		at += 16
	}
	return false
}

// describe writes the descriptor of a function at its first call.
//
//go:noinline
func (f *Func) describe(args []any) {
	acquire()
	if f.session != session {
		f.until, f.each = 0, anyMatches(&each, f)
		for i, p := range until {
			switch {
			case p == "" || f.Go || f.Test || !matches(p, f): // there are few
			case untilConditions[i] == "":
				note()
			default:
				f.until |= 1 << i
			}
		}
	}
	if f.session != session && !left(f) {
		f.meet(args)
		f.write()
	} else if f.session != session {
		f.number = skipped
		commit(uintptr(unsafe.Pointer(&f.session)), session)
	}
	release()
}

// describeAgain describes a function in another recording. The lock is held.
func (f *Func) describeAgain() {
	if f.session != session {
		f.write()
	}
}

// meet keeps the types of the arguments at the first call. The lock is held.
func (f *Func) meet(args []any) {
	if f.known != nil || len(args)+int(f.Res) == 0 {
		return
	}
	p := memory(uintptr(len(args)+int(f.Res)) * 8)
	if p == 0 {
		return
	}
	for i := range args {
		*word(p + uintptr(i)*8) = uintptr(unsafe.Pointer((*eface)(unsafe.Pointer(&args[i])).typ))
	}
	f.args = uint32(len(args))
	*word(uintptr(unsafe.Pointer(&f.known))) = p
}

// write writes the descriptor. The lock is held. If there is no room, nothing more is recorded.
func (f *Func) write() {
	if f.known == nil && (f.Args != "" || f.Res > 0) { // there was no memory
		return
	}
	for i := range f.args {
		if t := f.known[i]; t != nil {
			typeNumberLocked(meant(t))
		}
	}
	if f.number == 0 {
		functions++
		f.number = functions
	}
	n := 8 + 16 + uintptr(f.args)*4 + 16 + uintptr(len(f.Pkg)+len(f.Name)+len(f.File)+len(f.Args))
	n = (n + 7) &^ 7
	p := descriptor(n)
	if p == 0 {
		return
	}
	*u32(p + 8) = f.number
	*u32(p + 12) = uint32(f.Line)
	flags := uint32(0)
	if f.Recv {
		flags |= FunctionReceiver
	}
	if f.Go {
		flags |= FunctionGo
	}
	if f.Own == "main" {
		flags |= FunctionMain
	}
	*u32(p + 16) = flags | f.args<<16
	*u32(p + 20) = uint32(f.Res)
	q := p + 24
	for i := range f.args {
		if t := f.known[i]; t != nil {
			*u32(q) = typeNumberLocked(meant(t))
		}
		q += 4
	}
	q = putText(q, f.Pkg)
	q = putText(q, f.Name)
	q = putText(q, f.File)
	putText(q, f.Args)
	*u32(p + 4) = uint32(n)
	commit(p, DescriptorFunction)
	commit(uintptr(unsafe.Pointer(&f.session)), session)
	if f.Follow == 0 && f.until == 0 {
		commit(uintptr(unsafe.Pointer(&f.usual)), session)
	}
}

// describeResults writes the types of a function's results when it ends for the first time. results
// are pointers to the results.
//
//go:noinline
func (f *Func) describeResults(results []any) {
	acquire()
	if f.ended != session {
		n := (8 + 8 + uintptr(len(results))*4 + 7) &^ 7
		for i := range results {
			typeNumberLocked(elemOf(&results[i]))
		}
		if p := descriptor(n); p != 0 {
			*u32(p + 8) = f.number
			*u32(p + 12) = uint32(len(results))
			for i := range results {
				t := elemOf(&results[i])
				*u32(p + 16 + uintptr(i)*4) = typeNumberLocked(t)
				*word(uintptr(unsafe.Pointer(f.known)) + uintptr(f.args)*8 + uintptr(i)*8) = uintptr(unsafe.Pointer(t))
			}
			*u32(p + 4) = uint32(n)
			commit(p, DescriptorResults)
		}
		f.ended = session
	}
	release()
}

// elemOf returns the type of what a pointer points to.
func elemOf(pointer *any) *rtype {
	return (*elemType)(unsafe.Pointer((*eface)(unsafe.Pointer(pointer)).typ)).elem
}

// packages has the names of the program's packages, see DescriptorPackages. The linker sets it.
var packages string

// named is the session for which packages has been described.
var named uint32

// describePackages writes the names of the program's packages. The lock is held.
func describePackages() {
	n := (8 + 4 + uintptr(len(packages)) + 7) &^ 7
	if p := descriptor(n); p != 0 {
		putText(p+8, packages)
		*u32(p + 4) = uint32(n)
		commit(p, DescriptorPackages)
	}
	named = session
}

func putText(p uintptr, s string) uintptr {
	*u32(p) = uint32(len(s))
	p += 4
	for i := 0; i < len(s); i++ {
		*u8(p + uintptr(i)) = s[i]
	}
	return p + uintptr(len(s))
}
