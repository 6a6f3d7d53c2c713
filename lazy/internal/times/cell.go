// Package times reads the file of times beside a trace: when each call
// began, and how long it took. See [format.TimesVersion] for its bytes.
//
// Such a file has a cell for each cell of the index that the recorder wrote, in
// the order of that index: the position of a container's cell in that index leads to
// its time. The index in use may be a different one. Each cell is checked when it
// is used; one that belongs to another object makes the whole file useless.
package times

import (
	"fmt"
	"math"
	"sync/atomic"

	"tracex/format"
	"tracex/lazy/internal/mapped"
)

// Kind is the kind of object that a cell belongs to, as named in messages.
type Kind string

const (
	Event Kind = "event"
	Block Kind = "a block of thread"
	End   Kind = "the end of the recording,"
)

// EndID is the ID of the last cell of an index and of a file of times.
const EndID = -1

// mismatch returns the error that a cell is not the expected one.
func (s *File) mismatch(cellAt int64, expected string, c format.TimeCell) error {
	return &format.Error{File: s.m.Path(), Offset: -1, Err: ErrUnfit, Expected: expected,
		Found: fmt.Sprintf("the time of %d in cell %d", c.ID, ordinal(cellAt)), Hint: hint}
}

// ordinal returns how many cells are before the one at an offset in an index.
func ordinal(cellAt int64) int64 { return (cellAt - format.HeaderSize) / format.CellSize }

// cell returns the cell that corresponds to the index cell at an offset, for an index of
// the same order. ok is false if the file ends before it. A file that has shrunk is
// an error, and so is one whose pages contradict each other.
func (s *File) cell(cellAt int64) (c format.TimeCell, ok bool, err error) {
	if cellAt < format.HeaderSize || s.EndsBefore(cellAt) {
		return c, false, nil
	}
	n := ordinal(cellAt)
	slot := s.slot(n)
	p := slot.Load()
	if !p.Has(n) {
		if p, err = s.page(n, p); err != nil {
			return c, false, err
		}
		slot.Store(p)
	}
	return p.Cells[n-p.First], true, nil
}

// slot returns where the page of a cell is kept.
func (s *File) slot(n int64) *atomic.Pointer[format.TimesPage] { return &s.pages[n>>s.shift%pages] }

// page returns the page with a cell. It is often that of a cell shortly before, or follows it, or follows
// near, which may be nil.
func (s *File) page(n int64, near *format.TimesPage) (p *format.TimesPage, err error) {
	before := s.slot(max(0, n-1<<s.shift)).Load()
	if before.Has(n) {
		return before, nil
	}
	if near == nil || near.First > n {
		near = before
	}
	err = mapped.Guard(func() (err error) {
		p, err = s.of.Page(n, near)
		return format.At(err, s.m.Path(), 0)
	}, s.m)
	return p, err
}

// EndsBefore reports whether the file ends before the cell that corresponds to an offset:
// an offset in the index of a streaming recorder, in bytes.
func (s *File) EndsBefore(cellAt int64) bool { return ordinal(cellAt) >= s.of.Cells() }

// CheckEnd checks how many cells there are of a recording that has ended: cellAt is the offset
// of the last cell of its index. The error is an [ErrUnfit].
func (s *File) CheckEnd(cellAt int64) error {
	want := ordinal(cellAt) + 1
	if n := s.of.Cells(); n != want || s.of.Rest() {
		found := fmt.Sprintf("those of %d", n)
		if n == want {
			found = "more"
		}
		return &format.Error{File: s.m.Path(), Offset: -1, Err: ErrUnfit,
			Expected: fmt.Sprintf("times of the %d cells of the index", want), Found: found, Hint: hint}
	}
	_, _, err := s.Pick(EndID, cellAt, cellAt, End)
	return err
}

// Pick returns the cell of the object with an ID, from its two possible positions: near
// is its position in the order of streaming writers, far in that of dump writers. ok is
// false if there is no such cell yet, or if the one there belongs to another object; in that
// case err is why, and the caller should distrust the file. Call [File.Settle] before.
func (s *File) Pick(id int32, near, far int64, what Kind) (c format.TimeCell, ok bool, err error) {
	cellAt := near
	if Order(s.order.Load()) == OrderDump {
		cellAt = far
	}
	c, ok, err = s.cell(cellAt)
	if ok && c.ID != id {
		return c, false, s.mismatch(cellAt, fmt.Sprintf("that of %s %d", what, id), c)
	}
	return c, ok, err
}

// Time is when something began and how long it took, in nanoseconds.
type Time struct {
	Start    int64 // since the anchor of the trace's times
	Duration int64 // negative if not known
}

// None is the Time of something without a time.
var None = Time{Duration: format.NoDuration}

// End returns when it ended.
func (t Time) End() int64 { return t.Start + t.Duration }

// Of returns the time of a cell. ok is false if it has no plausible time.
func Of(c format.TimeCell) (t Time, ok bool) {
	if !c.Known() || c.Start < 0 || c.Start > math.MaxInt64-c.Duration {
		return None, false
	}
	return Time{Start: c.Start, Duration: c.Duration}, true
}
