package smb

// message is a message inside of a packet, whose length comes before it and is
// known behind it.
type message struct {
	start int // where its bytes begin in the packet
	at    int // where its length stands in payload, or -1
	owed  int // the number of the length in patches, if at is -1
}

// Begin begins a packet. One that was not ended is ended.
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

// reserve writes a length of which nothing is known yet.
func (w *Writer) reserve() {
	clear(w.payload[w.pos : w.pos+sizeBytes])
	w.pos += sizeBytes
}

// Append writes bytes of the packet: encoded fields, or parts of them. b is not
// kept.
func (w *Writer) Append(b []byte) {
	if len(b) > w.limit-w.pos {
		w.appendOver(b)
		return
	}
	copy(w.payload[w.pos:w.limit], b)
	w.pos += len(b)
}

// appendOver writes bytes that the chunk has no room for.
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

// AppendString is [Writer.Append] for a string.
func (w *Writer) AppendString(s string) {
	for len(s) > 0 && w.open && !w.lost {
		if w.pos == w.limit && !w.spill() {
			break
		}
		n := copy(w.payload[w.pos:w.limit], s)
		w.pos += n
		s = s[n:]
	}
	if w.lost {
		w.skipSize += len(s)
	}
}

// Varint writes a field that is an integer, an enum or a bool.
func (w *Writer) Varint(field uint32, v uint64) {
	var b [15]byte
	w.Append(appendVarint(appendVarint(b[:0], uint64(field)<<3), v))
}

// Bytes writes a field that is bytes or an encoded message.
func (w *Writer) Bytes(field uint32, v []byte) {
	w.lengthDelimited(field, len(v))
	w.Append(v)
}

// String writes a field that is a string.
func (w *Writer) String(field uint32, v string) {
	w.lengthDelimited(field, len(v))
	w.AppendString(v)
}

func (w *Writer) lengthDelimited(field uint32, n int) {
	var b [15]byte
	w.Append(appendVarint(appendVarint(b[:0], uint64(field)<<3|2), uint64(n)))
}

func appendVarint(b []byte, v uint64) []byte {
	for v >= 0x80 {
		b = append(b, byte(v)|0x80)
		v >>= 7
	}
	return append(b, byte(v))
}

// OpenMessage begins a field that is a message. What is written up to the
// matching [Writer.CloseMessage] is in it.
func (w *Writer) OpenMessage(field uint32) {
	if !w.open {
		return
	}
	var b [5]byte
	w.Append(appendVarint(b[:0], uint64(field)<<3|2))
	// The four bytes of the length are not split over chunks.
	if !w.lost && w.limit-w.pos < sizeBytes {
		w.spill()
	}
	if w.lost {
		w.nested = append(w.nested, message{at: -1, owed: -1})
		return
	}
	at := w.pos
	w.reserve()
	w.nested = append(w.nested, message{start: w.written(), at: at})
}

// written is how many bytes of the packet there are.
func (w *Writer) written() int { return w.before + w.pos - w.fragment - sizeBytes }

// CloseMessage ends the message that was opened last.
func (w *Writer) CloseMessage() {
	last := len(w.nested) - 1
	if last < 0 {
		return
	}
	m := w.nested[last]
	w.nested = w.nested[:last]
	if w.lost {
		return
	}
	switch n := w.written() - m.start; {
	case m.at < 0:
		w.patches.settle(m.owed, n)
	case n <= oneByte:
		w.shorten(m.at, n)
	default:
		putSize(w.payload[m.at:], n)
	}
}

// shorten moves the n bytes at the end, behind a length of four bytes, to behind
// one of one byte.
func (w *Writer) shorten(at, n int) {
	copy(w.payload[at+1:], w.payload[at+sizeBytes:w.pos])
	w.payload[at] = byte(n)
	w.pos -= sizeBytes - 1
}

// End ends the packet, and the messages in it that are open. It reports whether
// the packet will arrive as far as that is in the Writer's hands.
func (w *Writer) End() bool {
	if !w.open {
		return false
	}
	for len(w.nested) > 0 {
		w.CloseMessage()
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
		w.giveBack() // there is no room for the packet that the count would promise
	} else {
		w.packets += onePacket
		storeWord(w.head, w.packets)
		w.plain = len(w.payload)
	}
	if w.patches.ready() {
		w.a.giveBack(w, nil)
	}
	return true
}
