package registry

import (
	"tracex/format"
	"tracex/recorder/internal/live"
)

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
