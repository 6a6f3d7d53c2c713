package smb

// How a Writer gets a chunk, gives it away, and continues a packet in the next one.

// fresh gets a chunk in which a packet can begin. The writer must have none.
func (w *Writer) fresh() bool {
	if w.closed || w.loss.dropping && !w.a.mayHaveRoom() {
		return false
	}
	if w.loss.promised && !w.breakPromise() {
		return false
	}
	if !w.obtain(newPackets(w.id, 1, 0)) {
		return false
	}
	w.loss.dropping = false
	return true
}

// obtain gets a chunk, and waits for one if that is the policy. A writer that
// already drops packets does not wait again.
func (w *Writer) obtain(head packetsWord) bool {
	c, ok := w.a.try(w.next, head)
	if !ok && !w.loss.dropping && w.a.worthWaiting(w) {
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
	putSize(w.chunk.payload, aborted)
	w.loss.promised = false
	w.giveBack()
	return true
}

// take makes a chunk the current one.
func (w *Writer) take(c owned, head packetsWord) {
	w.chunk = current{owned: c, payload: c.mem[chunkHeader:], head: word(c.mem, 4), packets: head}
	w.next++
}

// leave gives the current chunk away, if there is one, between two packets.
func (w *Writer) leave() {
	if w.chunk.payload == nil {
		return
	}
	w.chunk.payload[w.chunk.pos] = 0 // the packet that was counted but never written
	w.giveBack()
}

// giveBack gives the current chunk away as it is.
func (w *Writer) giveBack() {
	chunk := w.chunk.owned
	w.chunk = current{}
	w.a.giveBack(w.target, chunk)
}

// spill continues the packet in the next chunk.
func (w *Writer) spill() bool {
	if w.written() > MaxPacket {
		w.giveUp()
		w.loss.lose(lossPresent)
		return false
	}
	head := newPackets(w.id, 1, ContinuesFromPrev)
	c, ok := w.a.try(w.next, head)
	if !ok && !w.a.worthWaiting(w) {
		w.giveUp()
		w.exhausted()
		return false
	}
	w.part()
	if !ok {
		if c, ok = w.a.wait(w, w.next, head); !ok {
			w.loss.promised, w.packet.lost = true, true
			w.exhausted()
			return false
		}
	}
	w.take(c, head)
	w.packet.fragment, w.packet.rest = 0, true
	w.reserve()
	w.chunk.limit = len(w.chunk.payload)
	return true
}

// part ends the fragment in the current chunk and gives the chunk away.
func (w *Writer) part() {
	n := w.chunk.pos - w.packet.fragment - sizeBytes
	putSize(w.chunk.payload[w.packet.fragment:], n)
	w.packet.before += n
	w.chunk.packets |= packetsWord(ContinuesOnNext) << flagsAt
	storeWord(w.chunk.head, w.chunk.packets)
	w.giveBack()
}

// giveUp marks the packet in the current chunk as given up, and gives the chunk
// away.
func (w *Writer) giveUp() {
	putSize(w.chunk.payload[w.packet.fragment:], aborted)
	w.packet.lost = true
	w.giveBack()
}

// exhausted records that there was no free chunk.
func (w *Writer) exhausted() {
	if w.loss.exhausted() {
		w.a.stats.losses.Add(1)
	}
}

func (w *Writer) drop() {
	w.loss.dropped++
	w.a.stats.dropped.Add(1)
}
