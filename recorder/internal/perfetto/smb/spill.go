package smb

// In this file a Writer changes chunks.

// A writer that drops packets looks for a chunk again after this many packets or
// bytes, since looking takes longer than dropping.
const (
	lookPackets = 8
	lookBytes   = 1 << 10
	lookPages   = 64 // how many pages it looks at
)

// fresh gets a chunk in which a packet can begin. The writer must have none.
func (w *Writer) fresh() bool {
	if w.closed {
		return false
	}
	if w.dropping {
		if w.skipped < lookPackets && w.skipSize < lookBytes {
			return false
		}
		w.skipped, w.skipSize = 0, 0
	}
	if w.abort && !w.breakPromise() {
		return false
	}
	if !w.obtain(newPackets(w.id, 1, 0)) {
		return false
	}
	w.dropping = false
	return true
}

// obtain gets a chunk, and waits for one if that is the policy. A writer that
// already drops packets does not wait again.
func (w *Writer) obtain(head packetsWord) bool {
	pages := w.a.mem.pages
	if w.dropping {
		pages = lookPages
	}
	c, ok := w.a.try(w.next, head, pages)
	if !ok && !w.dropping && w.a.worthWaiting(w) {
		c, ok = w.a.wait(w, w.next, head)
	}
	if !ok {
		w.exhausted()
		return false
	}
	w.take(c, head)
	return true
}

// breakPromise writes the chunk that the writer's last one announced as its
// continuation: it marks the packet as given up.
func (w *Writer) breakPromise() bool {
	if !w.obtain(newPackets(w.id, 1, ContinuesFromPrev)) {
		return false
	}
	putSize(w.payload, aborted)
	w.abort = false
	w.giveBack()
	return true
}

// take makes a chunk the current one.
func (w *Writer) take(c owned, head packetsWord) {
	w.chunk, w.payload, w.pos = c, c.mem[chunkHeader:], 0
	w.head, w.packets = word(c.mem, 4), head
	w.next++
}

// leave gives the current chunk away, if there is one, between two packets.
func (w *Writer) leave() {
	if w.payload == nil {
		return
	}
	w.payload[w.pos] = 0 // the packet that was counted but never written
	w.giveBack()
}

// giveBack gives the current chunk away as it is.
func (w *Writer) giveBack() {
	w.payload, w.pos, w.plain, w.limit = nil, 0, 0, 0
	w.a.giveBack(w, &w.chunk)
	w.chunk, w.packets, w.head = owned{}, 0, nil
}

// spill continues the packet in the next chunk.
func (w *Writer) spill() bool {
	if w.written() > MaxPacket {
		w.giveUp()
		w.lose(lossPresent)
		return false
	}
	head := newPackets(w.id, 1, ContinuesFromPrev)
	c, ok := w.a.try(w.next, head, w.a.mem.pages)
	if !ok && !w.a.worthWaiting(w) {
		w.giveUp()
		w.exhausted()
		return false
	}
	w.part()
	if !ok {
		if c, ok = w.a.wait(w, w.next, head); !ok {
			w.abort, w.lost = true, true
			w.exhausted()
			return false
		}
	}
	w.take(c, head)
	w.fragment, w.rest = 0, true
	w.reserve()
	w.limit = len(w.payload)
	return true
}

// part ends the fragment in the current chunk and gives the chunk away.
func (w *Writer) part() {
	n := w.pos - w.fragment - sizeBytes
	putSize(w.payload[w.fragment:], n)
	w.before += n
	w.packets |= packetsWord(ContinuesOnNext) << flagsAt
	storeWord(w.head, w.packets)
	w.giveBack()
}

// giveUp marks the packet in the current chunk as given up, and gives the chunk
// away.
func (w *Writer) giveUp() {
	putSize(w.payload[w.fragment:], aborted)
	w.lost = true
	w.giveBack()
}

// exhausted records that there was no chunk: from now on packets are dropped.
func (w *Writer) exhausted() {
	if !w.dropping {
		w.dropping = true
		w.skipped, w.skipSize = 0, 0
		w.a.stats.losses.Add(1)
	}
	w.lose(lossPresent | lossFull)
}

// lose makes the next written packet report a loss before it.
func (w *Writer) lose(why int) {
	w.loss |= why
	w.dirty, w.told = true, false
}

// drop counts a dropped packet.
func (w *Writer) drop() {
	w.dropped++
	w.skipped++
	w.a.stats.dropped.Add(1)
}
