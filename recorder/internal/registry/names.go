package registry

import (
	"strings"

	"tracex/format"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/values"
)

// Names registers names, with the lock of their Registry held. Its methods return ids.
type Names struct {
	version format.Version

	ids     map[any]int32 // by a key type for each kind
	counts  [format.KindCodeLocation + 1]int32
	static  []bool   // of fields, by id
	classes []string // their names, by id
	pending references
	log     liveLog

	credit int64 // bytes reserved for names to come
	short  int64 // bytes that were missing, see Register
	full   bool  // no more can be reserved
}

// references are encoded reference objects in the order of their registration.
type references struct {
	data  []byte
	cells []format.Cell // Start: position in data
}

// Keys of Names.ids. Names with the same key have the same id.
type (
	classKey    string
	stringKey   string
	variableKey struct{ name, typ string }
	fieldKey    struct {
		class int32
		name  string
	}
	methodKey struct {
		class           int32
		name, signature string
	}
	pathKey     string // its bytes
	locationKey string // its bytes, with id 0
)

const (
	// DroppedVariable is the name of the variable that notes of dropped points write to.
	DroppedVariable = "<dropped>"
	// Unregistered is the name shown for anything that is not registered.
	Unregistered = "<unregistered>"
	// noName replaces names without memory.
	noName = "<no room>"
	// None is the id of nothing.
	None = int32(-1)
	// nameSize is what a name takes, in bytes, besides four times its length: its map entry and
	// key, its cell, and three times its bytes in the file: waiting for a block, in a slice
	// that may have twice the capacity, and on the way to the file.
	nameSize = 200
)

// instead returns the id of the one object that replaces all those of a kind without memory, or
// None.
func (n *Names) instead(kind format.Kind) int32 {
	switch kind {
	case format.KindClassDescriptor:
		return n.Class(noName)
	case format.KindMethodDescriptor:
		return n.Method(n.Class(noName), noName, format.Type{}, nil)
	case format.KindFieldDescriptor:
		return n.Field(n.Class(noName), format.FieldDescriptor{Name: noName})
	case format.KindVariableDescriptor:
		return n.Variable(noName, format.Type{})
	case format.KindString:
		return n.text(noName)
	}
	return None
}

// intern returns the id of the object with this key. bytes is the length of its texts; encode
// encodes a new object.
func (n *Names) intern(kind format.Kind, name string, bytes int, key any, encode func(dst []byte, id int32) ([]byte, error)) int32 {
	if id, ok := n.ids[key]; ok {
		return id
	}
	if cost := nameSize + 4*int64(bytes); name != noName && name != DroppedVariable && name != Unregistered {
		switch {
		case n.credit >= cost:
			n.credit -= cost
		case n.full:
			return n.instead(kind)
		default:
			n.short = max(n.short, cost)
			return 0
		}
	}
	id := n.counts[kind]
	at := len(n.pending.data)
	data, err := encode(n.pending.data, id)
	if err != nil {
		// Names are cut before, so this is a signature of more than 65,535 arguments.
		return None
	}
	n.counts[kind]++
	n.ids[owned(key)] = id
	n.pending.data = data
	n.pending.cells = append(n.pending.cells, format.Cell{Kind: kind, ID: id, Start: int64(at)})
	n.log.add(kind, n.counts[kind], data[at:])
	return id
}

// owned returns a key that keeps no memory of the program alive: a name may be a few bytes of
// something large.
func owned(key any) any {
	switch k := key.(type) {
	case classKey:
		return classKey(strings.Clone(string(k)))
	case stringKey:
		return stringKey(strings.Clone(string(k)))
	case variableKey:
		return variableKey{strings.Clone(k.name), strings.Clone(k.typ)}
	case fieldKey:
		return fieldKey{k.class, strings.Clone(k.name)}
	case methodKey:
		return methodKey{k.class, strings.Clone(k.name), strings.Clone(k.signature)}
	}
	return key // made of bytes of our own
}

// take appends the pending objects to data and cells, and forgets them.
func (n *Names) take(data []byte, cells []format.Cell) ([]byte, []format.Cell) {
	data = append(data, n.pending.data...)
	cells = append(cells, n.pending.cells...)
	n.pending.data = n.pending.data[:0]
	n.pending.cells = n.pending.cells[:0]
	n.log.taken = n.log.added
	return data, cells
}

// keepIn begins the log with the pending names.
func (n *Names) keepIn(l *live.File) error {
	n.log.file = l
	if !n.log.extend(logSize) {
		return live.ErrFull
	}
	for i, c := range n.pending.cells {
		end := len(n.pending.data)
		if i+1 < len(n.pending.cells) {
			end = int(n.pending.cells[i+1].Start)
		}
		n.log.add(c.Kind, n.counts[c.Kind], n.pending.data[c.Start:end])
	}
	return nil
}

func (n *Names) text(s string) int32 {
	s = values.Cut(s, values.MaxText)
	return n.intern(format.KindString, s, len(s), stringKey(s), func(dst []byte, id int32) ([]byte, error) {
		return (&format.StringObject{ID: id, Value: s}).Append(dst, n.version)
	})
}

