package walk

import (
	"strings"
	"time"

	"tracex/format"
	"tracex/lazy/internal/index"
	"tracex/lazy/internal/times"
	"tracex/lazy/internal/trace"
)

func (r *Reader) Times() (anchor time.Time, ok bool) {
	r.Life.RLock()
	defer r.Life.RUnlock()
	if r.Closed || !r.Timed() {
		return time.Time{}, false
	}
	return r.TimesFile.Load().Anchor(), true
}

func (r *Reader) TimesSize() int64 {
	r.Life.RLock()
	defer r.Life.RUnlock()
	if r.Closed || !r.Timed() {
		return 0
	}
	return r.TimesFile.Load().Size()
}

func TimesMissing(r *Reader) (path string) {
	if st := r.Now(); r.Timed() || st.TimesReason != nil || st.Growth.On || r.TimesPath == "" {
		return ""
	}
	r.WithContext(func(c *format.Context) {
		const looked = 1000
		n := 0
		for l := range c.Locations() {
			if file, _ := c.Text(l.File); strings.HasSuffix(file, ".go") {
				path = r.TimesPath
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

func (r *Reader) ThreadTime(thread int32) (t trace.Time, ok bool) {
	t = r.TimeOfThread(thread)
	return t, t.Duration >= 0
}

// ThreadTime returns the time of a thread, NoTime if it is not known.
func (r *Reader) TimeOfThread(thread int32) trace.Time {
	t := trace.NoTime
	err := r.Use(func() error {
		if !r.Timed() {
			return nil
		}
		w, err := r.WalkerOn(r.Known.Load(), thread)
		if err == nil {
			t, _ = w.ThreadTime()
		}
		return err
	})
	if err != nil {
		return trace.NoTime
	}
	return t
}

// ThreadTime returns the time of a thread: from the first block that has a time to
// the last.
func (w *Walker) ThreadTime() (t trace.Time, ok bool) {
	t = trace.NoTime
	n := w.S.Blocks()
	var first, last trace.Time
	for i := 0; i < min(n, blockTries) && !ok; i++ {
		first, ok = w.BlockTime(i)
	}
	if !ok {
		return t, false
	}
	ok = false
	for i := n - 1; i >= max(0, n-blockTries) && !ok; i-- {
		last, ok = w.BlockTime(i)
	}
	if !ok || last.End() < first.Start {
		return t, false
	}
	return trace.Time{Start: first.Start, Duration: last.End() - first.Start}, true
}

func (w *Walker) BlockTime(i int) (trace.Time, bool) {
	cellAt := w.S.Block(i).CellAt
	last, ok := w.S.Last(i)
	if !ok {
		last = cellAt
	}
	c, ok := w.R.Pick(w.S.Thread, cellAt, last, times.Block)
	if !ok {
		return trace.NoTime, false
	}
	return times.Of(c)
}

func (r *Reader) Recording() (begin time.Time, length time.Duration, ok bool) {
	err := r.Use(func() error {
		if !r.Timed() {
			return nil
		}
		v := r.Known.Load()
		if v.Complete && v.EOF {
			var c format.TimeCell
			cellAt := trace.EndCellAt(v)
			if c, ok = r.Pick(times.EndID, cellAt, cellAt, times.End); ok {
				var t trace.Time
				t, ok = times.Of(c)
				begin, length = r.TimesFile.Load().Anchor(), time.Duration(t.Start)
			}
			return nil
		}
		so := r.lengthSoFar(v)
		begin, length, ok = r.TimesFile.Load().Anchor(), time.Duration(so.End), so.Known
		return nil
	})
	return begin, length, ok && err == nil
}

// lengthSoFar returns the length of the recording in a view. It looks only at threads
// that have grown since the last call, or whose times were late then. It must be called
// within use.
func (t *Reader) lengthSoFar(v *index.View) *trace.Length {
	was, file := t.Length.Load(), t.TimesFile.Load()
	now := &trace.Length{V: v, Epoch: t.Epoch.Load(), Size: len(file.Mapped().Bytes())}
	if was != nil && was.V == v && was.Size == now.Size {
		return was
	}
	if was == nil || was.Epoch != now.Epoch {
		was = &trace.Length{V: new(index.View)}
	}
	now.End, now.Known = was.End, was.Known
	late := was.Late
	for i, s := range v.Streams.All() {
		for len(late) > 0 && late[0] < s.Thread {
			late = late[1:]
		}
		isLate := len(late) > 0 && late[0] == s.Thread
		if !isLate && i < was.V.Streams.Len() && v.Streams.Shares(i, &was.V.Streams, i) {
			continue
		}
		now.Looks++
		w := &Walker{R: t.Trace, V: v, S: s}
		if took, ok := w.ThreadTime(); ok {
			now.End, now.Known = max(now.End, took.End()), true
		}
		if n := s.Blocks(); n > 0 {
			if _, ok := w.BlockTime(n - 1); !ok {
				now.Late = append(now.Late, s.Thread)
			}
		}
	}
	t.Length.Store(now)
	return now
}

// Time returns the time of a trace point; ok is false if it is not known, as for all
// leaves.
func (w *Walker) Time(e *NodeData) (t trace.Time, ok bool) {
	if e.CellAt == 0 {
		return trace.NoTime, false
	}
	c, ok := w.R.Pick(e.Point.Event, e.CellAt, e.CellAt-format.CellSize, times.Event)
	if !ok {
		return trace.NoTime, false
	}
	return times.Of(c)
}
