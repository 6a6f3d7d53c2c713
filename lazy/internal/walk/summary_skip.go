package walk

import (
	"context"
	"errors"
	"slices"

	"tracex/format"
	"tracex/lazy/internal/summary"
	"tracex/lazy/internal/trace"
)

// Want tells what a part of a trace must have for a pass to read it. All that is set must hold; the
// zero Want takes every part.
type Want struct {
	// Point reports whether points of a class with a Ref (see [format.Point]: a method, a field, a
	// variable; 0 for other classes) in a thread may be wanted. One of them must be in the part. It
	// is called with the context locked, on one goroutine at a time.
	Point func(class format.Class, ref, thread int32) bool
	// Open reports whether a call of a method may be wanted that is open in a thread where the part
	// begins: such a call counts like one that Point takes. It is called like Point. nil for none.
	Open func(method, thread int32) bool
	// Inside reports whether objects of a class may be wanted whose contents were recorded with them,
	// or such arrays or exceptions: one of them counts like a point that Point takes. It is called
	// like Point. nil for none.
	Inside func(class int32) bool
	// Objects are objects, arrays, exceptions, builders or sequences; one of them must be in the
	// part, as a receiver, an argument, a result, an array, or a value that is read, written,
	// thrown or caught, or captured inside of one of these.
	Objects []format.Value
	// Longer is the least duration, in nanoseconds; 0 for any. A container that begins in the part
	// must take so long, unless there are no times.
	Longer int64
	// Threw tells that a call must end by an exception in the part, or a throw or a catch be in it.
	Threw bool
}

// SkipWithout returns what [Pass.Skip] needs to leave out the parts of the trace that do not have
// what is wanted, in the raw and in the folded view. It knows that from the summary file beside the
// trace; without one that fits it returns nil, which skips nothing. What cannot be told is read.
// The result is for one pass at a time.
//
//	pass.Skip = lazy.SummaryOf(r).SkipWithout(lazy.Want{Point: …})
func (f SummaryFile) SkipWithout(w Want) func(PassRange) bool {
	r := f.r
	x := &skipper{t: r.Trace, want: w}
	err := r.WithSummary(func(s *trace.SummaryFile) (err error) {
		x.dir, err = s.Directory(r.Known.Load())
		x.file, x.timed = s.File, s.Timed
		return err
	})
	if err != nil {
		return nil
	}
	r.WithContext(func(c *format.Context) {
		for i := range w.Objects {
			v := &w.Objects[i]
			var known unitVisitor
			if key, ok := known.key(c, v.Kind, v.ClassID, v.Hash()); ok {
				x.objects = append(x.objects, key)
			} else {
				x.anyObject = true
			}
		}
	})
	return x.skips
}

// skipper knows which parts of a trace a pass may leave out.
type skipper struct {
	t         *trace.Trace
	want      Want
	file      *summary.File
	dir       *summary.Directory
	timed     bool
	objects   []uint64 // keys of those wanted
	anyObject bool     // one of them has none
	unit      summary.Unit
}

// skips reports whether a part has nothing that is wanted.
func (x *skipper) skips(g PassRange) bool {
	first, end := x.dir.Find(g.Thread, g.From, g.To)
	if first == end {
		return false
	}
	none := true
	err := x.t.WithSummary(func(s *trace.SummaryFile) error {
		if s.File != x.file {
			none = false // it was replaced
			return nil
		}
		for i := first; i < end && none; i++ {
			p := &x.dir.Units[i]
			if !s.File.Read(p, &x.unit) {
				none = false
				return nil
			}
			x.t.WithContext(func(*format.Context) { none = !x.wanted(p) })
		}
		return nil
	})
	return none && err == nil
}

// wanted reports whether the unit that has been read may have what is wanted.
func (x *skipper) wanted(p *summary.Place) bool {
	u, w := &x.unit, &x.want
	if w.Longer > 0 && x.timed && u.Longest < w.Longer {
		return false
	}
	if w.Threw && u.Throws == 0 && u.Classes&(1<<format.ClassThrow|1<<format.ClassCatch) == 0 {
		return false
	}
	if len(w.Objects) > 0 && !x.anyObject && !x.object() {
		return false
	}
	if w.Point == nil && w.Open == nil && w.Inside == nil {
		return true
	}
	if w.Inside != nil && (u.Objects.Any() || slices.ContainsFunc(u.Sets[summary.Inside], w.Inside)) {
		return true
	}
	if w.Open != nil { // only parts of one thread begin within calls
		for _, m := range u.Sets[summary.Around] {
			if w.Open(m, x.dir.Streams[p.Stream].Thread) {
				return true
			}
		}
	}
	if w.Point == nil {
		return false
	}
	for i := range max(p.Count, 1) {
		if i == mostAsked || x.point(x.dir.Streams[p.Stream+i].Thread) {
			return true
		}
	}
	return false
}

// mostAsked bounds for how many threads of a unit points are asked about.
const mostAsked = 256

func (x *skipper) object() bool {
	for _, key := range x.objects {
		if x.unit.Objects.Has(key) {
			return true
		}
	}
	return false
}

// point reports whether a point is wanted, if it is in a thread.
func (x *skipper) point(thread int32) bool {
	u := &x.unit
	for c := format.Class(0); c.Valid(); c++ {
		if u.Classes&(1<<c) == 0 {
			continue
		}
		set, ok := SetOf(c)
		if !ok {
			if x.want.Point(c, 0, thread) {
				return true
			}
			continue
		}
		for _, ref := range u.Sets[set] {
			if x.want.Point(c, ref, thread) {
				return true
			}
		}
	}
	return false
}

// AtMost returns how many points the parts of the trace have that may have what is wanted: calls, or
// points of all classes. ok is false without a summary that fits, or if ctx ends before.
func (f SummaryFile) AtMost(ctx context.Context, w Want, calls bool) (n int64, ok bool) {
	r := f.r
	x := &skipper{t: r.Trace, want: w}
	for i, end := 0, 1; i < end; i++ {
		if ctx.Err() != nil {
			return 0, false
		}
		err := r.WithSummary(func(s *trace.SummaryFile) (err error) { // others may use it between two units
			if x.dir == nil {
				x.dir, err = s.Directory(r.Known.Load())
				x.file, x.timed = s.File, s.Timed
				if err != nil {
					return err
				}
			}
			end = len(x.dir.Units)
			if i == end {
				return nil
			}
			p := &x.dir.Units[i]
			if s.File != x.file || !s.File.Read(p, &x.unit) {
				return errNoUnit
			}
			wanted := false
			x.t.WithContext(func(*format.Context) { wanted = x.wanted(p) })
			switch {
			case wanted && calls:
				n += x.unit.Calls
			case wanted:
				n += x.unit.Points
			}
			return nil
		})
		if err != nil {
			return 0, false
		}
	}
	return n, true
}

// errNoUnit: the summary was replaced, or is damaged.
var errNoUnit = errors.New("the summary cannot be read")
