//go:build tracexrt

package tracexrt

import "unsafe"

// The entries of maps. A map has one group of eight slots, or a directory of tables, each of which has groups. A group begins
// with a byte for each of its slots, whose highest bit is 0 if the slot has an entry. Another goroutine may write the map
// meanwhile: then an entry may be one that the map never had. So nothing is read before it is known to be in the
// object of its pointer, and a pointer that was read is kept: what it points to is not freed.

// mapSlots is how many slots a group has.
const mapSlots = 8

// Bounds of what is read of a map, besides a group for each entry: a large one from which most was deleted has its few
// entries far apart.
const (
	groupsMost    = 24
	directoryMost = 256
)

// slots says where keys and values are in a group.
type slots struct {
	key, value       *rtype
	group            uintptr // size
	keyAt, keyEach   uintptr // offset of the first, and from one to the next
	valueAt, valEach uintptr
}

// entryTypes returns the types of keys and values of a map whose entries can be recorded; nil for any other map. A value may
// also be in an interface, or have no size, as in a set.
func entryTypes(t *rtype) (key, value *rtype) {
	if mapTypeSize == 0 || offMapKey == 0 || offMapElem == 0 || offMapGroup == 0 || offMapDir == 0 || offMapDirLen == 0 || offMapWriting == 0 ||
		offTableGroups == 0 || offTableMask == 0 || sizeMap == 0 || offElemSize == 0 {
		return nil, nil
	}
	at := uintptr(unsafe.Pointer(t))
	key, value = (*rtype)(*pointer(at + offMapKey)), (*rtype)(*pointer(at + offMapElem))
	if basicKinds>>key.kindOf()&1 == 0 || !inList(value) && value.size > 0 {
		return nil, nil
	}
	return key, value
}

// slotsOf finds out from the type of a map's groups where the entries are. Until Go 1.26 a group has slots with a key and a
// value each; it may also have all keys and then all values.
func slotsOf(t *rtype, s *slots) bool {
	if s.key, s.value = entryTypes(t); s.key == nil {
		return false
	}
	g := (*structType)(*pointer(uintptr(unsafe.Pointer(t)) + offMapGroup))
	if g == nil || g.kindOf() != kindStruct || len(g.fields) < 2 || g.fields[0].offset != 0 || g.fields[0].typ.size != mapSlots {
		return false
	}
	s.group = g.size
	first := (*arrayType)(unsafe.Pointer(g.fields[1].typ))
	if first.kindOf() != kindArray || first.length != mapSlots {
		return false
	}
	s.keyAt, s.keyEach = g.fields[1].offset, first.elem.size
	var key, value *rtype
	switch slot := (*structType)(unsafe.Pointer(first.elem)); {
	case len(g.fields) == 2 && slot.kindOf() == kindStruct && len(slot.fields) == 2:
		key, value = slot.fields[0].typ, slot.fields[1].typ
		s.valueAt, s.valEach = s.keyAt+slot.fields[1].offset, slot.size
		s.keyAt += slot.fields[0].offset
	case len(g.fields) == 3:
		second := (*arrayType)(unsafe.Pointer(g.fields[2].typ))
		if second.kindOf() != kindArray || second.length != mapSlots {
			return false
		}
		key, value = first.elem, second.elem
		s.valueAt, s.valEach = g.fields[2].offset, value.size
	default:
		return false
	}
	// A group has pointers to large keys and values.
	return key.kindOf() == s.key.kindOf() && key.size == s.key.size && value.kindOf() == s.value.kindOf() && value.size == s.value.size
}

