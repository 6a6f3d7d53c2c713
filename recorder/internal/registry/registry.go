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

	"tracex/format"
	"tracex/recorder/internal/live"
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
