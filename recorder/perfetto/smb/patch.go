package smb

// patches are the lengths that a Writer owes to chunks that it has given away, in
// the order of the chunks and of the bytes in them.
type patches struct {
	list []late
	sent int // how many were taken off the front of list, ever
}

// late is the length of a message that went on in the next chunk.
type late struct {
	chunk  uint32
	offset uint32 // in the payload
	data   [sizeBytes]byte
	known  bool
}

// owe notes a length and returns its number.
func (p *patches) owe(chunk uint32, offset int) int {
	p.list = append(p.list, late{chunk: chunk, offset: uint32(offset)})
	return p.sent + len(p.list) - 1
}

// settle sets the length that owe gave a number, if it is still owed.
func (p *patches) settle(number, length int) {
	if number < p.sent {
		return
	}
	l := &p.list[number-p.sent]
	putSize(l.data[:], length)
	l.known = true
}

// forget settles all that is owed: nobody reads the packet, but what follows its
// chunks waits for the lengths.
func (p *patches) forget() {
	for i := range p.list {
		if !p.list[i].known {
			p.settle(p.sent+i, 0)
		}
	}
}

// discard takes all off the list: there is nobody to send them to.
func (p *patches) discard() {
	p.sent += len(p.list)
	p.list = p.list[:0]
}

// ready reports whether a length can be sent.
func (p *patches) ready() bool { return len(p.list) > 0 && p.list[0].known }

// patch takes the lengths that are known off a writer's list: into chunks that
// wait to be committed, where that is possible, else into the next commit. It
// reports whether any is in a commit. a.mu is held.
func (a *Arbiter) patch(w *Writer) bool {
	list, first := w.patches.list, len(a.patches)
	n := 0
	for ; n < len(list) && list[n].known; n++ {
		p := &list[n]
		more := n+1 < len(list) && list[n+1].chunk == p.chunk
		if a.direct && a.patchQueued(w.id, p, more) {
			continue
		}
		last := len(a.patches) - 1
		if last < first || a.patches[last].ChunkID != p.chunk {
			a.patches = append(a.patches, queuedPatch{target: w.target})
			last++
			a.patches[last].Writer, a.patches[last].ChunkID = w.id, p.chunk
		}
		a.patches[last].Patches = append(a.patches[last].Patches, PatchData{Offset: p.offset, Data: p.data})
		a.patches[last].More = more
	}
	w.patches.list = list[:copy(list, list[n:])]
	w.patches.sent += n
	return len(a.patches) > first
}

// patchQueued writes a length into its chunk if that waits to be committed. With
// the last one the chunk is complete. a.mu is held.
func (a *Arbiter) patchQueued(writer uint16, p *late, more bool) bool {
	for i := len(a.queue) - 1; i >= 0; i-- {
		q := &a.queue[i]
		if !q.unpatched || q.writer != writer || q.id != p.chunk {
			continue
		}
		copy(q.mem[chunkHeader+p.offset:], p.data[:])
		if !more {
			head := word(q.mem, 4)
			w := loadWord[packetsWord](head)
			storeWord(head, w&^(packetsWord(NeedsPatching)<<flagsAt))
			q.unpatched = false
			a.complete(&q.owned)
		}
		return true
	}
	return false
}
