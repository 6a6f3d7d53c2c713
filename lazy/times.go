package lazy

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
	"time"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Time says when something was, in nanoseconds.
type Time struct {
	Start    int64 // since the anchor of the trace's times
	Duration int64 // negative: not known
}

// noTime is the time of what has none.
var noTime = Time{Duration: format.NoDuration}

// End is when it was over.
func (t Time) End() int64 { return t.Start + t.Duration }

// timesPath returns where the times of the trace at path lie.
func timesPath(path string) string { return path + ".tim" }

// sidecar is the file of times beside a trace. It has a cell for each cell of
// the index that the recorder wrote, which is not always the index that is
// used. Each cell is checked when it is used; one that is of something else
// makes the file useless as a whole.
type sidecar struct {
	m      *mapped.File
	anchor time.Time
	order  atomic.Int32 // of its cells: one of those below
	unfit  atomic.Bool
}

// Whether cells of blocks stand before those of their objects or behind them is
// seen from the first cells that are used.
const (
	orderUnknown int32 = iota
	orderStream
	orderDump
)

// openTimes maps the sidecar, if there is one that can be used. What it says
// is only touched within use.
func (r *TraceReader) openTimes() {
	r.timesPath = timesPath(r.path)
	s, err := openSidecar(r.timesPath)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			r.note(func(st *Status) { st.TimesReason = err })
		}
		return
	}
	r.times.Store(s)
}

func openSidecar(path string) (*sidecar, error) {
	f, _, err := mapped.OpenRegular(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	m, err := mapped.Map(f, path)
	if err != nil {
		return nil, err
	}
	s, err := newSidecar(m)
	if err != nil {
		return nil, errors.Join(err, m.Unmap())
	}
	return s, nil
}

// newSidecar checks the header of a mapped file of times.
func newSidecar(m *mapped.File) (*sidecar, error) {
	s := &sidecar{m: m}
	err := mapped.Guard(func() error {
		var err error
		s.anchor, err = format.DecodeTimesHeader(m.Bytes()[:min(len(m.Bytes()), format.TimesHeaderSize)])
		return format.At(err, m.Path(), 0)
	}, m)
	return s, err
}

// mapped returns the sidecar's mapping, nil for none.
func (s *sidecar) mapped() *mapped.File {
	if s == nil {
		return nil
	}
	return s.m
}

// Times reports whether the trace has times that can be used, and at what wall
// clock they begin to count. Where there is a file of times that cannot be used,
// Status tells why.
func (r *TraceReader) Times() (anchor time.Time, ok bool) {
	r.life.RLock()
	defer r.life.RUnlock()
	if r.closed || !r.timed() {
		return time.Time{}, false
	}
	return r.times.Load().anchor, true
}

// TimesSize returns the size of the file of times in bytes; 0 for one that is not
// there or not used. That of a packed trace is what it unpacks to.
func (r *TraceReader) TimesSize() int64 {
	r.life.RLock()
	defer r.life.RUnlock()
	if r.closed || !r.timed() {
		return 0
	}
	return int64(len(r.times.Load().m.Bytes()))
}

// timed reports whether there are times that can be used.
func (r *TraceReader) timed() bool {
	s := r.times.Load()
	return s != nil && !s.unfit.Load()
}

// distrustTimes makes the trace one without times.
func (r *TraceReader) distrustTimes(s *sidecar, why error) {
	if s.unfit.CompareAndSwap(false, true) {
		r.note(func(st *Status) { st.TimesReason = why })
	}
}

// errTimesUnfit: the file of times is not of this trace.
var errTimesUnfit = errors.New("the times do not fit the trace")

const hintTimes = "durations are not shown; nothing else is missing"

// endPlace returns where the last cell of the index of a view stands.
func endPlace(v *view) int64 { return format.HeaderSize + v.cells*format.CellSize }

// checkTimes checks, of a recording that has ended, that the sidecar has a cell
// for each cell of the index, and the end. It must not be called within use.
func (r *TraceReader) checkTimes() {
	if v := r.known.Load(); !v.complete || !v.eof || !r.timed() {
		return
	}
	r.growTimes() // written while the data was read
	r.use(func() error {
		v, s := r.known.Load(), r.times.Load()
		place := endPlace(v)
		want, size := format.TimeCellOffset(place)+format.TimeCellSize, int64(len(s.m.Bytes()))
		if size != want {
			r.distrustTimes(s, &format.Error{File: s.m.Path(), Offset: -1, Err: errTimesUnfit,
				Expected: fmt.Sprintf("%d bytes for the %d cells of the index", want, v.cells+1), Found: fmt.Sprintf("%d", size), Hint: hintTimes})
			return nil
		}
		r.pick(eofID, place, place, whatEnd)
		return nil
	})
}

// trustTimes gives times that did not fit another chance.
func (r *TraceReader) trustTimes() {
	if s := r.times.Load(); s != nil {
		s.order.Store(orderUnknown)
		s.unfit.Store(false)
		r.note(func(st *Status) { st.TimesReason = nil })
	}
}
