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
// time, but can be passed from one to another. It has many fields at one level for
// speed: a small packet takes a few nanoseconds.
//
// A packet is written at once, by [Writer.Packet], or in parts: [Writer.Begin], then
// [Writer.Append], then [Writer.End]. The Writer adds the field of TracePacket that
// marks the first packet, and the one that marks a packet after a loss. Packets must
// not have these fields themselves.
type Writer struct {
	payload []byte      // of the current chunk; nil if there is none
	pos     int         // the next write position in payload
	plain   int         // where writes of Packet must end in payload; 0 if it must not write
	limit   int         // where writes of Append must end; 0 outside packets
	head    *uint32     // the chunk's header word, of which packets is a copy
	packets packetsWord // count: whole packets, and the one that is begun or next

	a      *Arbiter
	target *Target
	policy Policy
	id     uint16
	chunk  owned
	next   uint32 // id of the next chunk

	// The packet that is being written.
	open     bool
	lost     bool // it is not written
	rest     bool // its fragment in this chunk is not the first
	fragment int  // where in payload the fragment's size is
	before   int  // bytes in earlier fragments

	closed   bool
	first    bool // no packet has been written yet
	dropping bool // there was no free chunk
	abort    bool // the last chunk announced a continuation that will not follow
	loss     int  // the loss that the next packet reports; 0 if none
	dirty    bool // the next packet cannot rely on earlier ones
	told     bool // and Next has returned Reset
	skipped  int  // packets and bytes dropped since the last look
	skipSize int
	dropped  uint64
}

// Bits of the field previous_packet_dropped.
const (
	lossPresent = 1
	lossFull    = 256 // there was no free chunk
)

// NewWriter returns a Writer for a target. It returns [ErrNoWriterID] if 32767 are
// in use, or [ErrClosed].
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

// Dropped returns how many packets the Writer has dropped.
func (w *Writer) Dropped() uint64 { return w.dropped }

// Packet writes a packet: the encoded fields of a TracePacket. It reports whether
// the packet will arrive, as far as that depends on the Writer. It does not keep b.
func (w *Writer) Packet(b []byte) bool {
	// This writes the same bytes as Begin, Append and End.
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
// ended by [Writer.EndSmall] with no other call between: [Writer.Packet] without a
// copy. It returns nil if that is not possible; the packet must then be written in
// another way.
func (w *Writer) Small(n int) []byte {
	p := w.pos
	if n >= oneByte || p+sizeBytes+max(n, leastRoom-sizeBytes) > w.plain || w.packets.count() > maxStarted {
		return nil
	}
	return w.payload[p+1 : p+1+n : p+1+n]
}

// EndSmall ends a packet that was written into the result of Small, with its actual
// length n.
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
	w.plain = 0 // the next packet goes through End, which handles told
	return Reset
}

// Renew makes the next result of [Writer.Next] Reset: because the service wants the
// incremental state cleared, or another goroutine continues with the Writer.
func (w *Writer) Renew() {
	w.dirty, w.told = true, false
}

// Flush passes the written packets to the service. It uses up the current chunk.
func (w *Writer) Flush() {
	if w.open {
		w.End()
	}
	w.leave()
	w.a.hurry()
}

// Close ends the Writer. Afterwards its methods do nothing.
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
