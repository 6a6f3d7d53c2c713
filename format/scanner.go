package format

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// MaxObject is the largest object, in bytes, that a Scanner accepts: far larger than any that
// recorders write. It bounds a Scanner's memory on hostile input.
const MaxObject = 64 << 20

// scanChunk is how many bytes a Scanner requests from its reader at a time.
const scanChunk = 256 << 10

// Object is one object of a data file, as a [Scanner] visits it.
type Object struct {
	Kind Kind
	// Class is the class of a TRACEPOINT, or of the container that a TRACEPOINT_FOOTER closes.
	Class Class
	// Thread is the thread of the block that contains the object.
	Thread int32
	// Offset is the physical offset of the kind byte.
	Offset int64
	// Logical is the offset of the kind byte in the stream of Thread. For a BLOCK_END it is the
	// number of content bytes of the thread so far.
	Logical int64
	// Depth is the number of open containers of Thread around the object; a header and its
	// footer have the same.
	Depth int
	// Bytes is the whole object with its kind byte. It is valid until the next call of Next and
	// must not be changed.
	Bytes []byte
}

// Scanner visits the objects of a data file once, front to back.
//
//	s := format.NewScanner(r)
//	for s.Next() {
//		o := s.Object()
//		…
//	}
//	if err := s.Err(); err != nil { … }
//
// A Scanner must be used by only one goroutine at a time.
type Scanner struct {
	r       io.Reader // nil if everything is in buf
	readErr error     // the error of r
	buf     []byte
	pos     int   // of the next object, in buf
	base    int64 // physical offset of buf[0]
	obj     Object
	err     error
	version Version // once started
	started bool
	ended   bool // the EOF object was seen

	streams map[int32]*stream
	cur     *stream // of the block that contains pos
	room    []Class // for the open containers of the next block; nil while it is used
	forgets bool
}

// stream is a Scanner's state for a thread.
type stream struct {
	size int64 // content bytes so far
	open []Class
}

// NewScanner returns a Scanner that reads from r.
func NewScanner(r io.Reader) *Scanner {
	return &Scanner{r: r, streams: make(map[int32]*stream)}
}

// NewBytesScanner returns a Scanner of data. It reads data in place: callers must not change it.
func NewBytesScanner(data []byte) *Scanner {
	return &Scanner{buf: data, readErr: io.EOF, streams: make(map[int32]*stream)}
}

// Next moves to the next object, including block borders and EOF, and reports whether there is
// one. It visits nothing after EOF.
func (s *Scanner) Next() bool {
	if s.err != nil || s.ended {
		return false
	}
	if !s.started {
		s.started = true
		if !s.header() {
			return false
		}
	}
	if s.cur != nil {
		s.leave()
	}
	n := s.size()
	if n == 0 {
		return false
	}
	b := s.buf[s.pos : s.pos+n]
	s.obj = Object{Kind: Kind(b[0]), Thread: s.obj.Thread, Offset: s.base + int64(s.pos), Bytes: b}
	if !s.enter(&s.obj) {
		return false
	}
	s.pos += n
	return true
}

// Object returns the current object. Its Bytes are valid until the next call of Next.
func (s *Scanner) Object() Object { return s.obj }

// Version returns the version in the file's header, or 0 before the first Next or if there was
// no valid header.
func (s *Scanner) Version() Version { return s.version }

// Err returns the error that ended the scan before the EOF object: an [*Error] with
// ErrTruncated or ErrCorrupt and the offset, or the error of the reader. All objects visited
// before are good.
func (s *Scanner) Err() error { return s.err }

// Offset returns the physical offset of the end of the last good object.
func (s *Scanner) Offset() int64 { return s.base + int64(s.pos) }

// header checks the 16 bytes at the beginning.
func (s *Scanner) header() bool {
	s.more(512)
	if s.readErr != nil && s.readErr != io.EOF {
		s.err = s.readErr
		return false
	}
	v, err := CheckDataHeader(s.buf[:min(len(s.buf), 512)])
	if err != nil {
		s.err = err
		return false
	}
	s.version = v
	s.pos = HeaderSize
	return true
}

