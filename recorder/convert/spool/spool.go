// Package spool sorts records by time, with a limited amount of memory and a
// temporary file for the rest.
//
// An input adds each record to the [Stream] of its track as it arrives, roughly in
// order of time. Later the streams are read one after the other, each in order of
// time; several can be merged. The contents of a record are up to the caller.
//
// The records of a stream are gathered in batches. When the batches of all streams
// take more than the limit, they are written to a temporary file, those of each
// stream as one extent, and their memory is reused.
//
//	batch     size u32, first time i64, last time i64, records
//	record    size uvarint, time - last time varint, body
//	extent    consecutive batches of one stream
//
// A batch is in order of time: one that received a late record is sorted before it
// is written or read. Numbers of fixed size are little-endian. The file never
// outlives the process.
package spool

import (
	"bufio"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
)

// Spool holds streams of records, in memory up to a limit and in a temporary file
// beyond it. It must be used by one goroutine at a time.
type Spool struct {
	dir     string // "" for the system's directory for temporary files
	limit   int64  // maximum bytes of batches held by streams
	held    int64
	kept    int64 // bytes of free batches
	free    [len(batchSizes)][][]byte
	streams []*Stream
	sorter  sorter

	file *os.File // nil until something is written
	name string   // to be removed at the end; "" if it has no name
	size int64    // of the file, including out
	out  []byte   // to be written

	reader *bufio.Reader // for a single stream; nil until needed
}

// batchSizes are the sizes in bytes of a stream's first and second batch, and of all
// later ones: in a trace with very many streams, most are short. If all streams could not have
// such a batch in memory, later ones are smaller.
var batchSizes = [...]int{1 << 8, 1 << 12, 1 << 16}

const (
	batchHead = 4 + 8 + 8
	// spoolOut is how many bytes of batches are written at once.
	spoolOut = 1 << 20
)

// Stream is a sequence of records that is read in order of time.
type Stream struct {
	batches [][]byte // in memory, oldest first; the last is being filled
	extents []byte   // for each: its offset from the end of the previous one uvarint, size uvarint
	end     int64    // of the last extent
	class   int      // index of the next batch's size
	last    int64    // time of the last record
	begun   bool     // it has a record
	sorted  bool     // the batch being filled is in order of time
	ordered bool     // the batches follow each other in time
	at      int      // in Spool.streams; -1 if it is not there
}

// New returns a spool that keeps up to limit bytes in memory and the rest in a
// temporary file in dir; "" means the system's directory for temporary files. The
// caller must close it.
func New(dir string, limit int64) *Spool { return &Spool{dir: dir, limit: limit} }

// Empty reports whether the stream has no records.
func (t *Stream) Empty() bool { return !t.begun }

// Stream returns a new stream.
func (s *Spool) Stream() *Stream {
	t := &Stream{ordered: true, at: len(s.streams)}
	s.streams = append(s.streams, t)
	return t
}

// drop takes a stream from those that are written to the file.
func (s *Spool) drop(t *Stream) {
	if t.at < 0 {
		return
	}
	last := len(s.streams) - 1
	s.streams[t.at] = s.streams[last]
	s.streams[t.at].at = t.at
	s.streams[last] = nil
	s.streams = s.streams[:last]
	t.at = -1
}

