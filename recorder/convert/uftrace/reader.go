package uftrace

import "tracex/recorder/convert/fit"

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
