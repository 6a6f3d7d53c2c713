package recorder

import (
	"tracex/format"
	"tracex/recorder/internal/live"
)

// liveNames is the log of the names that are in no block yet: pieces, see live.NamesNext. The
// registry's lock guards it.
type liveNames struct {
	file   *live.File // nil if there is none
	pieces []*live.Piece
	n      int64 // bytes in the last piece
	added  int64 // bytes in all
	taken  int64 // bytes of names that are in blocks
}

const (
	namesPiece = 16 << 10
)

// keepIn begins the log with the pending names.
func (g *registry) keepIn(l *live.File) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.live.file = l
	if !g.live.extend(namesPiece) {
		return live.ErrFull
	}
	for i, c := range g.pending.cells {
		end := len(g.pending.data)
		if i+1 < len(g.pending.cells) {
			end = int(g.pending.cells[i+1].Start)
		}
		g.live.add(c.Kind, g.counts[c.Kind], g.pending.data[c.Start:end])
	}
	return nil
}

// extend begins a piece with room for size bytes.
func (n *liveNames) extend(size int) bool {
	p, err := n.file.Alloc(int64(max(size, namesPiece)))
	if err != nil {
		n.file = nil // Finish misses the names, and reports it
		return false
	}
	p.Word(live.NamesNext).Store(0)
	p.Word(live.NamesLen).Store(0)
	p.Word(live.NamesBefore).Store(uint64(n.added))
	if k := len(n.pieces); k > 0 {
		n.pieces[k-1].Word(live.NamesNext).Store(uint64(p.Off))
	} else {
		n.file.Word(live.AtNames).Store(uint64(p.Off))
	}
	n.pieces, n.n = append(n.pieces, p), 0
	return true
}

// add logs an object. count is how many objects of its kind exist.
func (n *liveNames) add(kind format.Kind, count int32, object []byte) {
	if n.file == nil {
		return
	}
	last := n.pieces[len(n.pieces)-1]
	if live.NamesHead+n.n+int64(len(object)) > int64(len(last.Mem)) {
		if !n.extend(live.NamesHead + len(object)) {
			return
		}
		last = n.pieces[len(n.pieces)-1]
	}
	copy(last.Mem[live.NamesHead+n.n:], object)
	n.n += int64(len(object))
	n.added += int64(len(object))
	n.file.Word(live.AtCounts + int64(kind)*8).Store(uint64(count))
	last.Word(live.NamesLen).Store(uint64(n.n))
}

// commit puts into a transaction how much of the log is in blocks. The names taken last are in
// the current block.
func (g *registry) commit(tx *live.Tx) {
	g.mu.Lock()
	defer g.mu.Unlock()
	tx.Put(live.AtNames+8, uint64(g.live.taken))
}

// trim frees the pieces whose names are all in blocks.
func (g *registry) trim() {
	g.mu.Lock()
	defer g.mu.Unlock()
	n := &g.live
	for n.file != nil && len(n.pieces) > 1 && int64(n.pieces[1].Word(live.NamesBefore).Load()) <= n.taken {
		n.file.Word(live.AtNames).Store(uint64(n.pieces[1].Off))
		n.file.Free(n.pieces[0])
		n.pieces = n.pieces[1:]
	}
}
