package trace

import (
	"errors"
	"os"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/times"
)

// Time is the begin and the duration of something, in nanoseconds since the anchor
// of the trace, see Times of package walk. Its fields and its method are:
//
//	Start    int64 // since the anchor
//	Duration int64 // negative if not known
//	func (t Time) End() int64
type Time = times.Time

// NoTime is the Time of something without a time.
var NoTime = times.None

// openTimes maps the file of times, if there is one that can be used. Its contents
// may only be touched within use.
func (r *Trace) openTimes() {
	r.TimesPath = times.Path(r.Path)
	s, err := times.Open(r.TimesPath, nil)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			r.Note(func(st *Status) { st.TimesReason = err })
		}
		return
	}
	r.TimesFile.Store(s)
}

// Timed reports whether there are usable times.
func (r *Trace) Timed() bool {
	return r.TimesFile.Load().Usable()
}

// distrustTimes stops using the times of the trace.
func (r *Trace) distrustTimes(s *times.File, why error) {
	if s.Distrust() {
		r.Note(func(st *Status) { st.TimesReason = why })
	}
}

// EndCellAt returns the offset of the last cell in the index of a view.
func EndCellAt(v *index.View) int64 { return format.HeaderSize + v.Cells*format.CellSize }

// checkTimes checks that the file of times is that of this recording, before anything is told of them:
// that it has a cell for each cell of the index, including the end cell, if the recording has ended, and
// that samples of its cells belong to their calls. It must not be called within use.
func (r *Trace) checkTimes() {
	v, s := r.Known.Load(), r.TimesFile.Load()
	if !v.Complete || s == nil || s.Unfit() {
		return
	}
	if v.EOF {
		r.GrowTimes() // written while the data was read
	}
	r.Use(func() error {
		v, s := r.Known.Load(), r.TimesFile.Load()
		if v.EOF {
			if err := s.CheckEnd(EndCellAt(v)); err != nil {
				r.distrustTimes(s, err)
			}
		}
		sampleTimes(r, v)
		return nil
	})
}

// So many runs of so many calls are looked at by sampleTimes: all, if there are not more. Without an index each
// run is read from the data: then they are fewer.
const (
	timesSamples = 64
	timesSample  = 256
	timesScanned = 8
)

// sampleTimes looks at the times of calls that are spread evenly over the threads of a view, and distrusts all
// if one belongs to another call: two runs of a program may have as many cells, but rarely in the same order.
// It must be called within use.
func sampleTimes(r *Trace, v *index.View) {
	total := int64(0)
	for _, s := range v.Streams.All() {
		total += s.Cells.Len()
	}
	every := max(total/timesSamples, timesSample)
	if v.Index == nil && every > timesSample {
		every = total / timesScanned
	}
	before := int64(0) // calls in the threads before
	for _, s := range v.Streams.All() {
		n := s.Cells.Len()
		for ord := int64(0); ord < n; ord++ {
			if in := (before + ord) % every; in >= timesSample {
				ord += every - in - 1
				continue
			}
			c, cellAt := s.Cells.WithOffset(ord)
			if r.Pick(c.ID, cellAt, cellAt-format.CellSize, times.Event); !r.Timed() {
				return
			}
		}
		before += n
	}
}

// GrowTimes maps the file of times again if its size has changed, or for the first time
// if it exists now. Call it where the data has changed, but not within use.
func (r *Trace) GrowTimes() {
	path, old := r.TimesPath, r.TimesFile.Load()
	if path == "" {
		return // unpacked, and complete
	}
	if old != nil {
		st, err := os.Stat(path)
		if old.Unfit() || err != nil || st.Size() == old.Size() {
			return
		}
	}
	s, err := times.Open(path, old)
	switch {
	case err == nil:
	case old != nil:
		r.distrustTimes(old, err)
		return
	case errors.Is(err, os.ErrNotExist):
		return
	default:
		r.Note(func(st *Status) { st.TimesReason = err }) // the recorder may still write its header
		return
	}
	err = r.change(func() error {
		r.TimesFile.Store(s)
		return old.Mapped().Unmap()
	})
	if errors.Is(err, ErrClosed) {
		s.Mapped().Unmap()
		return
	}
	r.Note(func(st *Status) { st.TimesReason = nil })
}

// trustTimes gives times that did not match another chance.
func (r *Trace) trustTimes() {
	if s := r.TimesFile.Load(); s != nil {
		s.Trust()
		r.Note(func(st *Status) { st.TimesReason = nil })
	}
}

// Pick is [times.File.Pick] of the reader's times, which it distrusts if the cell
// is wrong. It must be called within use.
func (r *Trace) Pick(id int32, near, far int64, what times.Kind) (c format.TimeCell, ok bool) {
	s := r.TimesFile.Load()
	if !s.Usable() {
		return c, false
	}
	s.Settle(r.Data)
	c, ok, err := s.Pick(id, near, far, what)
	if err != nil {
		r.distrustTimes(s, err)
	}
	return c, ok
}
