package smb

import (
	"errors"

	"tracex/recorder/internal/policy"
)

// Policy is what a Writer does when there is no free chunk. The zero Policy is Drop here.
type Policy = policy.Policy

const (
	// Drop leaves packets out until there is a free chunk.
	Drop = policy.Drop
	// Stall waits, up to [Config.StallLimit], then drops. Before the target is
	// bound it drops at once: nothing would end the wait.
	Stall = policy.Stall
)

// Writer writes the packets of one sequence. It is for one goroutine at a time,
// and may be handed on from one to the next. Its fields are flat, though many: a small
// packet takes a few nanoseconds.
//
// A packet is written whole, by [Writer.Packet], or piece by piece: [Writer.Begin],
// then [Writer.Append], then [Writer.End]. To the
// first packet, and to the first after a loss, the Writer adds the field of
// TracePacket that says so. Packets must not have these fields themselves.
type Writer struct {
	payload []byte      // of the current chunk; nil: there is none
	pos     int         // where in payload to write on
	plain   int         // up to where in payload Packet may write; 0: not at all
	limit   int         // up to where Append may; 0 outside of packets
	head    *uint32     // the chunk's header word that says what packets does
	packets packetsWord // count: whole packets, and the one that is begun or will be

	a      *Arbiter
	target *Target
	policy Policy
	id     uint16
	chunk  owned
	next   uint32 // id of the next chunk

	// The packet that is being written.
	open     bool
	lost     bool // it goes nowhere
	rest     bool // its fragment in this chunk is not the first
	fragment int  // where in payload the fragment's size stands
	before   int  // bytes in earlier fragments

	closed   bool
	first    bool // no packet was written yet
	dropping bool // there was no free chunk
	abort    bool // the last chunk promised a rest that will not come
	loss     int  // what the next packet says of those before it; 0: none was lost
	dirty    bool // the next packet cannot rely on earlier ones
	told     bool // and Next has said so
	skipped  int  // packets and bytes that were dropped since the last look
	skipSize int
	dropped  uint64
}

// What the field previous_packet_dropped says: bits.
const (
	lossPresent = 1
	lossFull    = 256 // there was no free chunk
)

// NewWriter returns a Writer for a target. Errors: [ErrNoWriterID] when 32767 are
// in use, [ErrClosed].
func (a *Arbiter) NewWriter(t *Target, p Policy) (*Writer, error) {
	if t == nil || t.a != a {
		return nil, errors.New("smb: a target of another Arbiter")
	}
	a.mu.Lock()
	if a.closed {
		a.mu.Unlock()
		return nil, ErrClosed
	}
	id, next := a.ids.get()
	if id == 0 {
		a.mu.Unlock()
		return nil, ErrNoWriterID
	}
	a.refs++
	a.writers[id] = t
	ep, buffer := a.ep, t.buffer
	if ep == nil || !t.bound {
		a.unregistered[id] = struct{}{}
		buffer = 0
	}
	a.mu.Unlock()
	if buffer != 0 {
		ep.RegisterWriter(id, buffer)
	}
	return &Writer{
		a: a, target: t, policy: p, id: id, next: next,
		first: true, dirty: true,
	}, nil
}

// ID returns the writer id.
func (w *Writer) ID() uint16 { return w.id }

// Dropped returns how many packets the Writer could not write.
func (w *Writer) Dropped() uint64 { return w.dropped }

// Packet writes a packet: the encoded fields of a TracePacket. It reports whether
// the packet will arrive as far as that is in the Writer's hands. b is not kept.
func (w *Writer) Packet(b []byte) bool {
	// What is written here is what Begin, Append and End would write.
	n, p := len(b), w.pos
	if n >= oneByte || p+sizeBytes+max(n, leastRoom-sizeBytes) > w.plain || w.packets.count() > maxStarted {
		return w.other(b)
	}
	dst := w.payload[p : p+1+n]
	dst[0] = byte(n)
	copy(dst[1:], b)
	w.pos = p + 1 + n
	w.packets += onePacket
	storeWord(w.head, w.packets)
	return true
}

// Small returns room for a packet of at most n bytes, which is written there and
// ended by [Writer.EndSmall], nothing between: what [Writer.Packet] does, without a
// copy. It returns nil where that is not possible; the packet has to be written in
// another way then.
func (w *Writer) Small(n int) []byte {
	p := w.pos
	if n >= oneByte || p+sizeBytes+max(n, leastRoom-sizeBytes) > w.plain || w.packets.count() > maxStarted {
		return nil
	}
	return w.payload[p+1 : p+1+n : p+1+n]
}

// EndSmall ends a packet that was written into what Small returned, with the n
// bytes that it really has.
func (w *Writer) EndSmall(n int) {
	w.payload[w.pos] = byte(n)
	w.pos += 1 + n
	w.packets += onePacket
	storeWord(w.head, w.packets)
}

// other writes a packet that is not small or does not fit.
func (w *Writer) other(b []byte) bool {
	w.Begin()
	w.Append(b)
	return w.End()
}

// Next is what [Writer.Next] says.
type Next uint8

const (
	// Plain: the next packet follows those before it.
	Plain Next = 0
	// Reset: what earlier packets said may be unknown to who reads the next one, so
	// it has to clear the incremental state and say all again.
	Reset Next = 1
	// Skip: there is no room. The packet is counted as dropped; not to write it saves
	// the time to encode it.
	Skip Next = 2
)

// Next says what the next packet has to be. It is asked once for each packet,
// before the packet is encoded.
func (w *Writer) Next() Next {
	if !w.dirty {
		return Plain
	}
	return w.ask()
}

func (w *Writer) ask() Next {
	if w.open {
		w.End()
	}
	if w.payload == nil && !w.fresh() {
		w.drop()
		return Skip
	}
	w.told = true
	w.plain = 0 // the next packet goes through End, which is to know of this
	return Reset
}

// Renew makes the next answer of [Writer.Next] Reset: because the service wants the
// incremental state to be cleared, or another goroutine goes on with the Writer.
func (w *Writer) Renew() {
	w.dirty, w.told = true, false
}

// Flush gives what was written to the service. The chunk that it is in is used
// up by this.
func (w *Writer) Flush() {
	if w.open {
		w.End()
	}
	w.leave()
	w.a.hurry()
}

// Close ends the Writer. Its methods do nothing after.
func (w *Writer) Close() {
	if w.closed {
		return
	}
	if w.open {
		w.End()
	}
	w.leave()
	w.closed = true
	a := w.a
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.writers, w.id)
	if _, ok := a.unregistered[w.id]; ok || a.closed || w.target.buffer == 0 {
		delete(a.unregistered, w.id)
		a.ids.put(w.id, w.next)
	} else {
		a.ended = append(a.ended, leaving{w.id, w.next})
		a.wake()
	}
	a.release()
}
