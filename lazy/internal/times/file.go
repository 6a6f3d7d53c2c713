package times

import (
	"errors"
	"sync/atomic"
	"time"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Path returns the path of the times of the trace at path.
func Path(path string) string { return path + format.TimesSuffix }

// ErrUnfit: the file of times does not belong to this trace.
var ErrUnfit = errors.New("the times do not fit the trace")

const hint = "durations are not shown; nothing else is missing"

// File is a mapped file of times. Its cells may only be read while the mapping is
// in place. A nil *File is for a trace without times. Any goroutine may call its
// methods.
type File struct {
	m      *mapped.File
	anchor time.Time
	order  atomic.Int32 // an Order
	looked atomic.Int64 // how much data did not determine the order, in bytes
	unfit  atomic.Bool
}

// Order is whether the cells of blocks come before those of their objects or
// after them: see [File.Settle].
type Order int32

const (
	OrderUnknown Order = iota
	OrderStream        // before, as a streaming recorder writes them
	OrderDump          // after
)

// Open maps the file of times at path. If the file does not exist the error is
// [fs.ErrNotExist], if it is not a file of times an [*format.Error].
func Open(path string) (*File, error) {
	f, _, err := mapped.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := mapped.Map(f, path)
	if err != nil {
		return nil, err
	}
	s, err := New(m)
	if err != nil {
		return nil, errors.Join(err, m.Unmap())
	}
	return s, nil
}

// New checks the header of a mapped file of times. After an error the caller still
// owns m.
func New(m *mapped.File) (*File, error) {
	s := &File{m: m}
	err := mapped.Guard(func() error {
		var err error
		s.anchor, err = format.DecodeTimesHeader(m.Bytes()[:min(len(m.Bytes()), format.TimesHeaderSize)])
		return format.At(err, m.Path(), 0)
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
func (s *File) Anchor() time.Time { return s.anchor }

// Size returns the mapped size of the file in bytes.
func (s *File) Size() int64 { return int64(len(s.m.Bytes())) }

// Usable reports whether there are times, and none of them was found to be wrong.
func (s *File) Usable() bool { return s != nil && !s.unfit.Load() }

// Distrust makes the times unusable, and reports whether they were usable before.
func (s *File) Distrust() bool { return s.unfit.CompareAndSwap(false, true) }

// Trust gives times that did not fit another chance: it also resets their order.
func (s *File) Trust() {
	s.order.Store(int32(OrderUnknown))
	s.looked.Store(0)
	s.unfit.Store(false)
}

// OrderFrom copies the order from an earlier mapping of the same file.
func (s *File) OrderFrom(old *File) { s.order.Store(old.order.Load()) }