// leave updates the thread's state for the object just visited.
func (s *Scanner) leave() {
	switch o := &s.obj; o.Kind {
	case KindBlockStart:
	case KindBlockEnd:
		s.leaveBlock()
	case KindTracePoint:
		if o.Class.Container() {
			s.cur.open = append(s.cur.open, o.Class)
		}
		s.cur.size += int64(len(o.Bytes))
	default:
		s.cur.size += int64(len(o.Bytes))
	}
}

// leaveBlock ends the current block. Most of many threads have nothing open then, and keep no room
// for it.
func (s *Scanner) leaveBlock() {
	if t := s.cur; len(t.open) == 0 {
		s.room, t.open = t.open, nil
		if s.forgets {
			delete(s.streams, s.obj.Thread)
		}
	}
	s.cur = nil
}

// size returns the size of the object at pos, with all its bytes in buf, or 0 if the scan is over.
func (s *Scanner) size() int {
	// A footer that closes nothing is only a kind byte; enter refuses it.
	open := ClassIteration
	if s.cur != nil && len(s.cur.open) > 0 {
		open = s.cur.open[len(s.cur.open)-1]
	}
	var n int
	if s.version >= V27 {
		n = fastSize27(s.buf[s.pos:], open)
	} else {
		n = fastSize22(s.buf[s.pos:], open)
	}
	if n > 0 {
		return n
	}
	for {
		c := skipper{reader{b: s.buf[s.pos:], v: s.version}}
		c.skipAny(open)
		have := len(s.buf) - s.pos
		switch {
		case max(int64(c.i), c.need) > MaxObject:
			s.err = &Error{Offset: s.Offset(), Err: ErrCorrupt,
				Expected: fmt.Sprintf("an object of at most %d bytes", MaxObject),
				Found:    fmt.Sprintf("a %v of more", Kind(s.buf[s.pos]))}
			return 0
		case c.err == nil:
			return c.i
		case c.err.Err != ErrTruncated:
			s.err = At(c.err, "", s.Offset())
			return 0
		}
		// A large object is tried again only after an eighth more has been read, so that trying
		// takes time in proportion to its size.
		if s.more(max(int(c.need), have+have/8)) {
			continue
		}
		if s.readErr != io.EOF {
			s.err = s.readErr
		} else {
			s.err = s.cutShort(c.err, have)
		}
		return 0
	}
}

// cutShort returns the error for an input that ends where err tells, with have bytes after the
// last whole object.
func (s *Scanner) cutShort(err *Error, have int) error {
	e := *err
	e.Offset += s.Offset()
	e.Hint = "the recorder was stopped before it finished the file, or is still writing it; everything before this offset is intact"
	if have == 0 {
		e.Found = "the end of the file"
		e.Expected = "another block or the end mark (EOF)"
		if s.cur != nil {
			e.Expected = fmt.Sprintf("the rest of a block of thread %d", s.obj.Thread)
		}
	}
	return &e
}

// more reads until buf has want bytes from pos on. It drops the bytes before pos, and reports
// whether it has read anything. Its buffer grows with the bytes read, not with want.
func (s *Scanner) more(want int) bool {
	if s.r == nil || s.readErr != nil {
		return false
	}
	if s.pos > 0 {
		n := copy(s.buf, s.buf[s.pos:])
		s.buf = s.buf[:n]
		s.base += int64(s.pos)
		s.pos = 0
	}
	before := len(s.buf)
	for tries := 0; len(s.buf) < want; {
		if cap(s.buf)-len(s.buf) < scanChunk/2 {
			grown := make([]byte, len(s.buf), max(scanChunk, 2*cap(s.buf)))
			copy(grown, s.buf)
			s.buf = grown
		}
		n, err := s.r.Read(s.buf[len(s.buf):cap(s.buf)])
		s.buf = s.buf[:len(s.buf)+n]
		if tries++; n > 0 {
			tries = 0
		}
		if err == nil && tries == 100 {
			err = io.ErrNoProgress
		}
		if err != nil {
			s.readErr = err
			break
		}
	}
	return len(s.buf) > before
}

