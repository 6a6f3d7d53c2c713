package times

import (
	"errors"
	"sync/atomic"
	"time"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Path returns where the times of the trace at path lie.
func Path(path string) string { return path + format.TimesSuffix }

// ErrUnfit: the file of times does not belong to this trace.
var ErrUnfit = errors.New("the times do not fit the trace")

const hint = "durations are not shown; nothing else is missing"

// File is a mapped file of times. Its cells may only be read while the mapping is
// in its place. A nil *File is that of a trace without times. Methods may be called
// from any goroutine.
type File struct {
	m      *mapped.File
	anchor time.Time
	order  atomic.Int32 // an Order
	unfit  atomic.Bool
}

// Order says whether the cells of blocks come before those of their objects or
// after them. The first cells that are used tell.
type Order int32

const (
	OrderUnknown Order = iota
	OrderStream        // before, as a streaming recorder writes them
	OrderDump          // after
)

// Open maps the file of times at path. The error of a missing file is
// [fs.ErrNotExist], of another file an [*format.Error].
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

// New checks the header of a mapped file of times. After an error m is still the
// caller's.
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

// Mapped returns the mapping, nil for none.
func (s *File) Mapped() *mapped.File {
	if s == nil {
		return nil
	}
	return s.m
}

// Anchor returns the wall clock from which the times count.
func (s *File) Anchor() time.Time { return s.anchor }

// Size returns the size of the file in bytes, as it is mapped.
func (s *File) Size() int64 { return int64(len(s.m.Bytes())) }

// Usable reports whether there are times, and nothing in them was found to be
// wrong.
func (s *File) Usable() bool { return s != nil && !s.unfit.Load() }

// Distrust makes the times unusable, and reports whether they were usable before.
func (s *File) Distrust() bool { return s.unfit.CompareAndSwap(false, true) }

// Trust gives times that did not fit another chance: what is known of their order
// is forgotten.
func (s *File) Trust() {
	s.order.Store(int32(OrderUnknown))
	s.unfit.Store(false)
}

// OrderFrom takes over the order of the same file, as it was mapped before.
func (s *File) OrderFrom(old *File) { s.order.Store(old.order.Load()) }
