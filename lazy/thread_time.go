package lazy

import (
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/times"
)

// Times reports whether the trace has usable times, and the wall clock time at which
// they begin to count. If there is a file of times that cannot be used, Status has
// the reason.
//
// A trace whose clock is not related to the wall clock counts from 1970: see [WallKnown].
func (r *LazyTraceReader) Times() (anchor time.Time, ok bool) {
	r.life.RLock()
	defer r.life.RUnlock()
	if r.closed || !r.timed() {
		return time.Time{}, false
	}
	return r.times.Load().Anchor(), true
}

// TimesSize returns the size of the file of times in bytes; 0 if it is absent or not
// used. For a packed trace it is the unpacked size.
func (r *LazyTraceReader) TimesSize() int64 {
	r.life.RLock()
	defer r.life.RUnlock()
	if r.closed || !r.timed() {
		return 0
	}
	return r.times.Load().Size()
}

// TimesMissing returns the path where the times of a Go program's trace would be, if there is no such file: it was not
// copied with the trace, or no times were recorded. It is "" for others: what records in a JVM writes none.
func TimesMissing(r *LazyTraceReader) (path string) {
	if st := r.Status(); r.timed() || st.TimesReason != nil || st.Growth.On || r.timesPath == "" {
		return ""
	}
	r.WithContext(func(c *format.Context) {
		const looked = 1000
		n := 0
		for l := range c.Locations() {
			if file, _ := c.Text(l.File); strings.HasSuffix(file, ".go") {
				path = r.timesPath
			} else if n++; file == "" && n < looked {
				continue
			}
			return
		}
	})
	return path
}

// blockTries is how many blocks at each end of a thread are tried to find its time.
const blockTries = 1024

// ThreadTime returns the time of a thread: from the start of its first block to the end of its
// last. ok is false if it is not known, as in a trace without times.
func (r *LazyTraceReader) ThreadTime(thread int32) (t Time, ok bool) {
	t = r.threadTime(thread)
	return t, t.Duration >= 0
}

// threadTime returns the time of a thread, noTime if it is not known.
func (r *trace) threadTime(thread int32) Time {
	t := noTime
	err := r.use(func() error {
		if !r.timed() {
			return nil
		}
		w, err := r.walkerOn(r.known.Load(), thread)
		if err == nil {
			t, _ = w.threadTime()
		}
		return err
	})
	if err != nil {
		return noTime
	}
	return t
}

// threadTime returns the time of a thread: from the first block that has a time to
// the last.
func (w *walker) threadTime() (t Time, ok bool) {
	t = noTime
	n := w.s.Blocks()
	var first, last Time
	for i := 0; i < min(n, blockTries) && !ok; i++ {
		first, ok = w.blockTime(i)
	}
	if !ok {
		return t, false
	}
	ok = false
	for i := n - 1; i >= max(0, n-blockTries) && !ok; i-- {
		last, ok = w.blockTime(i)
	}
	if !ok || last.End() < first.Start {
		return t, false
	}
	return Time{Start: first.Start, Duration: last.End() - first.Start}, true
}

func (w *walker) blockTime(i int) (Time, bool) {
	cellAt := w.s.Block(i).CellAt
	last, ok := w.s.Last(i)
	if !ok {
		last = cellAt
	}
	c, ok := w.r.pick(w.s.Thread, cellAt, last, times.Block)
	if !ok {
		return noTime, false
	}
	return times.Of(c)
}

// Recording returns when the recording began and how long it took: to its end,
// or, if it has none, to the last known time. ok is false if the trace has no times.
func (r *LazyTraceReader) Recording() (begin time.Time, length time.Duration, ok bool) {
	err := r.use(func() error {
		if !r.timed() {
			return nil
		}
		v := r.known.Load()
		if v.Complete && v.EOF {
			var c format.TimeCell
			cellAt := endCellAt(v)
			if c, ok = r.pick(times.EndID, cellAt, cellAt, times.End); ok {
				var t Time
				t, ok = times.Of(c)
				begin, length = r.times.Load().Anchor(), time.Duration(t.Start)
			}
			return nil
		}
		so := r.lengthSoFar(v)
		begin, length, ok = r.times.Load().Anchor(), time.Duration(so.end), so.known
		return nil
	})
	return begin, length, ok && err == nil
}

// lengthSoFar returns the length of the recording in a view. It looks only at threads
// that have grown since the last call, or whose times were late then. It must be called
// within use.
func (t *trace) lengthSoFar(v *index.View) *length {
	was, file := t.length.Load(), t.times.Load()
	now := &length{v: v, epoch: t.epoch.Load(), size: len(file.Mapped().Bytes())}
	if was != nil && was.v == v && was.size == now.size {
		return was
	}
	if was == nil || was.epoch != now.epoch {
		was = &length{v: new(index.View)}
	}
	now.end, now.known = was.end, was.known
	late := was.late
	for i, s := range v.Streams {
		for len(late) > 0 && late[0] < s.Thread {
			late = late[1:]
		}
		isLate := len(late) > 0 && late[0] == s.Thread
		if !isLate && i < len(was.v.Streams) && was.v.Streams[i] == s {
			continue
		}
		now.looks++
		w := &walker{r: t, v: v, s: s}
		if took, ok := w.threadTime(); ok {
			now.end, now.known = max(now.end, took.End()), true
		}
		if n := s.Blocks(); n > 0 {
			if _, ok := w.blockTime(n - 1); !ok {
				now.late = append(now.late, s.Thread)
			}
		}
	}
	t.length.Store(now)
	return now
}
