package smb

// Begin begins a packet. It ends an open one first.
func (w *Writer) Begin() {
	if w.open {
		w.End()
	}
	w.open, w.rest, w.before = true, false, 0
	w.lost = false
	if len(w.payload)-w.pos < leastRoom || w.packets.count() > maxStarted {
		if w.leave(); !w.fresh() {
			w.lost = true
			return
		}
	}
	w.fragment = w.pos
	w.reserve()
	w.limit, w.plain = len(w.payload), 0
	// Field 42, previous_packet_dropped, and 87, first_packet_on_sequence. There is
	// room for both: leastRoom.
	if w.loss != 0 {
		w.put(0xd0, 0x02, byte(w.loss)|0x80, byte(w.loss>>7))
	}
	if w.first {
		w.put(0xb8, 0x05, 0x01)
	}
}

// put appends a few bytes.
func (w *Writer) put(b ...byte) { w.Append(b) }

// reserve makes room for a length that is not known yet.
func (w *Writer) reserve() {
	clear(w.payload[w.pos : w.pos+sizeBytes])
	w.pos += sizeBytes
}

// Append appends bytes to the packet: encoded fields, or parts of them. It does not
// keep b.
func (w *Writer) Append(b []byte) {
	if len(b) > w.limit-w.pos {
		w.appendOver(b)
		return
	}
	copy(w.payload[w.pos:w.limit], b)
	w.pos += len(b)
}

// appendOver appends bytes that do not fit into the chunk.
func (w *Writer) appendOver(b []byte) {
	for len(b) > 0 && w.open && !w.lost {
		if w.pos == w.limit && !w.spill() {
			break
		}
		n := copy(w.payload[w.pos:w.limit], b)
		w.pos += n
		b = b[n:]
	}
	if w.lost {
		w.skipSize += len(b)
	}
}

// written returns the number of bytes of the packet so far.
func (w *Writer) written() int { return w.before + w.pos - w.fragment - sizeBytes }

// shorten replaces a length of four bytes by one of one byte, and moves the n bytes
// after it.
func (w *Writer) shorten(at, n int) {
	copy(w.payload[at+1:], w.payload[at+sizeBytes:w.pos])
	w.payload[at] = byte(n)
	w.pos -= sizeBytes - 1
}

// End ends the packet. It reports whether the packet will arrive, as far as that
// depends on the Writer.
func (w *Writer) End() bool {
	if !w.open {
		return false
	}
	w.open, w.limit = false, 0
	if w.lost {
		w.drop()
		return false
	}
	n := w.pos - w.fragment - sizeBytes
	if n < oneByte && !w.rest {
		w.shorten(w.fragment, n)
	} else {
		putSize(w.payload[w.fragment:], n)
	}
	w.first, w.loss = false, 0
	if w.told {
		w.dirty, w.told = false, false
	}
	if w.pos == len(w.payload) {
		w.giveBack() // there is no room for the next packet, which the count would announce
	} else {
		w.packets += onePacket
		storeWord(w.head, w.packets)
		w.plain = len(w.payload)
	}
	return true
}
