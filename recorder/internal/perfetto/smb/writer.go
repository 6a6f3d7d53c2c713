package smb

import (
	"errors"

	"tracex/recorder/internal/policy"
)

// Policy is what a Writer does if there is no free chunk. The zero Policy is Drop.
type Policy = policy.Policy

const (
	// Drop drops packets until there is a free chunk.
	Drop = policy.Drop
	// Stall waits, up to [Config.StallLimit], then drops. Before the target is bound it
	// drops at once, since no service would free a chunk.
	Stall = policy.Stall
)

// Writer writes the packets of one sequence. It must be used by one goroutine at a
// time, but can be passed from one to another.
//
// A packet is written at once, by [Writer.Packet], or in parts: [Writer.Begin], then
// [Writer.Append], then [Writer.End]. The Writer adds the field of TracePacket that
// marks the first packet, and the one that marks a packet after a loss. Packets must
// not have these fields themselves.
type Writer struct {
	chunk  current
	packet begun
	loss   losses

	a      *Arbiter
	target *Target
	policy Policy
	id     uint16
	next   uint32 // id of the next chunk
	first  bool   // no packet has been written yet
	closed bool
}

// current is the chunk that a Writer fills. The zero value means that there is none.
type current struct {
	owned
	payload []byte      // of the chunk; nil if there is none
	pos     int         // the next write position in payload
	plain   int         // where writes of Packet must end in payload; 0 if it must not write
	limit   int         // where writes of Append must end; 0 outside packets
	head    *uint32     // the chunk's header word; packets is a copy
	packets packetsWord // count: whole packets, and the one that is begun or next
}

// begun is the packet that a Writer is writing, if open.
type begun struct {
	open     bool
	lost     bool // it is not written
	rest     bool // its fragment in this chunk is not the first
	fragment int  // where in payload the fragment's size is
	before   int  // bytes in earlier fragments
}

// NewWriter returns a Writer for a target. It returns [ErrNoWriterID] if 32767 are
// in use, or [ErrClosed].
func (a *Arbiter) NewWriter(t *Target, p Policy) (*Writer, error) {
	if t == nil || t.a != a {
		return nil, errors.New("smb: the target belongs to another Arbiter")
	}
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return nil, ErrClosed
	}
	id, next := a.writers.add(t, a.ep != nil && t.bound)
	if id == 0 {
		a.mu.Unlock()
		return nil, ErrNoWriterID
	}
	a.refs++
	ep, buffer := a.ep, t.buffer
	if ep == nil || !t.bound {
		buffer = 0
	}
	a.mu.Unlock()
	if buffer != 0 {
		ep.RegisterWriter(id, buffer)
	}
	return &Writer{
		a: a, target: t, policy: p, id: id, next: next,
		first: true, loss: losses{dirty: true},
	}, nil
}

func (w *Writer) ID() uint16 { return w.id }

// Dropped returns how many packets the Writer has dropped.
func (w *Writer) Dropped() uint64 { return w.loss.dropped }

// Packet writes a packet: the encoded fields of a TracePacket. It reports whether
// the packet will arrive, as far as that depends on the Writer. It does not keep b.
func (w *Writer) Packet(b []byte) bool {
	// This writes the same bytes as Begin, Append and End.
	n, p := len(b), w.chunk.pos
	if n >= oneByte || p+sizeBytes+max(n, minRoom-sizeBytes) > w.chunk.plain || w.chunk.packets.count() > maxStarted {
		return w.other(b)
	}
	dst := w.chunk.payload[p : p+1+n]
	dst[0] = byte(n)
	copy(dst[1:], b)
	w.chunk.pos = p + 1 + n
	w.chunk.packets += onePacket
	storeWord(w.chunk.head, w.chunk.packets)
	return true
}

// Small returns room for a packet of at most n bytes, which is written there and
// ended by [Writer.EndSmall] with no other call between: [Writer.Packet] without a
// copy. It returns nil if that is not possible; the packet must then be written in
// another way.
func (w *Writer) Small(n int) []byte {
	p := w.chunk.pos
	if n >= oneByte || p+sizeBytes+max(n, minRoom-sizeBytes) > w.chunk.plain || w.chunk.packets.count() > maxStarted {
		return nil
	}
	return w.chunk.payload[p+1 : p+1+n : p+1+n]
}

// EndSmall ends a packet that was written into the result of Small, with its actual
// length n.
func (w *Writer) EndSmall(n int) {
	w.chunk.payload[w.chunk.pos] = byte(n)
	w.chunk.pos += 1 + n
	w.chunk.packets += onePacket
	storeWord(w.chunk.head, w.chunk.packets)
}

// other writes a packet that is not small or does not fit.
func (w *Writer) other(b []byte) bool {
	w.Begin()
	w.Append(b)
	return w.End()
}

// Next is the result of [Writer.Next].
type Next uint8

const (
	// Plain: the next packet can rely on the ones before it.
	Plain Next = 0
	// Reset: readers of the next packet may not know the contents of earlier ones, so it
	// must clear the incremental state and write it again.
	Reset Next = 1
	// Skip: there is no room. The packet already counts as dropped; skipping it saves
	// the time to encode it.
	Skip Next = 2
)

// Next returns what the next packet has to be. Call it once for each packet, before
// encoding the packet.
func (w *Writer) Next() Next {
	if !w.loss.dirty {
		return Plain
	}
	return w.ask()
}

func (w *Writer) ask() Next {
	if w.packet.open {
		w.End()
	}
	if w.chunk.payload == nil && !w.fresh() {
		w.drop()
		return Skip
	}
	w.loss.resetReturned = true
	w.chunk.plain = 0 // the next packet goes through End, which clears resetReturned
	return Reset
}

// Renew makes the next result of [Writer.Next] Reset: because the service wants the
// incremental state cleared, or another goroutine continues with the Writer.
func (w *Writer) Renew() {
	w.loss.renew()
}

// Flush passes the written packets to the service. It uses up the current chunk.
func (w *Writer) Flush() {
	if w.packet.open {
		w.End()
	}
	w.leave()
	w.a.bell.hurry()
}

// Close ends the Writer. Afterwards its methods do nothing.
func (w *Writer) Close() {
	if w.closed {
		return
	}
	if w.packet.open {
		w.End()
	}
	w.leave()
	w.closed = true
	a := w.a
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.writers.remove(leaving{w.id, w.next}, !a.closed && w.target.buffer != 0) {
		a.bell.wake()
	}
	a.release()
}

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
