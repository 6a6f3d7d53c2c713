package smb

import "fmt"

// Fragment is a packet in a chunk, or the part of a packet in it.
type Fragment struct {
	// Data is the bytes, part of the Chunk's payload. If empty, the fragment is neither
	// a packet nor a loss.
	Data []byte
	// Offset is where Data begins in the payload.
	Offset int
	// FromPrev means that these bytes continue the last packet of the previous chunk,
	// OnNext that the next chunk continues them.
	FromPrev, OnNext bool
}

// Fragments iterates over the packets of a chunk.
//
//	it := chunk.Fragments()
//	for it.Next() {
//		… it.Fragment …
//	}
//	err := it.Err()
type Fragments struct {
	Fragment
	payload []byte
	flags   Flags
	pos     int
	read    int
	count   int
	err     error
}

// Fragments returns an iterator over the packets of the chunk. Each step reads the
// current payload.
func (c *Chunk) Fragments() Fragments {
	return Fragments{payload: c.Payload, flags: c.Flags, count: c.Count}
}

// Next moves to the next packet. It returns false after the last one, and at the
// first that makes no sense; the packets after that one are lost.
func (f *Fragments) Next() bool {
	if f.read >= f.count || f.err != nil {
		return false
	}
	n, length := getSize(f.payload[f.pos:])
	at := f.pos + length
	if length == 0 || n > len(f.payload)-at {
		f.err = f.fault(n, length)
		return false
	}
	f.Fragment = Fragment{
		Data:     f.payload[at : at+n : at+n],
		Offset:   at,
		FromPrev: f.read == 0 && f.flags&ContinuesFromPrev != 0,
		OnNext:   f.read == f.count-1 && f.flags&ContinuesOnNext != 0,
	}
	f.pos = at + n
	f.read++
	return true
}

func (f *Fragments) fault(n, length int) error {
	where := fmt.Sprintf("packet %d of %d, at byte %d of %d", f.read+1, f.count, f.pos, len(f.payload))
	switch {
	case n == aborted && length > 0:
		return fmt.Errorf("%w: %s", ErrAborted, where)
	case f.pos >= len(f.payload):
		return fmt.Errorf("%w: %s begins after the end", ErrCorrupt, where)
	case length == 0:
		return fmt.Errorf("%w: %s has no size", ErrCorrupt, where)
	}
	return fmt.Errorf("%w: %s has %d bytes", ErrCorrupt, where, n)
}

// Read returns the number of packets so far.
func (f *Fragments) Read() int { return f.read }

// Used returns how many bytes of the payload they take, sizes included.
func (f *Fragments) Used() int { return f.pos }

// Err returns why there were fewer packets than the chunk's count: nil if there were
// not, [ErrAborted] if the writer gave one up, or [ErrCorrupt].
func (f *Fragments) Err() error { return f.err }

// Begin begins a packet. It ends an open one first.
func (w *Writer) Begin() {
	if w.packet.open {
		w.End()
	}
	w.packet = begun{open: true}
	if len(w.chunk.payload)-w.chunk.pos < minRoom || w.chunk.packets.count() > maxStarted {
		if w.leave(); !w.fresh() {
			w.packet.lost = true
			return
		}
	}
	w.packet.fragment = w.chunk.pos
	w.reserve()
	w.chunk.limit, w.chunk.plain = len(w.chunk.payload), 0
	// Field 42, previous_packet_dropped, and 87, first_packet_on_sequence. There is
	// room for both: minRoom.
	if w.loss.report != 0 {
		w.put(0xd0, 0x02, byte(w.loss.report)|0x80, byte(w.loss.report>>7))
	}
	if w.first {
		w.put(0xb8, 0x05, 0x01)
	}
}

func (w *Writer) put(b ...byte) { w.Append(b) }

// reserve makes room for a length that is not known yet.
func (w *Writer) reserve() {
	clear(w.chunk.payload[w.chunk.pos : w.chunk.pos+sizeBytes])
	w.chunk.pos += sizeBytes
}

// Append appends bytes to the packet: encoded fields, or parts of them. It does not
// keep b.
func (w *Writer) Append(b []byte) {
	if len(b) > w.chunk.limit-w.chunk.pos {
		w.appendOver(b)
		return
	}
	copy(w.chunk.payload[w.chunk.pos:w.chunk.limit], b)
	w.chunk.pos += len(b)
}

// appendOver appends bytes that do not fit into the chunk.
func (w *Writer) appendOver(b []byte) {
	for len(b) > 0 && w.packet.open && !w.packet.lost {
		if w.chunk.pos == w.chunk.limit && !w.spill() {
			break
		}
		n := copy(w.chunk.payload[w.chunk.pos:w.chunk.limit], b)
		w.chunk.pos += n
		b = b[n:]
	}
}

// written returns the number of bytes of the packet so far.
func (w *Writer) written() int { return w.packet.before + w.chunk.pos - w.packet.fragment - sizeBytes }

// shorten replaces a length of four bytes by one of one byte, and moves the n bytes
// after it.
func (w *Writer) shorten(at, n int) {
	copy(w.chunk.payload[at+1:], w.chunk.payload[at+sizeBytes:w.chunk.pos])
	w.chunk.payload[at] = byte(n)
	w.chunk.pos -= sizeBytes - 1
}

// End ends the packet. It reports whether the packet will arrive, as far as that
// depends on the Writer.
func (w *Writer) End() bool {
	if !w.packet.open {
		return false
	}
	w.packet.open, w.chunk.limit = false, 0
	if w.packet.lost {
		w.drop()
		return false
	}
	n := w.chunk.pos - w.packet.fragment - sizeBytes
	if n < oneByte && !w.packet.rest {
		w.shorten(w.packet.fragment, n)
	} else {
		putSize(w.chunk.payload[w.packet.fragment:], n)
	}
	w.first = false
	w.loss.written()
	if w.chunk.pos == len(w.chunk.payload) {
		w.giveBack() // there is no room for the next packet, which the count would announce
	} else {
		w.chunk.packets += onePacket
		storeWord(w.chunk.head, w.chunk.packets)
		w.chunk.plain = len(w.chunk.payload)
	}
	return true
}

// Bits of the field previous_packet_dropped.
const (
	lossPresent = 1
	lossFull    = 256 // there was no free chunk
)

// losses is what a Writer has lost, and what its next packets have to tell about
// that. The program learns it from [Writer.Next] and [Writer.Dropped].
type losses struct {
	dropping      bool // there was no free chunk
	promised      bool // the last chunk announced a continuation that will not follow
	report        int  // the loss that the next packet reports; 0 if none
	dirty         bool // the next packet cannot rely on earlier ones
	resetReturned bool // and Next has returned Reset
	dropped       uint64
}

// exhausted records that there was no free chunk: from now on packets are dropped.
// It reports whether that is new.
func (l *losses) exhausted() (begins bool) {
	begins, l.dropping = !l.dropping, true
	l.lose(lossPresent | lossFull)
	return begins
}

// lose makes the next written packet report a loss before it.
func (l *losses) lose(why int) {
	l.report |= why
	l.renew()
}

// renew means that the next packet cannot rely on earlier ones.
func (l *losses) renew() { l.dirty, l.resetReturned = true, false }

// written means that a packet was written, which has reported everything.
func (l *losses) written() {
	l.report = 0
	if l.resetReturned {
		l.dirty, l.resetReturned = false, false
	}
}