func (n *Names) Class(name string) int32 {
	name = values.Cut(name, values.MaxText)
	return n.intern(format.KindClassDescriptor, name, 2*len(name), classKey(name), func(dst []byte, id int32) ([]byte, error) {
		n.classes = append(n.classes, strings.Clone(name))
		return (&format.ClassDescriptor{ID: id, Name: name}).Append(dst, n.version)
	})
}

// orUnregistered returns the id of a class, or of the replacement for None.
func (n *Names) orUnregistered(class int32) int32 {
	if class == None {
		return n.Class(Unregistered)
	}
	return class
}

// Method registers a method of a class, which may be None.
func (n *Names) Method(class int32, name string, result format.Type, args []format.Type) int32 {
	class = n.orUnregistered(class)
	name = values.Cut(name, values.MaxText)
	known := make([]format.Type, len(args))
	var signature strings.Builder
	signature.WriteString(checked(result).String())
	for i, t := range args {
		known[i] = checked(t)
		signature.WriteString("," + known[i].String())
	}
	key := methodKey{class, name, signature.String()}
	return n.intern(format.KindMethodDescriptor, name, len(name)+len(key.signature), key, func(dst []byte, id int32) ([]byte, error) {
		return (&format.MethodDescriptor{ID: id, ClassID: class, Name: name, Result: checked(result), Args: known}).Append(dst, n.version)
	})
}

// Field registers a field of a class, which may be None: its name, type and modifiers.
func (n *Names) Field(class int32, f format.FieldDescriptor) int32 {
	f.ClassID, f.Name, f.Type = n.orUnregistered(class), values.Cut(f.Name, values.MaxText), checked(f.Type)
	bytes := len(f.Name) + len(f.Type.Class)
	return n.intern(format.KindFieldDescriptor, f.Name, bytes, fieldKey{f.ClassID, f.Name}, func(dst []byte, id int32) ([]byte, error) {
		n.static = append(n.static, f.Static)
		f.ID = id
		return f.Append(dst, n.version)
	})
}

func (n *Names) Variable(name string, t format.Type) int32 {
	name, t = values.Cut(name, values.MaxText), checked(t)
	key := variableKey{name, t.String()}
	return n.intern(format.KindVariableDescriptor, name, len(name)+len(key.typ), key, func(dst []byte, id int32) ([]byte, error) {
		return (&format.VariableDescriptor{ID: id, Name: name, Type: t}).Append(dst, n.version)
	})
}

// anyType is the class of a zero Type.
const anyType = "any"

// longType is the type of 64-bit integers.
var longType = format.Type{Kind: format.TypeLong}

// checked returns t, or a replacement if t cannot be written.
func checked(t format.Type) format.Type {
	switch {
	case t.Kind == format.TypeArray || t.Kind > format.TypeVoid || t.Kind == format.TypeObject && t.Class == "":
		return format.Type{Kind: format.TypeObject, Dims: t.Dims, Class: anyType}
	case t.Kind == format.TypeObject:
		t.Class = values.Cut(t.Class, values.MaxText)
	}
	return t
}

// liveLog is the log of the names that are in no block yet: parts of the live file, see
// live.NamesNext.
type liveLog struct {
	file    *live.File // nil if there is none
	regions []*live.Region
	n       int64 // bytes in the last region
	added   int64 // bytes in all
	taken   int64 // bytes of names that are in blocks
}

// logSize is the least size of a part of the log, in bytes.
const logSize = 16 << 10

// extend begins a region with room for size bytes.
func (n *liveLog) extend(size int) bool {
	p, err := n.file.Alloc(int64(max(size, logSize)))
	if err != nil {
		n.file = nil // Finish misses the names, and reports it
		return false
	}
	p.Word(live.NamesNext).Store(0)
	p.Word(live.NamesLen).Store(0)
	p.Word(live.NamesBefore).Store(uint64(n.added))
	if k := len(n.regions); k > 0 {
		n.regions[k-1].Word(live.NamesNext).Store(uint64(p.Off))
	} else {
		n.file.Word(live.AtNames).Store(uint64(p.Off))
	}
	n.regions, n.n = append(n.regions, p), 0
	return true
}

// add logs an object. count is how many objects of its kind exist.
func (n *liveLog) add(kind format.Kind, count int32, object []byte) {
	if n.file == nil {
		return
	}
	last := n.regions[len(n.regions)-1]
	if live.NamesHead+n.n+int64(len(object)) > int64(len(last.Mem)) {
		if !n.extend(live.NamesHead + len(object)) {
			return
		}
		last = n.regions[len(n.regions)-1]
	}
	copy(last.Mem[live.NamesHead+n.n:], object)
	n.n += int64(len(object))
	n.added += int64(len(object))
	n.file.Word(live.AtCounts + int64(kind)*8).Store(uint64(count))
	last.Word(live.NamesLen).Store(uint64(n.n))
}

// trim frees the regions whose names are all in blocks.
func (n *liveLog) trim() {
	for n.file != nil && len(n.regions) > 1 && int64(n.regions[1].Word(live.NamesBefore).Load()) <= n.taken {
		n.file.Word(live.AtNames).Store(uint64(n.regions[1].Off))
		n.file.Free(n.regions[0])
		n.regions = n.regions[1:]
	}
}
