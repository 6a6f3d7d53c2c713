package lazy

import "math"

// When returns between which times the point was recorded; both are the same if its own is known, as that of
// a container where it is entered and where it is left. Otherwise, as for all leaves, they are those of
// the nearest containers of the thread that began or ended before and after it, as recorded; from the
// begin of the thread if there is none before, and to [math.MaxInt64] if nothing after it has a time. ok is false if the trace has no times.
func (p *PassPoint) When() (from, to int64, ok bool) {
	if !p.walk.r.timed() {
		return 0, 0, false
	}
	if p.Class.Container() {
		if t, ok := p.Time(); ok && p.size > 0 {
			return t.Start, t.Start, true
		} else if ok {
			return t.End(), t.End(), true
		}
	}
	at := p.At
	if p.Class.Container() && p.size == 0 {
		if at = p.foot; at < 0 {
			at = p.walk.s.Size
		}
	}
	from, to = p.walk.timesAround(at)
	return from, to, true
}

// TimesAround returns the last known time before a position, and the first after it: see [PassPoint.When].
func TimesAround(r *LazyTraceReader, p Position) (from, to int64, err error) {
	err = r.use(func() error {
		if !r.timed() {
			return ErrNoTimes
		}
		w, err := r.walkerOn(r.known.Load(), p.Thread)
		if err != nil {
			return err
		}
		from, to = w.timesAround(p.At)
		return nil
	})
	return from, to, err
}

// mostAround bounds how many containers are looked at to find the outermost that begins after a point.
const mostAround = 1024

// timesAround returns the last known time before an object at a logical offset, and the first after it.
func (w *walker) timesAround(at int64) (from, to int64) {
	to = math.MaxInt64
	cells := w.s.Cells
	if w.s.Blocks() > 0 {
		if t, ok := w.blockTime(0); ok {
			from = t.Start
		}
	}
	m := cells.FirstEnding(at)
	if m > 0 {
		if t, ok := w.cellTime(m - 1); ok {
			from = max(from, t.End())
		}
	}
	if m >= cells.Len() {
		return from, to
	}
	around := cells.FirstAround(m, at) // the innermost container around
	if around < cells.Len() {
		if t, ok := w.cellTime(around); ok {
			from = max(from, t.Start)
		}
	}
	next := m
	for n := 0; next != around && n < mostAround; n++ {
		out := cells.FirstAround(next+1, cells.At(next).Start-1)
		if out >= cells.Len() || out == around {
			break
		}
		next = out
	}
	t, ok := w.cellTime(next)
	switch {
	case ok && next == around:
		to = t.End()
	case ok:
		to = t.Start
	}
	return from, max(from, to)
}
