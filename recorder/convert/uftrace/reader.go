package uftrace

import (
	"context"
	"encoding/binary"
	"io"

	"tracex/recorder/convert/fit"
)

// Why something of the input is not in the trace, or was changed.
var (
	lostRecords   = fit.Why("record that the recorder lost", "records that the recorder lost")
	unknownLayout = fit.Why("call with values of an unknown type", "calls with values of unknown types")
	damagedParts  = fit.Why("damaged part of a thread's records", "damaged parts of threads' records")
	cutShort      = fit.Why("file that ends within a record", "files that end within a record")
)

// move moves to the time of a record.
func (r *reader) move(time uint64) {
	if r.position.session == nil || time >= r.position.until {
		r.position = r.resolver.positionAt(r.tasks, r.task, time)
		clear(r.recent[:])
	}
	// A child is read after its parent, as its records begin later, but needs the calls of this moment.
	for r.nextFork < len(r.task.forks) && time > r.task.forks[r.nextFork].at {
		r.bequeath(r.task.forks[r.nextFork].child)
		r.nextFork++
	}
	r.last = time
}

// read reads all records.
func (r *reader) read() error {
	// What a record refers to changes with time, so it is looked up at the time of the record.
	r.values = values{cursor: r.cursor, symbol: r.symbol, library: r.resolver.rules.enums}
	r.calls.deepStack = r.resolver.machine.deepStack
	for r.cursor.need(recordSize) {
		rec, ok := parseRecord(r.cursor.rest())
		if !ok || !r.plausible(&rec) {
			r.left.Count(damagedParts, 1, -1)
			r.resync()
			continue
		}
		r.cursor.skip(recordSize)
		if err := r.take(&rec); err != nil {
			return err
		}
		switch {
		case !r.whole:
			r.left.Count(cutShort, 1, -1)
			return r.close()
		case r.unknown:
			r.left.Count(unknownLayout, 1, -1)
			r.resync()
		}
	}
	if r.cursor.err == nil && len(r.cursor.rest()) > 0 {
		r.left.Count(cutShort, 1, -1)
	}
	return r.close()
}

// take takes a record, whose data is the next in the file.
func (r *reader) take(rec *record) error {
	r.whole, r.unknown = true, false
	if rec.kind == typeLost {
		// Its time may be 0, and its depth anything.
		r.left.Count(lostRecords, int64(max(rec.address, 1)), -1)
		r.calls.lost = true
		return nil
	}
	if rec.time >= r.position.until || rec.time > r.last {
		r.move(rec.time)
	}
	if !r.begun {
		r.begun = true
		if err := r.inherit(rec); err != nil {
			return err
		}
	}
	switch rec.kind {
	case typeEntry:
		return r.entry(rec)
	case typeExit:
		return r.exit(rec)
	}
	ok, err := r.event(rec)
	r.whole = ok
	return err
}

// close ends the thread.
func (r *reader) close() error {
	if r.cursor.err != nil {
		r.left.Count(unreadable, 1, -1)
	}
	r.thread.SetName(r.named(r.position.session))
	return r.thread.Close(r.at(r.last))
}

// longestGap is the longest time, in ns, between two records of a thread that is believed: 400 days.
const longestGap = 400 * 24 * 3600 * 1e9

// plausible reports whether a record can follow the last one. Events may be recorded a little late.
func (r *reader) plausible(rec *record) bool {
	if rec.kind == typeLost && !rec.more {
		return true
	}
	last := max(r.last, r.base)
	return rec.time+1e9 >= last && rec.time <= last+longestGap
}

// resync skips what is no record. A record that is found by chance would be wrong, so the time must
// be near the last one, and an entry at most one deeper than the last.
func (r *reader) resync() {
	const near = 3600 * 1e9 // ns
	deepest := r.calls.next()
	last := max(r.last, r.base)
	for r.cursor.need(recordSize) {
		rec, ok := parseRecord(r.cursor.rest())
		if ok && rec.kind != typeLost && rec.time >= last && rec.time < last+near && r.calls.depth(rec.depth, deepest) <= deepest {
			return
		}
		r.cursor.skip(dataAlign)
	}
}

// bufferSize is how many bytes of records are in memory. It is more than any part of a record.
const bufferSize = 1 << 20

// A record. On disk, do not change.
const (
	recordSize = 16
	bitsAt     = 8

	recordMagic = 5
	magicShift  = 3
	magicMask   = 7
	typeMask    = 3
	moreBit     = 1 << 2
	depthShift  = 6
	depthMask   = 1<<depthBits - 1
	addrShift   = 16

	typeEntry = 0
	typeExit  = 1
	typeLost  = 2
	typeEvent = 3

	valueAlign = 4 // of each value
	dataAlign  = 8 // of all data
	lengthSize = 2 // of the length of a string or of an event's data
)

// record is a record without its data.
type record struct {
	time    uint64 // ns
	kind    int
	more    bool // data follows
	depth   int  // modulo 1,024
	address uint64
}

// parseRecord parses the first bytes of b, which has at least recordSize.
func parseRecord(b []byte) (r record, ok bool) {
	b = b[:recordSize]
	bits := binary.LittleEndian.Uint64(b[bitsAt:])
	return record{
		time:    binary.LittleEndian.Uint64(b),
		kind:    int(bits & typeMask),
		more:    bits&moreBit != 0,
		depth:   int(bits >> depthShift & depthMask),
		address: bits >> addrShift,
	}, bits>>magicShift&magicMask == recordMagic
}

// cursor reads a file of records through a buffer.
type cursor struct {
	from       io.Reader
	buf        []byte
	start, end int // of the bytes in buf that are not consumed
	atEnd      bool
	err        error // of reading, or of the context
	// filled is called after each read with the number of bytes.
	filled func(n int) error
}

func newCursor(buf []byte, from io.Reader, ctx context.Context, read func(n int)) *cursor {
	return &cursor{from: from, buf: buf, filled: func(n int) error {
		read(n)
		return context.Cause(ctx)
	}}
}

// rest returns the bytes in the buffer.
func (c *cursor) rest() []byte { return c.buf[c.start:c.end] }

// need reports whether n bytes, at most half of the buffer, are in the buffer, after reading more if
// necessary. If not, the file has ended or cannot be read.
func (c *cursor) need(n int) bool {
	if c.end-c.start >= n {
		return true
	}
	// What is left moves to the front; it is at most half of the buffer.
	c.end = copy(c.buf, c.rest())
	c.start = 0
	for c.end < n && !c.atEnd && c.err == nil {
		got, err := c.from.Read(c.buf[c.end:])
		c.end += got
		if err == io.EOF {
			c.atEnd = true
		} else if err != nil {
			c.err = err
		}
		if err := c.filled(got); err != nil {
			c.err = err
			return false
		}
	}
	return c.end >= n
}

// skip consumes n bytes that are in the buffer.
func (c *cursor) skip(n int) { c.start += n }

// drop consumes n bytes, and reports whether there were as many.
func (c *cursor) drop(n int) bool {
	for n > 0 {
		step := min(n, bufferSize/2)
		if !c.need(step) {
			c.skip(c.end - c.start)
			return false
		}
		c.skip(step)
		n -= step
	}
	return true
}

// align returns how many bytes fill n up to a multiple of to.
func align(n, to int) int { return (to - n%to) % to }