// enter fills in the position of o, and refuses objects that are not allowed there.
func (s *Scanner) enter(o *Object) bool {
	switch o.Kind {
	case KindEOF, KindBlockStart:
		if s.cur != nil {
			return s.misplaced(o, "the end of the block")
		}
		if o.Kind == KindEOF {
			s.ended = true
			return true
		}
		o.Thread = int32(binary.BigEndian.Uint32(o.Bytes[1:]))
		s.cur = s.streams[o.Thread]
		if s.cur == nil {
			s.cur = new(stream)
			s.streams[o.Thread] = s.cur
		}
		if s.cur.open == nil {
			s.cur.open, s.room = s.room, nil
		}
	default:
		if s.cur == nil {
			return s.misplaced(o, "a block or the end of the file")
		}
	}
	open := s.cur.open
	switch o.Kind {
	case KindTracePoint:
		// A live breakpoint may name another thread: that of the block counts.
		o.Class, _ = s.version.PointClass(o.Bytes[1])
		if t := ThreadOf(o.Bytes); t != o.Thread && o.Class != ClassSnapshot {
			s.err = &Error{Offset: o.Offset, Err: ErrCorrupt,
				Expected: fmt.Sprintf("a trace point of thread %d, whose block this is", o.Thread),
				Found:    fmt.Sprintf("one of thread %d", t)}
			return false
		}
	case KindFooter:
		if len(open) == 0 {
			return s.misplaced(o, "an object of the top level")
		}
		o.Class = open[len(open)-1]
		s.cur.open = open[:len(open)-1]
	}
	o.Logical = s.cur.size
	o.Depth = len(s.cur.open)
	return true
}

func (s *Scanner) misplaced(o *Object, expected string) bool {
	s.err = &Error{Offset: o.Offset, Err: ErrCorrupt, Expected: expected, Found: o.Kind.String()}
	return false
}

// Forget makes the scanner forget a thread at the end of a block that leaves nothing open: a million
// threads then take no memory. For the next block of the thread, Logical begins at 0 again unless
// Resume is called, and Threads does not have it. It must be called before Next.
func (s *Scanner) Forget() { s.forgets = true }

// Resume makes Logical begin at the number of content bytes that the current thread had before. It
// must be called while a BLOCK_START is the current object.
func (s *Scanner) Resume(logical int64) { s.cur.size = logical }

// Open returns the classes of the open containers of a thread, outermost first. After the scan
// they are those that were open when the recording ended.
func (s *Scanner) Open(thread int32) []Class {
	if st := s.streams[thread]; st != nil {
		return st.open
	}
	return nil
}

// Threads returns the ids of the threads seen so far, in no order.
func (s *Scanner) Threads() []int32 {
	ids := make([]int32, 0, len(s.streams))
	for id := range s.streams {
		ids = append(ids, id)
	}
	return ids
}

// Extend replaces the input of a Scanner from [NewBytesScanner] by data: the same file, which
// has grown. A scan that ended at the end of its input continues, at the object that was cut
// short; any other error stays. data may be at another address than before. It may also be
// shorter, but must include everything visited.
func (s *Scanner) Extend(data []byte) {
	if s.err != nil {
		if !errors.Is(s.err, ErrTruncated) {
			return
		}
		s.err = nil
		// The scanner has left the last object already, before the next one turned out to be
		// cut short. Leaving a block's start does nothing.
		s.obj = Object{Kind: KindBlockStart, Thread: s.obj.Thread}
		s.started = s.started && s.pos > 0
	}
	s.buf = data
}
