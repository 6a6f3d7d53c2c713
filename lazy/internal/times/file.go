package times

import (
	"errors"
	"math/bits"
	"sync/atomic"
	"time"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Path returns the path of the times of the trace at path.
func Path(path string) string { return path + format.TimesSuffix }

// ErrUnfit: the file of times does not belong to this trace.
var ErrUnfit = errors.New("the times do not fit the trace")

const hint = "move it away if it is of another recording: answers count events without it"

// File is a mapped file of times. Its cells may only be read while the mapping is
// in place. A nil *File is for a trace without times. Any goroutine may call its
// methods.
type File struct {
	m      *mapped.File
	of     format.Times
	shift  int // 1<<shift cells are about a page
	pages  [pages]atomic.Pointer[format.TimesPage]
	order  atomic.Int32 // an Order
	looked atomic.Int64 // how much data did not determine the order, in bytes
	unfit  atomic.Bool
	none   bool // it has cells of objects, but no time
}

// pages is how many pages are kept decoded: some more than are walked at the same time.
const pages = 1024

// Order is whether the cells of blocks come before those of their objects or
// after them: see [File.Settle].
type Order int32

const (
	OrderUnknown Order = iota
	OrderStream        // before, as a streaming recorder writes them
	OrderDump          // after
)

// Open maps the file of times at path. before, if not nil, is an earlier mapping of the same file. If the
// file does not exist the error is [fs.ErrNotExist], if it is not a file of times an [*format.Error].
func Open(path string, before *File) (*File, error) {
	f, _, err := mapped.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := mapped.Map(f, path)
	if err != nil {
		return nil, err
	}
	s, err := open(m, before)
	if err != nil {
		return nil, errors.Join(err, m.Unmap())
	}
	return s, nil
}

// New checks the header of a mapped file of times. After an error the caller still
// owns m.
func New(m *mapped.File) (*File, error) { return open(m, nil) }

func open(m *mapped.File, before *File) (*File, error) {
	s := &File{m: m}
	err := mapped.Guard(func() (err error) {
		if s.of, err = format.ReadTimes(m.Bytes()); err != nil {
			return format.At(err, m.Path(), 0)
		}
		s.shift = max(0, bits.Len64(uint64(s.of.Cells()/max(1, s.of.Pages())))-1)
		from := int64(0)
		if before != nil {
			s.order.Store(before.order.Load())
			if n := before.of.Cells(); before.none && n <= s.of.Cells() {
				from = n
			}
		}
		s.none = from > 0
		var p *format.TimesPage
		for from < s.of.Cells() {
			if p, err = s.of.Page(from, p); err != nil {
				return format.At(err, m.Path(), 0)
			}
			for _, c := range p.Cells[from-p.First:] {
				if c.IsEnd() {
					return nil
				}
				if s.none = !c.Known(); !s.none {
					return nil
				}
			}
			from = p.First + int64(len(p.Cells))
		}
		return nil
	}, m)
	if err != nil {
		return nil, err
	}
	return s, nil
}

// Mapped returns the mapping, nil if none.
func (s *File) Mapped() *mapped.File {
	if s == nil {
		return nil
	}
	return s.m
}

// Anchor returns the wall clock time from which the times count.
func (s *File) Anchor() time.Time { return s.of.Anchor }

// Size returns the mapped size of the file in bytes.
func (s *File) Size() int64 { return int64(len(s.m.Bytes())) }

// Usable reports whether there are times, and none of them was found to be wrong.
func (s *File) Usable() bool { return s != nil && !s.none && !s.unfit.Load() }

// Unfit reports whether one of the times was found to be wrong.
func (s *File) Unfit() bool { return s.unfit.Load() }

// Distrust makes the times unusable, and reports whether they were usable before.
func (s *File) Distrust() bool { return s.unfit.CompareAndSwap(false, true) }

// Trust gives times that did not fit another chance: it also resets their order.
func (s *File) Trust() {
	s.order.Store(int32(OrderUnknown))
	s.looked.Store(0)
	s.unfit.Store(false)
}
