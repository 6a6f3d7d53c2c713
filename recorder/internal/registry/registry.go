// Package registry has what trace points name: classes, methods, fields, variables, strings,
// locations and paths. Each is registered once, and has a number from then on.
//
// An object is encoded when it is registered, after everything that it refers to, and waits for
// the next block that is written: since a number must be known before it is used, the object is
// in the file before the first trace point that uses it, or in the same block.
package registry

import (
	"strings"
	"sync"
	"sync/atomic"

	"tracex/format"
	"tracex/recorder/internal/live"
	"tracex/recorder/internal/values"
)

// Registry holds the names of one recorder, and knows their numbers.
type Registry struct {
	Misused Misused

	tag     uint32 // the upper half of its numbers, except arities
	reserve func(bytes int64, names int) bool

	mu    sync.Mutex
	names Names
}

// New returns a registry for a version of the format. reserve reserves memory for another name
// beside so many, and reports whether there was any; it may wait.
func New(version format.Version, reserve func(bytes int64, names int) bool) *Registry {
	return &Registry{tag: nextTag(), reserve: reserve, names: Names{version: version, ids: map[any]int32{}}}
}

// Register calls f, which registers names, and returns the number for the id that f returns. If
// f found too little memory, Register reserves more with no lock held and calls f again, which
// finds most of its work done.
func (g *Registry) Register(f func(n *Names) (id int32)) (number int64) {
	for reserved, full := int64(0), false; ; {
		g.mu.Lock()
		n := &g.names
		n.credit += reserved
		n.short, n.full = 0, full
		id, short, names := f(n), n.short, len(n.ids)
		g.mu.Unlock()
		if short == 0 {
			return g.Number(id)
		}
		if reserved = max(short, 1<<10); !g.reserve(reserved, names) {
			reserved, full = 0, true
		}
	}
}

// replacement returns the id of a name that needs no memory, and stands for another.
func (g *Registry) replacement(f func(n *Names) (id int32)) (id int32) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return f(&g.names)
}

// Class registers a class and returns its number.
func (g *Registry) Class(name string) (number int64) {
	return g.Register(func(n *Names) int32 { return n.Class(name) })
}

// ClassName returns the name of the class with an id after its last dot.
func (g *Registry) ClassName(id int32) string {
	g.mu.Lock()
	defer g.mu.Unlock()
	name := g.names.classes[id]
	return name[strings.LastIndexByte(name, '.')+1:]
}

// Dropped returns the id of the variable that notes of dropped points write to. It is
// registered when needed, even at the end, and even without memory for names.
func (g *Registry) Dropped() (id int32) {
	return g.replacement(func(n *Names) int32 { return n.Variable(DroppedVariable, longType) })
}

// NoRoom returns the id of the class that replaces all those without memory.
func (g *Registry) NoRoom() (id int32) {
	return g.replacement(func(n *Names) int32 { return n.Class(noName) })
}

// Take appends the objects that were registered since the last call, and their cells, whose
// Start is the position in what was appended.
func (g *Registry) Take(data []byte, cells []format.Cell) ([]byte, []format.Cell) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.names.take(data, cells)
}

// KeepIn keeps in a live file what was not taken yet, from now on.
func (g *Registry) KeepIn(l *live.File) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.names.keepIn(l)
}

// Commit puts into a transaction how much of what the live file has was taken: it is in the
// current block.
func (g *Registry) Commit(tx *live.Tx) {
	g.mu.Lock()
	defer g.mu.Unlock()
	tx.Put(live.AtNames+8, uint64(g.names.log.taken))
}

// Trim frees the part of the live file whose names were all taken.
func (g *Registry) Trim() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.names.log.trim()
}

// Restore gives the registry the encoded objects that were registered and not taken when a
// program ended, and reads from its live file how many there were of each kind.
func (g *Registry) Restore(rest *live.Rest, data []byte, cells []format.Cell) {
	n := &g.names
	for kind := range n.counts {
		n.counts[kind] = int32(rest.Uint(live.AtCounts + int64(kind)*8))
	}
	n.pending = references{data, cells}
}

// A number is
//
//	bit 63        0
//	62 to 48      which Registry it is of
//	47 to 32      for a method: 1 more than its number of arguments; 0 if unknown, see Arity
//	31 to 0       1 more than its id in the file
//
// A use of a number compares only the upper half: the number of another Registry differs there.
const (
	tagShift  = 16 // within the upper half
	ArityMask = 1<<tagShift - 1
	lastTag   = 1<<15 - 1
)

// registries counts those that were made.
var registries atomic.Uint32

// nextTag returns the tag of another Registry, as the upper half of its numbers. Tags repeat
// after 32,767 registries.
func nextTag() uint32 { return ((registries.Add(1)-1)%lastTag + 1) << tagShift }

// Misused counts the uses of numbers that are not those of a registry.
type Misused struct {
	Unregistered atomic.Int64 // they were zero
	Foreign      atomic.Int64 // they are another registry's
}

// Tag returns the upper half of the registry's numbers, without arities.
func (g *Registry) Tag() uint32 { return g.tag }

// Upper returns the upper half of a number.
func Upper(number int64) uint32 { return uint32(number >> values.Shift) }

// Arity is the part of a method's number that encodes its arguments. A method that was
// registered without their types may be called with any.
func Arity(args int) int64 {
	if args == 0 || args >= ArityMask {
		return 0
	}
	return (int64(args) + 1) << values.Shift
}

// Number makes a number of an id; zero of None.
func (g *Registry) Number(id int32) int64 {
	if id == None {
		return 0
	}
	return int64(g.tag)<<values.Shift | int64(id) + 1
}

// ID returns the id for a number. If the number is not the registry's, ID counts that and
// returns None.
func (g *Registry) ID(number int64) int32 {
	if Upper(number)&^ArityMask == g.tag {
		return int32(number) - 1
	}
	g.Misuse(number)
	return None
}

// IDOrNone is ID for a number that may be zero.
func (g *Registry) IDOrNone(number int64) int32 {
	if number == 0 {
		return None
	}
	return g.ID(number)
}

// Misuse counts the use of a number that is not the registry's.
func (g *Registry) Misuse(number int64) {
	if number == 0 {
		g.Misused.Unregistered.Add(1)
	} else {
		g.Misused.Foreign.Add(1)
	}
}

// Unregistered counts the use of a class's number that is not the registry's, and returns the
// id of its replacement. So do OtherMethod, OtherField and OtherVariable.
func (g *Registry) Unregistered(number int64) (class int32) {
	g.Misuse(number)
	return g.replacement(func(n *Names) int32 { return n.Class(Unregistered) })
}

// OtherMethod is Unregistered for a method.
func (g *Registry) OtherMethod(number int64) (id int32) {
	g.Misuse(number)
	return g.replacement(func(n *Names) int32 { return n.Method(None, Unregistered, format.Type{}, nil) })
}

// OtherField is Unregistered for a field.
func (g *Registry) OtherField(number int64) (id int32) {
	g.Misuse(number)
	return g.replacement(func(n *Names) int32 { return n.Field(None, format.FieldDescriptor{Name: Unregistered}) })
}

// OtherVariable is Unregistered for a variable.
func (g *Registry) OtherVariable(number int64) (id int32) {
	g.Misuse(number)
	return g.replacement(func(n *Names) int32 { return n.Variable(Unregistered, format.Type{}) })
}
