package perfetto

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

// spool keeps what was read of the tracks until the tracks are written, one
// after the other. Records of a stream are gathered in pages; when the pages of
// all streams take more than the limit, they are written to a temporary file,
// each stream's as one extent, and used again.
//
//	page      size u32, first time i64, last time i64, records
//	record    size uvarint, time - last time varint, body
//	extent    pages of one stream, one behind the other
//
// A page is in order of time: one in which a record came too late is sorted
// before it is written or read. Numbers of fixed size are little-endian; the
// file never outlives the process.
type spool struct {
	dir     string // "": the system's folder for temporary files
	limit   int64  // bytes of pages that streams may hold
	held    int64
	kept    int64 // bytes of free pages
	free    [len(pageSizes)][][]byte
	streams []*stream
	sorter  sorter

	file *os.File // nil: nothing is written yet
	name string   // to be removed at the end; "": it has no name any more
	size int64    // of the file with out
	out  []byte   // to be written

	reader *bufio.Reader // of a stream that is read alone; nil: none was
}

// pageSizes are the sizes of a stream's first, second and third page, and of all
// that follow: most streams of a trace with very many are short.
var pageSizes = [...]int{1 << 8, 1 << 12, 1 << 16}

const (
	pageHead = 4 + 8 + 8
	// spoolOut is how many bytes of pages are written at a time.
	spoolOut = 1 << 20
)

// stream is the records of one track.
type stream struct {
	pages   [][]byte // in memory, oldest first; the last is being filled
	extents []byte   // each: offset - end of the one before uvarint, size uvarint
	end     int64    // of the last extent
	class   int      // of the next page's size
	last    int64    // time of the last record
	begun   bool     // there is a record
	sorted  bool     // so is the page that is being filled
	ordered bool     // the pages follow each other in time
}

func newSpool(dir string, limit int64) *spool { return &spool{dir: dir, limit: limit} }

// stream begins a stream.
func (s *spool) stream() *stream {
	t := &stream{ordered: true}
	s.streams = append(s.streams, t)
	return t
}

// detach leaves a stream where it is while others are added to: so it can be read
// meanwhile. It is not added to any more.
func (s *spool) detach(t *stream) error {
	if s.held > s.limit/2 { // its pages would take the room of others
		if err := s.spill(); err != nil {
			return err
		}
	}
	s.seal(t)
	s.streams = slices.DeleteFunc(s.streams, func(o *stream) bool { return o == t })
	return nil
}

// add appends a record to a stream.
func (s *spool) add(t *stream, time int64, body []byte) error {
	need := len(body) + 2*binary.MaxVarintLen64
	page := t.page()
	if page == nil || len(page)+need > cap(page) {
		if err := s.turn(t, need); err != nil {
			return err
		}
		page = t.page()
	}
	if len(page) == pageHead {
		binary.LittleEndian.PutUint64(page[4:], uint64(time))
		if t.begun && time < t.last {
			t.ordered = false
		}
		t.begun, t.sorted, t.last = true, true, time
	} else if time < t.last {
		t.sorted = false
	}
	t.pages[len(t.pages)-1] = appendRecord(page, time-t.last, body)
	t.last = time
	return nil
}

func appendRecord(page []byte, delta int64, body []byte) []byte {
	page = binary.AppendUvarint(page, uint64(len(body)))
	page = binary.AppendVarint(page, delta)
	return append(page, body...)
}

// page returns the page that is being filled, or nil.
func (t *stream) page() []byte {
	if len(t.pages) == 0 {
		return nil
	}
	return t.pages[len(t.pages)-1]
}

// turn ends the stream's page and begins one with room for need bytes.
func (s *spool) turn(t *stream, need int) error {
	s.seal(t)
	if s.held >= s.limit {
		if err := s.spill(); err != nil {
			return err
		}
	}
	page := s.newPage(t.class, need+pageHead)
	t.class = min(t.class+1, len(pageSizes)-1)
	t.pages = append(t.pages, page)
	return nil
}

func (s *spool) newPage(class, need int) []byte {
	size := pageSizes[class]
	if free := s.free[class]; need <= size && len(free) > 0 {
		s.free[class] = free[:len(free)-1]
		s.kept -= int64(size)
		s.held += int64(size)
		return free[len(free)-1][:pageHead]
	}
	size = max(size, need)
	s.held += int64(size)
	// Free pages of other sizes give way.
	for c := range s.free {
		for s.held+s.kept > s.limit && len(s.free[c]) > 0 {
			s.free[c] = s.free[c][:len(s.free[c])-1]
			s.kept -= int64(pageSizes[c])
		}
	}
	return make([]byte, pageHead, size)
}

// seal ends the page that is being filled: sorts it and sets its head.
func (s *spool) seal(t *stream) {
	page := t.page()
	if len(page) <= pageHead || pageSize(page) != 0 {
		return
	}
	if !t.sorted {
		// Whether the pages still follow each other is found out by who reads.
		page = s.sorter.sort(page)
		t.pages[len(t.pages)-1] = page
		t.last, t.ordered = s.sorter.last, false
	}
	binary.LittleEndian.PutUint32(page, uint32(len(page)-pageHead))
	binary.LittleEndian.PutUint64(page[12:], uint64(t.last))
}

func pageSize(page []byte) int      { return int(binary.LittleEndian.Uint32(page)) }
func pageFirst(page []byte) int64   { return int64(binary.LittleEndian.Uint64(page[4:])) }
func pageLast(page []byte) int64    { return int64(binary.LittleEndian.Uint64(page[12:])) }
func setFirst(page []byte, t int64) { binary.LittleEndian.PutUint64(page[4:], uint64(t)) }

// spill writes the pages of all streams to the file.
func (s *spool) spill() error {
	if s.file == nil {
		f, err := os.CreateTemp(s.dir, ".tracex-*.tmp")
		if err != nil {
			return s.failed(err)
		}
		s.file = f
		if os.Remove(f.Name()) != nil {
			s.name = f.Name() // where open files cannot be removed
		}
	}
	for _, t := range s.streams {
		s.seal(t)
		from := s.size
		for i, page := range t.pages {
			s.out = append(s.out, page...)
			s.size += int64(len(page))
			s.recycle(page)
			t.pages[i] = nil
			if len(s.out) >= spoolOut {
				if err := s.writeOut(); err != nil {
					return err
				}
			}
		}
		t.pages = t.pages[:0]
		if s.size > from {
			t.extents = binary.AppendUvarint(t.extents, uint64(from-t.end))
			t.extents = binary.AppendUvarint(t.extents, uint64(s.size-from))
			t.end = s.size
		}
	}
	return s.writeOut()
}

func (s *spool) writeOut() error {
	_, err := s.file.WriteAt(s.out, s.size-int64(len(s.out)))
	if err != nil {
		return s.failed(err)
	}
	s.out = s.out[:0]
	return nil
}

// failed says which folder the temporary file is in, whose name nobody knows.
func (s *spool) failed(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("temporary file in %s: %w", cmp.Or(s.dir, os.TempDir()), err)
}

// recycle keeps a page for another use, unless it has a size of its own.
func (s *spool) recycle(page []byte) {
	s.held -= int64(cap(page))
	for class, size := range pageSizes {
		if cap(page) == size {
			clear(page[:4])
			s.free[class] = append(s.free[class], page[:0])
			s.kept += int64(size)
		}
	}
}

// close removes the file.
func (s *spool) close() {
	if s.file != nil {
		// What was in it is not wanted any more.
		_ = s.file.Close()
		if s.name != "" {
			_ = os.Remove(s.name)
		}
		s.file = nil
	}
}