// Detach freezes a stream so that it can be read while others grow. No more records
// may be added to it.
func (s *Spool) Detach(t *Stream) error {
	if s.held > s.limit/2 { // otherwise its batches take the room of others
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.seal(t)
	s.drop(t)
	return nil
}

// Add appends a record to a stream. It copies body. It fails if the temporary file
// cannot be written.
func (s *Spool) Add(t *Stream, time int64, body []byte) error {
	need := len(body) + 2*binary.MaxVarintLen64
	batch := t.batch()
	if batch == nil || len(batch)+need > cap(batch) {
		if err := s.turn(t, need); err != nil {
			return err
		}
		batch = t.batch()
	}
	if len(batch) == batchHead {
		binary.LittleEndian.PutUint64(batch[4:], uint64(time))
		if t.begun && time < t.last {
			t.ordered = false
		}
		t.begun, t.sorted, t.last = true, true, time
	} else if time < t.last {
		t.sorted = false
	}
	t.batches[len(t.batches)-1] = appendRecord(batch, time-t.last, body)
	t.last = time
	return nil
}

// batch returns the batch that is being filled, or nil.
func (t *Stream) batch() []byte {
	if len(t.batches) == 0 {
		return nil
	}
	return t.batches[len(t.batches)-1]
}

// turn ends the stream's batch and begins one with room for need bytes.
func (s *Spool) turn(t *Stream, need int) error {
	s.seal(t)
	if s.held >= s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	// With very many streams large batches would be written nearly empty.
	class := t.class
	for class > 0 && int64(len(s.streams))*int64(batchSizes[class]) > s.limit {
		class--
	}
	batch := s.newBatch(class, need+batchHead)
	t.class = min(t.class+1, len(batchSizes)-1)
	t.batches = append(t.batches, batch)
	return nil
}

func (s *Spool) newBatch(class, need int) []byte {
	size := batchSizes[class]
	if free := s.free[class]; need <= size && len(free) > 0 {
		s.free[class] = free[:len(free)-1]
		s.kept -= int64(size)
		s.held += int64(size)
		return free[len(free)-1][:batchHead]
	}
	size = max(size, need)
	s.held += int64(size)
	// Batches of other sizes are freed first.
	for c := range s.free {
		for s.held+s.kept > s.limit && len(s.free[c]) > 0 {
			s.free[c] = s.free[c][:len(s.free[c])-1]
			s.kept -= int64(batchSizes[c])
		}
	}
	return make([]byte, batchHead, size)
}

// seal ends the batch that is being filled: it sorts it and sets its head.
func (s *Spool) seal(t *Stream) {
	batch := t.batch()
	if len(batch) <= batchHead || batchSize(batch) != 0 {
		return
	}
	if !t.sorted {
		// The reader determines whether the batches still follow each other.
		batch = s.sorter.sort(batch)
		t.batches[len(t.batches)-1] = batch
		t.last, t.ordered = s.sorter.last, false
	}
	binary.LittleEndian.PutUint32(batch, uint32(len(batch)-batchHead))
	binary.LittleEndian.PutUint64(batch[12:], uint64(t.last))
}

// sorter sorts the records of one batch by time; records with the same time keep
// their order.
type sorter struct {
	entries []sortEntry
	scratch []byte
	last    int64 // time of the last record of the sorted batch
}

type sortEntry struct {
	time     int64
	from, to int // the body in the batch
}

// sort sorts a batch, in place unless it becomes too large.
func (s *sorter) sort(batch []byte) []byte {
	s.entries = s.entries[:0]
	time := batchFirst(batch)
	for at := batchHead; at < len(batch); {
		size, delta, n := recordHead(batch[at:])
		at += n
		time += delta
		s.entries = append(s.entries, sortEntry{time, at, at + size})
		at += size
	}
	slices.SortStableFunc(s.entries, func(a, b sortEntry) int { return cmp.Compare(a.time, b.time) })
	time = s.entries[0].time
	s.scratch = append(s.scratch[:0], batch[:batchHead]...)
	setFirst(s.scratch, time)
	for _, e := range s.entries {
		s.scratch = appendRecord(s.scratch, e.time-time, batch[e.from:e.to])
		time = e.time
	}
	s.last = time
	if len(s.scratch) > cap(batch) {
		return slices.Clone(s.scratch)
	}
	return append(batch[:0], s.scratch...)
}

func batchSize(batch []byte) int     { return int(binary.LittleEndian.Uint32(batch)) }
func batchFirst(batch []byte) int64  { return int64(binary.LittleEndian.Uint64(batch[4:])) }
func batchLast(batch []byte) int64   { return int64(binary.LittleEndian.Uint64(batch[12:])) }
func setFirst(batch []byte, t int64) { binary.LittleEndian.PutUint64(batch[4:], uint64(t)) }

func appendRecord(batch []byte, delta int64, body []byte) []byte {
	batch = binary.AppendUvarint(batch, uint64(len(body)))
	batch = binary.AppendVarint(batch, delta)
	return append(batch, body...)
}

// recordHead decodes the head of the record at the start of b, and returns its
// length n. The spool wrote it, so it is valid.
func recordHead(b []byte) (size int, delta int64, n int) {
	// Both are one byte each in most records.
	if len(b) > 1 && b[0]|b[1] < 0x80 {
		return int(b[0]), int64(b[1]>>1) ^ -int64(b[1]&1), 2
	}
	u, n := binary.Uvarint(b)
	delta, m := binary.Varint(b[n:])
	return int(u), delta, n + m
}

// spill writes the batches of all streams to the file.
func (s *Spool) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, ".tracex-*.tmp")
		if err != nil {
			return s.failed(err)
		}
		s.file = f
		if os.Remove(f.Name()) != nil {
			s.name = f.Name() // on systems where open files cannot be removed
		}
	}
	for _, t := range s.streams {
		s.seal(t)
		from := s.size
		for i, batch := range t.batches {
			s.out = append(s.out, batch...)
			s.size += int64(len(batch))
			s.recycle(batch)
			t.batches[i] = nil
			if len(s.out) >= spoolOut {
				if err := s.writeOut(); err != nil {
					return err
				}
			}
		}
		t.batches = t.batches[:0]
		if s.size > from {
			t.extents = binary.AppendUvarint(t.extents, uint64(from-t.end))
			t.extents = binary.AppendUvarint(t.extents, uint64(s.size-from))
			t.end = s.size
		}
	}
	return s.writeOut()
}

func (s *Spool) writeOut() error {
	_, err := s.file.WriteAt(s.out, s.size-int64(len(s.out)))
	if err != nil {
		return s.failed(err)
	}
	s.out = s.out[:0]
	return nil
}

// failed adds the directory of the temporary file to an error: the file's name means
// nothing to a user.
func (s *Spool) failed(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("temporary file in %s: %w", cmp.Or(s.dir, os.TempDir()), err)
}

// recycle keeps a batch for reuse, unless it has an unusual size.
func (s *Spool) recycle(batch []byte) {
	s.held -= int64(cap(batch))
	for class, size := range batchSizes {
		if cap(batch) == size {
			clear(batch[:4])
			s.free[class] = append(s.free[class], batch[:0])
			s.kept += int64(size)
		}
	}
}

// Close removes the temporary file. Streams cannot be read afterwards.
func (s *Spool) Close() {
	if s.file != nil {
		// The contents are no longer needed.
		_ = s.file.Close()
		if s.name != "" {
			_ = os.Remove(s.name)
		}
		s.file = nil
	}
}
