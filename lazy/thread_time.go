package lazy

import (
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/times"
)

func (r *walkReader) Times() (anchor time.Time, ok bool) {
	r.life.RLock()
	defer r.life.RUnlock()
	if r.closed || !r.timed() {
		return time.Time{}, false
	}
	return r.times.Load().Anchor(), true
}

func (r *walkReader) TimesSize() int64 {
	r.life.RLock()
	defer r.life.RUnlock()
	if r.closed || !r.timed() {
		return 0
	}
	return r.times.Load().Size()
}

func timesMissing(r *walkReader) (path string) {
	if st := r.now(); r.timed() || st.TimesReason != nil || st.Growth.On || r.timesPath == "" {
		return ""
	}
	r.withContext(func(c *format.Context) {
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

func (r *walkReader) ThreadTime(thread int32) (t Time, ok bool) {
	t = r.threadTime(thread)
	return t, t.Duration >= 0
}

// threadTime returns the time of a thread, noTime if it is not known.
func (r *walkReader) threadTime(thread int32) Time {
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

func (r *walkReader) Recording() (begin time.Time, length time.Duration, ok bool) {
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
func (t *walkReader) lengthSoFar(v *index.View) *length {
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
		w := &walker{r: t.trace, v: v, s: s}
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

// time returns the time of a trace point; ok is false if it is not known, as for all
// leaves.
func (w *walker) time(e *nodeData) (t Time, ok bool) {
	if e.cellAt == 0 {
		return noTime, false
	}
	c, ok := w.r.pick(e.point.Event, e.cellAt, e.cellAt-format.CellSize, times.Event)
	if !ok {
		return noTime, false
	}
	return times.Of(c)
}