// putMap writes a map, with its first entries if these can be recorded.
func putMap(p uintptr, t *rtype, m unsafe.Pointer, depth int, room uintptr) uintptr {
	*u64(p + 1) = object(m)
	*u8(p) = ValueMap
	q := p + 1 + AddressSize
	if !readable(uintptr(m), 8) {
		*u32(q) = 0
		return q + 4
	}
	n := uint32(*(*uint64)(m)) // the first word of each of the runtime's maps
	*u32(q) = n
	q += 4
	var s slots
	if room = partOf(p, room, depth); n == 0 || listMost == 0 || q+64 > room || !slotsOf(t, &s) || !readable(uintptr(m), sizeMap) || *(*uint8)(unsafe.Add(m, offMapWriting)) != 0 {
		return q
	}
	if s.key.flags&flagNamed != 0 {
		typeNumber(s.key)
	}
	if s.value.flags&flagNamed != 0 || s.value.kindOf() >= kindArray {
		typeNumber(s.value)
	}
	e := entries{slots: &s, at: q + 1, most: min(listMost, uintptr(n)), room: room}
	size := *(*uintptr)(unsafe.Add(m, offMapDirLen)) // before the pointer: a directory only grows
	if dir := *(*unsafe.Pointer)(unsafe.Add(m, offMapDir)); size == 0 {
		if *(*uintptr)(unsafe.Add(m, offMapDirLen)) != 0 {
			return q // it has one now
		}
		if leftFrom(dir) >= s.group || onStack(m) && onStack(dir) {
			e.putGroup(dir)
		}
	} else if leftFrom(dir)/8 >= size {
		e.putTables(dir, min(size, directoryMost))
	}
	*u8(p) = ValueEntries
	*u8(q) = uint8(e.n)
	return e.at
}

// entries writes entries of a map.
type entries struct {
	*slots
	at      uintptr // where the next one goes
	n, most uintptr
	room    uintptr
}

// putTables writes the entries of the first tables of a directory.
func (e *entries) putTables(dir unsafe.Pointer, size uintptr) {
	groups := groupsMost + e.most
	var before unsafe.Pointer // a table may be there several times in a row
	for i := uintptr(0); i < size && groups > 0; i++ {
		table := *(*unsafe.Pointer)(unsafe.Add(dir, i*8))
		if table == before || leftFrom(table) < sizeTable {
			continue
		}
		before = table
		data, mask := *(*unsafe.Pointer)(unsafe.Add(table, offTableGroups)), *(*uintptr)(unsafe.Add(table, offTableMask))
		most := min(leftFrom(data)/e.group, mask+1, groups)
		groups -= most
		for k := uintptr(0); k < most; k++ {
			if !e.putGroup(unsafe.Add(data, k*e.group)) {
				return
			}
		}
	}
}

// putGroup writes the entries of a group. It reports whether there may be more.
func (e *entries) putGroup(g unsafe.Pointer) bool {
	control := *(*uint64)(g)
	for i := uintptr(0); i < mapSlots; i++ {
		if control>>(8*i)&0x80 != 0 {
			continue
		}
		if e.n == e.most || e.at+80 > e.room {
			return false
		}
		e.at = put(e.at, e.key, unsafe.Add(g, e.keyAt+i*e.keyEach), 0, e.room-40)
		value := unsafe.Add(g, e.valueAt+i*e.valEach)
		if e.value.kindOf() == kindInterface {
			e.at = putShallow(e.at, e.value, value, e.room)
		} else {
			e.at = put(e.at, e.value, value, 0, e.room)
		}
		e.n++
	}
	return true
}

// leftFrom returns how many bytes an object of the heap has from a pointer on; 0 if there is no such object.
func leftFrom(p unsafe.Pointer) uintptr {
	if uintptr(p)>>36 != heap {
		return 0
	}
	base, span, _ := findObject(uintptr(p), 0, 0)
	if base == 0 {
		return 0
	}
	n := base + *word(span + offElemSize) - uintptr(p)
	keepAlive(p)
	return n
}

// onStack reports whether a pointer points to the running goroutine's stack.
func onStack(p unsafe.Pointer) bool {
	gp := running()
	return uintptr(p) >= *word(gp + offStackLo) && uintptr(p) < *word(gp + offStackHi)
}
